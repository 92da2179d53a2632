// Scenes on disk: the public benchmark scenes, large files, mesh files and what they may not reach.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "msd-scene/src/ReadScene.hpp"
#include "msd-scene/src/WriteScene.hpp"
#include "msd-scene/test/SampleScenes.hpp"

namespace msd_scene::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A folder of its own for a test, removed afterwards.
class SceneFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / ("msd scene " + std::to_string(::getpid()) + " " +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream{folder_ / name, std::ios::binary} << text;
  }
  [[nodiscard]] std::string messageOf(const std::string& name) const {
    try {
      (void)loadSceneFile(folder_ / name);
      return "accepted";
    } catch (const SceneError& error) {
      return error.what();
    }
  }
  void writeSceneWithFile(const std::string& file) const {
    write("scene.json", R"({"version": 1, "shapes": {"part": {"type": "hull", "file": ")" + file +
                            R"("}}, "bodies": [{"name": "b", "shape": "part"}]})");
  }

  fs::path folder_;
};

constexpr const char* kTetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

TEST_F(SceneFiles, readHullsAndMeshesFromTheSceneFolder) {
  write("parts/tetra.obj", kTetrahedron);
  write("scene.json", R"({"version": 1, "shapes": {
      "hull": {"type": "hull", "file": "parts/tetra.obj"},
      "mesh": {"type": "mesh", "file": "parts/tetra.obj"}},
      "bodies": [{"name": "b", "shape": "hull"}, {"name": "g", "shape": "mesh", "static": true}]})");
  const LoadedScene scene = loadSceneFile(folder_ / "scene.json");
  const auto& mesh = std::get<MeshShape>(scene.document.shapes[1].geometry);
  EXPECT_EQ(std::get<HullShape>(scene.document.shapes[0].geometry).vertices.size(), 4u);
  EXPECT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.triangles.size(), 4u);
  // The written scene keeps the name, or stands alone with the triangles in it.
  EXPECT_THAT(writeScene(scene.document), HasSubstr("\"file\": \"parts/tetra.obj\""));
  const std::string alone = writeScene(scene.document, {.embedMeshes = true});
  const LoadedScene again = loadScene(bytesOf(alone), "alone.json", noMeshes());
  EXPECT_EQ(std::get<MeshShape>(again.document.shapes[1].geometry).triangles, mesh.triangles);
}

TEST_F(SceneFiles, meshFilesStayInsideTheSceneFolder) {
  write("outside/tetra.obj", kTetrahedron);
  write("scene/tetra.obj", kTetrahedron);
  fs::create_symlink(folder_ / "outside", folder_ / "scene" / "link");
  fs::create_symlink("../outside/tetra.obj", folder_ / "scene" / "linked.obj");
  const fs::path all = folder_;
  folder_ /= "scene";
  writeSceneWithFile("tetra.obj");
  EXPECT_EQ(messageOf("scene.json"), "accepted");
  for (const std::string file : {"../outside/tetra.obj", "link/tetra.obj", "linked.obj",
                                 "x/../../outside/tetra.obj", "https://example.org/tetra.obj",
                                 "file:///etc/passwd", "/etc/passwd", "none.obj", ".", "link"}) {
    writeSceneWithFile(file);
    EXPECT_THAT(messageOf("scene.json"), HasSubstr("shapes.part.file: found \"" + file)) << file;
  }
  writeSceneWithFile((all / "outside" / "tetra.obj").string());
  EXPECT_THAT(messageOf("scene.json"), HasSubstr("absolute path"));
  folder_ = all;
}

TEST_F(SceneFiles, brokenMeshFilesAreNamed) {
  write("broken.stl", "solid nothing");
  writeSceneWithFile("broken.stl");
  EXPECT_THAT(messageOf("scene.json"), HasSubstr("shapes.part.file: found \"broken.stl\""));
  write("text.txt", "hello");
  writeSceneWithFile("text.txt");
  EXPECT_THAT(messageOf("scene.json"), HasSubstr("shapes.part.file: found \"text.txt\""));
}

