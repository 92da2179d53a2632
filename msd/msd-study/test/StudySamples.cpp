#include "msd-study/test/StudySamples.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <stdexcept>

#include "msd-record/src/Sqlite.hpp"

namespace msd_study::test {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "msd study XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"no temporary folder"};
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string sampleScene() {
  return R"({
  "version": 1, "name": "sample", "dt": 0.01, "steps": 60, "solver": {"sleeping": false},
  "materials": {"default": {"friction": 0.3, "restitution": 0.4}, "ice": {"friction": 0.02}},
  "shapes": {
    "floor": {"type": "box", "halfExtents": [5, 5, 0.5]},
    "ball": {"type": "sphere", "radius": 0.2},
    "box": {"type": "box", "halfExtents": [0.1, 0.2, 0.1]},
    "wedge": {"type": "hull", "vertices": [[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]]},
    "pair": {"type": "compound", "parts": [{"shape": "ball", "position": [0.3, 0, 0]}, {"shape": "wedge"}]}
  },
  "bodies": [
    {"name": "floor", "shape": "floor", "static": true, "position": [0, 0, -0.5]},
    {"name": "ball", "shape": "ball", "position": [0, 0, 1], "angularVelocity": [0, 3, 0]},
    {"name": "box", "shape": "box", "position": [1, 0, 0.1], "linearVelocity": [1.5, 0, 0]},
    {"name": "pair", "shape": "pair", "position": [-2, 0, 0.8], "linearVelocity": [0, 0.5, 0]},
    {"name": "bob", "shape": "box", "position": [2, 2, 2], "mass": 2}
  ],
  "joints": [
    {"name": "swing", "type": "hinge", "bodyA": null, "bodyB": "bob", "anchor": [2, 1.5, 2], "axis": [1, 0, 0]}
  ]
})";
}

std::unique_ptr<Study> makeStudy(const std::string& parameters, const std::string& rest,
                                 const std::string& measure, const std::string& table) {
  constexpr std::string_view kMeasure = R"(
    "x": {"body": "box", "quantity": "position.x"},
    "height": {"body": "ball", "quantity": "position.z", "take": "max"},
    "hits": {"body": "ball", "event": "hit", "take": "count"})";
  return Study::fromTexts(
      {.source = "study.json",
       .study = fmt::format(R"({{"version": 1, "scene": "scene.json",
  "parameters": {{{}}},
  "measure": {{{}}}{}}})",
                            parameters, measure.empty() ? kMeasure : measure, rest),
       .scene = sampleScene(),
       .table = table});
}

std::unique_ptr<Study> smallStudy() {
  return makeStudy(R"("friction": {"path": "materials.default.friction", "values": [0, 0.2, 0.4]},
    "speed": {"path": "bodies.box.linearVelocity[0]", "range": {"from": 0.5, "to": 2, "count": 4}})",
                   R"(, "success": [{"measure": "x", "min": 1.5}])");
}

std::vector<std::string> rowsOf(const std::filesystem::path& results) {
  msd_record::Database database{results.string(), msd_record::OpenMode::kRead};
  std::vector<std::string> rows;
  for (const char* table : {"cases", "results"}) {
    msd_record::Statement all =
        database.prepare(fmt::format("SELECT * FROM {} ORDER BY case_id", table));
    while (all.step()) {
      std::string row = table;
      for (int c = 0; c < all.columnCount(); ++c) {
        if (all.isNull(c)) {
          row += " -";
          continue;
        }
        try {
          row += fmt::format(" {}", all.real(c));
        } catch (const msd_record::SqliteError&) {
          row += fmt::format(" {}", all.text(c));
        }
      }
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace msd_study::test
