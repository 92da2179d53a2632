// A NumPy archive is a ZIP file of arrays: each a header that says type and shape, and the values.
#include "msd-record/src/Npz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

namespace msd_record {

namespace {

/// CRC-32 of ZIP files (polynomial 0xEDB88320).
std::uint32_t checksum(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      std::uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = (c & 1u) != 0 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
      table[i] = c;
    }
    return table;
  }();
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const char byte : bytes) {
    crc = kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFFu] ^ (crc >> 8);
  }
  return ~crc;
}

/// Appends integers, little endian.
template <class... Ints>
void putLittle(std::string& out, Ints... values) {
  const auto put = [&](auto value) {
    for (std::size_t i = 0; i < sizeof(value); ++i) {
      out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFFu);
    }
  };
  (put(values), ...);
}

/// What the member's own header and the directory have in common: version, flags, no compression, a
/// fixed date (1 January 1980), checksum, sizes, lengths of name and extra field.
std::string describe(const std::string& name, std::string_view bytes) {
  std::string text;
  const auto size = static_cast<std::uint32_t>(bytes.size());
  putLittle(text, std::uint16_t{20}, std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0},
            std::uint16_t{0x21}, checksum(bytes), size, size,
            static_cast<std::uint16_t>(name.size()), std::uint16_t{0});
  return text;
}

/// An array of format 1.0: the header is filled up so that the values start at a multiple of 64.
std::string array(std::string_view type, const std::vector<std::size_t>& shape, const void* values,
                  std::size_t bytes) {
  std::string sides;
  for (const std::size_t side : shape) sides += fmt::format("{},", side);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, sides);
  constexpr std::size_t kBefore = 10;
  header.append(63 - (kBefore + header.size()) % 64, ' ');
  header += '\n';
  std::string text{"\x93NUMPY\x01\x00", 8};
  putLittle(text, static_cast<std::uint16_t>(header.size()));
  text += header;
  text.append(static_cast<const char*>(values), bytes);
  return text;
}

/// The characters of a UTF-8 word.
std::vector<std::uint32_t> characters(std::string_view word) {
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < word.size();) {
    const auto lead = static_cast<unsigned char>(word[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    std::uint32_t c = length == 1 ? lead : lead & (0xFFu >> (length + 1));
    for (std::size_t k = 1; k < length && i + k < word.size(); ++k) {
      c = c << 6 | (static_cast<unsigned char>(word[i + k]) & 0x3Fu);
    }
    result.push_back(c);
    i += length;
  }
  return result;
}

}  // namespace

void NpzText::addBytes(const std::string& name, std::string_view bytes) {
  if (out_.size() + bytes.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error{"more than 4 GiB, which a NumPy archive of this kind cannot hold"};
  }
  const auto offset = static_cast<std::uint32_t>(out_.size());
  const std::string common = describe(name, bytes);
  putLittle(out_, std::uint32_t{0x04034B50});
  out_ += common + name;
  out_ += bytes;
  putLittle(directory_, std::uint32_t{0x02014B50}, std::uint16_t{20});
  directory_ += common;
  putLittle(directory_, std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0}, std::uint32_t{0},
            offset);
  directory_ += name;
  ++count_;
}

void NpzText::add(const std::string& name, std::span<const double> values,
                  std::vector<std::size_t> shape) {
  addBytes(name + ".npy", array("<f8", shape, values.data(), values.size_bytes()));
}

void NpzText::add(const std::string& name, std::span<const std::int64_t> values) {
  addBytes(name + ".npy", array("<i8", {values.size()}, values.data(), values.size_bytes()));
}

void NpzText::add(const std::string& name, const std::vector<std::string>& words) {
  std::vector<std::vector<std::uint32_t>> decoded;
  std::size_t width = 1;
  for (const std::string& word : words) {
    width = std::max(width, decoded.emplace_back(characters(word)).size());
  }
  std::vector<std::uint32_t> cells(words.size() * width, 0);
  for (std::size_t row = 0; row < words.size(); ++row) {
    std::ranges::copy(decoded[row], cells.begin() + static_cast<std::ptrdiff_t>(row * width));
  }
  addBytes(name + ".npy",
           array(fmt::format("<U{}", width), {words.size()}, cells.data(), 4 * cells.size()));
}

std::string NpzText::finish() {
  const auto start = static_cast<std::uint32_t>(out_.size());
  out_ += directory_;
  putLittle(out_, std::uint32_t{0x06054B50}, std::uint16_t{0}, std::uint16_t{0}, count_, count_,
            static_cast<std::uint32_t>(directory_.size()), start, std::uint16_t{0});
  return std::move(out_);
}

}  // namespace msd_record
