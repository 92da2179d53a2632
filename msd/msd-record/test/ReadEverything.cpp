#include "msd-record/test/ReadEverything.hpp"

#include "msd-record/src/Charts.hpp"
#include "msd-record/src/Csv.hpp"
#include "msd-record/src/HtmlReport.hpp"
#include "msd-record/src/Reader.hpp"
#include "msd-record/src/RecordError.hpp"
#include "msd-scene/src/SceneError.hpp"

namespace msd_record::test {

bool readEverything(const std::filesystem::path& path) {
  try {
    Reader reader{path};
    static_cast<void>(reader.about());
    static_cast<void>(reader.settings());
    static_cast<void>(reader.scene());
    static_cast<void>(reader.snapshot());
    static_cast<void>(reader.events(0, reader.lastStep()));
    static_cast<void>(reader.frameAt(0.05));
    const std::int64_t last = std::min<std::int64_t>(reader.frameCount(), 100);
    for (std::int64_t i = 0; i < last; ++i) static_cast<void>(reader.frame(i));
    for (const RecordedBody& body : reader.bodies()) {
      if (body.place) static_cast<void>(bodyCharts(reader, body.name));
    }
    for (const std::string& table : csvTables()) {
      writeCsv(reader, table, [](std::string_view) {});
    }
    static_cast<void>(htmlReport(reader));
    return true;
  } catch (const RecordError&) {
  } catch (const msd_scene::SceneError&) {
  }
  return false;
}

}  // namespace msd_record::test
