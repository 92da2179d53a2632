#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "World.hpp"
#include "msd-sim/src/DataTypes/WorkTeam.hpp"

namespace msd_python {

/// Many worlds of the same bodies, stepped together by a team of threads: a thread takes whole
/// worlds, so that each goes through exactly the steps that it would go through alone.
///
/// States are gathered into stacked arrays after every step, forces are taken from them.
class Batch {
 public:
  /// Copies of a world, which may be in any state. `threads` 0: the machine's cores.
  Batch(const World& prototype, std::size_t count, int threads);

  [[nodiscard]] std::size_t size() const { return worlds_.size(); }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t jointCount() const { return joints_; }
  [[nodiscard]] int threads() const { return team_.threads(); }
  [[nodiscard]] const std::shared_ptr<World>& world(std::size_t index) const {
    return worlds_[index];
  }

  /// All worlds for one caller, begun while Python's lock is held. Throws BusyError where a world
  /// is in use.
  using Use = std::vector<World::Use>;
  [[nodiscard]] Use use();

  /// All worlds by `count` steps of dt [s], without Python's lock. Where `interrupted` says so, all
  /// stop after the same step. Throws the first world's exception, with its number.
  void step(const Use& use, std::uint64_t count, double dt, const Interrupted& interrupted);

  /// New states of all worlds, stacked: all or nothing, as World::write.
  void write(const BulkState& state);
  /// Back to the state in which the batch was made, those worlds whose entry is true.
  void reset(const Use& use, std::span<const bool> chosen);
  /// Reads the states of the worlds into the arrays again, after changes to single worlds.
  void gather();

  /// Stacked arrays, world by world, row by row.
  struct Arrays {
    std::vector<double> position, orientation, velocity, angularVelocity;
    std::vector<double> force, torque;
    std::vector<double> jointPosition;  ///< per joint; NaN for those without a free coordinate
    std::vector<double> jointVelocity;  ///< likewise
    std::vector<double> motorTarget;    ///< per joint; NaN for those without a motor
  };
  [[nodiscard]] Arrays& arrays() { return *arrays_; }
  [[nodiscard]] const std::shared_ptr<Arrays>& sharedArrays() const { return arrays_; }

 private:
  void gatherWorld(std::size_t index);
  void drive(WorldModel& model, std::size_t index);
  template <class Work>
  void forWorlds(const Work& work);

  std::vector<std::shared_ptr<World>> worlds_;
  std::vector<std::byte> start_;
  std::size_t rows_;
  std::size_t joints_;
  std::vector<std::uint8_t> has_coordinate_;  ///< per joint
  std::vector<std::uint8_t> has_motor_;       ///< per joint
  std::shared_ptr<Arrays> arrays_;
  std::vector<std::exception_ptr> failures_;
  msd_sim::WorkTeam team_;
};

}  // namespace msd_python
