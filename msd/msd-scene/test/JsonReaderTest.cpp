// The reader's grammar is that of RFC 8259: it accepts and refuses what an independent parser
// accepts and refuses.
#include "msd-scene/src/JsonReader.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/Suggestion.hpp"
#include "msd-scene/test/SampleScenes.hpp"

namespace msd_scene::test {
namespace {

bool accepts(std::string_view text) {
  try {
    JsonReader reader{text, "text"};
    reader.skipValue();
    reader.finish();
    return true;
  } catch (const SceneError&) {
    return false;
  }
}

TEST(JsonGrammar, agreesWithAnotherParserOnMutatedTexts) {
  const std::string pieces[] = {
      R"({"a": [1, -2.5e+3, true, null], "b": {"c": "d\n\u00e9\ud83d\ude00", "": {}}})",
      R"([0, -0, 0.0, 1e5, 1E-5, [], [[]], "x", false])", R"("plain")", "-12.75e-2", " [ 1 , 2 ] "};
  const std::string alphabet = "{}[]\",:0123456789.-+eEtrufalsn \n\t\\/\x01\x80\xC3\xA9ud";
  std::mt19937_64 random{11};
  int accepted = 0;
  constexpr int kTrials = 200000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::string text = pieces[random() % std::size(pieces)];
    const auto changes = 1 + random() % 3;
    for (std::uint64_t k = 0; k < changes && !text.empty(); ++k) {
      const std::size_t at = random() % text.size();
      const char c = alphabet[random() % alphabet.size()];
      switch (random() % 3) {
        case 0:
          text[at] = c;
          break;
        case 1:
          text.insert(text.begin() + static_cast<long>(at), c);
          break;
        default:
          text.erase(at, 1);
      }
    }
    const bool ours = accepts(text);
    ASSERT_EQ(ours, nlohmann::json::accept(text)) << text;
    accepted += ours ? 1 : 0;
  }
  // Neither "all" nor "nothing" would be a test.
  EXPECT_GT(accepted, kTrials / 20);
  EXPECT_LT(accepted, kTrials * 19 / 20);
}

TEST(JsonGrammar, readsNumbersToTheLastBit) {
  for (const char* text : {"0.1", "1e23", "4.9e-324", "1.7976931348623157e308", "-0.0",
                           "9007199254740993", "0.016666666666666666", "1e-400", "0.0000001e-400",
                           "-1e-99999999999999999999", "0e99999999999999999999", "0.00001e310"}) {
    JsonReader reader{text, "text"};
    EXPECT_EQ(reader.readNumber("a number"), std::strtod(text, nullptr)) << text;
  }
}

TEST(JsonGrammar, refusesNumbersBeyondDouble) {
  for (const char* text :
       {"1e309", "-1e309", "1e99999999999999999999", "123456e305", "0.1e310", "0.0001e313"}) {
    JsonReader reader{text, "text"};
    EXPECT_THROW((void)reader.readNumber("a number"), SceneError) << text;
  }
}

TEST(JsonGrammar, decodesEscapes) {
  JsonReader reader{R"("A\u00e9\ud83d\ude00\"\\\/\b\f\n\r\t")", "text"};
  EXPECT_EQ(reader.readString("a string"), "A\u00e9\U0001F600\"\\/\b\f\n\r\t");
}

TEST(JsonText, quotesSoThatAnotherParserReadsItBack) {
  std::string text;
  for (int c = 1; c < 128; ++c) text += static_cast<char>(c);
  text += "é日\U0001F600";
  EXPECT_EQ(nlohmann::json::parse(jsonString(text)).get<std::string>(), text);
}

TEST(Suggestion, findsMisspeltWordsAndNothingElse) {
  const std::vector<std::string_view> known{"position", "orientation", "linearVelocity", "mass"};
  EXPECT_EQ(findClosest("positon", known), "position");
  EXPECT_EQ(findClosest("opsition", known), "position");
  EXPECT_EQ(findClosest("Position", known), "position");
  EXPECT_EQ(findClosest("linear_velocity", known), "linearVelocity");
  EXPECT_EQ(findClosest("mas", known), "mass");
  EXPECT_EQ(findClosest("positionZ", known), "position");
  EXPECT_EQ(findClosest("linear", known), "linearVelocity");
  EXPECT_EQ(findClosest("colour", known), std::nullopt);
  EXPECT_EQ(findClosest("", known), std::nullopt);
}

TEST(FindPosition, pointsAtTheValue) {
  const std::string_view text = fullScene();
  const TextPosition position =
      findPosition(text, JsonPath{} / "joints" / std::size_t{1} / "limit" / "upper");
  std::size_t offset = text.find("\"upper\": 1.5") + std::string_view{"\"upper\": "}.size();
  EXPECT_EQ(position.line, positionOf(text, offset).line);
  EXPECT_EQ(position.column, positionOf(text, offset).column);
}

}  // namespace
}  // namespace msd_scene::test
