// Lane arithmetic for kernels that are compiled once per vector width.
//
// Include this file inside a translation unit that Highway compiles per target
// (hwy/foreach_target.h), or define MSD_LANES_PORTABLE first for plain doubles. A `Lane` holds
// kLanes numbers; everything it offers is correctly rounded (+, -, *, /, sqrt, fma), so a kernel
// gives the same bits at every width.

#if defined(MSD_LANES_PORTABLE)
#if !defined(MSD_LANES_PORTABLE_INCLUDED)
#define MSD_LANES_PORTABLE_INCLUDED

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#define MSD_LANES_NAMESPACE lanes_portable
#define MSD_INLINE inline __attribute__((always_inline))
#define MSD_LAMBDA

namespace msd_sim::MSD_LANES_NAMESPACE {

inline constexpr int kLanes = 1;
inline constexpr std::uint64_t kRootBits = 0x5FE6EB50C7B537A9ull;

struct Mask {
  bool m;
};
struct Lane {
  double v;
};

MSD_INLINE Lane load(const double* p) { return {*p}; }
MSD_INLINE void store(Lane a, double* p) { *p = a.v; }
MSD_INLINE Lane set(double x) { return {x}; }
MSD_INLINE Lane operator+(Lane a, Lane b) { return {a.v + b.v}; }
MSD_INLINE Lane operator-(Lane a, Lane b) { return {a.v - b.v}; }
MSD_INLINE Lane operator*(Lane a, Lane b) { return {a.v * b.v}; }
MSD_INLINE Lane operator/(Lane a, Lane b) { return {a.v / b.v}; }
MSD_INLINE Lane operator-(Lane a) { return {-a.v}; }
MSD_INLINE Lane fma(Lane a, Lane b, Lane c) { return {std::fma(a.v, b.v, c.v)}; }
MSD_INLINE Lane nfma(Lane a, Lane b, Lane c) { return {std::fma(-a.v, b.v, c.v)}; }
// As the vector instructions do: the second operand when either is NaN.
MSD_INLINE Lane max(Lane a, Lane b) { return {a.v > b.v ? a.v : b.v}; }
MSD_INLINE Lane min(Lane a, Lane b) { return {a.v < b.v ? a.v : b.v}; }
MSD_INLINE Lane sqrt(Lane a) { return {std::sqrt(a.v)}; }
/// A first guess of 1/√a, a > 0, to 3.5 %: the exponent is halved and turned by arithmetic on the bits.
MSD_INLINE Lane roughInverseRoot(Lane a) {
  return {std::bit_cast<double>(kRootBits - (std::bit_cast<std::uint64_t>(a.v) >> 1))};
}
MSD_INLINE Lane abs(Lane a) { return {std::fabs(a.v)}; }
MSD_INLINE Mask operator>(Lane a, Lane b) { return {a.v > b.v}; }
MSD_INLINE Mask operator<(Lane a, Lane b) { return {a.v < b.v}; }
MSD_INLINE Mask operator>=(Lane a, Lane b) { return {a.v >= b.v}; }
MSD_INLINE Mask operator<=(Lane a, Lane b) { return {a.v <= b.v}; }
MSD_INLINE Mask operator==(Lane a, Lane b) { return {a.v == b.v}; }
MSD_INLINE Mask operator&(Mask a, Mask b) { return {a.m && b.m}; }
MSD_INLINE Mask operator|(Mask a, Mask b) { return {a.m || b.m}; }
MSD_INLINE Mask operator!(Mask a) { return {!a.m}; }
MSD_INLINE Lane select(Mask m, Lane yes, Lane no) { return m.m ? yes : no; }
MSD_INLINE bool any(Mask m) { return m.m; }
MSD_INLINE double largest(Lane a) { return a.v; }
MSD_INLINE unsigned bits(Mask m) { return m.m ? 1u : 0u; }

/// Columns of eight doubles, one row per lane: out[c] lane l = base[index[l] * stride + c].
template <int kColumns>
MSD_INLINE void gatherLines(const double* base, const std::int32_t* index, std::int64_t stride,
                            Lane* out) {
  const double* row = base + index[0] * stride;
  for (int c = 0; c < kColumns; ++c) out[c] = {row[c]};
}

/// Eight doubles of one record per lane, from `offset` on: out[c] lane l = records[l][offset + c].
MSD_INLINE void gatherRecords(const double* const* records, std::ptrdiff_t offset, Lane* out) {
  for (int c = 0; c < 8; ++c) out[c] = {records[0][offset + c]};
}

/// The reverse of both, for the lanes whose bit in `lanes` is set.
MSD_INLINE void scatterRecords(double* const* records, std::ptrdiff_t offset, const Lane* in, unsigned lanes) {
  if ((lanes & 1u) == 0) return;
  for (int c = 0; c < 8; ++c) records[0][offset + c] = in[c].v;
}
template <int kColumns>
MSD_INLINE void scatterLines(double* base, const std::int32_t* index, std::int64_t stride,
                             const Lane* in, unsigned lanes) {
  if ((lanes & 1u) == 0) return;
  double* row = base + index[0] * stride;
  for (int c = 0; c < kColumns; ++c) row[c] = in[c].v;
}

#include "msd-sim/src/DataTypes/LaneVector.inc"

}  // namespace msd_sim::MSD_LANES_NAMESPACE

