#include "msd-sim/src/Physics/Constraints/Exact/ProblemFile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace msd_sim {
namespace {

/// White-space separated words of a text, with the line they stand on.
class WordReader {
 public:
  explicit WordReader(std::string_view text) : text_{text} {}

  /// The next word; throws at the end of the text.
  [[nodiscard]] std::string_view next(const char* item) {
    skipSpace();
    if (at_ == text_.size()) fail(item, "the file ends here");
    const std::size_t begin = at_;
    while (at_ < text_.size() && !isSpace(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  [[nodiscard]] long integer(const char* item, long low, long high) {
    const std::string_view word = next(item);
    long value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size()) {
      fail(item, fmt::format("'{}' is not a whole number", shortened(word)));
    }
    if (value < low || value > high) {
      fail(item, fmt::format("{} is out of range, expected {} to {}", value, low, high));
    }
    return value;
  }

  [[nodiscard]] double number(const char* item) {
    std::string_view word = next(item);
    if (!word.empty() && word.front() == '+') word.remove_prefix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    // A number too small for a double is zero; one too large is an error.
    const bool underflow = error == std::errc::result_out_of_range && std::abs(value) < 1.0;
    if ((error != std::errc{} && !underflow) || end != word.data() + word.size()) {
      fail(item, fmt::format("'{}' is not a number", shortened(word)));
    }
    if (!std::isfinite(value)) fail(item, fmt::format("{} is not finite", value));
    return value;
  }

  /// `count` numbers. A text too short to hold them is refused before memory is taken.
  [[nodiscard]] std::vector<double> numbers(const char* item, std::size_t count) {
    requireRoom(item, count);
    std::vector<double> values(count);
    for (double& value : values) value = number(item);
    return values;
  }

  [[nodiscard]] std::vector<long> integers(const char* item, std::size_t count, long low,
                                           long high) {
    requireRoom(item, count);
    std::vector<long> values(count);
    for (long& value : values) value = integer(item, low, high);
    return values;
  }

  /// Every word takes at least one character and a separator.
  void requireRoom(const char* item, std::size_t count) {
    if (count > (text_.size() - at_ + 1) / 2) {
      fail(item,
           fmt::format("{} values are announced, more than the rest of the file can hold", count));
    }
  }

  void skipLine() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    if (at_ < text_.size()) {
      ++at_;
      ++line_;
    }
  }

  [[nodiscard]] bool atEnd() {
    skipSpace();
    return at_ == text_.size();
  }

  [[noreturn]] void fail(const char* item, const std::string& what) const {
    throw ProblemFileError(fmt::format("problem file, line {}: {}: {}", line_, item, what));
  }

 private:
  [[nodiscard]] static bool isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
  }

  /// What a message quotes: a few printable characters.
  [[nodiscard]] static std::string shortened(std::string_view word) {
    std::string result;
    for (const char c : word.substr(0, 32)) result += c >= ' ' && c <= '~' ? c : '?';
    return result;
  }

