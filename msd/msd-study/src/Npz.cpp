#include "msd-record/src/Npz.hpp"

#include "msd-study/src/StudyTable.hpp"

namespace msd_study {

namespace {

std::vector<std::string> spelled(const TableColumn& column) {
  std::vector<std::string> words;
  words.reserve(column.numbers.size());
  for (const double place : column.numbers) {
    words.push_back(place >= 0.0 ? column.words[static_cast<std::size_t>(place)] : std::string{});
  }
  return words;
}

}  // namespace

std::string toNpz(const StudyTable& table) {
  msd_record::NpzText archive;
  archive.add("case_id", std::vector<std::int64_t>{table.ids.begin(), table.ids.end()});
  for (const TableColumn& column : table.columns) {
    if (column.isWords()) {
      archive.add(column.name, spelled(column));
    } else {
      archive.add(column.name, column.numbers, {column.numbers.size()});
    }
  }
  archive.add("hash", table.hashes);
  return archive.finish();
}

}  // namespace msd_study
