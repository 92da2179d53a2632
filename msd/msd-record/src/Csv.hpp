#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "msd-record/src/Reader.hpp"

namespace msd_record {

/// What is exported: every table that people query, and `columns`, which says what each column of
/// the others means.
[[nodiscard]] std::vector<std::string> csvTables();

using TextSink = std::function<void(std::string_view text)>;

/// Writes one of csvTables() as CSV (RFC 4180 with line feeds): a row of names, then the rows.
/// Numbers are the shortest decimals that read back as the same doubles; NULL is an empty field.
/// Returns the number of rows.
std::uint64_t writeCsv(Reader& reader, std::string_view table, const TextSink& sink);

/// A value as a CSV field: quoted where it must be.
[[nodiscard]] std::string csvField(std::string_view text);

}  // namespace msd_record
