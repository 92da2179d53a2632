#include "msd-sim/src/DataTypes/Hash128.hpp"

#include <bit>
#include <cmath>

namespace msd_sim {

namespace {

/// 64 x 64 -> 128 bit multiply, folded: the mixing step of wyhash-like hashes.
std::uint64_t foldedMultiply(std::uint64_t x, std::uint64_t y) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(x) * y;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

constexpr std::uint64_t kOddA = 0xA0761D6478BD642Full;
constexpr std::uint64_t kOddB = 0xE7037ED1A0B428DBull;

}  // namespace

void Hasher::add(std::uint64_t word) {
  a_ = foldedMultiply(a_ ^ word, kOddA ^ b_);
  b_ = foldedMultiply(b_ ^ std::rotl(word, 32), kOddB) + a_;
  ++count_;
}

void Hasher::add(double value) {
  if (value == 0.0) value = 0.0;
  constexpr std::uint64_t kQuietNan = 0x7FF8000000000000u;
  add(std::isnan(value) ? kQuietNan : std::bit_cast<std::uint64_t>(value));
}

void Hasher::add(std::span<const double> values) {
  for (const double value : values) add(value);
}

Hash128 Hasher::finish() const {
  const std::uint64_t low = foldedMultiply(a_ ^ count_, kOddB);
  return {low, foldedMultiply(b_ ^ low, kOddA)};
}

std::string Hash128::toString() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(32, '0');
  for (int i = 0; i < 16; ++i) {
    text[static_cast<std::size_t>(15 - i)] = kDigits[(high >> (4 * i)) & 15];
    text[static_cast<std::size_t>(31 - i)] = kDigits[(low >> (4 * i)) & 15];
  }
  return text;
}

}  // namespace msd_sim
