#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "msd-assets/src/ConvexPolyhedron.hpp"
#include "msd-import/src/MjcfContext.hpp"
#include "msd-import/src/XmlValues.hpp"
#include "msd-scene/src/JsonText.hpp"

namespace msd_import {

namespace {

std::string assetFile(const XmlNode& node, const MjcfCompiler& compiler) {
  std::string file = requireText(node, "file", "the name of a file");
  if (compiler.stripPath) file = std::filesystem::path{file}.filename().string();
  if (std::filesystem::path{file}.is_absolute()) return file;
  return compiler.meshFolder + file;
}

FoundFile loadAsset(const XmlNode& node, MjcfContext& context) {
  try {
    return context.files(assetFile(node, context.compiler), context.mainFile);
  } catch (const msd_scene::SceneError&) {
    throw;
  } catch (const std::exception& reason) {
    failAt(node, "file", fmt::format("{} ({})", inQuotes(node.text("file")), reason.what()),
           "a file that can be read");
  }
}

RobotMesh listedMesh(const XmlNode& node, const Vector3D& scale) {
  const std::vector<double> numbers = readNumbers(node, "vertex");
  if (numbers.size() % 3 != 0 || numbers.size() < 12) {
    failAt(node, "vertex", fmt::format("{} numbers", numbers.size()),
           "three for each of at least four points");
  }
  RobotMesh mesh;
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    mesh.vertices.push_back(
        Vector3D{numbers[i], numbers[i + 1], numbers[i + 2]}.cwiseProduct(scale));
  }
  const std::vector<double> faces = readNumbers(node, "face");
  if (faces.size() % 3 != 0) {
    failAt(node, "face", fmt::format("{} numbers", faces.size()), "three for each triangle");
  }
  for (std::size_t i = 0; i < faces.size(); i += 3) {
    auto& triangle = mesh.triangles.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      const double index = faces[i + k];
      if (!(index >= 0.0) || index >= static_cast<double>(mesh.vertices.size()) ||
          index != std::floor(index)) {
        failAt(node, "face", fmt::format("{}", index),
               fmt::format("a vertex number from 0 to {}", mesh.vertices.size() - 1));
      }
      triangle[k] = static_cast<std::uint32_t>(index);
    }
  }
  return mesh;
}

void addMesh(const XmlNode& written, MjcfContext& context) {
  const XmlNode node = context.defaults.complete(written, {});
  const Vector3D scale = vectorOr(node, "scale", Vector3D::Ones());
  if (!(scale.cwiseAbs().minCoeff() > 0.0)) failAt(node, "scale", "a zero", "numbers other than 0");
  RobotMesh mesh;
  if (node.find("vertex")) {
    mesh = listedMesh(node, scale);
  } else {
    const FoundFile file = loadAsset(node, context);
    try {
      mesh = readRobotMesh(file, scale);
    } catch (const std::exception& reason) {
      failAt(node, "file", fmt::format("{} ({})", inQuotes(node.text("file")), reason.what()),
             "an STL, OBJ or glTF file");
    }
  }
  const Vector3D shift = vectorOr(node, "refpos", Vector3D::Zero());
  Quaternion turn = Quaternion::Identity();
  if (const auto q = findNumbers(node, "refquat", 4)) {
    const Quaternion ref{(*q)[0], (*q)[1], (*q)[2], (*q)[3]};
    if (!(ref.norm() > 1e-12)) failAt(node, "refquat", "a quaternion of length zero", "a rotation");
    turn = ref.normalized().conjugate();
  }
  if (node.find("refpos") || node.find("refquat")) {
    for (Vector3D& v : mesh.vertices) v = turn * (v - shift);
  }
  std::string name{node.text("name")};
  if (name.empty()) name = std::filesystem::path{std::string{node.text("file")}}.stem().string();
  if (name.empty()) failAt(node, {}, "a mesh without a name", "the attribute \"name\"");
  mesh.name = name;
  context.meshIsExact[name] = node.text("inertia") == "exact" || node.text("inertia") == "convex";
  if (node.text("inertia") == "convex") mesh.triangles.clear();
  if (!context.meshes.emplace(name, std::make_shared<const RobotMesh>(std::move(mesh))).second) {
    failAt(node, node.find("name") ? "name" : "file", inQuotes(name), "a name no other mesh has");
  }
}

