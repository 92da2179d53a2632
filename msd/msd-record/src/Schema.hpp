#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace msd_record {

/// "MSDR": marks an SQLite file as a recording (PRAGMA application_id).
inline constexpr std::int32_t kApplicationId = 0x4D534452;
/// Number of the schema (PRAGMA user_version). A reader refuses a larger one by name.
inline constexpr std::int32_t kSchemaVersion = 4;

enum class ColumnType : std::uint8_t {
  kKey,      ///< INTEGER PRIMARY KEY
  kInteger,  ///<
  kReal,     ///< declared without a type: a REAL column would turn -0.0 into 0
  kText,     ///<
  kBytes,    ///<
};

struct Column {
  std::string_view name;
  ColumnType type;
  std::string_view unit;  ///< "-" where it has none
  std::string_view meaning;
  std::int32_t since{1};      ///< schema that gave it this meaning
  std::string_view before{};  ///< SQL that stands for it in a file of an older schema
};

struct Table {
  std::string_view name;
  std::string_view meaning;  ///< what a row is
  std::vector<Column> columns;
};

/// What people query instead of a table: the same rows with frame, step, time and names.
struct View {
  std::string_view name;
  std::string_view meaning;
  std::string_view sql;
};

[[nodiscard]] std::span<const Table> tables();
[[nodiscard]] const Table& table(std::string_view name);
[[nodiscard]] std::span<const View> views();

/// The statement that makes a table; units and meanings stand in it as comments, so that
/// `.schema` shows them.
[[nodiscard]] std::string createStatement(const Table& table);

/// "name, name, ..." of all columns, the key left out where `withKey` is false.
[[nodiscard]] std::string columnList(const Table& table, bool withKey = true);
/// The columns of a table in a file of schema `version`, in today's order and meaning.
[[nodiscard]] std::string selectList(const Table& table, std::int32_t version);
/// What makes a table of an older schema one of today's; `columnsThere` are those it has.
[[nodiscard]] std::vector<std::string> upgradeStatements(
    const Table& table, std::int32_t version, std::span<const std::string> columnsThere);
/// "INSERT INTO table (...) VALUES (?1, ...)".
[[nodiscard]] std::string insertStatement(const Table& table);

}  // namespace msd_record
