#pragma once

#include <string>

#include "msd-record/src/Reader.hpp"

namespace msd_record {

/// One page about a recording, complete in itself: summary, plots, the largest penetrations and
/// contact forces, the hardest hits, bodies and settings. Nothing is fetched from elsewhere.
[[nodiscard]] std::string htmlReport(Reader& reader);

}  // namespace msd_record
