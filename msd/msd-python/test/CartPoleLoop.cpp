// A thousand cart-poles stepped by a plain loop in C++: what a batch in Python is measured against.
// Prints steps a second of processor time, the best of several tries: msd_cart_pole_loop WORLDS STEPS

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "msd-sim/src/Environment/WorldModel.hpp"

namespace {

using namespace msd_sim;

/// The world of examples/python/cart_pole.py.
WorldModel makeCartPole() {
  WorldModel world{Settings{.sleeping = false}};
  const BodyId cart = world.spawn(InertialDescription{
      .name = "cart", .shape = Box{{0.2, 0.1, 0.08}}, .mass = 1.0, .collides = false});
  const BodyId pole = world.spawn(InertialDescription{.name = "pole",
                                                      .shape = Capsule{0.02, 0.48},
                                                      .mass = 0.1,
                                                      .position = {0.0, 0.0, 0.5},
                                                      .collides = false});
  world.spawn(JointDescription{.kind = JointKind::kSlider,
                               .bodyB = cart,
                               .axis = {1.0, 0.0, 0.0},
                               .motor = JointMotor{.mode = MotorMode::kForce, .maxForce = 20.0}});
  world.spawn(JointDescription{
      .kind = JointKind::kHinge, .bodyA = cart, .bodyB = pole, .axis = {0.0, 1.0, 0.0}});
  return world;
}

}  // namespace

int main(int count, char** words) {
  const int worlds = count > 1 ? std::atoi(words[1]) : 1000;
  const int steps = count > 2 ? std::atoi(words[2]) : 50;
  std::vector<WorldModel> all;
  for (int i = 0; i < worlds; ++i) {
    all.push_back(makeCartPole());
    all.back().setVelocity(all.back().bodies()[1], {0.0, 0.0, 0.0}, {0.0, 0.1, 0.0});
  }
  double best = 0.0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const std::clock_t start = std::clock();
    for (int k = 0; k < steps; ++k) {
      for (WorldModel& world : all) {
        world.setMotorTarget(world.joints()[0], k % 2 == 0 ? 0.1 : -0.1);
        world.update(1.0 / 120.0);
      }
    }
    const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    best = std::max(best, worlds * steps / took);
  }
  std::printf("%.0f\n", best);
}
