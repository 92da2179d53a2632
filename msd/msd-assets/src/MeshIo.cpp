#include "msd-assets/src/MeshIo.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <bit>
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
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, value);
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
  if (extension != ".stl" && extension != ".obj") {
    throw MeshError{fmt::format("{}: extension {}; expected .stl or .obj", path.string(),
                                quoteFound(extension))};
  }
  const std::vector<std::byte> bytes = readBytes(path);
  try {
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
    for (std::size_t k = 0; k < 3; ++k) corners[k] = mesh.vertices()[t[k]];
    const Eigen::Vector3d normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    appendVector(out, normal.normalized());
    for (const Eigen::Vector3d& corner : corners) appendVector(out, corner);
    out.append(2, '\0');
  }
  return out;
}

}  // namespace msd_assets
