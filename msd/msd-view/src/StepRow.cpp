#include "msd-view/src/StepRow.hpp"

#include <array>

namespace msd_view {

namespace {

/// The column of each stage, in the order of msd_sim::Stage.
constexpr std::array<Column, msd_sim::kStageCount> kStageColumns{
    Column::kGather, Column::kBroadphase, Column::kNarrowphase, Column::kIslandTime, Column::kRows,
    Column::kSolve,  Column::kCorrect,    Column::kScatter,     Column::kAudit};

}  // namespace

SeriesRow RowMaker::make(const msd_sim::StepReport& report, std::uint64_t index,
                         msd_sim::Method method) {
  const msd_sim::EnergyLedger& energy = report.energy;
  totals_[Column::kExternalWork] += energy.externalWork;
  totals_[Column::kJointWork] += energy.jointWork;
  totals_[Column::kNormalWork] += energy.normalWork;
  totals_[Column::kFrictionWork] += energy.frictionWork;
  totals_[Column::kPositionWork] += energy.positionWork;
  totals_[Column::kDampingWork] += energy.dampingWork;
  totals_[Column::kGuardWork] += energy.guardWork;
  totals_[Column::kIntegratorError] += energy.integratorError;

  SeriesRow row = totals_;
  row[Column::kIndex] = static_cast<double>(index);
  row[Column::kStep] = static_cast<double>(report.step);
  row[Column::kTime] = report.time;
  row[Column::kKinetic] = energy.kinetic;
  row[Column::kPotential] = energy.potential;
  row[Column::kClosure] = energy.closure();
  row[Column::kScale] = energy.scale;
  row[Column::kResidual] = report.residual;
  row[Column::kPenetration] = report.deepestPenetration;
  row[Column::kJointError] = report.jointError;
  row[Column::kContacts] = report.contacts;
  row[Column::kAwake] = report.awakeBodies;
  row[Column::kIslands] = report.islands;
  row[Column::kIterations] = report.iterations;
  row[Column::kStatus] = static_cast<double>(report.status);
  row[Column::kFaults] = static_cast<double>(report.faults.bits());
  row[Column::kMethod] = static_cast<double>(method);
  row[Column::kNaturalMap] = report.certificate.naturalMap;
  row[Column::kVelocityError] = report.certificate.velocityError;
  row[Column::kComplementarity] = report.certificate.complementarity;
  row[Column::kConeViolation] = report.certificate.coneViolation;
  row[Column::kNormalViolation] = report.certificate.normalViolation;
  row[Column::kBilateralViolation] = report.certificate.bilateralViolation;
  for (std::size_t i = 0; i < kStageColumns.size(); ++i) {
    row[kStageColumns[i]] = report.stageSeconds[i];
  }
  return row;
}

}  // namespace msd_view