#define MSD_KERNELS_BEGIN namespace msd_sim::lanes_portable {
#define MSD_KERNELS_END }

#endif  // included once
#else   // Highway

#if defined(MSD_LANES_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef MSD_LANES_TOGGLE
#undef MSD_LANES_TOGGLE
#else
#define MSD_LANES_TOGGLE
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

#undef MSD_LANES_NAMESPACE
#define MSD_LANES_NAMESPACE HWY_NAMESPACE
#undef MSD_INLINE
#define MSD_INLINE HWY_INLINE
#undef MSD_LAMBDA
#define MSD_LAMBDA HWY_ATTR

HWY_BEFORE_NAMESPACE();
namespace msd_sim::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;
using Vec = hn::Vec<Tag>;
inline constexpr int kLanes = static_cast<int>(hn::MaxLanes(Tag()));

struct Mask {
  hn::Mask<Tag> m;
};
struct Lane {
  Vec v;
};

MSD_INLINE Lane load(const double* p) { return {hn::Load(Tag(), p)}; }
MSD_INLINE void store(Lane a, double* p) { hn::Store(a.v, Tag(), p); }
MSD_INLINE Lane set(double x) { return {hn::Set(Tag(), x)}; }
MSD_INLINE Lane operator+(Lane a, Lane b) { return {hn::Add(a.v, b.v)}; }
MSD_INLINE Lane operator-(Lane a, Lane b) { return {hn::Sub(a.v, b.v)}; }
MSD_INLINE Lane operator*(Lane a, Lane b) { return {hn::Mul(a.v, b.v)}; }
MSD_INLINE Lane operator/(Lane a, Lane b) { return {hn::Div(a.v, b.v)}; }
MSD_INLINE Lane operator-(Lane a) { return {hn::Neg(a.v)}; }
MSD_INLINE Lane fma(Lane a, Lane b, Lane c) { return {hn::MulAdd(a.v, b.v, c.v)}; }
MSD_INLINE Lane nfma(Lane a, Lane b, Lane c) { return {hn::NegMulAdd(a.v, b.v, c.v)}; }
MSD_INLINE Lane max(Lane a, Lane b) { return {hn::Max(a.v, b.v)}; }
MSD_INLINE Lane min(Lane a, Lane b) { return {hn::Min(a.v, b.v)}; }
MSD_INLINE Lane sqrt(Lane a) { return {hn::Sqrt(a.v)}; }
inline constexpr std::uint64_t kRootBits = 0x5FE6EB50C7B537A9ull;
MSD_INLINE Lane roughInverseRoot(Lane a) {
  const hn::RebindToUnsigned<Tag> bits;
  return {hn::BitCast(Tag(), hn::Sub(hn::Set(bits, kRootBits), hn::ShiftRight<1>(hn::BitCast(bits, a.v))))};
}
MSD_INLINE Lane abs(Lane a) { return {hn::Abs(a.v)}; }
MSD_INLINE Mask operator>(Lane a, Lane b) { return {hn::Gt(a.v, b.v)}; }
MSD_INLINE Mask operator<(Lane a, Lane b) { return {hn::Lt(a.v, b.v)}; }
MSD_INLINE Mask operator>=(Lane a, Lane b) { return {hn::Ge(a.v, b.v)}; }
MSD_INLINE Mask operator<=(Lane a, Lane b) { return {hn::Le(a.v, b.v)}; }
MSD_INLINE Mask operator==(Lane a, Lane b) { return {hn::Eq(a.v, b.v)}; }
MSD_INLINE Mask operator&(Mask a, Mask b) { return {hn::And(a.m, b.m)}; }
MSD_INLINE Mask operator|(Mask a, Mask b) { return {hn::Or(a.m, b.m)}; }
MSD_INLINE Mask operator!(Mask a) { return {hn::Not(a.m)}; }
MSD_INLINE Lane select(Mask m, Lane yes, Lane no) { return {hn::IfThenElse(m.m, yes.v, no.v)}; }
MSD_INLINE bool any(Mask m) { return !hn::AllFalse(Tag(), m.m); }
MSD_INLINE double largest(Lane a) { return hn::GetLane(hn::MaxOfLanes(Tag(), a.v)); }
MSD_INLINE unsigned bits(Mask m) {
  std::uint8_t buffer[8] = {};
  hn::StoreMaskBits(Tag(), m.m, buffer);
  return buffer[0];
}

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86

