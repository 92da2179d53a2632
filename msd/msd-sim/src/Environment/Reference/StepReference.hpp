#pragma once

namespace msd_sim {

struct Simulation;

/// One step of Method::kReference (docs/reference-method.md). False when a body became non-finite;
/// the world is then halfway.
[[nodiscard]] bool stepReference(Simulation& sim, double dt);

/// Finds and reports contacts; nothing moves.
void lookReference(Simulation& sim);

/// Lists the contact records of the last step.
void listReferenceRecords(Simulation& sim);

/// A body is gone: its contacts end.
void forgetReference(Simulation& sim, unsigned slot);

}  // namespace msd_sim
