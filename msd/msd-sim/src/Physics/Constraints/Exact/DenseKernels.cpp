#include "msd-sim/src/Physics/Constraints/Exact/DenseKernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace msd_sim::dense {
namespace {

constexpr int kLanes = 4;
constexpr int kTileColumns = 4;
constexpr int kPanel = 12;

/// Four doubles in one register. The compilers turn the lane loop of `fusedAdd` into one
/// instruction.
using Lanes = double __attribute__((vector_size(32)));

[[nodiscard]] inline Lanes load(const double* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof(lanes));
  return lanes;
}

inline void store(double* to, Lanes lanes) {
  std::memcpy(to, &lanes, sizeof(lanes));
}

[[nodiscard]] inline Lanes fusedAdd(Lanes x, Lanes y, Lanes z) {
  Lanes result;
  for (int i = 0; i < kLanes; ++i) result[i] = std::fma(x[i], y[i], z[i]);
  return result;
}

/// One register tile: acc = A(4·Packs × k)·B(k × Columns), then C -= acc.
template <int Packs, int Columns>
inline void tile(int k, const double* a, int lda, const double* b, int ldb, double* c, int ldc) {
  Lanes acc[Columns][Packs] = {};
  for (int l = 0; l < k; ++l) {
    const double* column = a + static_cast<long>(l) * lda;
    Lanes rows[Packs];
    for (int i = 0; i < Packs; ++i) rows[i] = load(column + kLanes * i);
    for (int j = 0; j < Columns; ++j) {
      const double value = b[l + static_cast<long>(j) * ldb];
      const Lanes factor = {value, value, value, value};
      for (int i = 0; i < Packs; ++i) acc[j][i] = fusedAdd(rows[i], factor, acc[j][i]);
    }
  }
  for (int j = 0; j < Columns; ++j) {
    double* target = c + static_cast<long>(j) * ldc;
    for (int i = 0; i < Packs; ++i) {
      store(target + kLanes * i, load(target + kLanes * i) - acc[j][i]);
    }
  }
}

/// One row of a tile, for what is left over.
template <int Columns>
inline void rowTile(int k, const double* a, int lda, const double* b, int ldb, double* c, int ldc) {
  double acc[Columns] = {};
  for (int l = 0; l < k; ++l) {
    const double value = a[static_cast<long>(l) * lda];
    for (int j = 0; j < Columns; ++j) {
      acc[j] = std::fma(value, b[l + static_cast<long>(j) * ldb], acc[j]);
    }
  }
  for (int j = 0; j < Columns; ++j) c[static_cast<long>(j) * ldc] -= acc[j];
}

template <int Columns>
inline void columnStrip(int m, int k, const double* a, int lda, const double* b, int ldb, double* c,
                        int ldc) {
  int i = 0;
  for (; i + 2 * kLanes <= m; i += 2 * kLanes) {
    tile<2, Columns>(k, a + i, lda, b, ldb, c + i, ldc);
  }
  if (i + kLanes <= m) {
    tile<1, Columns>(k, a + i, lda, b, ldb, c + i, ldc);
    i += kLanes;
  }
  for (; i < m; ++i) rowTile<Columns>(k, a + i, lda, b, ldb, c + i, ldc);
}

void multiplySubtract(int m, int n, int k, const double* a, int lda, const double* b, int ldb,
                      double* c, int ldc) {
  int j = 0;
  for (; j + kTileColumns <= n; j += kTileColumns) {
    columnStrip<kTileColumns>(m, k, a, lda, b + static_cast<long>(j) * ldb, ldb,
                              c + static_cast<long>(j) * ldc, ldc);
  }
  for (; j < n; ++j) {
    columnStrip<1>(m, k, a, lda, b + static_cast<long>(j) * ldb, ldb,
                   c + static_cast<long>(j) * ldc, ldc);
  }
}

void swapRows(double* matrix, int ld, int columns, int row, int other) {
  for (int j = 0; j < columns; ++j) {
    std::swap(matrix[row + static_cast<long>(j) * ld], matrix[other + static_cast<long>(j) * ld]);
  }
}

