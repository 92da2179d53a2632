#include "msd-record/src/ExportMotion.hpp"
#include "msd-record/src/Npz.hpp"

namespace msd_record {

std::string toNpz(Reader& reader, std::int64_t every) {
  std::vector<std::string> names;
  for (const RecordedBody& body : reader.bodies()) {
    if (body.place) names.push_back(body.name);
  }
  std::vector<double> times;
  struct Values {
    const char* name;
    std::size_t first, width;  ///< among the numbers of a state
    std::vector<double> values{};
  };
  std::array<Values, 4> columns{{{"positions", 0, 3},
                                 {"orientations", 3, 4},
                                 {"velocities", 7, 3},
                                 {"angular_velocities", 10, 3}}};
  for (std::int64_t i = 0; i < reader.frameCount(); i += every) {
    const Frame frame = reader.frame(i);
    times.push_back(frame.entry.time);
    for (const BodyState& state : frame.states) {
      for (Values& column : columns) {
        const double* first = state.numbers.data() + column.first;
        column.values.insert(column.values.end(), first, first + column.width);
      }
    }
  }
  NpzText text;
  text.add("time", times, {times.size()});
  for (const Values& column : columns) {
    text.add(column.name, column.values, {times.size(), names.size(), column.width});
  }
  text.add("names", names);
  return text.finish();
}

}  // namespace msd_record
