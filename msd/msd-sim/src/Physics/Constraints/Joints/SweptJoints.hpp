#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "msd-sim/src/DataTypes/AlignedVector.hpp"
#include "msd-sim/src/DataTypes/WorkTeam.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointComponent.hpp"
#include "msd-sim/src/Physics/Constraints/Joints/JointRecord.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/BallRows.hpp"

namespace msd_sim {

/// Joints of components that are too large or too loopy to be factored (docs/theory/joints.md,
/// section 7). Ball joints are solved together by conjugate gradients, in bundles of eight through
/// the vector kernels, with the 3 x 3 block of each joint as preconditioner; every other joint is a
/// component of its own. The two take turns, Gauss–Seidel fashion. Joints of one colour share no
/// body that can be pushed.
class SweptJoints {
 public:
  static constexpr int kColours = 64;
  static constexpr int kOverflow = kColours - 1;  ///< one joint to a bundle, one after the other

  void clear(std::size_t bodySlots);
  /// After the last add.
  void close();
  void readParameters(std::span<const JointRecord> records);
  void add(std::span<const std::uint32_t> joints, std::span<const JointRecord> records,
           const SolverBodies& bodies);
  [[nodiscard]] bool isEmpty() const { return count_ == 0; }

  void prepare(const SolverBodies& bodies, std::span<const JointRecord> records,
               const BallKernels& kernels, const BallPass& pass, double scale, WorkTeam& team);
  void warm(SolverBodies& bodies) const;
  /// True when the warm start closes all joints in phase 1; the next `solve` relies on it.
  [[nodiscard]] bool isWarmStartRight(const SolverBodies& bodies, WorkTeam& team);
  /// True when the last solve or relax changed anything.
  [[nodiscard]] bool hasSearched() const { return searched_; }
  double solve(SolverBodies& bodies, std::span<const JointRecord> records, bool first,
               WorkTeam& team);
  double relax(SolverBodies& bodies, std::span<JointRecord> records, bool first, WorkTeam& team);
  void concludePositions(const SolverBodies& bodies, const PhaseEnd& end, WorkTeam& team);
  void concludeVelocities(const SolverBodies& bodies, const PhaseEnd& end, WorkTeam& team);
  [[nodiscard]] JointComponent::PhaseWorks takeWorks();
  void finish(const SolverBodies& bodies, std::span<JointRecord> records, double dt);

 private:
  struct Colour {
    AlignedVector<BallBundle> bundles;
    std::vector<std::uint32_t> joints;  ///< per lane, eight per bundle; kNone where unused
    std::uint32_t count{0};
    std::size_t firstRun{0};  ///< of its bundles, in sums_ and answers_
    std::vector<JointComponent> singles;
    std::vector<double> answers;  ///< of the singles
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  int chooseColour(std::uint32_t a, std::uint32_t b, const SolverBodies& bodies);
  void addBall(Colour& colour, bool alone, std::uint32_t joint, const JointRecord& record,
               const SolverBodies& bodies);
  void addTotals();
  void addBallWorks(const SolverBodies& bodies, const PhaseEnd& end, WorkTeam& team);
  [[nodiscard]] bool hasSingles() const;
  [[nodiscard]] double closedSpeed() const;
  template <class Pass>
  double forBundles(WorkTeam& team, const Pass& pass);
  template <class Pass>
  double forSingles(WorkTeam& team, const Pass& pass);
  double conjugateGradients(SolverBodies& bodies, double worst, WorkTeam& team);
  void searchAlong(const SolverBodies& bodies, double share, bool warmStart, WorkTeam& team,
                   double& curvature, double& slope);
  double goAlong(SolverBodies& bodies, double length, WorkTeam& team, double& squares);

  std::array<Colour, kColours> colours_;
  std::vector<std::uint64_t> body_colours_;
  std::vector<std::uint32_t> ball_slots_;  ///< bodies with a swept ball joint, ascending
  AlignedVector<BallReply> replies_;       ///< per body slot
  AlignedVector<double> sums_;             ///< per run of bundles, two lines of eight lanes
  std::size_t runs_{0};
  std::uint32_t count_{0};
  std::vector<double> answers_;  ///< per run of bundles
  const BallKernels* kernels_{nullptr};
  BallPass pass_{};
  JointComponent::PhaseWorks works_{};  ///< of the ball joints
  int uncounted_{0};                    ///< phases whose impulses are not in the totals yet
  bool searched_{false};                ///< in the last phase
  bool masses_current_{false};          ///< effective masses belong to the arms
  bool warm_start_right_{false};        ///< phase 1 of the running substep needs no search
};

}  // namespace msd_sim
