#include "msd-record/src/Schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "msd-record/src/StepColumns.hpp"

namespace msd_record {

namespace {

constexpr ColumnType kKey = ColumnType::kKey;
constexpr ColumnType kInteger = ColumnType::kInteger;
constexpr ColumnType kReal = ColumnType::kReal;
constexpr ColumnType kText = ColumnType::kText;
constexpr ColumnType kBytes = ColumnType::kBytes;

std::vector<Table> describingTables() {
  return {
      {"about",
       "one fact about the run",
       {{"key", kText, "-", "what"},
        {"value", kReal, "-", "its value"},
        {"unit", kText, "-", "unit of the value"}}},
      {"settings",
       "one setting of the engine, as it was used",
       {{"name", kText, "-", "as in Settings.hpp"},
        {"value", kReal, "-", "its value"},
        {"unit", kText, "-", "unit of the value"}}},
      {"scene",
       "the scene that was simulated, options of the command line worked in; one row",
       {{"json", kText, "-", "scene file, version 1; meshes embedded"}}},
      {"shapes",
       "one shape of the scene",
       {{"shape", kKey, "-", "number, in the scene's order"},
        {"name", kText, "-", "as in the scene"},
        {"type", kText, "-", "sphere, box, capsule, ..."},
        {"size_x", kReal, "m", "of its bounds, in its own frame"},
        {"size_y", kReal, "m", "likewise"},
        {"size_z", kReal, "m", "likewise"},
        {"volume", kReal, "m^3", "NULL where it encloses none"}}},
      {"bodies",
       "one body",
       {{"body", kKey, "-", "number, in the scene's order"},
        {"name", kText, "-", "as in the scene"},
        {"kind", kText, "-", "moving, kinematic or static"},
        {"shape", kInteger, "-", "number of its shape"},
        {"place", kInteger, "-", "row of the body among a frame's states; NULL for static"},
        {"mass", kReal, "kg", "NULL for static"},
        {"com_x", kReal, "m", "centre of mass in the body's frame"},
        {"com_y", kReal, "m", "likewise"},
        {"com_z", kReal, "m", "likewise"},
        {"i_xx", kReal, "kg*m^2", "inertia about the centre of mass, body axes"},
        {"i_yy", kReal, "kg*m^2", "likewise"},
        {"i_zz", kReal, "kg*m^2", "likewise"},
        {"i_xy", kReal, "kg*m^2", "likewise"},
        {"i_xz", kReal, "kg*m^2", "likewise"},
        {"i_yz", kReal, "kg*m^2", "likewise"},
        {"friction", kReal, "-", "Coulomb coefficient of its surface"},
        {"restitution", kReal, "-", "of its surface"},
        {"x", kReal, "m", "position of its frame at the start"},
        {"y", kReal, "m", "likewise"},
        {"z", kReal, "m", "likewise"},
        {"qw", kReal, "-", "orientation of its frame at the start"},
        {"qx", kReal, "-", "likewise"},
        {"qy", kReal, "-", "likewise"},
        {"qz", kReal, "-", "likewise"}}},
      {"joints",
       "one joint",
       {{"joint", kKey, "-", "number, in the scene's order"},
        {"name", kText, "-", "as in the scene; NULL where it has none"},
        {"type", kText, "-", "ball, hinge, slider, ..."},
        {"body_a", kInteger, "-", "number of body A; NULL: the world"},
        {"body_b", kInteger, "-", "number of body B"}}},
  };
}

Table stepsTable() {
  Table steps{"steps", "the report of one step; every step has one", {}};
  for (const StepColumn& step : stepColumns()) steps.columns.push_back(step.column);
  return steps;
}

std::vector<Table> growingTables() {
  return {
      stepsTable(),
      {"frames",
       "one recorded state; its rows are those of *_data from first_x on, x of them",
       {{"frame", kKey, "-", "number, from 0, the state before the first step"},
        {"step", kInteger, "-", "the step it shows the end of; 0: the start"},
        {"time", kReal, "s", "simulated"},
        {"first_state", kInteger, "-", "id in body_state_data"},
        {"states", kInteger, "-", "rows there"},
        {"first_contact", kInteger, "-",
         "id in contact_data, of contacts with a body that is awake"},
        {"contacts", kInteger, "-", "rows there"},
        {"first_resting", kInteger, "-", "id in contact_data, of contacts between bodies asleep"},
        {"resting", kInteger, "-", "rows there"},
        {"first_reaction", kInteger, "-", "id in joint_reaction_data"},
        {"reactions", kInteger, "-", "rows there"},
        {"checksum", kInteger, "-", "of these rows, see docs/recording.md"}}},
      {"body_state_data",
       "state of a body that can move; query the view body_states",
       {{"id", kKey, "-", "running number"},
        {"body", kInteger, "-", "number of the body"},
        {"x", kReal, "m", "position of the body's frame"},
        {"y", kReal, "m", "likewise"},
        {"z", kReal, "m", "likewise"},
        {"qw", kReal, "-", "orientation of the body's frame"},
        {"qx", kReal, "-", "likewise"},
        {"qy", kReal, "-", "likewise"},
        {"qz", kReal, "-", "likewise"},
        {"vx", kReal, "m/s", "velocity of the frame's origin"},
        {"vy", kReal, "m/s", "likewise"},
        {"vz", kReal, "m/s", "likewise"},
        {"wx", kReal, "rad/s", "angular velocity, world axes"},
        {"wy", kReal, "rad/s", "likewise"},
        {"wz", kReal, "rad/s", "likewise"},
        {"awake", kInteger, "-", "1 or 0"},
        {"island", kInteger, "-", "it was solved in; NULL: none"}}},
      {"contact_data",
       "contact point that carries a force; query the view contacts",
       {{"id", kKey, "-", "running number"},
        {"body_a", kInteger, "-", "number of body A"},
        {"body_b", kInteger, "-", "number of body B"},
        {"px", kReal, "m", "point, midway between the surfaces"},
        {"py", kReal, "m", "likewise"},
        {"pz", kReal, "m", "likewise"},
        {"nx", kReal, "-", "unit normal, from A to B"},
        {"ny", kReal, "-", "likewise"},
        {"nz", kReal, "-", "likewise"},
        {"gap", kReal, "m", "negative: penetration"},
        {"fx", kReal, "N", "force of A on B, mean over the step"},
        {"fy", kReal, "N", "likewise"},
        {"fz", kReal, "N", "likewise"},
        {"sx", kReal, "m/s", "sliding velocity of B against A"},
        {"sy", kReal, "m/s", "likewise"},
        {"sz", kReal, "m/s", "likewise"},
        {"friction", kReal, "-", "coefficient of the pair"},
        {"state", kInteger, "-", "1 stick, 2 slip"},
        {"feature", kInteger, "-", "stays the same while the same features touch"}}},
      {"joint_reaction_data",
       "what a joint did; query the view joint_reactions",
       {{"id", kKey, "-", "running number"},
        {"joint", kInteger, "-", "number of the joint"},
        {"fx", kReal, "N", "force on body B at its anchor"},
        {"fy", kReal, "N", "likewise"},
        {"fz", kReal, "N", "likewise"},
        {"tx", kReal, "N*m", "torque on body B about its anchor"},
        {"ty", kReal, "N*m", "likewise"},
        {"tz", kReal, "N*m", "likewise"},
        {"coordinate", kReal, "rad or m", "angle or travel; NULL where the joint has none"},
        {"broken", kInteger, "-", "1 or 0"}}},
      {"events",
       "two bodies began or ended to touch, or hit each other; of every step",
       {{"id", kKey, "-", "running number"},
        {"step", kInteger, "-", "the step it happened in"},
        {"kind", kText, "-", "begin, end or hit"},
        {"body_a", kInteger, "-", "number of body A"},
        {"body_b", kInteger, "-", "number of body B"},
        {"px", kReal, "m", "where"},
        {"py", kReal, "m", "likewise"},
        {"pz", kReal, "m", "likewise"},
        {"nx", kReal, "-", "unit normal, from A to B"},
        {"ny", kReal, "-", "likewise"},
        {"nz", kReal, "-", "likewise"},
        {"approach_speed", kReal, "m/s", "hit: before the impact"}}},
      {"snapshot",
       "everything that decides the future, as of the last committed step; one row",
       {{"id", kKey, "-", "1"},
        {"step", kInteger, "-", "the last committed step"},
        {"data", kBytes, "-", "for WorldModel::restore"},
        {"checksum", kInteger, "-", "of the data"}}},
  };
}

constexpr std::string_view kBodyStates =
    "CREATE VIEW body_states AS\n"
    "SELECT f.frame, f.step, f.time, d.body, b.name, d.x, d.y, d.z, d.qw, d.qx, d.qy, d.qz,\n"
    "       d.vx, d.vy, d.vz, d.wx, d.wy, d.wz, d.awake, d.island\n"
    "FROM frames f\n"
    "CROSS JOIN body_state_data d ON d.id >= f.first_state AND d.id < f.first_state + f.states\n"
    "CROSS JOIN bodies b ON b.body = d.body";

constexpr std::string_view kContacts =
    "CREATE VIEW contacts AS\n"
    "SELECT f.frame, f.step, f.time, d.body_a, d.body_b, a.name AS name_a, b.name AS name_b,\n"
    "       d.px, d.py, d.pz, d.nx, d.ny, d.nz, d.gap, max(-d.gap, 0.0) AS depth,\n"
    "       d.fx, d.fy, d.fz, d.fx * d.nx + d.fy * d.ny + d.fz * d.nz AS normal_force,\n"
    "       d.sx, d.sy, d.sz, d.friction,\n"
    "       CASE d.state WHEN 1 THEN 'stick' WHEN 2 THEN 'slip' ELSE 'open' END AS state, "
    "d.feature\n"
    "FROM (SELECT frame, step, time, first_contact AS first, contacts AS count FROM frames\n"
    "      UNION ALL SELECT frame, step, time, first_resting, resting FROM frames) f\n"
    "CROSS JOIN contact_data d ON d.id >= f.first AND d.id < f.first + f.count\n"
    "CROSS JOIN bodies a ON a.body = d.body_a\n"
    "CROSS JOIN bodies b ON b.body = d.body_b";

constexpr std::string_view kReactions =
    "CREATE VIEW joint_reactions AS\n"
    "SELECT f.frame, f.step, f.time, d.joint, j.name, d.fx, d.fy, d.fz, d.tx, d.ty, d.tz,\n"
    "       d.coordinate, d.broken\n"
    "FROM frames f\n"
    "CROSS JOIN joint_reaction_data d\n"
    "  ON d.id >= f.first_reaction AND d.id < f.first_reaction + f.reactions\n"
    "CROSS JOIN joints j ON j.joint = d.joint";

constexpr std::string_view kEnergy =
    "CREATE VIEW energy AS\n"
    "SELECT step, time, kinetic, potential, kinetic + potential AS mechanical, change,\n"
    "       external_work, joint_work, normal_work, friction_work, position_work, damping_work,\n"
    "       guard_work, integrator_error, change - (external_work + joint_work + normal_work\n"
    "       + friction_work + position_work + damping_work + guard_work + integrator_error) AS closure,\n"
    "       scale\n"
    "FROM steps";

std::string_view typeText(ColumnType type) {
  switch (type) {
    case ColumnType::kKey:
      return " INTEGER PRIMARY KEY";
    case ColumnType::kInteger:
      return " INTEGER";
    case ColumnType::kText:
      return " TEXT";
    case ColumnType::kBytes:
      return " BLOB";
    case ColumnType::kReal:
      break;
  }
  return "";
}

}  // namespace

std::span<const Table> tables() {
  static const std::vector<Table> kTables = [] {
    std::vector<Table> all = describingTables();
    for (Table& table : growingTables()) all.push_back(std::move(table));
    return all;
  }();
  return kTables;
}

const Table& table(std::string_view name) {
  const auto found = std::ranges::find(tables(), name, &Table::name);
  if (found == tables().end()) throw std::logic_error{fmt::format("no table {}", name)};
  return *found;
}

std::span<const View> views() {
  static const std::vector<View> kViews{
      {"body_states", "the bodies that can move, in every frame", kBodyStates},
      {"contacts", "the contact points that carry a force, in every frame", kContacts},
      {"joint_reactions", "the joints, in every frame", kReactions},
      {"energy", "the energy ledger of every step [J]", kEnergy},
  };
  return kViews;
}

std::string createStatement(const Table& table) {
  std::string sql = fmt::format("CREATE TABLE {} (  -- {}\n", table.name, table.meaning);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    const bool last = i + 1 == table.columns.size();
    const std::string head =
        fmt::format("{}{}{}", column.name, typeText(column.type), last ? "" : ",");
    sql += fmt::format("  {:<30} -- [{}] {}\n", head, column.unit, column.meaning);
  }
  return sql + ")";
}