/// Eight rows of eight doubles into eight columns: three rounds of pairwise exchanges.
MSD_INLINE void transpose8(const __m512d (&r)[8], Lane* out) {
  __m512d a[8];
  for (int i = 0; i < 4; ++i) {
    a[2 * i] = _mm512_unpacklo_pd(r[2 * i], r[2 * i + 1]);
    a[2 * i + 1] = _mm512_unpackhi_pd(r[2 * i], r[2 * i + 1]);
  }
  __m512d b[8];
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      b[4 * i + j] = _mm512_shuffle_f64x2(a[4 * i + j], a[4 * i + 2 + j], 0x88);
      b[4 * i + 2 + j] = _mm512_shuffle_f64x2(a[4 * i + j], a[4 * i + 2 + j], 0xDD);
    }
  }
  out[0] = {Vec{_mm512_shuffle_f64x2(b[0], b[4], 0x88)}};
  out[1] = {Vec{_mm512_shuffle_f64x2(b[1], b[5], 0x88)}};
  out[2] = {Vec{_mm512_shuffle_f64x2(b[2], b[6], 0x88)}};
  out[3] = {Vec{_mm512_shuffle_f64x2(b[3], b[7], 0x88)}};
  out[4] = {Vec{_mm512_shuffle_f64x2(b[0], b[4], 0xDD)}};
  out[5] = {Vec{_mm512_shuffle_f64x2(b[1], b[5], 0xDD)}};
  out[6] = {Vec{_mm512_shuffle_f64x2(b[2], b[6], 0xDD)}};
  out[7] = {Vec{_mm512_shuffle_f64x2(b[3], b[7], 0xDD)}};
}

template <int kColumns>
MSD_INLINE void gatherLines(const double* base, const std::int32_t* index, std::int64_t stride,
                            Lane* out) {
  static_assert(kColumns == 8 || kColumns == 4);
  if constexpr (kColumns == 8) {
    __m512d r[8];
    for (int l = 0; l < 8; ++l) r[l] = _mm512_load_pd(base + index[l] * stride);
    transpose8(r, out);
  } else {
    // Lanes l and l + 4 share a register, so two rounds suffice.
    __m512d r[4];
    for (int l = 0; l < 4; ++l) {
      r[l] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(base + index[l] * stride)),
                                _mm256_load_pd(base + index[l + 4] * stride), 1);
    }
    const __m512d a0 = _mm512_unpacklo_pd(r[0], r[1]);  // c0: l0 l1 | c2 .. | c0: l4 l5 | c2
    const __m512d a1 = _mm512_unpackhi_pd(r[0], r[1]);
    const __m512d a2 = _mm512_unpacklo_pd(r[2], r[3]);
    const __m512d a3 = _mm512_unpackhi_pd(r[2], r[3]);
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    out[0] = {Vec{_mm512_permutex2var_pd(a0, low, a2)}};
    out[1] = {Vec{_mm512_permutex2var_pd(a1, low, a3)}};
    out[2] = {Vec{_mm512_permutex2var_pd(a0, high, a2)}};
    out[3] = {Vec{_mm512_permutex2var_pd(a1, high, a3)}};
  }
}

MSD_INLINE void gatherRecords(const double* const* records, std::ptrdiff_t offset, Lane* out) {
  __m512d r[8];
  for (int l = 0; l < 8; ++l) r[l] = _mm512_loadu_pd(records[l] + offset);
  transpose8(r, out);
}

MSD_INLINE void scatterRecords(double* const* records, std::ptrdiff_t offset, const Lane* in, unsigned lanes) {
  __m512d r[8];
  for (int c = 0; c < 8; ++c) r[c] = in[c].v.raw;
  Lane rows[8];
  transpose8(r, rows);
  for (int l = 0; l < 8; ++l) {
    if ((lanes >> l) & 1u) _mm512_storeu_pd(records[l] + offset, rows[l].v.raw);
  }
}

template <int kColumns>
MSD_INLINE void scatterLines(double* base, const std::int32_t* index, std::int64_t stride,
                             const Lane* in, unsigned lanes) {
  static_assert(kColumns == 8);
  __m512d r[8];
  for (int c = 0; c < 8; ++c) r[c] = in[c].v.raw;
  Lane rows[8];
  transpose8(r, rows);
  for (int l = 0; l < 8; ++l) {
    if ((lanes >> l) & 1u) _mm512_store_pd(base + index[l] * stride, rows[l].v.raw);
  }
}

#elif HWY_TARGET == HWY_AVX2