TEST_F(SceneFiles, missingUnreadableAndOddFilesGetAClearMessage) {
  EXPECT_THAT(messageOf("none.json"), HasSubstr("none.json: found no file of this name"));
  EXPECT_THAT(messageOf("."), HasSubstr("a directory"));
  write("locked.json", "{}");
  fs::permissions(folder_ / "locked.json", fs::perms::none);
  if (::geteuid() != 0) {  // root reads everything
    EXPECT_THAT(messageOf("locked.json"), HasSubstr("Permission denied"));
  }
  write("file/below.json", "{}");
  EXPECT_THAT(messageOf("file/below.json/scene.json"), HasSubstr("expected a scene file"));
}

TEST_F(SceneFiles, hundredThousandBodiesLoadInSeconds) {
  std::string text = R"({"version": 1, "name": "many", "materials": {"default": {}}, "shapes": {)";
  constexpr int kShapes = 1000;
  constexpr int kBodies = 100000;
  for (int i = 0; i < kShapes; ++i) {
    text += fmt::format(R"({}"s{}": {{"type": "box", "halfExtents": [0.5, 0.4, 0.{}]}})",
                        i > 0 ? "," : "", i, i % 9 + 1);
  }
  text += "}, \"bodies\": [";
  for (int i = 0; i < kBodies; ++i) {
    text += fmt::format(
        R"({}{{"name":"body_{}","shape":"s{}","material":"default","static":false,)"
        R"("position":[{},{},{}],"orientation":[1.0,0.0,0.0,0.0],"linearVelocity":[0.0,0.0,0.0],)"
        R"("angularVelocity":[0.0,0.0,0.0],"collides":true}})",
        i > 0 ? "," : "", i, i % kShapes, 1.6 * (i % 100), 1.6 * (i / 100 % 100),
        1.6 * (i / 10000));
  }
  text += "]}";
  const auto start = std::chrono::steady_clock::now();
  const LoadedScene scene = loadScene(bytesOf(text), "many.json", noMeshes());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(scene.document.bodies.size(), static_cast<std::size_t>(kBodies));
  std::printf("[ figures  ] %d bodies, %.1f MB of JSON: read and checked in %.3f s (%.0f MB/s)\n",
              kBodies, 1e-6 * static_cast<double>(text.size()), seconds,
              1e-6 * static_cast<double>(text.size()) / seconds);
  EXPECT_LT(seconds, 5.0);  // 0.25 s
}

/// Scenes of the benchmark set, written by its own script where it is present.
TEST_F(SceneFiles, publicBenchmarkScenesAreReadAndWrittenBack) {
  const char* source = std::getenv("MSD_SOURCE_DIR");
  const char* external = std::getenv("MSD_EXTERNAL_DATA");
  const fs::path data = external != nullptr
                            ? fs::path{external}
                            : fs::path{source != nullptr ? source : "."} / ".." / "shared" / "data";
  const fs::path script = data / ".." / "bench" / "make_scenes.py";
  if (!fs::exists(script)) GTEST_SKIP() << "left out: the benchmark scenes (make_scenes.py)";
  const std::string command = "python3 '" + script.string() + "' --out '" +
                              (folder_ / "scenes").string() + "' > /dev/null 2>&1";
  if (std::system(command.c_str()) != 0)
    GTEST_SKIP() << "left out: python3 cannot run make_scenes.py";
  int count = 0;
  for (const auto& entry : fs::directory_iterator{folder_ / "scenes"}) {
    SCOPED_TRACE(entry.path().filename().string());
    const LoadedScene scene = loadSceneFile(entry.path());
    EXPECT_TRUE(scene.warnings.empty());
    const std::string written = writeScene(scene.document);
    EXPECT_TRUE(loadScene(bytesOf(written), "written", noMeshes()).document == scene.document);
    ++count;
  }
  EXPECT_EQ(count, 9);
}

}  // namespace
}  // namespace msd_scene::test
