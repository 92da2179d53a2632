#include "msd-sim/src/Physics/Constraints/Joints/BlockFactor.hpp"

#include <algorithm>
#include <cmath>

namespace msd_sim {

namespace {

using Lists = std::vector<std::vector<std::uint32_t>>;

Lists neighbourLists(std::size_t nodes, std::span<const BlockFactor::Edge> edges) {
  Lists lists(nodes);
  for (const auto& [a, b] : edges) {
    if (a == b) continue;
    lists[a].push_back(b);
    lists[b].push_back(a);
  }
  for (auto& list : lists) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return lists;
}

/// Adds to `list` the entries of `more` that are missing, except `skip` and itself.
void merge(std::vector<std::uint32_t>& list, const std::vector<std::uint32_t>& more,
           std::uint32_t skip, std::uint32_t self, std::vector<std::uint32_t>& scratch) {
  scratch.clear();
  std::set_union(list.begin(), list.end(), more.begin(), more.end(), std::back_inserter(scratch));
  std::erase_if(scratch, [&](std::uint32_t i) { return i == skip || i == self; });
  list.swap(scratch);
}

/// Multiply-adds of eliminating a node with these neighbours.
double eliminationWork(std::span<const std::uint32_t> sizes, std::uint32_t node,
                       const std::vector<std::uint32_t>& neighbours) {
  double below = 0.0;
  for (const std::uint32_t i : neighbours) below += sizes[i];
  const double m = sizes[node];
  return m * m * m / 6.0 + below * m * m / 2.0 + below * below * m / 2.0;
}

}  // namespace

std::vector<std::uint32_t> BlockFactor::findOrder(std::span<const std::uint32_t> sizes,
                                                  std::span<const Edge> edges, double mostWork) {
  const auto count = static_cast<std::uint32_t>(sizes.size());
  Lists lists = neighbourLists(count, edges);
  std::vector<std::uint8_t> done(count, 0);
  std::vector<std::uint32_t> order, scratch;
  // Nodes by degree, so that the next one is found without looking at all of them.
  Lists byDegree(count + 1);
  for (std::uint32_t i = count; i-- > 0;) byDegree[lists[i].size()].push_back(i);
  double work = 0.0;
  std::size_t least = 0;
  while (order.size() < count) {
    while (byDegree[least].empty()) ++least;
    auto& bucket = byDegree[least];
    const std::uint32_t node = bucket.back();
    bucket.pop_back();
    if (done[node] != 0 || lists[node].size() != least) continue;  // an old entry
    done[node] = 1;
    order.push_back(node);
    work += eliminationWork(sizes, node, lists[node]);
    if (work > mostWork) return {};
    for (const std::uint32_t i : lists[node]) {
      merge(lists[i], lists[node], node, i, scratch);
      byDegree[lists[i].size()].push_back(i);
      least = std::min(least, lists[i].size());
    }
  }
  return order;
}

void BlockFactor::analyse(std::span<const std::uint32_t> sizes, std::span<const Edge> edges) {
  const auto count = static_cast<std::uint32_t>(sizes.size());
  Lists lists = neighbourLists(count, edges);
  std::vector<std::uint32_t> scratch;
  columns_.clear();
  below_.clear();
  below_start_.clear();
  updates_.clear();
  std::uint32_t row = 0;
  std::size_t numbers = 0;
  for (std::uint32_t k = 0; k < count; ++k) {
    auto& list = lists[k];
    std::erase_if(list, [&](std::uint32_t i) { return i <= k; });
    // Elimination joins what lies below to the next node; the rest follows from there.
    if (!list.empty()) merge(lists[list.front()], list, list.front(), k, scratch);
    Column column{};
    column.size = sizes[k];
    column.firstRow = row;
    column.panel = static_cast<std::uint32_t>(numbers);
    column.below = static_cast<std::uint32_t>(below_.size());
    std::uint32_t rows = sizes[k];
    for (const std::uint32_t i : list) {
      below_.push_back(i);
      below_start_.push_back(rows);
      rows += sizes[i];
    }
    column.belowEnd = static_cast<std::uint32_t>(below_.size());
    numbers += static_cast<std::size_t>(rows) * sizes[k];
    row += sizes[k];
    columns_.push_back(column);
  }
  rows_ = row;
  uniform_ = std::all_of(sizes.begin(), sizes.end(), [](std::uint32_t m) { return m == kUniformSize; });
  values_.assign(numbers, 0.0);
  for (std::uint32_t j = 0; j < count; ++j) {
    Column& column = columns_[j];
    column.update = static_cast<std::uint32_t>(updates_.size());
    for (std::uint32_t e = column.below; e < column.belowEnd; ++e) {
      for (std::uint32_t f = column.below; f <= e; ++f) {
        updates_.push_back(
            static_cast<std::uint32_t>(block(below_[e], below_[f]) - values_.data()));
      }
    }
  }
}

void BlockFactor::clear() {
  std::fill(values_.begin(), values_.end(), 0.0);
}

double* BlockFactor::block(std::uint32_t i, std::uint32_t k) {
  const Column& column = columns_[k];
  double* const panel = values_.data() + column.panel;
  if (i == k) return panel;
  const auto first = below_.begin() + column.below;
  const auto place = std::lower_bound(first, below_.begin() + column.belowEnd, i);
  return panel +
         std::size_t{below_start_[static_cast<std::size_t>(place - below_.begin())]} * column.size;
}

// Blocks of ball joints have three rows: loops of a length that is known are unrolled. kSize 0: of any size.

template <std::uint32_t kSize>
void BlockFactor::factorPanel(const Column& column, std::uint32_t rowsBelow) {
  const std::uint32_t m = kSize > 0 ? kSize : column.size;
  double* const a = values_.data() + column.panel;
  for (std::uint32_t c = 0; c < m; ++c) {
    double pivot = a[c * m + c];
    for (std::uint32_t q = 0; q < c; ++q) pivot -= a[c * m + q] * a[c * m + q];
    pivot = pivot > 0.0 ? std::sqrt(pivot) : 1.0;
    const double inverse = 1.0 / pivot;
    a[c * m + c] = inverse;
    for (std::uint32_t r = c + 1; r < m; ++r) {
      double sum = a[r * m + c];
      for (std::uint32_t q = 0; q < c; ++q) sum -= a[r * m + q] * a[c * m + q];
      a[r * m + c] = sum * inverse;
    }
  }
  // The triangle's inverse in its place: products do not wait for each other as substitutions do.
  for (std::uint32_t c = 0; c + 1 < m; ++c) {
    for (std::uint32_t r = c + 1; r < m; ++r) {
      double sum = 0.0;
      for (std::uint32_t q = c; q < r; ++q) sum += a[r * m + q] * a[q * m + c];
      a[r * m + c] = -sum * a[r * m + r];
    }
  }
  for (std::uint32_t r = m; r < m + rowsBelow; ++r) {
    double* const row = a + std::size_t{r} * m;
    for (std::uint32_t c = m; c-- > 0;) {
      double sum = row[0] * a[c * m];
      for (std::uint32_t q = 1; q <= c; ++q) sum += row[q] * a[c * m + q];
      row[c] = sum;
    }
  }
}

void BlockFactor::factor() {
  if (uniform_) {
    factorAll<kUniformSize>();
  } else {
    factorAll<0>();
  }
}

template <std::uint32_t kSize>
void BlockFactor::factorAll() {
  for (const Column& column : columns_) {
    const std::uint32_t m = kSize > 0 ? kSize : column.size;
    std::uint32_t rows = 0;
    for (std::uint32_t e = column.below; e < column.belowEnd; ++e) {
      rows += kSize > 0 ? kSize : columns_[below_[e]].size;
    }
    factorPanel<kSize>(column, rows);
    const double* const panel = values_.data() + column.panel;
    std::uint32_t update = column.update;
    for (std::uint32_t e = column.below; e < column.belowEnd; ++e) {
      const std::uint32_t mi = kSize > 0 ? kSize : columns_[below_[e]].size;
      const double* const li = panel + std::size_t{below_start_[e]} * m;
      for (std::uint32_t f = column.below; f <= e; ++f) {
        const std::uint32_t mk = kSize > 0 ? kSize : columns_[below_[f]].size;
        const double* const lk = panel + std::size_t{below_start_[f]} * m;
        double* const target = values_.data() + updates_[update++];
        for (std::uint32_t r = 0; r < mi; ++r) {
          for (std::uint32_t c = 0; c < mk; ++c) {
            double sum = 0.0;
            for (std::uint32_t q = 0; q < m; ++q) sum += li[r * m + q] * lk[c * m + q];
            target[r * mk + c] -= sum;
          }
        }
      }
    }
  }
}

namespace {

// Of kRight right sides at once: number i of right side k stands at [i * kRight + k].

/// x = D⁻¹ x for a lower triangle, of which the inverse is given.
template <std::uint32_t kSize, std::uint32_t kRight>
void solveLower(const double* a, std::uint32_t size, double* x) {
  const std::uint32_t m = kSize > 0 ? kSize : size;
  for (std::uint32_t r = m; r-- > 0;) {
    double sum[kRight];
    for (std::uint32_t k = 0; k < kRight; ++k) sum[k] = a[r * m] * x[k];
    for (std::uint32_t q = 1; q <= r; ++q) {
      for (std::uint32_t k = 0; k < kRight; ++k) sum[k] += a[r * m + q] * x[q * kRight + k];
    }
    for (std::uint32_t k = 0; k < kRight; ++k) x[r * kRight + k] = sum[k];
  }
}

/// x = D⁻ᵀ x.
template <std::uint32_t kSize, std::uint32_t kRight>
void solveUpper(const double* a, std::uint32_t size, double* x) {
  const std::uint32_t m = kSize > 0 ? kSize : size;
  for (std::uint32_t r = 0; r < m; ++r) {
    double sum[kRight];
    for (std::uint32_t k = 0; k < kRight; ++k) sum[k] = a[r * m + r] * x[r * kRight + k];
    for (std::uint32_t q = r + 1; q < m; ++q) {
      for (std::uint32_t k = 0; k < kRight; ++k) sum[k] += a[q * m + r] * x[q * kRight + k];
    }
    for (std::uint32_t k = 0; k < kRight; ++k) x[r * kRight + k] = sum[k];
  }
}

/// y -= L x.
template <std::uint32_t kSize, std::uint32_t kRight>
void subtractBelow(const double* l, std::uint32_t rows, std::uint32_t size, const double* x,
                   double* y) {
  const std::uint32_t m = kSize > 0 ? kSize : size, n = kSize > 0 ? kSize : rows;
  for (std::uint32_t r = 0; r < n; ++r) {
    double sum[kRight];
    for (std::uint32_t k = 0; k < kRight; ++k) sum[k] = l[r * m] * x[k];
    for (std::uint32_t q = 1; q < m; ++q) {
      for (std::uint32_t k = 0; k < kRight; ++k) sum[k] += l[r * m + q] * x[q * kRight + k];
    }
    for (std::uint32_t k = 0; k < kRight; ++k) y[r * kRight + k] -= sum[k];
  }
}

/// x -= Lᵀ z.
template <std::uint32_t kSize, std::uint32_t kRight>
void subtractAbove(const double* l, std::uint32_t rows, std::uint32_t size, const double* z,
                   double* x) {
  const std::uint32_t m = kSize > 0 ? kSize : size, n = kSize > 0 ? kSize : rows;
  for (std::uint32_t q = 0; q < m; ++q) {
    double sum[kRight];
    for (std::uint32_t k = 0; k < kRight; ++k) sum[k] = l[q] * z[k];
    for (std::uint32_t r = 1; r < n; ++r) {
      for (std::uint32_t k = 0; k < kRight; ++k) sum[k] += l[r * m + q] * z[r * kRight + k];
    }
    for (std::uint32_t k = 0; k < kRight; ++k) x[q * kRight + k] -= sum[k];
  }
}

}  // namespace

void BlockFactor::solveForward(std::span<double> b) const {
  if (uniform_) {
    forward<kUniformSize, 1>(b.data());
  } else {
    forward<0, 1>(b.data());
  }
}

void BlockFactor::solveBackward(std::span<double> y) const {
  if (uniform_) {
    backward<kUniformSize, 1>(y.data());
  } else {
    backward<0, 1>(y.data());
  }
}

void BlockFactor::solveSeveral(std::span<double> b) const {
  if (uniform_) {
    forward<kUniformSize, kSeveral>(b.data());
    backward<kUniformSize, kSeveral>(b.data());
  } else {
    forward<0, kSeveral>(b.data());
    backward<0, kSeveral>(b.data());
  }
}

template <std::uint32_t kSize, std::uint32_t kRight>
void BlockFactor::forward(double* b) const {
  for (const Column& column : columns_) {
    if (column.size == 0) continue;
    const double* const a = values_.data() + column.panel;
    double* const x = b + std::size_t{column.firstRow} * kRight;
    solveLower<kSize, kRight>(a, column.size, x);
    for (std::uint32_t e = column.below; e < column.belowEnd; ++e) {
      const Column& under = columns_[below_[e]];
      subtractBelow<kSize, kRight>(a + std::size_t{below_start_[e]} * column.size, under.size,
                                   column.size, x, b + std::size_t{under.firstRow} * kRight);
    }
  }
}

template <std::uint32_t kSize, std::uint32_t kRight>
void BlockFactor::backward(double* y) const {
  for (std::size_t k = columns_.size(); k-- > 0;) {
    const Column& column = columns_[k];
    if (column.size == 0) continue;
    const double* const a = values_.data() + column.panel;
    double* const x = y + std::size_t{column.firstRow} * kRight;
    for (std::uint32_t e = column.below; e < column.belowEnd; ++e) {
      const Column& under = columns_[below_[e]];
      if (under.size == 0) continue;
      subtractAbove<kSize, kRight>(a + std::size_t{below_start_[e]} * column.size, under.size,
                                   column.size, y + std::size_t{under.firstRow} * kRight, x);
    }
    solveUpper<kSize, kRight>(a, column.size, x);
  }
}

}  // namespace msd_sim
