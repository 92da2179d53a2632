#include "msd-scene/src/JsonReader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "msd-scene/src/JsonText.hpp"

namespace msd_scene {

namespace {

constexpr std::string_view kByteOrderMark{"\xEF\xBB\xBF"};

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

bool isSpace(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

bool endsToken(char c) {
  return isSpace(c) || c == ',' || c == ']' || c == '}' || c == ':';
}

/// Power of ten of the first digit that is not zero, of a number by the grammar of numberEnd();
/// huge exponents are cut to what an int holds.
long leadingPower(std::string_view number) {
  constexpr long kMost = 1'000'000'000;
  const std::size_t exponentAt = number.find_first_of("eE");
  const std::string_view digits = number.substr(0, exponentAt);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return -kMost;
  long power =
      first < point ? static_cast<long>(point - first) - 1 : -static_cast<long>(first - point);
  if (exponentAt == std::string_view::npos) return power;
  std::string_view exponent = number.substr(exponentAt + 1);
  const bool negative = exponent.front() == '-';
  if (negative || exponent.front() == '+') exponent.remove_prefix(1);
  long value = 0;
  for (const char digit : exponent) value = std::min(kMost, 10 * value + (digit - '0'));
  return power + (negative ? -value : value);
}

void appendUtf8(std::string& result, unsigned code) {
  const auto byte = [&](unsigned value) { result += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0u | code >> 6);
    byte(0x80u | (code & 0x3Fu));
  } else if (code < 0x10000) {
    byte(0xE0u | code >> 12);
    byte(0x80u | (code >> 6 & 0x3Fu));
    byte(0x80u | (code & 0x3Fu));
  } else {
    byte(0xF0u | code >> 18);
    byte(0x80u | (code >> 12 & 0x3Fu));
    byte(0x80u | (code >> 6 & 0x3Fu));
    byte(0x80u | (code & 0x3Fu));
  }
}

}  // namespace

JsonReader::JsonReader(std::string_view text, std::string_view source)
    : text_{text}, source_{source} {
  if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
}

void JsonReader::skipSpace() {
  while (at_ < text_.size() && isSpace(text_[at_])) ++at_;
}

JsonKind JsonReader::peek() {
  skipSpace();
  if (at_ >= text_.size()) return JsonKind::kNothing;
  switch (text_[at_]) {
    case '{':
      return JsonKind::kObject;
    case '[':
      return JsonKind::kArray;
    case '"':
      return JsonKind::kString;
    case 't':
    case 'f':
      return JsonKind::kBoolean;
    case 'n':
      return JsonKind::kNull;
    case '-':
      return JsonKind::kNumber;
    default:
      return isDigit(text_[at_]) ? JsonKind::kNumber : JsonKind::kNothing;
  }
}

std::size_t JsonReader::offset() {
  skipSpace();
  return at_;
}

// --- objects and arrays ---

void JsonReader::enter(bool isObject) {
  if (depth_ >= Limits::kDepth) {
    fail(fmt::format("a value nested {} levels deep", depth_ + 1),
         fmt::format("at most {} levels", Limits::kDepth));
  }
  ++at_;
  ++depth_;
  frames_[depth_].isObject = isObject;
  frames_[depth_].index = 0;
  frames_[depth_].key.clear();
}

bool JsonReader::enterObject(std::string_view expected) {
  if (peek() != JsonKind::kObject) failValue(expected);
  enter(true);
  skipSpace();
  if (at_ < text_.size() && text_[at_] == '}') {
    ++at_;
    --depth_;
    return false;
  }
  return true;
}

bool JsonReader::enterArray(std::string_view expected) {
  if (peek() != JsonKind::kArray) failValue(expected);
  enter(false);
  skipSpace();
  if (at_ < text_.size() && text_[at_] == ']') {
    ++at_;
    --depth_;
    return false;
  }
  return true;
}

std::string_view JsonReader::enterMember() {
  std::string& key = frames_[depth_].key;
  key.clear();
  if (peek() != JsonKind::kString) failValue("a field's name in double quotes");
  // A name is complete before it becomes part of the path.
  std::string name;
  readStringInto(name);
  key = std::move(name);
  skipSpace();
  if (at_ >= text_.size() || text_[at_] != ':') failValue("':' after the field's name");
  ++at_;
  return key;
}

bool JsonReader::next(char closing, std::string_view expected) {
  skipSpace();
  if (at_ < text_.size() && text_[at_] == ',') {
    ++at_;
    return true;
  }
  if (at_ < text_.size() && text_[at_] == closing) {
    ++at_;
    --depth_;
    return false;
  }
  failValue(expected);
}

bool JsonReader::nextMember() {
  return next('}', "',' or '}'");
}

bool JsonReader::nextElement() {
  return next(']', "',' or ']'");
}

// --- single values ---

/// The end of the number that starts here, by the grammar
///   -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
/// or the start itself where there is none.
std::size_t JsonReader::numberEnd() const {
  std::size_t end = at_;
  const auto at = [&](std::size_t i) { return i < text_.size() ? text_[i] : '\0'; };
  const auto digits = [&] {
    const std::size_t first = end;
    while (isDigit(at(end))) ++end;
    return end > first;
  };
  if (at(end) == '-') ++end;
  if (at(end) == '0') {
    ++end;
  } else if (!digits()) {
    return at_;
  }
  if (at(end) == '.') {
    ++end;
    if (!digits()) return at_;
  }
  if (at(end) == 'e' || at(end) == 'E') {
    ++end;
    if (at(end) == '+' || at(end) == '-') ++end;
    if (!digits()) return at_;
  }
  return end < text_.size() && !endsToken(text_[end]) ? at_ : end;
}

double JsonReader::readNumber(std::string_view expected) {
  if (peek() != JsonKind::kNumber) failValue(expected);
  const std::size_t end = numberEnd();
  if (end == at_) failValue(expected);
  double value = 0.0;
  const auto result = std::from_chars(text_.data() + at_, text_.data() + end, value);
  // Out of range: too large is an error, too small is zero to the last bit.
  const bool vanishes =
      result.ec == std::errc::result_out_of_range && leadingPower(text_.substr(at_, end - at_)) < 0;
  if (result.ec != std::errc{} && !vanishes) failValue(expected);
  at_ = end;
  return value;
}

bool JsonReader::readWord(std::string_view word) {
  const std::size_t end = at_ + word.size();
  const bool matches =
      text_.substr(at_, word.size()) == word && (end >= text_.size() || endsToken(text_[end]));
  if (matches) at_ = end;
  return matches;
}

bool JsonReader::readBoolean(std::string_view expected) {
  skipSpace();
  if (readWord("true")) return true;
  if (readWord("false")) return false;
  failValue(expected);
}

void JsonReader::readNull(std::string_view expected) {
  skipSpace();
  if (!readWord("null")) failValue(expected);
}

std::string JsonReader::readString(std::string_view expected) {
  if (peek() != JsonKind::kString) failValue(expected);
  std::string result;
  readStringInto(result);
  return result;
}

void JsonReader::readStringInto(std::string& result) {
  const std::size_t start = at_;
  ++at_;
  for (;;) {
    const std::size_t run = at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
           static_cast<unsigned char>(text_[at_]) >= 0x20) {
      ++at_;
    }
    result.append(text_, run, at_ - run);
    if (result.size() > Limits::kStringBytes) {
      failAt(start, path(), "a string that is too long",
             fmt::format("at most {} bytes", Limits::kStringBytes));
    }
    if (at_ >= text_.size()) {
      failAt(start, path(), "a string without an end", "a closing double quote");
    }
    if (text_[at_] == '"') break;
    if (text_[at_] != '\\') {
      fail(fmt::format("the control character 0x{:02X} in a string",
                       static_cast<unsigned>(static_cast<unsigned char>(text_[at_]))),
           "an escape such as \\n");
    }
    appendEscape(result);
  }
  ++at_;
  if (validUtf8Length(result) != result.size()) {
    failAt(start, path(), "a string that is not valid UTF-8", "UTF-8");
  }
}

