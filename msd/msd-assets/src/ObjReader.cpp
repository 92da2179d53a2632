#include <algorithm>
#include <array>

#include "msd-assets/src/Check.hpp"
#include "msd-assets/src/MeshReaders.hpp"

namespace msd_assets {

namespace {

using Triangle = TriangleMesh::Triangle;

/// Words of one logical line: blanks separate, a backslash before the end of a line continues it,
/// '#' at the start of a word begins a comment.
class LineScanner {
 public:
  explicit LineScanner(std::string_view text) : text_{text} {}

  [[nodiscard]] bool atEnd() const { return at_ == text_.size(); }
  [[nodiscard]] std::size_t line() const { return line_; }

  /// The next word of the line; empty where the line ends.
  std::string_view next() {
    skipBlanks();
    if (atEnd() || text_[at_] == '\n' || text_[at_] == '#') return {};
    const std::size_t start = at_;
    while (!atEnd() && !isBlank(text_[at_]) && text_[at_] != '\n' && continuationLength() == 0) {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }

  /// Goes behind the end of the line, whatever is left of it.
  void finishLine() {
    while (!atEnd() && text_[at_] != '\n') {
      const std::size_t continuation = continuationLength();
      at_ += continuation > 0 ? continuation : 1;
      if (continuation > 0) ++line_;
    }
    if (!atEnd()) {
      ++at_;
      ++line_;
    }
  }

  [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
    throw MeshError{
        fmt::format("OBJ: line {}: found {}; expected {}", line_, quoteFound(found), expected)};
  }

 private:
  static bool isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
  }

  /// Length of "\\\n" or "\\\r\n" here, or 0.
  [[nodiscard]] std::size_t continuationLength() const {
    const std::string_view rest = text_.substr(at_, 3);
    if (rest.starts_with("\\\n")) return 2;
    return rest == "\\\r\n" ? 3 : 0;
  }

  void skipBlanks() {
    while (!atEnd()) {
      const std::size_t continuation = continuationLength();
      if (continuation > 0) {
        at_ += continuation;
        ++line_;
      } else if (isBlank(text_[at_])) {
        ++at_;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_{0};
  std::size_t line_{1};
};

class ObjParser {
 public:
  explicit ObjParser(std::string_view text) : scanner_{text} {}

  TriangleMesh parse() {
    while (!scanner_.atEnd()) {
      const std::string_view keyword = scanner_.next();
      if (keyword == "v") readVertex();
      if (keyword == "f") readFace();
      scanner_.finishLine();
    }
    if (highest_ > vertices_.size()) {
      throw MeshError{
          fmt::format("OBJ: line {}: vertex {}; expected an index up to {}, the number "
                      "of vertices in the file",
                      highest_line_, highest_, vertices_.size())};
    }
    if (triangles_.empty()) {
      throw MeshError{fmt::format("OBJ: line {}: the file ends; expected at least one face ('f')",
                                  scanner_.line())};
    }
    return makeMesh("OBJ", std::move(vertices_), std::move(triangles_));
  }

 private:
  /// v x y z, then numbers that are not needed (a weight, a colour).
  void readVertex() {
    if (vertices_.size() == kMaxVertices) {
      scanner_.fail("v", fmt::format("at most {} vertices", kMaxVertices));
    }
    std::array<double, 3> c{};
    for (double& value : c) value = readNumber(scanner_.next());
    for (std::string_view rest = scanner_.next(); !rest.empty(); rest = scanner_.next()) {
      readNumber(rest);
    }
    vertices_.emplace_back(c[0], c[1], c[2]);
  }

  double readNumber(std::string_view word) const {
    const std::optional<double> number = parseNumber(word);
    if (!number) scanner_.fail(word, "a finite number");
    return *number;
  }

  /// f v v v ..., each v, v/vt, v//vn or v/vt/vn: a fan of triangles about the first corner.
  void readFace() {
    std::size_t corners = 0;
    Triangle fan{};
    for (std::string_view word = scanner_.next(); !word.empty(); word = scanner_.next()) {
      const std::uint32_t corner = readReference(word);
      if (corners < 2) {
        fan[corners] = corner;
      } else {
        if (triangles_.size() == tolerances::kMaxTriangles) {
          scanner_.fail(word, fmt::format("at most {} triangles", tolerances::kMaxTriangles));
        }
        fan[2] = corner;
        triangles_.push_back(fan);
        fan[1] = corner;
      }
      ++corners;
    }
    if (corners < 3) {
      scanner_.fail({}, fmt::format("a face of at least 3 corners, not {}", corners));
    }
  }

  std::uint32_t readReference(std::string_view word) {
    const std::size_t slash = std::min(word.find('/'), word.size());
    const std::optional<std::int64_t> vertex = parseIndex(word.substr(0, slash));
    if (!vertex || *vertex == 0 || !hasValidTail(word.substr(slash))) {
      scanner_.fail(word, "a corner as v, v/vt, v//vn or v/vt/vn with indices other than 0");
    }
    const auto count = static_cast<std::int64_t>(vertices_.size());
    const std::int64_t index = *vertex > 0 ? *vertex : count + 1 + *vertex;
    if (index < 1 || index > static_cast<std::int64_t>(kMaxVertices)) {
      scanner_.fail(word, fmt::format("an index of one of the {} vertices so far", count));
    }
    // Faces may stand before their vertices: what reaches beyond them is settled at the end.
    if (static_cast<std::size_t>(index) > highest_) {
      highest_ = static_cast<std::size_t>(index);
      highest_line_ = scanner_.line();
    }
    return static_cast<std::uint32_t>(index - 1);
  }

  /// "", "/vt", "//vn" or "/vt/vn"; the numbers are not used.
  static bool hasValidTail(std::string_view tail) {
    if (tail.empty()) return true;
    tail.remove_prefix(1);
    const std::size_t slash = tail.find('/');
    if (slash == std::string_view::npos) return parseIndex(tail).has_value();
    const std::string_view texture = tail.substr(0, slash);
    return (texture.empty() || parseIndex(texture)) && parseIndex(tail.substr(slash + 1));
  }

  static std::optional<std::int64_t> parseIndex(std::string_view text) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return value;
  }

  static constexpr std::size_t kMaxVertices = 3 * tolerances::kMaxTriangles;

  LineScanner scanner_;
  std::vector<Eigen::Vector3d> vertices_;
  std::vector<Triangle> triangles_;
  std::size_t highest_{0};  ///< largest vertex number used, counted from 1
  std::size_t highest_line_{0};
};

}  // namespace

TriangleMesh readObj(std::span<const std::byte> bytes) {
  checkFileSize("OBJ", bytes.size());
  return ObjParser{asText(bytes)}.parse();
}

}  // namespace msd_assets
