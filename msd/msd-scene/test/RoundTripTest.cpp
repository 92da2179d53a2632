// Writing loses nothing: what is read from a written scene equals the document, number by number
// and in the same order, and writing it again gives the same bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>

#include "msd-scene/src/ParseScene.hpp"
#include "msd-scene/src/ReadScene.hpp"
#include "msd-scene/src/WriteScene.hpp"
#include "msd-scene/test/SampleScenes.hpp"

namespace msd_scene::test {
namespace {

TEST(RoundTrip, keepsEveryFieldOfTheFormat) {
  const SceneDocument document = parseScene(fullScene(), "full.json");
  const std::string written = writeScene(document);
  const SceneDocument again = parseScene(written, "written.json");
  EXPECT_TRUE(document == again) << written;
  EXPECT_EQ(writeScene(again), written);
}

TEST(RoundTrip, everyFieldOfTheSampleChangesTheDocument) {
  // The sample would prove nothing about a field whose value is the default.
  const SceneDocument document = parseScene(fullScene(), "full.json");
  const nlohmann::json written = nlohmann::json::parse(writeScene(document));
  for (const FieldGroup& group : sceneFields()) {
    for (const std::string_view field : group.fields) {
      // `file` stands for lists that the sample gives in full.
      if (field == "file" || field == "scale") continue;
      EXPECT_NE(written.dump().find(fmt::format("\"{}\":", field)), std::string::npos)
          << "the sample scene or the writer leaves out \"" << field << "\" of " << group.object;
    }
  }
}

TEST(RoundTrip, keepsTheBitsOfRandomNumbers) {
  std::mt19937_64 random{7};
  SceneDocument document = parseScene(fullScene(), "full.json");
  const auto any = [&] {
    for (;;) {
      const double value = std::bit_cast<double>(random());
      if (std::isfinite(value)) return value;
    }
  };
  for (int i = 0; i < 20000; ++i) {
    SceneBody& body = document.bodies[4];
    body.position = {any(), any(), any()};
    body.linearVelocity = {any(), any(), any()};
    if (i % 1000 == 0) body.position = {-0.0, 5e-324, 1.7976931348623157e308};
    const SceneDocument again = parseScene(writeScene(document), "written.json");
    for (int k = 0; k < 3; ++k) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(again.bodies[4].position[k]),
                std::bit_cast<std::uint64_t>(body.position[k]));
      ASSERT_EQ(std::bit_cast<std::uint64_t>(again.bodies[4].linearVelocity[k]),
                std::bit_cast<std::uint64_t>(body.linearVelocity[k]));
    }
  }
}

TEST(RoundTrip, keepsNamesOfAnyKind) {
  SceneDocument document = parseScene(fullScene(), "full.json");
  document.bodies[1].name = "quote \" backslash \\ slash / 日本 \x7f";
  document.description = "tab\tnewline\nreturn\r\x01";
  EXPECT_TRUE(parseScene(writeScene(document), "written.json") == document);
}

TEST(RoundTrip, keepsTheOrderOfThings) {
  const SceneDocument document = parseScene(
      R"({"version": 1, "materials": {"z": {}, "a": {}, "m": {}},
          "shapes": {"s9": {"type": "sphere", "radius": 1}, "s1": {"type": "sphere", "radius": 2}},
          "bodies": [{"name": "b", "shape": "s9"}, {"name": "a", "shape": "s1"}]})",
      "order.json");
  const SceneDocument again = parseScene(writeScene(document), "written.json");
  EXPECT_EQ(again.materials[0].name, "z");
  EXPECT_EQ(again.materials[2].name, "m");
  EXPECT_EQ(again.shapes[0].name, "s9");
  EXPECT_EQ(again.bodies[0].name, "b");
}

TEST(RoundTrip, refusesToWriteWhatJsonCannotHold) {
  SceneDocument document = parseScene(fullScene(), "full.json");
  document.bodies[4].position.x() = std::nan("");
  EXPECT_THROW((void)writeScene(document), std::invalid_argument);
}

TEST(SceneDefaults, areThoseOfTheFormat) {
  const SceneDocument document = parseScene(
      R"({"version": 1, "shapes": {"s": {"type": "sphere", "radius": 1}},
          "bodies": [{"name": "b", "shape": "s"}]})",
      "small.json");
  EXPECT_EQ(document.gravity, Vector3D(0.0, 0.0, -9.81));
  EXPECT_EQ(document.dt, 1.0 / 60.0);
  EXPECT_EQ(document.steps, 600u);
  EXPECT_EQ(document.bodies[0].material, "default");
  EXPECT_TRUE(document.bodies[0].collides);
  EXPECT_EQ(document.bodies[0].mask, 0xFFFFFFFFu);
  EXPECT_NO_THROW((void)loadScene(bytesOf(writeScene(document)), "small.json", noMeshes()));
}

TEST(SceneFields, mayComeInAnyOrder) {
  const SceneDocument document = parseScene(
      R"({"bodies": [{"shape": "s", "name": "b"}], "shapes": {"s": {"radius": 1, "type": "sphere"}},
          "version": 1})",
      "order.json");
  EXPECT_EQ(std::get<SphereShape>(document.shapes[0].geometry).radius, 1.0);
}

}  // namespace
}  // namespace msd_scene::test
