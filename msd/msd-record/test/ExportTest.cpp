// What other programs read of a recording says what the recording says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>

#include "msd-record/src/ExportMotion.hpp"
#include "msd-record/src/ShapeSurface.hpp"
#include "msd-record/test/RecordedRuns.hpp"

namespace msd_record::test {
namespace {

/// Volume of a closed surface whose triangles turn counter-clockwise seen from outside [m³].
double volumeOf(const ShapeSurface& surface) {
  double sum = 0.0;
  for (const auto& t : surface.triangles) {
    sum += surface.vertices[t[0]].dot(surface.vertices[t[1]].cross(surface.vertices[t[2]])) / 6.0;
  }
  return sum;
}

TEST(ShapeSurface, enclosesNearlyTheVolumeOfTheShape) {
  // Inscribed polyhedra of 96 slices: less than the volume by some parts in a thousand.
  constexpr double kPi = std::numbers::pi;
  const auto volume = [](const msd_assets::Shape& shape) {
    return volumeOf(surfaceOf(shape, 20.0, 96));
  };
  EXPECT_NEAR(volume(msd_assets::Box{{1.0, 2.0, 3.0}}), 48.0, 1e-12);
  EXPECT_NEAR(volume(msd_assets::Sphere{0.5}) / (4.0 / 3.0 * kPi * 0.125), 1.0, 3e-3);
  EXPECT_NEAR(volume(msd_assets::Cylinder{0.5, 1.0}) / (kPi * 0.25 * 2.0), 1.0, 1e-3);
  EXPECT_NEAR(volume(msd_assets::Capsule{0.5, 1.0}) / (kPi * 0.25 * 2.0 + 4.0 / 3.0 * kPi * 0.125),
              1.0, 3e-3);
}

class Exported : public ::testing::Test {
 protected:
  Exported() : path_{folder_ / "yard.db"} { record(path_, kYard, 20); }
  TemporaryFolder folder_;
  std::filesystem::path path_;
};

template <class T>
T numberAt(std::string_view bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

TEST_F(Exported, gltfHasTheStatesOfAllFrames) {
  Reader reader{path_};
  const std::string glb = toGlb(reader);
  ASSERT_EQ(glb.substr(0, 4), "glTF");
  EXPECT_EQ(numberAt<std::uint32_t>(glb, 8), glb.size());
  const auto length = numberAt<std::uint32_t>(glb, 12);
  const auto json = nlohmann::json::parse(glb.substr(20, length));
  const std::string_view data = std::string_view{glb}.substr(20 + length + 8);
  EXPECT_EQ(json["buffers"][0]["byteLength"], data.size());

  const auto bodies = reader.bodies();
  ASSERT_EQ(json["nodes"].size(), bodies.size() + 1);
  std::size_t compared = 0;
  for (const auto& channel : json["animations"][0]["channels"]) {
    if (channel["target"]["path"] != "translation") continue;
    const RecordedBody& body = bodies.at(channel["target"]["node"].get<std::size_t>() - 1);
    const auto& sampler = json["animations"][0]["samplers"][channel["sampler"].get<std::size_t>()];
    const auto& accessor = json["accessors"][sampler["output"].get<std::size_t>()];
    EXPECT_EQ(accessor["count"], reader.frameCount());
    const auto offset = json["bufferViews"][accessor["bufferView"].get<std::size_t>()]["byteOffset"]
                            .get<std::size_t>();
    for (std::int64_t f = 0; f < reader.frameCount(); ++f, ++compared) {
      const auto state = reader.frame(f).states.at(static_cast<std::size_t>(*body.place));
      EXPECT_EQ(numberAt<float>(data, offset + 12 * static_cast<std::size_t>(f) + 8),
                static_cast<float>(state.position().z()));
    }
  }
  EXPECT_GE(compared, 3u * 21u);
}

TEST_F(Exported, vtkHasAFilePerFrameAndAllSurfaces) {
  Reader reader{path_};
  std::map<std::string, std::string> files;
  EXPECT_EQ(writeVtk(reader, 5,
                     [&](const std::string& name, std::string_view bytes) { files[name] = bytes; }),
            5);
  ASSERT_EQ(files.size(), 6u);
  EXPECT_THAT(files["run.pvd"], ::testing::HasSubstr("file=\"frame_000020.vtp\""));
  std::size_t triangles = 0;
  const auto scene = reader.scene();
  for (const RecordedBody& body : reader.bodies()) {
    triangles += surfaceOf(scene.shapes.at(static_cast<std::size_t>(body.shape))).triangles.size();
  }
  EXPECT_THAT(files["frame_000000.vtp"],
              ::testing::HasSubstr("NumberOfPolys=\"" + std::to_string(triangles) + "\""));
}

TEST_F(Exported, npzHasArraysOverFramesAndBodies) {
  Reader reader{path_};
  const std::string npz = toNpz(reader, 2);
  EXPECT_EQ(npz.substr(0, 2), "PK");
  for (const char* name : {"time.npy", "positions.npy", "orientations.npy", "velocities.npy",
                           "angular_velocities.npy", "names.npy"}) {
    EXPECT_THAT(npz, ::testing::HasSubstr(name));
  }
  EXPECT_THAT(npz, ::testing::HasSubstr("'shape': (11,3,4,)"));
}

}  // namespace
}  // namespace msd_record::test
