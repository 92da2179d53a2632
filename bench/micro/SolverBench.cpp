// The contact solver on scenes at rest: seconds of the solve stage, and what one sweep over one
// contact costs (counter ns/contact/sweep); and the reference solver, one call for 1, 10 and 50
// contacts; and a whole frame with five collisions, with each method.
//   solver_bench --benchmark_repetitions=5 --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "msd-sim/src/Environment/WorldModel.hpp"
#include "msd-sim/src/Physics/Constraints/ConstraintSolver.hpp"
#include "msd-sim/src/Physics/Constraints/ContactConstraint.hpp"

namespace msd_bench {
namespace {

using namespace msd_sim;

constexpr double kDt = 1.0 / 60.0;

/// Boxes or balls in towers of ten beside each other, settled.
WorldModel makeTowers(const Shape& shape, double height, int towers) {
  WorldModel world{Settings{.sleeping = false}};
  world.spawn(EnvironmentDescription{.shape = Box{{100, 100, 1}}, .position = {0, 0, -1}});
  for (int t = 0; t < towers; ++t) {
    for (int k = 0; k < 10; ++k) {
      world.spawn(
          InertialDescription{.shape = shape,
                              .position = {2.0 * (t % 10), 2.0 * (t / 10), (k + 0.5) * height},
                              .restitution = 0.0});
    }
  }
  for (int i = 0; i < 60; ++i) world.update(kDt);
  return world;
}

void sweep(benchmark::State& state, const Shape& shape) {
  WorldModel world = makeTowers(shape, 1.0, static_cast<int>(state.range(0)));
  double seconds = 0.0, visits = 0.0;
  for (auto _ : state) {
    const StepReport report = world.update(kDt);
    const double solve = report.stageSeconds[static_cast<std::size_t>(Stage::kSolve)];
    state.SetIterationTime(solve);
    seconds += solve;
    visits += static_cast<double>(report.contacts) * report.iterations;
  }
  if (visits > 0.0) state.counters["ns/contact/sweep"] = 1e9 * seconds / visits;
}

void reference(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  std::vector<InertialState> bodies(count + 1);
  std::vector<double> inverseMasses(count + 1, 1.0);
  std::vector<Eigen::Matrix3d> inverseInertias(count + 1, Eigen::Matrix3d::Identity());
  inverseMasses[0] = 0.0;
  inverseInertias[0].setZero();
  std::vector<std::unique_ptr<ContactConstraint>> contacts;
  std::vector<Constraint*> list;
  for (std::size_t i = 0; i < count; ++i) {
    bodies[i + 1].position.z() = static_cast<double>(i) + 1.0;
    bodies[i + 1].velocity.z() = -1.0;
    const Coordinate point{0.0, 0.0, static_cast<double>(i) + 0.5};
    contacts.push_back(std::make_unique<ContactConstraint>(i, i + 1, Coordinate::UnitZ(), point,
                                                           point, 0.0, bodies[i].position,
                                                           bodies[i + 1].position, 0.0, -1.0));
    list.push_back(contacts.back().get());
  }
  const std::vector<std::reference_wrapper<const InertialState>> states(bodies.begin(),
                                                                        bodies.end());
  const ConstraintSolver solver;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        solver.solve(list, states, inverseMasses, inverseInertias, bodies.size(), kDt));
  }
}

/// A full frame with five collisions: five boxes on the floor.
void frame(benchmark::State& state, Method method) {
  WorldModel world{Settings{.method = method, .sleeping = false}};
  world.spawn(EnvironmentDescription{.shape = Box{{100, 100, 1}}, .position = {0, 0, -1}});
  for (int i = 0; i < 5; ++i) {
    world.spawn(InertialDescription{
        .shape = Box{{0.5, 0.5, 0.5}}, .position = {2.0 * i, 0, 0.5}, .restitution = 0.0});
  }
  for (int i = 0; i < 60; ++i) world.update(kDt);
  for (auto _ : state) benchmark::DoNotOptimize(world.update(kDt));
}

void addAll() {
  using benchmark::RegisterBenchmark;
  RegisterBenchmark("sweep/boxes", [](benchmark::State& s) { sweep(s, Box{{0.5, 0.5, 0.5}}); })
      ->Arg(10)
      ->Arg(100)
      ->UseManualTime();
  RegisterBenchmark("sweep/balls", [](benchmark::State& s) { sweep(s, Sphere{0.5}); })
      ->Arg(10)
      ->Arg(100)
      ->UseManualTime();
  RegisterBenchmark("reference/contacts", reference)->Arg(1)->Arg(10)->Arg(50);
  for (const Method method : {Method::kFast, Method::kExact, Method::kReference}) {
    RegisterBenchmark(("frame/five_collisions/" + std::string{methodName(method)}).c_str(),
                      [method](benchmark::State& s) { frame(s, method); });
  }
}

}  // namespace
}  // namespace msd_bench

int main(int argc, char** argv) {
  msd_bench::addAll();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
