#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "msd-record/src/Reader.hpp"
#include "msd-record/src/SvgChart.hpp"

namespace msd_record {

/// A chart and the name of the file it goes into, without ending.
struct NamedChart {
  std::string name{};
  Chart chart{};
};

/// What every recording has to show: energies, the ledger's works, penetration, contacts, and the
/// time a step takes.
[[nodiscard]] std::vector<NamedChart> runCharts(Reader& reader);

/// Where a body goes and how fast. Throws RecordError for a body that is static or not there.
[[nodiscard]] std::vector<NamedChart> bodyCharts(Reader& reader, std::string_view body);

}  // namespace msd_record
