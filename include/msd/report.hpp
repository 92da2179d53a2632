#pragma once

/// What a step reports: residual, penetration, energy ledger, status and times (StepReport), and the
/// contacts and events after it.

#include "msd-sim/src/Diagnostics/EnergyLedger.hpp"
#include "msd-sim/src/Diagnostics/FaultText.hpp"
#include "msd-sim/src/Diagnostics/StepReport.hpp"
#include "msd-sim/src/Environment/ContactRecord.hpp"
