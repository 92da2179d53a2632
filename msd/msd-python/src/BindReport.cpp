#include <fmt/format.h>

#include "Convert.hpp"
#include "Rows.hpp"
#include "msd-sim/src/Diagnostics/StepReport.hpp"

namespace msd_python {

using namespace msd_sim;

namespace {

py::dict stageSeconds(const StepReport& report) {
  py::dict seconds;
  for (std::size_t i = 0; i < kStageCount; ++i) {
    seconds[py::str(std::string{stageName(static_cast<Stage>(i))})] = report.stageSeconds[i];
  }
  return seconds;
}

py::list faultsOf(const StepReport& report) {
  py::list names;
  for (std::size_t i = 0; i < kFaultCount; ++i) {
    const auto fault = static_cast<StepFault>(i);
    if (report.faults.has(fault)) names.append(std::string{faultName(fault)});
  }
  return names;
}

py::dict groupsOf(const StepReport& report) {
  py::dict groups;
  for (std::size_t i = 0; i < kSolveGroups; ++i) {
    const GroupReport& group = report.groups[i];
    py::dict entries;
    entries["islands"] = group.islands;
    entries["bodies"] = group.bodies;
    entries["manifolds"] = group.manifolds;
    entries["substeps"] = group.substeps;
    entries["sweeps"] = group.sweeps;
    entries["visits"] = group.visits;
    entries["visits_allowed"] = group.visitsAllowed;
    entries["unsettled"] = group.unsettled;
    groups[py::str(std::string{solveGroupName(static_cast<SolveGroup>(i))})] = entries;
  }
  return groups;
}

void bindLedger(py::module_& module) {
  py::class_<EnergyLedger>(
      module, "EnergyLedger",
      "Where the mechanical energy went in one step [J]. change = sum of the works, to rounding; "
      "a loss is a negative work.")
      .def_readonly("kinetic", &EnergyLedger::kinetic, "At the end of the step [J].")
      .def_readonly("potential", &EnergyLedger::potential, "At the end of the step [J].")
      .def_readonly("change", &EnergyLedger::change, "Of kinetic + potential over the step [J].")
      .def_readonly("external_work", &EnergyLedger::externalWork,
                    "Forces of the user, kinematic bodies [J].")
      .def_readonly("joint_work", &EnergyLedger::jointWork,
                    "Joints, motors, springs, limits, joint friction [J].")
      .def_readonly("normal_work", &EnergyLedger::normalWork,
                    "Contact along the normals: loss in impacts [J].")
      .def_readonly("friction_work", &EnergyLedger::frictionWork,
                    "Contact along the tangents: loss in sliding [J].")
      .def_readonly("position_work", &EnergyLedger::positionWork,
                    "Moving bodies out of penetration [J].")
      .def_readonly("damping_work", &EnergyLedger::dampingWork, "Linear and angular damping [J].")
      .def_readonly("guard_work", &EnergyLedger::guardWork,
                    "Taken out by the energy guard, <= 0 [J].")
      .def_readonly("integrator_error", &EnergyLedger::integratorError,
                    "What the discretisation adds or takes [J].")
      .def_readonly("scale", &EnergyLedger::scale, "Scale against which closure is small [J].")
      .def_property_readonly("works", &EnergyLedger::works, "Sum of all works [J].")
      .def_property_readonly("closure", &EnergyLedger::closure,
                             "What the entries fail to explain [J]; rounding.")
      .def("__repr__", [](const EnergyLedger& e) {
        return fmt::format(
            "<msd.EnergyLedger: kinetic {:g} J, potential {:g} J, change {:g} J, closure {:.2g} J>",
            e.kinetic, e.potential, e.change, e.closure());
      });
}

void bindCertificate(py::module_& module) {
  py::class_<Certificate>(module, "Certificate",
                          "What exact mode proves about a step; NaN in fast mode.")
      .def_readonly("natural_map", &Certificate::naturalMap,
                    "Relative residual of the natural map [-].")
      .def_readonly("velocity_error", &Certificate::velocityError,
                    "Worst velocity error over the largest free velocity [-].")
      .def_readonly("complementarity", &Certificate::complementarity, "Worst |r_N u_N| [J].")
      .def_readonly("cone_violation", &Certificate::coneViolation, "Worst |r_T| - mu r_N [N s].")
      .def_readonly("normal_violation", &Certificate::normalViolation, "Worst -u_N [m/s].")
      .def_readonly("bilateral_violation", &Certificate::bilateralViolation,
                    "Worst joint row [m/s].")
      .def("__repr__", [](const Certificate& c) {
        return fmt::format("<msd.Certificate: natural map {:.3g}, velocity error {:.3g}>",
                           c.naturalMap, c.velocityError);
      });
}

}  // namespace

void bindReport(py::module_& module) {
  bindLedger(module);
  bindCertificate(module);
  py::class_<StepReport>(module, "StepReport", "What one step did.")
      .def_property_readonly(
          "status", [](const StepReport& r) { return std::string{statusName(r.status)}; },
          "\"ok\", \"degraded\" (the state advanced, faults says what is not as it should be) or "
          "\"failed\" (the step was "
          "undone).")
      .def_property_readonly("faults", &faultsOf,
                             "Why the status is not \"ok\", a list of: \"not converged\" (exact "
                             "mode), \"torn joint\", "
                             "\"guarded\", \"resistance ignored\", \"non-finite\".")
      .def_property_readonly(
          "failed_row",
          [](const StepReport& r) -> py::object {
            if (r.status != StepStatus::kFailed || r.failedBody.isNull()) return py::none();
            return py::int_(r.failedBody.index - 1);
          },
          "Row of the body that became non-finite, or None.")
      .def_property_readonly(
          "failed_stage",
          [](const StepReport& r) -> py::object {
            if (r.status != StepStatus::kFailed) return py::none();
            return py::str(std::string{stageName(r.failedStage)});
          },
          "Name of the stage that made it so, or None.")
      .def_readonly("step", &StepReport::step, "Number of the step, from 1.")
      .def_readonly("time", &StepReport::time, "Simulated time at the end of the step [s].")
      .def_readonly("dt", &StepReport::dt, "Length of the step [s].")
      .def_readonly("bodies", &StepReport::bodies, "Bodies that can move.")
      .def_readonly("awake_bodies", &StepReport::awakeBodies, "Those of them that were simulated.")
      .def_readonly("pairs", &StepReport::pairs, "Pairs of shapes whose bounds overlap.")
      .def_readonly("shape_tests", &StepReport::shapeTests,
                    "Pairs whose shapes were tested, each time.")
      .def_readonly("manifolds", &StepReport::manifolds, "Pairs that touch or are about to.")
      .def_readonly("contacts", &StepReport::contacts, "Contact points of these.")
      .def_readonly("islands", &StepReport::islands,
                    "Groups of bodies joined by contacts and joints.")
      .def_readonly("colours", &StepReport::colours, "Groups of rows that share no body.")
      .def_readonly("substeps", &StepReport::substeps, "Parts the step was cut into.")
      .def_readonly("iterations", &StepReport::iterations, "Solver sweeps over the whole step.")
      .def_readonly(
          "unsettled", &StepReport::unsettled,
          "Fast mode: contacts and joints whose last change was above what counts as settled.")
      .def_readonly("local_residual", &StepReport::localResidual,
                    "Largest of these changes, against what counts as settled [-].")
      .def_readonly("last_change", &StepReport::lastChange, "The same as a velocity [m/s].")
      .def_readonly("visits", &StepReport::visits, "Visits of manifolds in sweeps.")
      .def_readonly("visits_allowed", &StepReport::visitsAllowed,
                    "Most that the plans of the islands allowed.")
      .def_property_readonly(
          "groups", &groupsOf,
          "Fast mode: how the islands of each group (\"still\", \"slow\", \"joined\", \"full\") "
          "were "
          "solved, as dictionaries: islands, bodies, manifolds, substeps, sweeps, visits, "
          "visits_allowed, unsettled.")
      .def_readonly("residual", &StepReport::residual,
                    "Largest violation of a velocity constraint [m/s].")
      .def_readonly("deepest_penetration", &StepReport::deepestPenetration,
                    "At the end of the step [m].")
      .def_readonly("joint_error", &StepReport::jointError,
                    "Worst separation of two joint anchors [m].")
      .def_readonly("unsolved_islands", &StepReport::unsolvedIslands,
                    "Exact mode: islands whose residual stayed above the tolerance.")
      .def_readonly("torn_joints", &StepReport::tornJoints,
                    "Joints open by more than a hundredth of the body they hold.")
      .def_readonly("guarded_islands", &StepReport::guardedIslands,
                    "Islands that the energy guard held back, once per substep.")
      .def_readonly("taut_joints", &StepReport::tautJoints,
                    "Some joints swing too fast for the substep: their motion loses energy.")
      .def_readonly("guard_factor", &StepReport::guardFactor,
                    "Least by which the energy guard scaled a motion [-]; 1: it did not act.")
      .def_readonly("guard_energy", &StepReport::guardEnergy,
                    "Most that it took out of an island at a time [J].")
      .def_readonly("certificate", &StepReport::certificate, "What exact mode proves.")
      .def_readonly("energy", &StepReport::energy, "Where the energy went.")
      .def_property_readonly(
          "hash", [](const StepReport& r) { return r.hash.toString(); },
          "Of the state at the end of the step; zeros unless Settings.hash_every_step.")
      .def_property_readonly("stage_seconds", &stageSeconds,
                             "Wall-clock time of each stage by its name [s].")
      .def_property_readonly("seconds", &StepReport::seconds, "Wall-clock time of the step [s].")
      .def("__repr__", [](const StepReport& r) {
        return fmt::format(
            "<msd.StepReport: step {}, t = {:g} s, {}; {} bodies ({} awake), {} contacts, "
            "penetration {:.3g} m, "
            "residual {:.3g} m/s, energy {:g} J>",
            r.step, r.time, statusName(r.status), r.bodies, r.awakeBodies, r.contacts,
            r.deepestPenetration, r.residual, r.energy.kinetic + r.energy.potential);
      });
}

}  // namespace msd_python