std::string columnList(const Table& table, bool withKey) {
  std::string list;
  for (const Column& column : table.columns) {
    if (column.type == ColumnType::kKey && !withKey) continue;
    if (!list.empty()) list += ", ";
    list += column.name;
  }
  return list;
}

std::string selectList(const Table& table, std::int32_t version) {
  std::string list;
  for (const Column& column : table.columns) {
    if (!list.empty()) list += ", ";
    if (column.since > version) list += fmt::format("{} AS ", column.before);
    list += column.name;
  }
  return list;
}

std::string insertStatement(const Table& table) {
  std::string places;
  for (std::size_t i = 1; i <= table.columns.size(); ++i) {
    places += fmt::format("{}?{}", i > 1 ? ", " : "", i);
  }
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table.name, columnList(table), places);
}

std::vector<std::string> upgradeStatements(const Table& table, std::int32_t version,
                                           std::span<const std::string> columnsThere) {
  std::vector<std::string> sql;
  std::string changes;
  for (const Column& column : table.columns) {
    if (column.since <= version) continue;
    if (std::ranges::find(columnsThere, column.name) == columnsThere.end()) {
      sql.push_back(
          fmt::format("ALTER TABLE {} ADD COLUMN {}{}", table.name, column.name, typeText(column.type)));
    }
    changes += fmt::format("{}{} = {}", changes.empty() ? "" : ", ", column.name, column.before);
  }
  // All at once: what stands on the right is as it was.
  if (!changes.empty()) sql.push_back(fmt::format("UPDATE {} SET {}", table.name, changes));
  return sql;
}

}  // namespace msd_record
