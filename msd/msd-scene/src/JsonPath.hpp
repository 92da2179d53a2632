#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace msd_scene {

/// The way from the top of a JSON file to one value: bodies[12].position[2].
class JsonPath {
 public:
  using Segment = std::variant<std::string, std::size_t>;  ///< a field's name or an element's index

  JsonPath() = default;

  [[nodiscard]] JsonPath operator/(std::string_view key) const;
  [[nodiscard]] JsonPath operator/(std::size_t index) const;
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }

  /// bodies[12].position[2]; names that are not plain words are quoted: shapes["left wall"].
  /// Empty for the top level.
  [[nodiscard]] std::string toString() const;

  bool operator==(const JsonPath&) const = default;

 private:
  std::vector<Segment> segments_;
};

}  // namespace msd_scene
