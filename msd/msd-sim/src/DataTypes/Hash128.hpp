#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace msd_sim {

/// A 128-bit fingerprint of state. Not cryptographic: it finds accidents, not attacks.
struct Hash128 {
  std::uint64_t low{0};
  std::uint64_t high{0};
  auto operator<=>(const Hash128&) const = default;

  /// 32 hexadecimal digits, high half first.
  [[nodiscard]] std::string toString() const;
};

/// Feeds doubles and integers, in order, into a Hash128. -0.0 counts as +0.0; every NaN counts alike.
class Hasher {
 public:
  void add(std::uint64_t word);
  void add(double value);
  void add(std::span<const double> values);
  [[nodiscard]] Hash128 finish() const;

 private:
  std::uint64_t a_{0x243F6A8885A308D3ull};
  std::uint64_t b_{0x13198A2E03707344ull};
  std::uint64_t count_{0};
};

}  // namespace msd_sim
