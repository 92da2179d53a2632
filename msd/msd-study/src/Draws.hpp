#pragma once

#include <array>
#include <cstdint>

/// Random numbers of a study. Each is a function of the seed and of where it is used, so that any case
/// can be drawn alone; made of additions, multiplications and square roots only, so that the bits are
/// the same on every machine.
namespace msd_study {

/// A number in (0, 1) for draw `index` of `stream`.
[[nodiscard]] double drawUnit(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);

/// Place of `index` in a permutation of 0 ... size - 1 that the seed and stream choose. Takes no
/// memory: a Feistel network over the next power of four, walked until it lands inside (Black and
/// Rogaway 2002).
[[nodiscard]] std::uint64_t permuted(std::uint64_t seed, std::uint64_t stream, std::uint64_t index,
                                     std::uint64_t size);

/// The value below which a standard normal variable stays with probability p in (0, 1); relative
/// error below 1e-15 (Wichura 1988, algorithm AS 241).
[[nodiscard]] double normalQuantile(double p);

/// low·(high/low)^u: all orders of magnitude alike.
[[nodiscard]] double logUniform(double u, double low, double high);

/// A rotation w, x, y, z; uniform where the three numbers are uniform in (0, 1) (Shoemake 1992).
[[nodiscard]] std::array<double, 4> uniformRotation(double u1, double u2, double u3);

}  // namespace msd_study
