#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "msd-record/src/Rows.hpp"
#include "msd-sim/src/Environment/WorldModel.hpp"

namespace msd_record {

/// Everything a recording takes from one step, copied on the simulation's thread and written by
/// another. Buffers are used again, so that capturing allocates nothing once they have grown.
struct CapturedStep {
  bool hasReport{false};  ///< false: the state before the first step
  msd_sim::StepReport report{};
  double wall{0.0};  ///< [s]
  std::vector<msd_sim::ContactEvent> events{};

  bool hasFrame{false};
  std::uint64_t step{0};
  double time{0.0};  ///< [s]
  std::vector<BodyState> states{};
  std::vector<msd_sim::ContactRecord> contacts{};  ///< as the engine has them, open ones too
  std::vector<ReactionRow> reactions{};

  bool commits{false};                ///< the transaction ends here
  std::vector<std::byte> snapshot{};  ///< of the world at the end of the step, when it does

  void clear();
  [[nodiscard]] std::size_t bytes() const;
};

/// The numbers under which a recording knows the bodies of a world: their order of making.
class BodyNumbers {
 public:
  explicit BodyNumbers(const msd_sim::WorldModel& world);
  [[nodiscard]] std::uint32_t operator()(msd_sim::BodyId body) const;
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  std::size_t count_{0};
  std::vector<std::uint32_t> numbers_;  ///< by the id's index
};

/// The contacts that carry a force, as rows. Those between bodies that sleep do not change from
/// frame to frame, and are kept apart.
struct ContactRows {
  std::vector<ContactRow> active{};
  std::vector<ContactRow> resting{};

  void assign(std::span<const msd_sim::ContactRecord> contacts, std::span<const BodyState> states,
              const BodyNumbers& numbers);
  /// The active ones, then the resting ones.
  [[nodiscard]] std::vector<ContactRow> all() const;

 private:
  std::vector<std::uint8_t> awake_{};  ///< by body number
};

/// Copies a world's state. Knows which bodies can move and which joints there are from the start;
/// these may not change while a recording runs.
class Capture {
 public:
  explicit Capture(const msd_sim::WorldModel& world);

  /// True while the world has the bodies and joints it had.
  [[nodiscard]] bool isSameWorld(const msd_sim::WorldModel& world) const;
  void report(const msd_sim::WorldModel& world, const msd_sim::StepReport& report, double wall,
              CapturedStep& out) const;
  void frame(const msd_sim::WorldModel& world, CapturedStep& out) const;

 private:
  struct Moving {
    msd_sim::BodyId id;
    std::uint32_t number;
  };
  struct Joint {
    msd_sim::JointId id;
    bool hasCoordinate;
  };
  std::vector<Moving> moving_;
  std::vector<Joint> joints_;
  std::size_t bodies_;
};

}  // namespace msd_record
