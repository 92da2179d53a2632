#include "msd-assets/src/GltfFile.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "msd-assets/src/Check.hpp"
#include "msd-assets/src/MeshReaders.hpp"

namespace msd_assets {

namespace {

using nlohmann::json;

constexpr std::uint32_t kMagic = 0x46546C67;      // "glTF"
constexpr std::uint32_t kJsonChunk = 0x4E4F534A;  // "JSON"
constexpr std::uint32_t kDataChunk = 0x004E4942;  // "BIN"
constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kChunkHeaderBytes = 8;

[[noreturn]] void fail(std::size_t byte, std::string_view found, std::string_view expected) {
  throw MeshError{fmt::format("glTF: byte {}: {}; expected {}", byte, found, expected)};
}

struct Chunks {
  std::string_view json;
  std::optional<std::span<const std::byte>> data;
};

/// Header (magic, version, length), then chunks of a length, a kind and that many bytes: the
/// document first, its data second, any others are skipped.
Chunks splitBinary(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeaderBytes + kChunkHeaderBytes) {
    fail(bytes.size(), "the file ends", "a header of 12 bytes and a chunk");
  }
  if (const std::uint32_t version = littleEndian(bytes, 4); version != 2) {
    fail(4, fmt::format("version {}", version), "version 2");
  }
  if (const std::uint32_t length = littleEndian(bytes, 8); length != bytes.size()) {
    fail(8, fmt::format("a length of {} bytes", length),
         fmt::format("that of the file, {} bytes", bytes.size()));
  }
  Chunks chunks;
  for (std::size_t at = kHeaderBytes; at < bytes.size();) {
    if (bytes.size() - at < kChunkHeaderBytes) fail(at, "the file ends", "a chunk's header");
    const std::size_t length = littleEndian(bytes, at);
    const std::uint32_t kind = littleEndian(bytes, at + 4);
    const bool first = at == kHeaderBytes;
    if (first != (kind == kJsonChunk)) {
      fail(at + 4, fmt::format("a chunk of kind {:#010x}", kind),
           first ? "the JSON chunk first" : "one JSON chunk only");
    }
    at += kChunkHeaderBytes;
    if (length > bytes.size() - at) {
      fail(at - kChunkHeaderBytes, fmt::format("a chunk of {} bytes", length),
           fmt::format("at most the {} that are left", bytes.size() - at));
    }
    const auto content = bytes.subspan(at, length);
    if (first) chunks.json = asText(content);
    if (kind == kDataChunk && !chunks.data) chunks.data = content;
    at += length;
  }
  return chunks;
}

/// Values cost far more memory than their text: a document of nothing but commas is refused before
/// it is parsed. Strings, which may hold the buffers, count once.
void checkValueCount(std::string_view text) {
  std::size_t values = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == ',' || c == '[' || c == '{') ++values;
  }
  if (values > tolerances::kMaxJsonValues) {
    throw MeshError{fmt::format("glTF: a document of {} values; expected at most {}", values,
                                tolerances::kMaxJsonValues)};
  }
}

json parse(std::string_view text) {
  checkValueCount(text);
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    const std::size_t at = error.byte > 0 ? error.byte - 1 : 0;
    fail(at, fmt::format("found {}", quoteFound(text.substr(std::min(at, text.size()), 12))),
         "JSON, or a binary file that starts with 'glTF'");
  } catch (const json::exception&) {  // a number beyond the range of doubles
    throw MeshError{"glTF: a number that no double holds; expected finite numbers"};
  }
}

std::array<std::uint8_t, 256> makeBase64Table() {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::uint8_t, 256> table{};
  table.fill(0xFF);
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    table[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  }
  return table;
}

std::vector<std::byte> decodeBase64(std::string_view text, const GltfPlace& place) {
  static const std::array<std::uint8_t, 256> kTable = makeBase64Table();
  while (text.ends_with('=')) text.remove_suffix(1);
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::uint8_t digit = kTable[static_cast<unsigned char>(c)];
    if (digit == 0xFF) place.fail("base64 digits");
    bits = (bits << 6) | digit;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<std::byte>((bits >> count) & 0xFF));
    }
  }
  return bytes;
}

std::vector<std::byte> fetch(const GltfPlace& buffer, const BufferLoader& load) {
  const std::string uri = buffer.text("uri");
  const GltfPlace place = *buffer.find("uri");
  if (uri.starts_with("data:")) {
    constexpr std::string_view kMark = ";base64,";
    const std::size_t mark = uri.find(kMark);
    if (mark == std::string::npos) place.fail("data in base64");
    return decodeBase64(std::string_view{uri}.substr(mark + kMark.size()), place);
  }
  if (!load) place.fail("a buffer inside the file, for no other file is read here");
  return load(uri);
}

}  // namespace

