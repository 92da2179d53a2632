#pragma once

#include <string>
#include <string_view>

#include "msd-record/src/Reader.hpp"

namespace msd_record {

/// One page about a recording, complete in itself: summary, plots, the largest penetrations and
/// contact forces, the hardest hits, bodies and settings. Nothing is fetched from elsewhere.
[[nodiscard]] std::string htmlReport(Reader& reader);

/// How every page of ours begins: head, style, and the opening tags of body and main, which the page
/// itself closes at its end.
[[nodiscard]] std::string htmlHead(std::string_view title);

}  // namespace msd_record
