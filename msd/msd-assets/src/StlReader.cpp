#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "msd-assets/src/Check.hpp"
#include "msd-assets/src/MeshReaders.hpp"
#include "msd-assets/src/VertexCollector.hpp"

namespace msd_assets {

namespace {

using Triangle = TriangleMesh::Triangle;

constexpr std::size_t kHeaderBytes = 80;
constexpr std::size_t kTriangleBytes = 50;

bool isBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

bool equalsIgnoringCase(std::string_view token, std::string_view keyword) {
  return std::equal(token.begin(), token.end(), keyword.begin(), keyword.end(),
                    [](char a, char b) { return lower(a) == b; });
}

Eigen::Vector3d readCorner(std::span<const std::byte> bytes, std::size_t at) {
  std::array<double, 3> c{};
  for (std::size_t i = 0; i < 3; ++i) {
    c[i] = static_cast<double>(std::bit_cast<float>(littleEndian(bytes, at + 4 * i)));
    if (!std::isfinite(c[i])) {
      throw MeshError{fmt::format("STL (binary): byte {}: coordinate {}; expected a finite number",
                                  at + 4 * i, c[i])};
    }
  }
  return {c[0], c[1], c[2]};
}

/// Bytes that the header's count asks for; computed in 64 bits, so that no count overflows.
std::uint64_t expectedSize(std::span<const std::byte> bytes) {
  return kHeaderBytes + 4 + std::uint64_t{kTriangleBytes} * littleEndian(bytes, kHeaderBytes);
}

void checkBinarySize(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeaderBytes + 4) {
    throw MeshError{fmt::format(
        "STL: byte {}: the file ends; expected 'solid' (text) or an 80-byte header and a count "
        "(binary)",
        bytes.size())};
  }
  const std::uint32_t count = littleEndian(bytes, kHeaderBytes);
  if (expectedSize(bytes) != bytes.size()) {
    throw MeshError{fmt::format(
        "STL (binary): byte {}: the header counts {} triangles; expected a count that fits the "
        "file, whose {} bytes hold {:.2f} (a count of {} needs {} bytes)",
        kHeaderBytes, count, bytes.size(),
        static_cast<double>(bytes.size() - kHeaderBytes - 4) / kTriangleBytes, count,
        expectedSize(bytes))};
  }
  if (count == 0 || count > tolerances::kMaxTriangles) {
    throw MeshError{fmt::format("STL (binary): byte {}: {} triangles; expected 1 to {}",
                                kHeaderBytes, count, tolerances::kMaxTriangles)};
  }
}

TriangleMesh readBinary(std::span<const std::byte> bytes) {
  checkBinarySize(bytes);
  const std::uint32_t count = littleEndian(bytes, kHeaderBytes);
  VertexCollector vertices{count / 2};
  std::vector<Triangle> triangles(count);
  for (std::size_t t = 0; t < count; ++t) {
    // 12 bytes of normal, which is recomputed where needed; three corners; two bytes of attributes.
    const std::size_t at = kHeaderBytes + 4 + kTriangleBytes * t + 12;
    for (std::size_t k = 0; k < 3; ++k)
      triangles[t][k] = vertices.add(readCorner(bytes, at + 12 * k));
  }
  return makeMesh("STL (binary)", vertices.take(), std::move(triangles));
}

/// Words of a text file with the line they stand in.
class WordScanner {
 public:
  explicit WordScanner(std::string_view text) : text_{text} {}

  /// The next word; empty at the end.
  std::string_view next() {
    while (at_ < text_.size() && isBlank(text_[at_])) {
      if (text_[at_] == '\n') ++line_;
      ++at_;
    }
    const std::size_t start = at_;
    while (at_ < text_.size() && !isBlank(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  void skipLine() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
    throw MeshError{fmt::format("STL (text): line {}: found {}; expected {}", line_,
                                quoteFound(found), expected)};
  }

  void expect(std::string_view keyword) {
    const std::string_view word = next();
    if (!equalsIgnoringCase(word, keyword)) fail(word, fmt::format("'{}'", keyword));
  }

  Eigen::Vector3d vector() {
    std::array<double, 3> c{};
    for (double& value : c) {
      const std::string_view word = next();
      const std::optional<double> number = parseNumber(word);
      if (!number) fail(word, "a finite number");
      value = *number;
    }
    return {c[0], c[1], c[2]};
  }

 private:
  std::string_view text_;
  std::size_t at_{0};
  std::size_t line_{1};
};

/// From behind "facet" to "endfacet". The normal may be anything that is three words: it is
/// recomputed where needed, and exporters write nan for slivers.
Triangle readFacet(WordScanner& scanner, VertexCollector& vertices) {
  scanner.expect("normal");
  for (int i = 0; i < 3; ++i) {
    if (scanner.next().empty()) scanner.fail({}, "a component of the normal");
  }
  scanner.expect("outer");
  scanner.expect("loop");
  Triangle triangle{};
  for (std::uint32_t& corner : triangle) {
    scanner.expect("vertex");
    corner = vertices.add(scanner.vector());
  }
  scanner.expect("endloop");
  scanner.expect("endfacet");
  return triangle;
}

/// solid NAME { facet ... endfacet } endsolid NAME, once or several times.
TriangleMesh readText(std::string_view text) {
  WordScanner scanner{text};
  VertexCollector vertices{text.size() / 512};
  std::vector<Triangle> triangles;
  scanner.expect("solid");
  scanner.skipLine();
  for (bool inside = true; true;) {
    const std::string_view word = scanner.next();
    if (!inside && word.empty()) break;
    if (!inside && equalsIgnoringCase(word, "solid")) {
      inside = true;
      scanner.skipLine();
    } else if (inside && equalsIgnoringCase(word, "endsolid")) {
      inside = false;
      scanner.skipLine();
    } else if (inside && equalsIgnoringCase(word, "facet")) {
      if (triangles.size() == tolerances::kMaxTriangles) {
        scanner.fail(word, fmt::format("at most {} triangles", tolerances::kMaxTriangles));
      }
      triangles.push_back(readFacet(scanner, vertices));
    } else {
      scanner.fail(word, inside ? "'facet' or 'endsolid'" : "'solid' or the end of the file");
    }
  }
  if (triangles.empty()) scanner.fail({}, "at least one facet");
  return makeMesh("STL (text)", vertices.take(), std::move(triangles));
}

bool startsWithSolid(std::string_view text) {
  const auto start = std::find_if_not(text.begin(), text.end(), isBlank);
  const std::string_view head = text.substr(static_cast<std::size_t>(start - text.begin()), 5);
  return equalsIgnoringCase(head, "solid");
}

}  // namespace

TriangleMesh readStl(std::span<const std::byte> bytes) {
  checkFileSize("STL", bytes.size());
  // Many binary files begin with the word "solid" as well: where the size fits the count, the file
  // is binary whatever its header says.
  const bool sizeFits = bytes.size() >= kHeaderBytes + 4 && expectedSize(bytes) == bytes.size();
  if (sizeFits || !startsWithSolid(asText(bytes))) return readBinary(bytes);
  return readText(asText(bytes));
}

}  // namespace msd_assets
