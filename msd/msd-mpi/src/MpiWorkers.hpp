#pragma once

#include <memory>
#include <optional>

#include "msd-study/src/Study.hpp"
#include "msd-study/src/WorkerPool.hpp"

namespace msd_mpi {

/// All ranks call this at the same time: those above 0 get what rank 0 gives. No texts: there is nothing
/// to do.
[[nodiscard]] std::optional<msd_study::StudyTexts> shareTexts(
    const std::optional<msd_study::StudyTexts>& texts);

/// On rank 0: the other ranks, and a thread of this one. Only the thread that made it may use it. When it
/// ends, the other ranks are told so; where cases were recalled that they had begun, the whole job is
/// ended instead, since they would be waited for.
[[nodiscard]] std::unique_ptr<msd_study::WorkerPool> makeMpiWorkers(
    const msd_study::MakeCaseFunction& make);

/// On the other ranks: runs the cases that rank 0 sends, until it says that there are no more.
void serve(const msd_study::MakeCaseFunction& make);

}  // namespace msd_mpi