  void skipSpace() {
    while (at_ < text_.size() && isSpace(text_[at_])) {
      if (text_[at_] == '\n') ++line_;
      ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_{0};
  int line_{1};
};

/// Blocks of one matrix row by row, columns ascending.
using BlockRows = std::vector<std::map<int, ContactBlock>>;

[[nodiscard]] BlockMatrix compress(const BlockRows& rows) {
  BlockMatrix matrix;
  matrix.rowStart.push_back(0);
  for (const auto& row : rows) {
    for (const auto& [column, block] : row) {
      matrix.column.push_back(column);
      matrix.block.push_back(block);
    }
    matrix.rowStart.push_back(static_cast<int>(matrix.column.size()));
  }
  return matrix;
}

void addEntry(BlockRows& rows, long row, long column, double value) {
  const auto place = rows[static_cast<std::size_t>(row / 3)]
                         .try_emplace(static_cast<int>(column / 3), ContactBlock::Zero())
                         .first;
  place->second(row % 3, column % 3) += value;
}

[[nodiscard]] BlockMatrix readDense(WordReader& reader, long size) {
  (void)reader.integer("rows of the dense matrix", size, size);
  (void)reader.integer("columns of the dense matrix", size, size);
  const auto values = reader.numbers(
      "entry of the dense matrix", static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  BlockRows rows(static_cast<std::size_t>(size / 3));
  for (long i = 0; i < size / 3; ++i) {
    for (long j = 0; j < size / 3; ++j) {
      ContactBlock block;
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) block(a, b) = values[(3 * j + b) * size + 3 * i + a];
      }
      if (!block.isZero(0.0)) rows[i].emplace(static_cast<int>(j), block);
    }
  }
  return compress(rows);
}

[[nodiscard]] BlockMatrix readBlocks(WordReader& reader, long contacts) {
  const long blocks = reader.integer("number of blocks", 0, contacts * contacts);
  (void)reader.integer("block rows", contacts, contacts);
  (void)reader.integer("block columns", contacts, contacts);
  for (const char* item : {"end of a block row", "end of a block column"}) {
    for (long i = 0; i < contacts; ++i) (void)reader.integer(item, 3 * (i + 1), 3 * (i + 1));
  }
  const long starts = reader.integer("length of index1", contacts + 1, contacts + 1);
  const long columns = reader.integer("length of index2", blocks, blocks);
  const auto rowStart = reader.integers("index1", static_cast<std::size_t>(starts), 0, blocks);
  const auto column = reader.integers("index2", static_cast<std::size_t>(columns), 0, contacts - 1);
  if (rowStart.front() != 0 || rowStart.back() != blocks ||
      !std::is_sorted(rowStart.begin(), rowStart.end())) {
    reader.fail("index1", "block rows must start at 0, ascend and end at the number of blocks");
  }
  BlockRows rows(static_cast<std::size_t>(contacts));
  for (long i = 0; i < contacts; ++i) {
    for (long k = rowStart[i]; k < rowStart[i + 1]; ++k) {
      (void)reader.integer("number of a block", k, k);
      ContactBlock block;
      for (int b = 0; b < 3; ++b) {
        for (int a = 0; a < 3; ++a) block(a, b) = reader.number("entry of a block");
      }
      if (!rows[i].emplace(static_cast<int>(column[k]), block).second) {
        reader.fail("index2", fmt::format("block ({}, {}) appears twice", i, column[k]));
      }
    }
  }
  return compress(rows);
}

/// "6-by-6," in the header of a printed sparse matrix.
void readSizes(WordReader& reader, long size) {
  const std::string_view word = reader.next("size of the sparse matrix");
  const std::string expected = fmt::format("{}-by-{},", size, size);
  if (word != expected) {
    reader.fail("size of the sparse matrix", fmt::format("expected '{}'", expected));
  }
}

void expectWord(WordReader& reader, std::string_view expected) {
  if (reader.next("sparse matrix") != expected) {
    reader.fail("sparse matrix", fmt::format("expected '{}'", expected));
  }
}

/// Number of entries from "nzmax: 36 nnz: 36," (what follows on the line is left).
[[nodiscard]] long readEntryCount(WordReader& reader) {
  expectWord(reader, "nzmax:");
  (void)reader.next("nzmax");
  expectWord(reader, "nnz:");
  std::string_view word = reader.next("nnz");
  if (!word.empty() && word.back() == ',') word.remove_suffix(1);
  long count = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  if (error != std::errc{} || end != word.data() + word.size() || count < 0) {
    reader.fail("nnz", "expected a whole number >= 0");
  }
  reader.requireRoom("entry of the sparse matrix", static_cast<std::size_t>(count));
  return count;
}

[[nodiscard]] BlockMatrix readSparse(WordReader& reader, long size) {
  enum Origin : long { kTriplet = 1, kColumns = 2, kRows = 3 };
  const long origin =
      reader.integer("origin of the sparse matrix (1 triplet, 2 columns, 3 rows)", kTriplet, kRows);
  reader.skipLine();
  reader.skipLine();  // name and version of the library that printed it
  BlockRows rows(static_cast<std::size_t>(size / 3));
  if (origin == kTriplet) {
    expectWord(reader, "triplet:");
    readSizes(reader, size);
    const long count = readEntryCount(reader);
    for (long k = 0; k < count; ++k) {
      const long row = reader.integer("row of an entry", 0, size - 1);
      const long column = reader.integer("column of an entry", 0, size - 1);
      expectWord(reader, ":");
      addEntry(rows, row, column, reader.number("entry of the sparse matrix"));
    }
    return compress(rows);
  }
  readSizes(reader, size);
  const long count = readEntryCount(reader);
  reader.skipLine();
  long seen = 0;
  for (long j = 0; j < size; ++j) {
    expectWord(reader, "col");
    (void)reader.integer("number of a column", j, j);
    expectWord(reader, ":");
    expectWord(reader, "locations");
    const long first = reader.integer("first location of a column", seen, seen);
    expectWord(reader, "to");
    const long last = reader.integer("last location of a column", first - 1, count - 1);
    for (; seen <= last; ++seen) {
      const long i = reader.integer("row of an entry", 0, size - 1);
      expectWord(reader, ":");
      const double value = reader.number("entry of the sparse matrix");
      if (origin == kColumns) {
        addEntry(rows, i, j, value);
      } else {
        addEntry(rows, j, i, value);
      }
    }
  }
  if (seen != count) reader.fail("entry of the sparse matrix", "fewer entries than announced");
  return compress(rows);
}

}  // namespace

FrictionProblem parseProblem(std::string_view text) {
  WordReader reader{text};
  (void)reader.integer("dimension (only 3 is supported)", 3, 3);
  constexpr long kMostContacts = 10'000'000;
  const long contacts = reader.integer("number of contacts", 0, kMostContacts);
  const long storage = reader.integer("storage (0 dense, 1 blocks, 2 sparse)", 0, 2);
  const long size = 3 * contacts;
  (void)reader.integer("rows of W", size, size);
  (void)reader.integer("columns of W", size, size);
  reader.requireRoom("the problem", static_cast<std::size_t>(size));
  BlockMatrix w;
  if (storage == 0) {
    w = readDense(reader, size);
  } else if (storage == 1) {
    w = readBlocks(reader, contacts);
  } else {
    w = readSparse(reader, size);
  }
  std::vector<double> q = reader.numbers("q", static_cast<std::size_t>(size));
  std::vector<double> mu = reader.numbers("mu", static_cast<std::size_t>(contacts));
  for (const double value : mu) {
    if (value < 0.0) reader.fail("mu", fmt::format("{} is negative", value));
  }
  // Older files end with a flag and a starting guess: numbers, which are read and left.
  while (!reader.atEnd()) (void)reader.number("number after mu");
  try {
    return FrictionProblem::assembled(std::move(w), std::move(q), std::move(mu));
  } catch (const std::invalid_argument& error) {
    throw ProblemFileError(fmt::format("problem file: {}", error.what()));
  }
}

std::string writeProblem(const FrictionProblem& problem) {
  const FrictionProblem assembled = problem.toAssembled();
  const BlockMatrix& w = assembled.matrix();
  const int contacts = assembled.contactCount();
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "3\n{}\n1\n{}\n{}\n", contacts, 3 * contacts, 3 * contacts);
  fmt::format_to(out, "{}\n{}\n{}\n", w.block.size(), contacts, contacts);
  for (int side = 0; side < 2; ++side) {
    for (int i = 1; i <= contacts; ++i) fmt::format_to(out, "{} ", 3 * i);
    text += '\n';
  }
  fmt::format_to(out, "{}\n{}\n", w.rowStart.size(), w.column.size());
  for (const int start : w.rowStart) fmt::format_to(out, "{} ", start);
  text += '\n';
  for (const int column : w.column) fmt::format_to(out, "{} ", column);
  text += '\n';
  for (std::size_t k = 0; k < w.block.size(); ++k) {
    fmt::format_to(out, "{}\n", k);
    for (int b = 0; b < 3; ++b) {
      for (int a = 0; a < 3; ++a) fmt::format_to(out, "{:.17e} ", w.block[k](a, b));
    }
    text += '\n';
  }
  for (const double value : assembled.q()) fmt::format_to(out, "{:.17e} ", value);
  text += '\n';
  for (const double value : assembled.mu()) fmt::format_to(out, "{:.17e} ", value);
  text += '\n';
  return text;
}

std::string writeSolution(std::span<const double> impulse, std::span<const double> velocity,
                          double residual) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "# rN rT1 rT2 uN uT1 uT2 ; natural-map relative residual {:.3e}\n", residual);
  for (std::size_t c = 0; c + 2 < impulse.size(); c += 3) {
    fmt::format_to(out, "{:.17e} {:.17e} {:.17e} {:.17e} {:.17e} {:.17e}\n", impulse[c],
                   impulse[c + 1], impulse[c + 2], velocity[c], velocity[c + 1], velocity[c + 2]);
  }
  return text;
}

}  // namespace msd_sim