void GltfPlace::fail(std::string_view expected) const {
  const std::string found =
      value_->is_structured()
          ? fmt::format("{} of {}", value_->is_array() ? "a list" : "an object", value_->size())
          : quoteFound(value_->dump(-1, ' ', true, json::error_handler_t::replace));
  throw MeshError{fmt::format("glTF: {} = {}; expected {}", path_.empty() ? "document" : path_,
                              found, expected)};
}

std::optional<GltfPlace> GltfPlace::find(std::string_view key) const {
  if (!value_->is_object()) fail("an object");
  const auto found = value_->find(key);
  if (found == value_->end()) return std::nullopt;
  return GltfPlace{*found, path_.empty() ? std::string{key} : fmt::format("{}.{}", path_, key)};
}

GltfPlace GltfPlace::need(std::string_view key) const {
  std::optional<GltfPlace> found = find(key);
  if (!found) fail(fmt::format("a member \"{}\"", key));
  return *std::move(found);
}

std::vector<GltfPlace> GltfPlace::list(std::string_view key) const {
  std::vector<GltfPlace> places;
  const std::optional<GltfPlace> found = find(key);
  if (!found) return places;
  if (!found->value_->is_array()) found->fail("a list");
  for (std::size_t i = 0; i < found->value_->size(); ++i) {
    places.emplace_back((*found->value_)[i], fmt::format("{}[{}]", found->path_, i));
  }
  return places;
}

std::uint64_t GltfPlace::asWhole() const {
  if (!value_->is_number_unsigned()) fail("a whole number");
  return value_->get<std::uint64_t>();
}

std::size_t GltfPlace::asIndex(std::size_t count) const {
  const std::uint64_t value = asWhole();
  if (value >= count)
    fail(fmt::format("a number below {}, the size of the list it points into", count));
  return static_cast<std::size_t>(value);
}

std::string GltfPlace::asText() const {
  if (!value_->is_string()) fail("a text");
  return value_->get<std::string>();
}

std::uint64_t GltfPlace::whole(std::string_view key) const {
  return need(key).asWhole();
}

std::uint64_t GltfPlace::whole(std::string_view key, std::uint64_t otherwise) const {
  const std::optional<GltfPlace> found = find(key);
  return found ? found->asWhole() : otherwise;
}

std::size_t GltfPlace::index(std::string_view key, std::size_t count) const {
  return need(key).asIndex(count);
}

std::string GltfPlace::text(std::string_view key) const {
  return need(key).asText();
}

std::vector<double> GltfPlace::numbers(std::string_view key, std::size_t count,
                                       std::vector<double> otherwise) const {
  const std::optional<GltfPlace> found = find(key);
  if (!found) return otherwise;
  const json& value = *found->value_;
  if (!value.is_array() || value.size() != count) {
    found->fail(fmt::format("{} finite numbers", count));
  }
  std::vector<double> result;
  for (const json& number : value) {
    if (!number.is_number() || !std::isfinite(number.get<double>())) {
      found->fail(fmt::format("{} finite numbers", count));
    }
    result.push_back(number.get<double>());
  }
  return result;
}

GltfFile openGltf(std::span<const std::byte> bytes, const BufferLoader& load) {
  const bool isBinary = bytes.size() >= 4 && littleEndian(bytes, 0) == kMagic;
  const Chunks chunks = isBinary ? splitBinary(bytes) : Chunks{asText(bytes), std::nullopt};
  GltfFile file{parse(chunks.json), {}};
  std::size_t total = 0;
  for (const GltfPlace& buffer : file.root().list("buffers")) {
    // The first buffer without a URI is the binary file's own data.
    const bool own = file.buffers.empty() && chunks.data && !buffer.find("uri");
    file.buffers.push_back(own ? std::vector(chunks.data->begin(), chunks.data->end())
                               : fetch(buffer, load));
    total += file.buffers.back().size();
    checkFileSize("glTF: all buffers", total);
    if (const std::uint64_t length = buffer.whole("byteLength");
        length > file.buffers.back().size()) {
      buffer.find("byteLength")
          ->fail(fmt::format("at most the {} bytes of the data", file.buffers.back().size()));
    }
  }
  return file;
}

}  // namespace msd_assets
