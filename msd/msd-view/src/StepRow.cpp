#include "msd-view/src/StepRow.hpp"

#include <algorithm>

namespace msd_view {

SeriesRow RowMaker::make(const msd_sim::StepReport& report, std::uint64_t index,
                         msd_sim::Method method) {
  const msd_sim::EnergyLedger& energy = report.energy;
  totals_[Column::kExternalWork] += energy.externalWork;
  totals_[Column::kJointWork] += energy.jointWork;
  totals_[Column::kNormalWork] += energy.normalWork;
  totals_[Column::kFrictionWork] += energy.frictionWork;
  totals_[Column::kPositionWork] += energy.positionWork;
  totals_[Column::kDampingWork] += energy.dampingWork;
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
  row[Column::kMethod] = static_cast<double>(method);
  row[Column::kNaturalMap] = report.certificate.naturalMap;
  row[Column::kComplementarity] = report.certificate.complementarity;
  row[Column::kConeViolation] = report.certificate.coneViolation;
  row[Column::kNormalViolation] = report.certificate.normalViolation;
  std::copy(report.stageSeconds.begin(), report.stageSeconds.end(),
            row.values.begin() + static_cast<std::ptrdiff_t>(Column::kGather));
  return row;
}

}  // namespace msd_view
