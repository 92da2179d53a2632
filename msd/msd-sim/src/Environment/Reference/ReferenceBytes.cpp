#include "msd-sim/src/Environment/Reference/ReferenceBytes.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "msd-sim/src/Environment/Simulation.hpp"

namespace msd_sim {

namespace {

[[noreturn]] void refuse(const char* what) {
  throw std::invalid_argument(std::string{"snapshot is not of a world: "} + what);
}

void putRecord(ByteWriter& out, const ContactRecord& r) {
  for (const BodyId id : {r.bodyA, r.bodyB}) {
    out.put(id.index);
    out.put(id.generation);
  }
  for (const Vector3D& v : {Vector3D{r.point}, r.normal, Vector3D{r.forceOnB}, Vector3D{r.slip}})
    out.putVector(v);
  out.put(r.gap);
  out.put(r.friction);
  out.put(r.state);
  out.put(r.feature);
}

// Bytes of what putRecord writes.
constexpr std::size_t kRecordBytes = 5 * sizeof(std::uint32_t) + 14 * sizeof(double) + 1;

ContactRecord takeRecord(ByteReader& in) {
  ContactRecord r{};
  for (BodyId* id : {&r.bodyA, &r.bodyB}) {
    in.take(id->index);
    in.take(id->generation);
  }
  r.point = in.takeVector();
  r.normal = in.takeVector();
  r.forceOnB = in.takeVector();
  r.slip = in.takeVector();
  in.take(r.gap);
  in.take(r.friction);
  in.take(r.state);
  in.take(r.feature);
  return r;
}

/// The state, and forces of users' constraints, one list after the other.
void take(ByteReader& in, ReferenceState& state) {
  const auto pairs = in.take<std::uint64_t>();
  in.requireRoom(pairs, 2 * sizeof(std::uint32_t));
  state.touching.clear();
  for (std::uint64_t i = 0; i < pairs; ++i) {
    const auto a = in.take<std::uint32_t>();
    state.touching.emplace_back(a, in.take<std::uint32_t>());
  }
  const auto records = in.take<std::uint64_t>();
  in.requireRoom(records, kRecordBytes);
  state.records.clear();
  for (std::uint64_t i = 0; i < records; ++i) state.records.push_back(takeRecord(in));
  in.take(state.unsolvedIslands);
  state.resists = in.takeBool();
}

void checkRecord(const ContactRecord& r, std::size_t slots) {
  if (r.bodyA.index >= slots || r.bodyB.index >= slots)
    refuse("a contact of bodies that are not there");
  if (r.state > ContactState::kSlip) refuse("a contact is in no known state");
  const Vector3D sum = r.point + r.normal + r.forceOnB + r.slip;
  if (!std::isfinite(sum.sum() + r.gap + r.friction)) refuse("a contact is not made of numbers");
}

}  // namespace

void saveReference(ByteWriter& out, const Simulation& sim) {
  const ReferenceState& state = sim.reference;
  out.put(static_cast<std::uint64_t>(state.touching.size()));
  for (const auto& [a, b] : state.touching) {
    out.put(a);
    out.put(b);
  }
  out.put(static_cast<std::uint64_t>(state.records.size()));
  for (const ContactRecord& record : state.records) putRecord(out, record);
  out.put(state.unsolvedIslands);
  out.put(state.resists);
  for (const UserConstraint& user : sim.constraints) {
    out.putRun(std::span<const double>{user.impulse.data(),
                                       static_cast<std::size_t>(user.impulse.size())});
  }
}

void loadReference(ByteReader& in, Simulation& sim) {
  take(in, sim.reference);
  std::vector<double> force;
  for (UserConstraint& user : sim.constraints) {
    in.takeRun(force);
    user.impulse =
        Eigen::Map<const Eigen::VectorXd>(force.data(), static_cast<Eigen::Index>(force.size()));
  }
}

void checkReference(ByteReader& in, const Simulation& sim) {
  ReferenceState state;
  take(in, state);
  if (!std::is_sorted(state.touching.begin(), state.touching.end()))
    refuse("pairs that touch are in no order");
  const auto exists = [&](std::uint32_t slot) {
    return slot < sim.slots.size() && sim.slots[slot].isUsed();
  };
  for (const auto& [a, b] : state.touching) {
    if (!exists(a) || !exists(b)) refuse("nobody touches somebody");
  }
  for (const ContactRecord& record : state.records) checkRecord(record, sim.slots.size());
  std::vector<double> force;
  for (const UserConstraint& user : sim.constraints) {
    in.takeRun(force);
    const std::size_t most =
        user.constraint == nullptr ? 0 : static_cast<std::size_t>(user.constraint->dimension());
    if (!force.empty() && force.size() != most) refuse("a constraint has other dimensions");
    if (!std::all_of(force.begin(), force.end(), [](double f) { return std::isfinite(f); })) {
      refuse("a constraint pushes with no number");
    }
  }
}

}  // namespace msd_sim
