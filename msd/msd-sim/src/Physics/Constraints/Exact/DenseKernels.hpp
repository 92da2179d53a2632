#pragma once

/// Small dense kernels for the sparse factorisation. All matrices are column-major with a leading
/// dimension. The order of the additions is fixed in the source (no cache-size dependent blocking),
/// so a result depends on its input alone.

namespace msd_sim::dense {

/// C (m × n) -= A (m × k) · B (k × n).
void subtractProduct(int m, int n, int k, const double* a, int lda, const double* b, int ldb,
                     double* c, int ldc);

/// Partial LU of a frontal matrix whose first p rows and columns are eliminated.
///
///   left  (m × p) holds the pivot columns, right (p × n) the pivot rows of the other columns,
///   with m >= p. On return  left = [L11 | U11; L21],  right = U12, and pivot[k] is the row exchanged
///   with row k (exchanges stay inside the first p rows). The caller subtracts L21·U12 from what
///   remains. A pivot smaller than `tiny` in size is replaced by ±tiny; the number of such
///   replacements is returned.
[[nodiscard]] int factorizeFront(int m, int p, double* left, int n, double* right, int* pivot,
                                 double tiny);

}  // namespace msd_sim::dense
