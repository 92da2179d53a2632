// What can be generated: every number made wrong, every cut, every flipped bit, and inputs meant to
// exhaust time or memory. Each is accepted or refused with a SceneError; nothing else ever happens.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <string>
#include <vector>

#include "msd-scene/src/ParseScene.hpp"
#include "msd-scene/src/ReadScene.hpp"
#include "msd-scene/src/WriteScene.hpp"
#include "msd-scene/test/SampleScenes.hpp"

namespace msd_scene::test {
namespace {

/// The problem a text is refused with, or nothing when it is accepted.
std::optional<SceneProblem> problemOf(std::string_view text) {
  try {
    (void)loadScene(bytesOf(text), "hostile.json", noMeshes());
    return std::nullopt;
  } catch (const SceneError& error) {
    return error.problem();
  }
}

/// Where the numbers of a JSON text stand: offset and length of each.
std::vector<std::pair<std::size_t, std::size_t>> numbersIn(std::string_view text) {
  std::vector<std::pair<std::size_t, std::size_t>> numbers;
  bool inString = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) inString = !inString;
    if (inString || (std::isdigit(static_cast<unsigned char>(text[i])) == 0 && text[i] != '-')) {
      continue;
    }
    const std::size_t end = text.find_first_of(",]} \n", i);
    numbers.emplace_back(i, end - i);
    i = end;
  }
  return numbers;
}

TEST(HostileInput, sampleSceneIsValid) {
  EXPECT_FALSE(problemOf(fullScene()));
}

TEST(HostileInput, everyNumberMustBeAFiniteNumber) {
  const std::string text{fullScene()};
  const auto numbers = numbersIn(text);
  ASSERT_GT(numbers.size(), 200u);  // 263 numbers in the sample
  for (const auto& [at, length] : numbers) {
    for (const char* wrong : {"NaN", "nan", "Infinity", "-Infinity", "1e999", "-1e999", "\"1\"",
                              "null", "true", "{}", "", "1.2.3"}) {
      const std::string bad = text.substr(0, at) + wrong + text.substr(at + length);
      const auto problem = problemOf(bad);
      const std::string context = bad.substr(at > 40 ? at - 40 : 0, 80);
      // A check's time may be the word "end"; a cell size may be a number or two.
      ASSERT_TRUE(problem) << wrong << " was accepted in ..." << context;
      const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
      EXPECT_NEAR(static_cast<double>(problem->position.line), static_cast<double>(line), 1.0)
          << describe(*problem) << " in ..." << context;
    }
  }
}

TEST(HostileInput, everyTruncatedSceneIsRefused) {
  const std::string_view text = fullScene();
  const std::size_t end = text.find_last_of('}');
  for (std::size_t length = 0; length <= end; ++length) {
    ASSERT_TRUE(problemOf(text.substr(0, length))) << "accepted when cut at byte " << length;
  }
}

TEST(HostileInput, everyFlippedBitIsAcceptedOrRefused) {
  std::string text{fullScene()};
  std::size_t refused = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      text[i] = static_cast<char>(text[i] ^ (1 << bit));
      refused += problemOf(text).has_value() ? 1 : 0;
      text[i] = static_cast<char>(text[i] ^ (1 << bit));
    }
  }
  EXPECT_GT(refused, text.size() * 4);  // 80 % of all flips
}

class Timed {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_{std::chrono::steady_clock::now()};
};

TEST(HostileInput, twoHundredMegabytesOfBracketsFailAtOnce) {
  for (const std::string& piece : {std::string{"["}, std::string{"{\"a\":"}}) {
    std::string text;
    text.reserve(200u << 20);
    while (text.size() + piece.size() < (200u << 20)) text += piece;
    const Timed timed;
    const auto problem = problemOf(text);
    ASSERT_TRUE(problem);
    EXPECT_LT(timed.seconds(), 0.5);  // 0.00002 s
  }
}

TEST(HostileInput, nestingIsRefusedBeyondSixtyFourLevels) {
  // Deep nesting is met where a value is skipped on the way to another; the limit holds there too.
  std::string deep(65, '[');
  JsonReader reader{deep, "deep.json"};
  EXPECT_THROW(reader.skipValue(), SceneError);
  std::string fits(64, '[');
  fits += std::string(64, ']');
  JsonReader shallow{fits, "fits.json"};
  EXPECT_NO_THROW(shallow.skipValue());
}

TEST(HostileInput, fileAboveTheLimitIsRefused) {
  const std::string text(Limits::kFileBytes + 1, ' ');
  const auto problem = problemOf(text);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->found, "268435457 bytes");
}

TEST(HostileInput, longStringsAndNamesAreRefused) {
  const std::string longText(Limits::kStringBytes + 1, 'x');
  const auto inString = problemOf(replaced(fullScene(), "Every field once.", longText));
  ASSERT_TRUE(inString);
  EXPECT_EQ(inString->path.toString(), "description");
  const auto inName =
      problemOf(replaced(fullScene(), "everything", std::string(Limits::kNameBytes + 1, 'x')));
  ASSERT_TRUE(inName);
  EXPECT_EQ(inName->found, "a name of 257 bytes");
}

TEST(HostileInput, manyErrorsStillGiveOneMessageQuickly) {
  std::string text = R"({"version": 1, "shapes": {}, "bodies": [)";
  for (int i = 0; i < 100000; ++i) {
    if (i > 0) text += ',';
    text += fmt::format(R"({{"name": "b{}", "shape": "none"}})", i);
  }
  text += "]}";
  const Timed timed;
  const auto problem = problemOf(text);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->path.toString(), "bodies[0].shape");
  EXPECT_LT(timed.seconds(), 5.0);  // 0.1 s
}

TEST(HostileInput, notAnObjectAtAll) {
  for (const char* text : {"", " \n\t", "null", "1", "\"scene\"", "[]", "\xEF\xBB\xBF", "{", "}",
                           "\xFF\xFE{\0}", "{}"}) {
    EXPECT_TRUE(problemOf(text)) << text;
  }
}

}  // namespace
}  // namespace msd_scene::test