void JsonReader::appendEscape(std::string& result) {
  ++at_;
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  ++at_;
  switch (c) {
    case '"':
    case '\\':
    case '/':
      result += c;
      return;
    case 'b':
      result += '\b';
      return;
    case 'f':
      result += '\f';
      return;
    case 'n':
      result += '\n';
      return;
    case 'r':
      result += '\r';
      return;
    case 't':
      result += '\t';
      return;
    case 'u':
      break;
    default:
      at_ -= 2;
      fail("an unknown escape in a string", R"(one of \" \\ \/ \b \f \n \r \t \uXXXX)");
  }
  unsigned code = readHex4();
  if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
    at_ += 2;
    const unsigned low = readHex4();
    if (low < 0xDC00 || low > 0xDFFF) fail("half a surrogate pair", "\\uD800 to \\uDFFF in pairs");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  } else if (code >= 0xD800 && code < 0xE000) {
    fail("half a surrogate pair", "\\uD800 to \\uDFFF in pairs");
  }
  appendUtf8(result, code);
}

unsigned JsonReader::readHex4() {
  unsigned value = 0;
  const std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.size() != 4 || result.ptr != digits.data() + 4) {
    fail("an incomplete \\u escape", "four hexadecimal digits");
  }
  at_ += 4;
  return value;
}

