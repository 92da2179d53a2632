// The same bits as ever: runs the scenes with several numbers of threads and vector widths and compares the hash of
// everything they did with a file that is committed. golden_hashes FILE compares; golden_hashes --write writes it.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "GoldenScenes.hpp"
#include "msd-sim/src/Environment/Simulation.hpp"

namespace {

using namespace msd_sim;

struct Way {
  int threads;
  SimdTarget target;
  const char* name;
};

constexpr Way kWays[] = {
    {1, SimdTarget::kAuto, "1 thread"},          {2, SimdTarget::kAuto, "2 threads"},
    {3, SimdTarget::kAuto, "3 threads"},         {4, SimdTarget::kAuto, "4 threads"},
    {8, SimdTarget::kAuto, "8 threads"},         {1, SimdTarget::kPortable, "one lane"},
    {1, SimdTarget::kAvx2, "four lanes (AVX2)"}, {1, SimdTarget::kAvx512, "eight lanes (AVX-512)"},
};

void addVector(Hasher& hasher, const Vector3D& v) {
  for (int c = 0; c < 3; ++c) hasher.add(v[c]);
}

/// States, contacts with their forces, events and reports of all steps.
std::string run(const golden::Scene& scene, const Way& way) {
  Settings settings = scene.settings;
  settings.threads = way.threads;
  WorldModel world{settings};
  {
    Simulation& inside = WorldAccess::of(world);
    inside.kernels = &kernelsFor(way.target);
    inside.shareFrom = inside.shareFromExact = 0;  // threads share however little there is
  }
  scene.build(world);
  Hasher hasher;
  for (int step = 0; step < scene.steps; ++step) {
    if (scene.drive) scene.drive(world, step);
    const StepReport report = world.update(1.0 / 60.0);
    const Hash128 state = world.stateHash();
    hasher.add(state.low);
    hasher.add(state.high);
    hasher.add(static_cast<std::uint64_t>(report.status));
    hasher.add(report.energy.kinetic);
    hasher.add(report.deepestPenetration);
    for (const ContactRecord& c : world.contacts()) {
      addVector(hasher, c.point);
      addVector(hasher, c.forceOnB);
    }
    for (const ContactEvent& e : world.events()) {
      hasher.add(static_cast<std::uint64_t>(e.kind));
      hasher.add((std::uint64_t{e.bodyA.index} << 32) | e.bodyB.index);
    }
  }
  const Hash128 hash = hasher.finish();
  char text[40];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high),
                static_cast<unsigned long long>(hash.low));
  return text;
}

int write() {
  std::printf("# Hash of everything the scenes of tests/golden do. tools/golden_hashes.sh --update writes this file.\n");
  for (const golden::Scene& scene : golden::scenes()) {
    std::printf("%s %s\n", scene.name.c_str(), run(scene, kWays[0]).c_str());
  }
  return 0;
}

int compare(const char* path) {
  std::ifstream file{path};
  if (!file) {
    std::fprintf(stderr, "%s cannot be read; expected the file that golden_hashes --write writes\n", path);
    return 2;
  }
  std::map<std::string, std::string> expected;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words{line};
    std::string name, hash;
    if (words >> name >> hash && name[0] != '#') expected[name] = hash;
  }
  int wrong = 0, runs = 0;
  for (const golden::Scene& scene : golden::scenes()) {
    for (const Way& way : kWays) {
      if (!isSupported(way.target)) continue;
      const std::string hash = run(scene, way);
      ++runs;
      if (hash == expected[scene.name]) continue;
      ++wrong;
      std::printf("%s, %s: %s; expected %s\n", scene.name.c_str(), way.name, hash.c_str(),
                  expected[scene.name].empty() ? "no such scene" : expected[scene.name].c_str());
    }
  }
  std::printf("%d runs of %zu scenes, %d with other bits\n", runs, golden::scenes().size(), wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--write") == 0) return write();
  if (argc == 2) return compare(argv[1]);
  std::fprintf(stderr, "golden_hashes FILE | --write\n");
  return 2;
}
