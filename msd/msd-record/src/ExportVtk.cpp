// ParaView's XML PolyData, all arrays appended raw.
#include <fmt/format.h>

#include <cstring>

#include "msd-record/src/ExportMotion.hpp"
#include "msd-record/src/ShapeSurface.hpp"

namespace msd_record {

namespace {

/// Arrays behind the XML: each with its length in bytes before it.
class Appended {
 public:
  /// Returns the attribute that points to them.
  template <class T>
  std::string add(const std::vector<T>& values) {
    const std::uint64_t bytes = values.size() * sizeof(T);
    const std::string offset = fmt::format("format=\"appended\" offset=\"{}\"", bytes_.size());
    append(&bytes, sizeof bytes);
    append(values.data(), bytes);
    return offset;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void append(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }
  std::string bytes_;
};

/// The triangles of one moment.
struct Picture {
  std::vector<float> points;
  std::vector<std::int32_t> corners, ends, body;
  std::vector<float> speed;
  std::vector<std::uint8_t> awake;

  void add(const ShapeSurface& surface, std::int32_t number, const msd_sim::Pose& pose,
           double itsSpeed, bool isAwake) {
    const auto first = static_cast<std::int32_t>(points.size() / 3);
    for (const Eigen::Vector3d& vertex : surface.vertices) {
      const Eigen::Vector3d p = pose.position + pose.orientation * vertex;
      for (int k = 0; k < 3; ++k) points.push_back(static_cast<float>(p[k]));
    }
    for (const auto& triangle : surface.triangles) {
      for (const std::uint32_t corner : triangle) {
        corners.push_back(first + static_cast<std::int32_t>(corner));
      }
      ends.push_back(static_cast<std::int32_t>(corners.size()));
      body.push_back(number);
      speed.push_back(static_cast<float>(itsSpeed));
      awake.push_back(isAwake ? 1 : 0);
    }
  }

  [[nodiscard]] std::string text() const {
    Appended data;
    const std::string xml = fmt::format(
        R"(<?xml version="1.0"?>
<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
<PolyData><Piece NumberOfPoints="{}" NumberOfPolys="{}" NumberOfVerts="0" NumberOfLines="0" NumberOfStrips="0">
<Points><DataArray type="Float32" NumberOfComponents="3" {}/></Points>
<Polys><DataArray type="Int32" Name="connectivity" {}/><DataArray type="Int32" Name="offsets" {}/></Polys>
<CellData><DataArray type="Int32" Name="body" {}/><DataArray type="Float32" Name="speed" {}/><DataArray type="UInt8" Name="awake" {}/></CellData>
</Piece></PolyData>
<AppendedData encoding="raw">
_)",
        points.size() / 3, ends.size(), data.add(points), data.add(corners), data.add(ends),
        data.add(body), data.add(speed), data.add(awake));
    return xml + data.bytes() + "\n</AppendedData>\n</VTKFile>\n";
  }
};

}  // namespace

std::int64_t writeVtk(Reader& reader, std::int64_t every, const FileSink& sink) {
  const std::vector<RecordedBody> bodies = reader.bodies();
  const msd_scene::LoadedScene scene = reader.scene();
  std::vector<ShapeSurface> surfaces;
  for (const auto& shape : scene.shapes) surfaces.push_back(surfaceOf(shape));
  std::string series =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n";
  std::int64_t written = 0;
  for (std::int64_t i = 0; i < reader.frameCount(); i += every, ++written) {
    const Frame frame = reader.frame(i);
    Picture picture;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const RecordedBody& body = bodies[b];
      const ShapeSurface& surface = surfaces.at(static_cast<std::size_t>(body.shape));
      const auto number = static_cast<std::int32_t>(b);
      if (!body.place) {
        picture.add(surface, number, body.startPose, 0.0, false);
        continue;
      }
      const BodyState& state = frame.states.at(static_cast<std::size_t>(*body.place));
      picture.add(surface, number, state.pose(), state.velocity().norm(), state.awake != 0);
    }
    const std::string name = fmt::format("frame_{:06}.vtp", i);
    series += fmt::format("<DataSet timestep=\"{}\" file=\"{}\"/>\n", frame.entry.time, name);
    sink(name, picture.text());
  }
  sink("run.pvd", series + "</Collection>\n</VTKFile>\n");
  return written;
}

}  // namespace msd_record
