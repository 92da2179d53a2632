#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace msd_record {

/// A NumPy archive: a ZIP file whose members, arrays, are stored as they are. Members and the whole
/// stay below 4 GiB.
class NpzText {
 public:
  /// Throws std::length_error beyond 4 GiB.
  void add(const std::string& name, std::span<const double> values, std::vector<std::size_t> shape);
  void add(const std::string& name, std::span<const std::int64_t> values);
  /// Words as NumPy's text of fixed width.
  void add(const std::string& name, const std::vector<std::string>& words);
  [[nodiscard]] std::string finish();

 private:
  void addBytes(const std::string& name, std::string_view bytes);
  std::string out_;
  std::string directory_;
  std::uint16_t count_{0};
};

}  // namespace msd_record
