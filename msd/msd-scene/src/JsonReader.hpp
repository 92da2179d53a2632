#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "msd-scene/src/JsonPath.hpp"
#include "msd-scene/src/Limits.hpp"
#include "msd-scene/src/SceneError.hpp"

namespace msd_scene {

enum class JsonKind : std::uint8_t {
  kObject,
  kArray,
  kString,
  kNumber,
  kBoolean,
  kNull,
  kNothing  ///< the end of the text, or a character no value starts with
};

/// Reads JSON (RFC 8259) from front to back, and knows at every moment where it stands.
///
/// No tree is built: the caller asks for the value it expects and gets it, or a SceneError that
/// names path, line and column, what stands there and what was expected. Strict: no comments, no
/// trailing commas, no NaN or Infinity, no numbers beyond double, valid UTF-8 only, at most
/// Limits::kDepth levels. Memory does not grow with the input.
class JsonReader {
 public:
  /// `source` names the text in messages. The text must outlive the reader. A byte order mark is
  /// skipped.
  JsonReader(std::string_view text, std::string_view source);

  /// What the next value is, without reading it.
  [[nodiscard]] JsonKind peek();

  /// Reads an object: onMember(key) is called per member and must read the member's value. The key
  /// stays valid during the call.
  template <class OnMember>
  void readObject(std::string_view expected, OnMember&& onMember) {
    if (!enterObject(expected)) return;
    do {
      const std::string_view key = enterMember();
      recoverably([&] { onMember(key); });
    } while (nextMember());
  }

  /// Reads an array: onElement(index) is called per element and must read it. Returns the count.
  template <class OnElement>
  std::size_t readArray(std::string_view expected, OnElement&& onElement) {
    if (!enterArray(expected)) return 0;
    std::size_t index = 0;
    do {
      frames_[depth_].index = index;
      recoverably([&] { onElement(index); });
      ++index;
    } while (nextElement());
    return index;
  }

  [[nodiscard]] double readNumber(std::string_view expected);
  [[nodiscard]] bool readBoolean(std::string_view expected);
  [[nodiscard]] std::string readString(std::string_view expected);
  void readNull(std::string_view expected);
  void skipValue();
  /// Demands that nothing but white space follows.
  void finish();

  /// Where the next value starts, in bytes from the start of the text.
  [[nodiscard]] std::size_t offset();
  [[nodiscard]] JsonPath path() const;

  /// The next value is not what was expected: says what it is.
  [[noreturn]] void failValue(std::string_view expected);
  [[noreturn]] void fail(std::string found, std::string expected);
  [[noreturn]] void failAt(std::size_t offset, const JsonPath& path, std::string found,
                           std::string expected) const;

  /// The same, of a value read before that stands at `path`.
  [[noreturn]] void failAt(const JsonPath& path, std::string found, std::string expected) const;

  /// Runs `read` to the end of the file. A value that is wrong, as long as it is JSON, is noted and
  /// skipped, and reading goes on; the SceneError that is thrown at the end has all problems.
  template <class Read>
  void readAll(Read&& read) {
    is_collecting_ = true;
    try {
      read();
      finish();
    } catch (const SceneError& error) {
      if (problems_.size() < kMostProblems) problems_.push_back(error.problem());
    }
    throwProblems();
  }
  /// Notes a problem that reading can go on after, or throws it where none are collected.
  void noteAt(std::size_t offset, const JsonPath& path, std::string found, std::string expected);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::string_view source() const { return source_; }

 private:
  struct Frame {
    bool isObject{false};
    std::string key{};
    std::size_t index{0};
  };

  /// Where a value begins, to come back to.
  struct Mark {
    std::size_t at;
    std::size_t depth;
    std::size_t problems;
  };
  template <class Work>
  void recoverably(Work&& work) {
    if (!is_collecting_) return work();
    const Mark mark{at_, depth_, problems_.size()};
    try {
      work();
    } catch (const SceneError& error) {
      recover(mark, error);
    }
  }
  void recover(const Mark& mark, const SceneError& error);
  void throwProblems();
  [[nodiscard]] TextPosition positionAt(std::size_t offset) const;

  void skipSpace();
  void enter(bool isObject);
  [[nodiscard]] bool enterObject(std::string_view expected);
  [[nodiscard]] bool enterArray(std::string_view expected);
  std::string_view enterMember();
  [[nodiscard]] bool nextMember();
  [[nodiscard]] bool nextElement();
  [[nodiscard]] bool next(char closing, std::string_view expected);
  void readStringInto(std::string& result);
  void appendEscape(std::string& result);
  [[nodiscard]] unsigned readHex4();
  [[nodiscard]] bool readWord(std::string_view word);
  [[nodiscard]] std::size_t numberEnd() const;
  [[nodiscard]] std::string describeNext() const;

  std::string_view text_;
  std::string source_;
  std::size_t at_{0};
  std::size_t depth_{0};
  std::array<Frame, Limits::kDepth + 1> frames_{};
  static constexpr std::size_t kMostProblems = 100;
  std::vector<SceneProblem> problems_{};
  bool is_collecting_{false};
  /// Lines up to the last position that was asked for, so that many problems cost one reading.
  struct Lines {
    std::size_t offset{0};
    std::size_t count{0};
    std::size_t start{0};  ///< of the last one
  };
  mutable Lines lines_{};
};

/// Line and column of a byte of the text.
[[nodiscard]] TextPosition positionOf(std::string_view text, std::size_t offset);

/// Where the value at `path` stands in a well-formed text; where the path leads nowhere, the
/// deepest value on the way to it. Reads the text again from the start: for messages only.
[[nodiscard]] TextPosition findPosition(std::string_view text, const JsonPath& path);

}  // namespace msd_scene