MSD_INLINE void transpose4(const __m256d (&r)[4], Lane* out) {
  const __m256d a0 = _mm256_unpacklo_pd(r[0], r[1]);
  const __m256d a1 = _mm256_unpackhi_pd(r[0], r[1]);
  const __m256d a2 = _mm256_unpacklo_pd(r[2], r[3]);
  const __m256d a3 = _mm256_unpackhi_pd(r[2], r[3]);
  out[0] = {Vec{_mm256_permute2f128_pd(a0, a2, 0x20)}};
  out[1] = {Vec{_mm256_permute2f128_pd(a1, a3, 0x20)}};
  out[2] = {Vec{_mm256_permute2f128_pd(a0, a2, 0x31)}};
  out[3] = {Vec{_mm256_permute2f128_pd(a1, a3, 0x31)}};
}

template <int kColumns>
MSD_INLINE void gatherLines(const double* base, const std::int32_t* index, std::int64_t stride,
                            Lane* out) {
  static_assert(kColumns == 8 || kColumns == 4);
  for (int half = 0; half < kColumns; half += 4) {
    __m256d r[4];
    for (int l = 0; l < 4; ++l) r[l] = _mm256_load_pd(base + index[l] * stride + half);
    transpose4(r, out + half);
  }
}

MSD_INLINE void gatherRecords(const double* const* records, std::ptrdiff_t offset, Lane* out) {
  for (int half = 0; half < 8; half += 4) {
    __m256d r[4];
    for (int l = 0; l < 4; ++l) r[l] = _mm256_loadu_pd(records[l] + offset + half);
    transpose4(r, out + half);
  }
}

MSD_INLINE void scatterRecords(double* const* records, std::ptrdiff_t offset, const Lane* in, unsigned lanes) {
  for (int half = 0; half < 8; half += 4) {
    const __m256d r[4] = {in[half].v.raw, in[half + 1].v.raw, in[half + 2].v.raw, in[half + 3].v.raw};
    Lane rows[4];
    transpose4(r, rows);
    for (int l = 0; l < 4; ++l) {
      if ((lanes >> l) & 1u) _mm256_storeu_pd(records[l] + offset + half, rows[l].v.raw);
    }
  }
}

template <int kColumns>
MSD_INLINE void scatterLines(double* base, const std::int32_t* index, std::int64_t stride,
                             const Lane* in, unsigned lanes) {
  static_assert(kColumns == 8);
  for (int half = 0; half < 8; half += 4) {
    const __m256d r[4] = {in[half].v.raw, in[half + 1].v.raw, in[half + 2].v.raw,
                          in[half + 3].v.raw};
    Lane rows[4];
    transpose4(r, rows);
    for (int l = 0; l < 4; ++l) {
      if ((lanes >> l) & 1u) _mm256_store_pd(base + index[l] * stride + half, rows[l].v.raw);
    }
  }
}

#else

template <int kColumns>
MSD_INLINE void gatherLines(const double* base, const std::int32_t* index, std::int64_t stride,
                            Lane* out) {
  HWY_ALIGN double buffer[8];
  for (int c = 0; c < kColumns; ++c) {
    for (int l = 0; l < kLanes; ++l) buffer[l] = base[index[l] * stride + c];
    out[c] = load(buffer);
  }
}

MSD_INLINE void gatherRecords(const double* const* records, std::ptrdiff_t offset, Lane* out) {
  HWY_ALIGN double buffer[8];
  for (int c = 0; c < 8; ++c) {
    for (int l = 0; l < kLanes; ++l) buffer[l] = records[l][offset + c];
    out[c] = load(buffer);
  }
}

MSD_INLINE void scatterRecords(double* const* records, std::ptrdiff_t offset, const Lane* in, unsigned lanes) {
  HWY_ALIGN double buffer[8];
  for (int c = 0; c < 8; ++c) {
    store(in[c], buffer);
    for (int l = 0; l < kLanes; ++l) {
      if ((lanes >> l) & 1u) records[l][offset + c] = buffer[l];
    }
  }
}

template <int kColumns>
MSD_INLINE void scatterLines(double* base, const std::int32_t* index, std::int64_t stride,
                             const Lane* in, unsigned lanes) {
  HWY_ALIGN double buffer[8];
  for (int c = 0; c < kColumns; ++c) {
    store(in[c], buffer);
    for (int l = 0; l < kLanes; ++l) {
      if ((lanes >> l) & 1u) base[index[l] * stride + c] = buffer[l];
    }
  }
}

#endif

#include "msd-sim/src/DataTypes/LaneVector.inc"

}  // namespace msd_sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#undef MSD_KERNELS_BEGIN
#undef MSD_KERNELS_END
#define MSD_KERNELS_BEGIN \
  HWY_BEFORE_NAMESPACE(); \
  namespace msd_sim::HWY_NAMESPACE {
#define MSD_KERNELS_END \
  }                     \
  HWY_AFTER_NAMESPACE();

#endif  // per-target toggle
#endif  // portable or Highway