/// Four rows of the triangular solve below: v -= L(:, r)·v_r for r = 0, 1, 2, with the columns of L
/// given below their diagonal and zero above.
inline void solveFourRows(const Lanes& l0, const Lanes& l1, const Lanes& l2, double* x) {
  Lanes v = load(x);
  v = fusedAdd(l0, Lanes{v[0], v[0], v[0], v[0]}, v);
  v = fusedAdd(l1, Lanes{v[1], v[1], v[1], v[1]}, v);
  v = fusedAdd(l2, Lanes{v[2], v[2], v[2], v[2]}, v);
  store(x, v);
}

/// X (k × n) := L⁻¹ X with L unit lower triangular (k × k): four rows at a time, then a product.
void solveUnitLower(int k, const double* l, int ldl, int n, double* x, int ldx) {
  for (int r0 = 0; r0 < k; r0 += kLanes) {
    const int r1 = std::min(r0 + kLanes, k);
    const double* diagonal = l + r0 + static_cast<long>(r0) * ldl;
    if (r1 - r0 == kLanes) {
      const double* c1 = diagonal + ldl;
      const double* c2 = c1 + ldl;
      const Lanes l0{0.0, -diagonal[1], -diagonal[2], -diagonal[3]};
      const Lanes l1{0.0, 0.0, -c1[2], -c1[3]};
      const Lanes l2{0.0, 0.0, 0.0, -c2[3]};
      for (int j = 0; j < n; ++j) solveFourRows(l0, l1, l2, x + r0 + static_cast<long>(j) * ldx);
    } else {
      for (int j = 0; j < n; ++j) {
        double* column = x + r0 + static_cast<long>(j) * ldx;
        for (int r = 0; r < r1 - r0; ++r) {
          const double* factor = diagonal + static_cast<long>(r) * ldl;
          for (int i = r + 1; i < r1 - r0; ++i) {
            column[i] = std::fma(-factor[i], column[r], column[i]);
          }
        }
      }
    }
    if (r1 < k) {
      multiplySubtract(k - r1, n, r1 - r0, l + r1 + static_cast<long>(r0) * ldl, ldl, x + r0, ldx,
                       x + r1, ldx);
    }
  }
}

}  // namespace

void subtractProduct(int m, int n, int k, const double* a, int lda, const double* b, int ldb,
                     double* c, int ldc) {
  if (m == 0 || n == 0 || k == 0) return;
  multiplySubtract(m, n, k, a, lda, b, ldb, c, ldc);
}

int factorizeFront(int m, int p, double* left, int n, double* right, int* pivot, double tiny) {
  const auto at = [&](int i, int j) -> double& { return left[i + static_cast<long>(j) * m]; };
  int replaced = 0;
  for (int k0 = 0; k0 < p; k0 += kPanel) {
    const int k1 = std::min(k0 + kPanel, p);
    for (int k = k0; k < k1; ++k) {
      int best = k;
      for (int i = k + 1; i < p; ++i) {
        if (std::abs(at(i, k)) > std::abs(at(best, k))) best = i;
      }
      pivot[k] = best;
      if (best != k) {
        swapRows(left, m, p, k, best);
        swapRows(right, p, n, k, best);
      }
      double diagonal = at(k, k);
      if (!(std::abs(diagonal) >= tiny)) {
        diagonal = std::copysign(tiny, diagonal);
        at(k, k) = diagonal;
        ++replaced;
      }
      const double inverse = 1.0 / diagonal;
      double* column = &at(0, k);
      for (int i = k + 1; i < m; ++i) column[i] *= inverse;
      for (int j = k + 1; j < k1; ++j) {
        double* target = &at(0, j);
        const double factor = target[k];
        for (int i = k + 1; i < m; ++i) target[i] = std::fma(-column[i], factor, target[i]);
      }
    }
    const int width = k1 - k0;
    if (k1 < p) {
      solveUnitLower(width, &at(k0, k0), m, p - k1, &at(k0, k1), m);
      subtractProduct(m - k1, p - k1, width, &at(k1, k0), m, &at(k0, k1), m, &at(k1, k1), m);
    }
    if (n > 0) {
      solveUnitLower(width, &at(k0, k0), m, n, right + k0, p);
      subtractProduct(p - k1, n, width, &at(k1, k0), m, right + k0, p, right + k1, p);
    }
  }
  return replaced;
}

}  // namespace msd_sim::dense