/// MuJoCo's own binary format: rows, columns as 32-bit integers, then floats.
std::vector<double> readFieldFile(const XmlNode& node, MjcfContext& context, std::uint32_t& rows,
                                  std::uint32_t& columns) {
  const FoundFile file = loadAsset(node, context);
  std::array<std::int32_t, 2> counts{};
  const auto refuse = [&](std::string found) {
    failAt(node, "file", std::move(found), "MuJoCo's binary heights (pictures are not read)");
  };
  if (file.bytes.size() < sizeof counts) refuse("a file that is too short");
  std::memcpy(counts.data(), file.bytes.data(), sizeof counts);
  const bool sane = counts[0] > 1 && counts[1] > 1 && counts[0] <= 100'000 && counts[1] <= 100'000;
  const std::size_t samples =
      sane ? static_cast<std::size_t>(counts[0]) * static_cast<std::size_t>(counts[1]) : 0;
  if (!sane || file.bytes.size() != sizeof counts + samples * sizeof(float)) {
    refuse("a file of another kind");
  }
  rows = static_cast<std::uint32_t>(counts[0]);
  columns = static_cast<std::uint32_t>(counts[1]);
  std::vector<float> values(samples);
  std::memcpy(values.data(), file.bytes.data() + sizeof counts, samples * sizeof(float));
  return {values.begin(), values.end()};
}

void addField(const XmlNode& node, MjcfContext& context) {
  const auto size = findNumbers(node, "size", 4);
  if (!size) failAt(node, {}, "no attribute \"size\"", "four numbers > 0 [m]");
  RobotField field{.halfX = (*size)[0], .halfY = (*size)[1]};
  if (!((*size)[0] > 0.0 && (*size)[1] > 0.0)) failAt(node, "size", "a zero", "numbers > 0 [m]");
  std::vector<double> heights;
  if (!node.text("file").empty()) {
    heights = readFieldFile(node, context, field.rows, field.columns);
  } else {
    const auto count = [&](std::string_view name) {
      const double n = requireNumber(node, name, "of samples, 2 or more");
      if (!(n >= 2.0 && n <= 10'000.0) || n != std::floor(n)) {
        failAt(node, name, fmt::format("{}", n), "a whole number from 2 to 10000");
      }
      return static_cast<std::uint32_t>(n);
    };
    field.rows = count("nrow");
    field.columns = count("ncol");
    heights = readNumbers(node, "elevation", 100'000'000);
    const std::size_t samples = std::size_t{field.rows} * field.columns;
    if (heights.empty()) heights.assign(samples, 0.0);
    if (heights.size() != samples) {
      failAt(node, "elevation", fmt::format("{} heights", heights.size()),
             fmt::format("nrow x ncol = {}", samples));
    }
  }
  // Heights are brought to 0 to 1 and multiplied by the third size.
  const auto [low, high] = std::ranges::minmax(heights);
  const double range = high - low;
  for (double& h : heights) {
    if (!std::isfinite(h)) failAt(node, "file", "a height that is not finite", "finite heights");
    h = (range > 0.0 ? (h - low) / range : 0.0) * (*size)[2];
  }
  field.heights = std::move(heights);
  context.fields[requireText(node, "name", "the name of the height field")] =
      std::make_shared<const RobotField>(std::move(field));
}

}  // namespace

void readAssets(const XmlNode& root, MjcfContext& context) {
  for (const XmlNode& section : root.children) {
    if (section.name != "asset") continue;
    for (const XmlNode& node : section.children) {
      if (node.name == "mesh") addMesh(node, context);
      if (node.name == "hfield") addField(node, context);
      if (node.name != "material") continue;
      const XmlNode full = context.defaults.complete(node, {});
      if (const auto rgba = findNumbers(full, "rgba", 4)) {
        context.materials[std::string{node.text("name")}] = {(*rgba)[0], (*rgba)[1], (*rgba)[2],
                                                             (*rgba)[3]};
      }
    }
  }
}

}  // namespace msd_import
