#include <cstdio>

#include "msd/scene.hpp"

int main(int, char** argv) {
  const auto loaded = msd_scene::loadSceneFile(argv[1]);
  auto scene = msd_scene::buildWorld(loaded);
  const auto report = scene.advance();
  std::printf("%s: %zu bodies, t = %g s\n", loaded.document.name.c_str(), scene.bodies.size(),
              report.time);
}