void JsonReader::skipValue() {
  switch (peek()) {
    case JsonKind::kObject:
      readObject({}, [this](std::string_view) { skipValue(); });
      return;
    case JsonKind::kArray:
      readArray({}, [this](std::size_t) { skipValue(); });
      return;
    case JsonKind::kString:
      (void)readString({});
      return;
    case JsonKind::kNumber:
      (void)readNumber("a finite number");
      return;
    case JsonKind::kBoolean:
      (void)readBoolean("true or false");
      return;
    case JsonKind::kNull:
      readNull("null");
      return;
    case JsonKind::kNothing:
      failValue("a value");
  }
}

void JsonReader::finish() {
  skipSpace();
  if (at_ < text_.size()) failValue("the end of the file");
}

// --- messages ---

JsonPath JsonReader::path() const {
  JsonPath result;
  for (std::size_t level = 1; level <= depth_; ++level) {
    const Frame& frame = frames_[level];
    if (!frame.isObject) {
      result = result / frame.index;
    } else if (!frame.key.empty()) {
      result = result / frame.key;
    }
  }
  return result;
}

std::string JsonReader::describeNext() const {
  if (at_ >= text_.size()) return "the end of the file";
  const char first = text_[at_];
  if (first == '{') return "an object";
  if (first == '[') return "an array";
  std::size_t end = at_ + 1;
  if (first == '"') {
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    end = std::min(end + 1, text_.size());
  } else {
    while (end < text_.size() && !endsToken(text_[end]) && text_[end] != '"') ++end;
  }
  std::string_view token = text_.substr(at_, end - at_);
  if (token.starts_with("//") || token.starts_with("/*")) return "a comment, which JSON has not";
  if (validUtf8Length(token) != token.size() || static_cast<unsigned char>(first) < 0x20) {
    return fmt::format("the byte 0x{:02X}",
                       static_cast<unsigned>(static_cast<unsigned char>(first)));
  }
  if (token.size() == 1 && !isDigit(first)) return fmt::format("'{}'", first);
  return shortened(token);
}

void JsonReader::failValue(std::string_view expected) {
  skipSpace();
  fail(describeNext(), std::string{expected});
}

void JsonReader::fail(std::string found, std::string expected) {
  failAt(at_, path(), std::move(found), std::move(expected));
}

