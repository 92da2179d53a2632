#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "msd-sim/src/DataTypes/Vector3D.hpp"

namespace msd_sim {

/// Numbers into bytes, one after the other, in the machine's own layout.
class ByteWriter {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    append(&value, sizeof(T));
  }
  void putVector(const Vector3D& v) {
    for (int c = 0; c < 3; ++c) put(v[c]);
  }
  /// A run of values whose memory holds nothing but numbers (no padding), after its length.
  template <class T>
  void putRun(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(static_cast<std::uint64_t>(values.size()));
    append(values.data(), values.size_bytes());
  }
  template <class T, class Allocator>
  void putRun(const std::vector<T, Allocator>& values) {
    putRun(std::span<const T>{values});
  }
  [[nodiscard]] std::vector<std::byte>& bytes() { return bytes_; }
  /// Makes room for so many bytes more than there are.
  void reserve(std::size_t more) { bytes_.reserve(bytes_.size() + more); }
  /// Empty again; keeps its memory.
  void clear() { bytes_.clear(); }

 private:
  void append(const void* data, std::size_t size) {
    if (size == 0) return;
    const std::size_t at = bytes_.size();
    bytes_.resize(at + size);
    std::memcpy(bytes_.data() + at, data, size);
  }
  std::vector<std::byte> bytes_;
};

/// The reverse. Throws std::invalid_argument where the bytes end too soon.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_{bytes} {}

  template <class T>
  [[nodiscard]] T take() {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    T value;
    copy(&value, sizeof(T));
    return value;
  }
  template <class T>
  void take(T& value) {
    value = take<T>();
  }
  [[nodiscard]] bool takeBool() { return take<std::uint8_t>() != 0; }
  [[nodiscard]] Vector3D takeVector() {
    const double x = take<double>();
    const double y = take<double>();
    const double z = take<double>();
    return {x, y, z};
  }
  /// A number that must be below `limit`.
  [[nodiscard]] std::uint32_t takeBelow(std::uint64_t limit) {
    const auto value = take<std::uint32_t>();
    if (value >= limit) throw std::invalid_argument("snapshot holds a number out of its range");
    return value;
  }
  template <class T, class Allocator>
  void takeRun(std::vector<T, Allocator>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto count = take<std::uint64_t>();
    requireRoom(count, sizeof(T));
    values.resize(count);
    copy(values.data(), count * sizeof(T));
  }
  /// A run that must have the length of `values`.
  template <class T>
  void takeRun(std::span<T> values) {
    if (take<std::uint64_t>() != values.size()) {
      throw std::invalid_argument("snapshot is of a world with another number of things");
    }
    copy(values.data(), values.size_bytes());
  }
  /// Throws where fewer than `count` things of `size` bytes are left.
  void requireRoom(std::uint64_t count, std::size_t size) const {
    if (count > rest_.size() / size) throwShort();
  }
  [[nodiscard]] bool isAtEnd() const { return rest_.empty(); }

 private:
  [[noreturn]] static void throwShort() { throw std::invalid_argument("snapshot ends too soon"); }
  void copy(void* to, std::size_t size) {
    if (size > rest_.size()) throwShort();
    if (size > 0) std::memcpy(to, rest_.data(), size);
    rest_ = rest_.subspan(size);
  }
  std::span<const std::byte> rest_;
};

}  // namespace msd_sim
