// A world that bodies and joints keep coming to and going from: soak [STEPS] (1e6 unless told). Prints the memory of
// the process every tenth of the run as CSV, and fails where it grows, an id names another body, or a step fails.
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <stdexcept>
#include <string>

#include "msd-sim/test/Environment/Scenes.hpp"

namespace {

using namespace msd_sim;

/// Memory of this process that is in use [KiB].
long residentKilobytes() {
  std::ifstream status{"/proc/self/status"};
  for (std::string word; status >> word;) {
    long value = 0;
    if (word == "VmRSS:" && status >> value) return value;
  }
  return 0;
}

class Soak {
 public:
  Soak() : world_{test::awake()} {
    test::addFloor(world_);
    world_.spawn(EnvironmentDescription{.shape = Plane{{1, 0, 0}, -2.0}});
    world_.spawn(EnvironmentDescription{.shape = Plane{{-1, 0, 0}, -2.0}});
    world_.spawn(EnvironmentDescription{.shape = Plane{{0, 1, 0}, -2.0}});
    world_.spawn(EnvironmentDescription{.shape = Plane{{0, -1, 0}, -2.0}});
  }

  void step(long number) {
    if (number % 5 == 0) spawn();
    if (living_.size() > 24) retire();
    const StepReport report = world_.update(1.0 / 60.0);
    if (report.status == StepStatus::kFailed) throw std::runtime_error("step " + std::to_string(number) + " failed");
    if (report.status == StepStatus::kDegraded) ++degraded_;
  }

  [[nodiscard]] std::size_t bodies() const { return world_.bodies().size(); }
  /// Bodies come into the world within others: a step may have more penetration than it should.
  [[nodiscard]] long degraded() const { return degraded_; }

 private:
  struct Living {
    BodyId body;
    std::string name;
  };

  void spawn() {
    const Shape shapes[] = {Sphere{0.2}, Box{{0.2, 0.15, 0.1}}, Capsule{0.1, 0.15}, Cylinder{0.15, 0.15}};
    const std::string name = "body " + std::to_string(made_);
    const BodyId body = world_.spawn(InertialDescription{.name = name,
                                                         .shape = shapes[made_ % 4],
                                                         .position = random_.vector(1.2) + Coordinate{0, 0, 3},
                                                         .orientation = random_.turn(),
                                                         .continuous = made_ % 7 == 0});
    if (made_ % 3 == 0 && !living_.empty()) {
      world_.spawn(JointDescription{.kind = made_ % 2 == 0 ? JointKind::kBall : JointKind::kRope,
                                    .bodyA = living_.back().body,
                                    .bodyB = body,
                                    .anchor = world_.inertial(body).getInertialState().position,
                                    .anchorB = made_ % 2 == 0 ? std::optional<Coordinate>{}
                                                              : world_.inertial(body).getInertialState().position,
                                    .length = made_ % 2 == 0 ? kUnset : 6.0});
    }
    living_.push_back({body, name});
    ++made_;
  }

  /// The oldest goes; its id must name nothing from then on, and those of the others what they named.
  void retire() {
    const Living old = living_.front();
    living_.pop_front();
    world_.remove(old.body);
    gone_.push_back(old.body);
    if (gone_.size() > 64) gone_.pop_front();
    for (const BodyId id : gone_) {
      if (world_.contains(id)) throw std::runtime_error("the id of a body that is gone names another");
    }
    for (const Living& body : living_) {
      if (world_.name(body.body) != body.name) throw std::runtime_error("an id names another body");
    }
  }

  WorldModel world_;
  test::Random random_{77};
  std::deque<Living> living_;
  std::deque<BodyId> gone_;
  long made_{0};
  long degraded_{0};
};

}  // namespace

int main(int argc, char** argv) {
  const long steps = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  if (steps < 10) {
    std::fprintf(stderr, "soak [STEPS]; expected at least 10\n");
    return 2;
  }
  try {
    Soak soak;
    long early = 0, late = 0;
    std::printf("step,bodies,degraded,resident_kib\n");
    for (long i = 1; i <= steps; ++i) {
      soak.step(i);
      if (i % (steps / 10) != 0) continue;
      late = residentKilobytes();
      if (i == 3 * (steps / 10)) early = late;  // what the world needs has been taken by then
      std::printf("%ld,%zu,%ld,%ld\n", i, soak.bodies(), soak.degraded(), late);
      std::fflush(stdout);
    }
    constexpr double kMostGrowth = 1.05;  // arrays that reach a new greatest length
    if (static_cast<double>(late) > kMostGrowth * static_cast<double>(early)) {
      std::fprintf(stderr, "memory grew from %ld to %ld KiB\n", early, late);
      return 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "soak: %s\n", error.what());
    return 1;
  }
  return 0;
}