/// What is not JSON ends the reading: nothing after it can be told. What follows from a problem
/// inside the same value, such as fields that another type would have, is no problem of its own.
void JsonReader::recover(const Mark& mark, const SceneError& error) {
  const bool follows = problems_.size() > mark.problems;
  at_ = mark.at;
  depth_ = mark.depth;
  is_collecting_ = false;
  try {
    skipValue();
  } catch (const SceneError&) {
    throw error;
  }
  if (!follows) problems_.push_back(error.problem());
  if (problems_.size() >= kMostProblems) throw error;
  is_collecting_ = true;
}

void JsonReader::throwProblems() {
  is_collecting_ = false;
  if (problems_.empty()) return;
  SceneProblem first = std::move(problems_.front());
  problems_.erase(problems_.begin());
  throw SceneError{std::move(first), std::move(problems_)};
}

void JsonReader::noteAt(std::size_t offset, const JsonPath& path, std::string found,
                        std::string expected) {
  if (!is_collecting_) failAt(offset, path, std::move(found), std::move(expected));
  problems_.push_back({.source = source_,
                       .position = positionAt(offset),
                       .path = path,
                       .found = std::move(found),
                       .expected = std::move(expected)});
}

TextPosition JsonReader::positionAt(std::size_t offset) const {
  if (offset < lines_.offset) lines_ = {};
  for (; lines_.offset < std::min(offset, text_.size()); ++lines_.offset) {
    if (text_[lines_.offset] != '\n') continue;
    ++lines_.count;
    lines_.start = lines_.offset + 1;
  }
  return {lines_.count + 1, lines_.offset - lines_.start + 1};
}

void JsonReader::failAt(std::size_t offset, const JsonPath& path, std::string found,
                        std::string expected) const {
  throw SceneError{{.source = source_,
                    .position = positionAt(offset),
                    .path = path,
                    .found = std::move(found),
                    .expected = std::move(expected)}};
}

void JsonReader::failAt(const JsonPath& path, std::string found, std::string expected) const {
  throw SceneError{{.source = source_,
                    .position = findPosition(text_, path),
                    .path = path,
                    .found = std::move(found),
                    .expected = std::move(expected)}};
}

TextPosition positionOf(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t lineStart = before.rfind('\n');
  const std::size_t inLine =
      lineStart == std::string_view::npos ? before.size() : before.size() - lineStart - 1;
  return {lines + 1, inLine + 1};
}

namespace {

/// Thrown where the path has led: the rest of the text need not be read.
struct Arrived {};

/// Walks along path[level...] and leaves in `found` the offset of the deepest value it reached.
void walk(JsonReader& reader, const JsonPath& path, std::size_t level, std::size_t& found) {
  found = reader.offset();
  if (level == path.segments().size()) throw Arrived{};
  const JsonPath::Segment& segment = path.segments()[level];
  if (const auto* key = std::get_if<std::string>(&segment)) {
    if (reader.peek() != JsonKind::kObject) return reader.skipValue();
    reader.readObject({}, [&](std::string_view member) {
      member == *key ? walk(reader, path, level + 1, found) : reader.skipValue();
    });
    return;
  }
  if (reader.peek() != JsonKind::kArray) return reader.skipValue();
  const std::size_t wanted = std::get<std::size_t>(segment);
  reader.readArray({}, [&](std::size_t index) {
    index == wanted ? walk(reader, path, level + 1, found) : reader.skipValue();
  });
}

}  // namespace

TextPosition findPosition(std::string_view text, const JsonPath& path) {
  JsonReader reader{text, {}};
  std::size_t found = 0;
  try {
    walk(reader, path, 0, found);
  } catch (const Arrived&) {
  } catch (const SceneError&) {
    // The text is not well-formed beyond what was reached: the deepest value found so far stands.
  }
  return positionOf(text, found);
}

}  // namespace msd_scene
