#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>

#include "Convert.hpp"
#include "RecordWatcher.hpp"
#include "Rows.hpp"
#include "World.hpp"
#include "msd-record/src/Reader.hpp"

namespace msd_python {

using namespace msd_record;

namespace {

constexpr std::array<std::string_view, 3> kContactStates{"open", "stick", "slip"};

py::dict facts(const std::vector<Fact>& list) {
  py::dict all;
  for (const Fact& fact : list) all[py::str(fact.name)] = py::str(fact.value);
  return all;
}

StateLine makeLine(const BodyState& s) {
  const auto& n = s.numbers;
  return {.body = s.body,
          .position = {n[0], n[1], n[2]},
          .orientation = {n[3], n[4], n[5], n[6]},
          .velocity = {n[7], n[8], n[9]},
          .angularVelocity = {n[10], n[11], n[12]},
          .island = s.island == BodyState::kNoIsland ? -1 : static_cast<std::int64_t>(s.island),
          .awake = s.awake != 0};
}

ContactLine makeLine(const ContactRow& c) {
  const auto& n = c.numbers;
  return {.bodyA = c.bodyA,
          .bodyB = c.bodyB,
          .point = {n[0], n[1], n[2]},
          .normal = {n[3], n[4], n[5]},
          .gap = n[6],
          .force = {n[7], n[8], n[9]},
          .slip = {n[10], n[11], n[12]},
          .friction = n[13],
          .state = makeWord(kContactStates.at(std::min<std::size_t>(c.state, 2))),
          .feature = c.feature};
}

ReactionLine makeLine(const ReactionRow& r) {
  const auto& n = r.numbers;
  return {.joint = r.joint,
          .force = {n[0], n[1], n[2]},
          .torque = {n[3], n[4], n[5]},
          .coordinate = n[6],
          .broken = r.broken != 0};
}

EventLine makeLine(const RecordedEvent& e) {
  return {.kind = makeWord(e.kind),
          .step = e.step,
          .bodyA = e.bodyA,
          .bodyB = e.bodyB,
          .point = {e.point.x(), e.point.y(), e.point.z()},
          .normal = {e.normal.x(), e.normal.y(), e.normal.z()},
          .approachSpeed = e.approachSpeed};
}

template <class Rows>
py::array lines(const Rows& rows) {
  std::vector<decltype(makeLine(rows[0]))> made;
  made.reserve(rows.size());
  for (const auto& row : rows) made.push_back(makeLine(row));
  return fromRows(made);
}

py::dict bodyTable(Reader& reader) {
  py::list names, kinds, places, masses;
  for (const RecordedBody& body : reader.bodies()) {
    names.append(body.name);
    kinds.append(body.kind);
    places.append(body.place ? py::object{py::int_(*body.place)} : py::object{py::none()});
    masses.append(body.mass);
  }
  py::dict table;
  table["name"] = names;
  table["kind"] = kinds;
  table["place"] = places;
  table["mass"] = masses;
  return table;
}

py::dict frame(Reader& reader, std::int64_t number) {
  const Frame read = reader.frame(number);
  py::dict parts;
  parts["frame"] = read.entry.frame;
  parts["step"] = read.entry.step;
  parts["time"] = read.entry.time;
  parts["states"] = lines(read.states);
  parts["contacts"] = lines(read.contacts);
  parts["reactions"] = lines(read.reactions);
  return parts;
}

py::array frameTable(Reader& reader) {
  struct Line {
    std::int64_t frame;
    std::uint64_t step;
    double time;
    std::int64_t contacts;
  };
  constexpr ColumnType kColumns[] = {{"frame", "i8", offsetof(Line, frame)},
                                     {"step", "u8", offsetof(Line, step)},
                                     {"time", "f8", offsetof(Line, time)},
                                     {"contacts", "i8", offsetof(Line, contacts)}};
  std::vector<Line> made;
  for (const FrameEntry& e : reader.frameEntries())
    made.push_back({e.frame, e.step, e.time, e.contacts + e.resting});
  return structured(made.data(), made.size(), sizeof(Line), kColumns);
}

/// All frames, all moving bodies: (frames, bodies) states.
py::array allStates(Reader& reader) {
  std::vector<StateLine> made;
  const std::int64_t frames = reader.frameCount();
  std::size_t bodies = 0;
  for (std::int64_t i = 0; i < frames; ++i) {
    const Frame read = reader.frame(i);
    bodies = read.states.size();
    for (const BodyState& s : read.states) made.push_back(makeLine(s));
  }
  const py::array flat = fromRows(made);
  return flat.attr("reshape")(frames, bodies).cast<py::array>();
}

py::array trajectory(Reader& reader, const std::string& body) {
  struct Line {
    double time;
    StateLine state;
  };
  constexpr ColumnType kColumns[] = {
      {"time", "f8", offsetof(Line, time)},
      {"position", "(3,)f8", offsetof(Line, state) + offsetof(StateLine, position)},
      {"orientation", "(4,)f8", offsetof(Line, state) + offsetof(StateLine, orientation)},
      {"velocity", "(3,)f8", offsetof(Line, state) + offsetof(StateLine, velocity)},
      {"angular_velocity", "(3,)f8", offsetof(Line, state) + offsetof(StateLine, angularVelocity)},
      {"awake", "?", offsetof(Line, state) + offsetof(StateLine, awake)}};
  std::vector<Line> made;
  for (const TrajectoryPoint& point : reader.trajectory(body))
    made.push_back({point.time, makeLine(point.state)});
  return structured(made.data(), made.size(), sizeof(Line), kColumns);
}

py::array steps(Reader& reader) {
  std::vector<ReportRow> rows;
  reader.forEachStep(0, [&](const RecordedStep& step) {
    rows.push_back(makeRow(step.report));
    rows.back().seconds = step.wall;
    return true;
  });
  return fromRows(rows);
}

void closeRecorder(RecordWatcher& recorder) {
  const RecordWatcher::Closing closing = recorder.beginClose();
  const py::gil_scoped_release unlocked;
  recorder.finish(closing);
}

}  // namespace

void bindRecording(py::module_& module) {
  py::class_<Reader>(module, "RecordingReader", "Reads a recording; msd.Recording is made of it.")
      .def(py::init(
               [](const std::filesystem::path& path) { return std::make_unique<Reader>(path); }),
           py::arg("path"))
      .def("about", [](Reader& r) { return facts(r.about()); })
      .def("settings", [](Reader& r) { return facts(r.settings()); })
      .def("scene_text", &Reader::sceneText)
      .def("bodies", &bodyTable)
      .def("frame_count", &Reader::frameCount)
      .def("frames", &frameTable)
      .def("frame", &frame, py::arg("number"))
      .def("frame_at", &Reader::frameAt, py::arg("time"))
      .def("states", &allStates)
      .def("trajectory", &trajectory, py::arg("body"))
      .def("steps", &steps)
      .def("events", [](Reader& r) { return lines(r.events(0, r.lastStep())); });

  py::class_<RecordWatcher, std::shared_ptr<RecordWatcher>>(
      module, "Recorder", "Records a world while it is stepped; close() writes the end.")
      .def(py::init([](const std::shared_ptr<World>& world, const std::filesystem::path& path,
                       std::uint64_t every, bool overwrite) {
             return RecordWatcher::start(world, path, every, overwrite);
           }),
           py::arg("world"), py::arg("path"), py::kw_only(), py::arg("every") = 0,
           py::arg("overwrite") = false,
           py::keep_alive<1, 2>())  // close() writes the world's last state
      .def("close", &closeRecorder,
           "Writes the last state and closes the file. RecordError where writing has failed.")
      .def_property_readonly("frames", &RecordWatcher::frames, "Frames recorded so far.")
      .def_property_readonly(
          "path", [](const RecordWatcher& r) { return r.path().string(); }, "The file.")
      .def("__enter__", [](const std::shared_ptr<RecordWatcher>& r) { return r; })
      .def("__exit__", [](RecordWatcher& r, const py::object&, const py::object&,
                          const py::object&) { closeRecorder(r); })
      .def("__repr__", [](const RecordWatcher& r) {
        return fmt::format("<msd.Recorder to {}: {} frames>", r.path().string(), r.frames());
      });
}

}  // namespace msd_python
