#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "msd-assets/src/MeshIo.hpp"

/// Private to the library: what a glTF file holds before its geometry is read.
namespace msd_assets {

/// A value of the document with its path, for messages such as
/// "glTF: accessors[3].count = -1; expected a whole number".
class GltfPlace {
 public:
  GltfPlace(const nlohmann::json& value, std::string path)
      : value_{&value}, path_{std::move(path)} {}

  [[nodiscard]] std::optional<GltfPlace> find(std::string_view key) const;
  /// The list of this name; empty where there is none.
  [[nodiscard]] std::vector<GltfPlace> list(std::string_view key) const;
  [[nodiscard]] std::uint64_t whole(std::string_view key) const;
  [[nodiscard]] std::uint64_t whole(std::string_view key, std::uint64_t otherwise) const;
  /// A whole number below `count`, the size of the list it points into.
  [[nodiscard]] std::size_t index(std::string_view key, std::size_t count) const;
  [[nodiscard]] std::string text(std::string_view key) const;
  /// `count` finite numbers, or `otherwise` where there are none.
  [[nodiscard]] std::vector<double> numbers(std::string_view key, std::size_t count,
                                            std::vector<double> otherwise) const;

  [[nodiscard]] std::uint64_t asWhole() const;
  [[nodiscard]] std::string asText() const;
  [[nodiscard]] std::size_t asIndex(std::size_t count) const;
  [[noreturn]] void fail(std::string_view expected) const;

 private:
  [[nodiscard]] GltfPlace need(std::string_view key) const;

  const nlohmann::json* value_;
  std::string path_;
};

/// The document and the bytes of its buffers.
struct GltfFile {
  nlohmann::json document;
  std::vector<std::vector<std::byte>> buffers;

  [[nodiscard]] GltfPlace root() const { return {document, ""}; }
};

/// Splits a binary file into its chunks or takes a text file whole, and fetches the buffers.
[[nodiscard]] GltfFile openGltf(std::span<const std::byte> bytes, const BufferLoader& load);

}  // namespace msd_assets
