#include "msd-assets/src/MeshIo.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <fstream>
#include <system_error>

#include "msd-assets/src/Check.hpp"
#include "msd-assets/src/MeshReaders.hpp"

namespace msd_assets {

namespace {

void appendLittleEndian(std::string& out, std::uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(word >> shift));
}

void appendVector(std::string& out, const Eigen::Vector3d& v) {
  for (const double c : {v.x(), v.y(), v.z()}) {
    appendLittleEndian(out, std::bit_cast<std::uint32_t>(static_cast<float>(c)));
  }
}

std::vector<std::byte> readBytes(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw MeshError{fmt::format("{}: expected a file that exists and is not a folder or device",
                                path.string())};
  }
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw MeshError{fmt::format("{}: {}", path.string(), error.message())};
  checkFileSize(path.string(), size);
  std::ifstream file{path, std::ios::binary};
  std::vector<std::byte> bytes(size);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) {
    throw MeshError{
        fmt::format("{}: expected {} readable bytes, got {}", path.string(), size, file.gcount())};
  }
  return bytes;
}

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 32);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// "%20" and the like as the bytes they stand for.
std::string decodePercent(std::string_view uri) {
  std::string text;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] == '%' && i + 2 < uri.size() && hexDigit(uri[i + 1]) >= 0 &&
        hexDigit(uri[i + 2]) >= 0) {
      text.push_back(static_cast<char>(16 * hexDigit(uri[i + 1]) + hexDigit(uri[i + 2])));
      i += 2;
    } else {
      text.push_back(uri[i]);
    }
  }
  return text;
}

/// Reads a file that another names, from its folder or below, wherever links lead.
std::vector<std::byte> readBeside(const std::filesystem::path& folder, const std::string& uri) {
  const std::string name = decodePercent(uri);
  const auto refuse = [&](std::string_view expected) {
    throw MeshError{fmt::format("buffer {}: expected {}", quoteFound(name), expected)};
  };
  if (name.empty() || name.find_first_of(std::string_view{":\\\0", 3}) != std::string::npos) {
    refuse("the relative path of a file");
  }
  std::error_code error;
  const std::filesystem::path root = std::filesystem::canonical(folder, error);
  const std::filesystem::path target = std::filesystem::canonical(root / name, error);
  if (error) refuse("a file that exists");
  const auto inside = std::mismatch(root.begin(), root.end(), target.begin(), target.end());
  if (inside.first != root.end()) refuse("a file in the folder of the mesh or below");
  return readBytes(target);
}

}  // namespace

std::string quoteFound(std::string_view found) {
  constexpr std::size_t kLongest = 40;
  if (found.empty()) return "the end";
  std::string text{'\''};
  for (const char c : found.substr(0, kLongest)) text.push_back(c >= 32 && c < 127 ? c : '?');
  text += found.size() > kLongest ? "...'" : "'";
  return text;
}

std::optional<double> parseNumber(std::string_view token) {
  if (token.size() > 1 && token[0] == '+' && token[1] != '-') token.remove_prefix(1);
  double value = 0.0;
  const char* const begin = token.data();
  const char* const end = begin + token.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

void checkFileSize(std::string_view format, std::size_t bytes) {
  if (bytes > tolerances::kMaxFileBytes) {
    throw MeshError{
        fmt::format("{}: {} bytes; expected at most {}", format, bytes, tolerances::kMaxFileBytes)};
  }
}

TriangleMesh makeMesh(std::string_view format, std::vector<Eigen::Vector3d> vertices,
                      std::vector<TriangleMesh::Triangle> triangles) {
  try {
    return {std::move(vertices), std::move(triangles)};
  } catch (const std::invalid_argument& error) {
    throw MeshError{fmt::format("{}: {}", format, error.what())};
  }
}

TriangleMesh readMeshFile(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const bool isGltf = extension == ".gltf" || extension == ".glb";
  if (extension != ".stl" && extension != ".obj" && !isGltf) {
    throw MeshError{fmt::format("{}: extension {}; expected .stl, .obj, .gltf or .glb",
                                path.string(), quoteFound(extension))};
  }
  const std::vector<std::byte> bytes = readBytes(path);
  try {
    if (isGltf) {
      const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
      return readGltf(bytes, [&](const std::string& uri) { return readBeside(folder, uri); });
    }
    return extension == ".stl" ? readStl(bytes) : readObj(bytes);
  } catch (const MeshError& error) {
    throw MeshError{fmt::format("{}: {}", path.string(), error.what())};
  }
}

std::string writeBinaryStl(const TriangleMesh& mesh) {
  constexpr std::size_t kHeader = 80;
  std::string out{"binary STL, coordinates in metres"};
  out.resize(kHeader, ' ');
  out.reserve(kHeader + 4 + 50 * mesh.triangles().size());
  appendLittleEndian(out, static_cast<std::uint32_t>(mesh.triangles().size()));
  for (const TriangleMesh::Triangle& t : mesh.triangles()) {
    std::array<Eigen::Vector3d, 3> corners;
    // The normal is that of the rounded corners: reading and writing again gives the same bytes.
    for (std::size_t k = 0; k < 3; ++k) {
      corners[k] = mesh.vertices()[t[k]].cast<float>().cast<double>();
    }
    const Eigen::Vector3d normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    appendVector(out, normal.normalized());
    for (const Eigen::Vector3d& corner : corners) appendVector(out, corner);
    out.append(2, '\0');
  }
  return out;
}

}  // namespace msd_assets
