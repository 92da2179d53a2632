#include "msd-exe/src/Command.hpp"
#include "msd-sim/src/DataTypes/LargePages.hpp"

int main(int argc, char** argv) {
  msd_sim::useLargePages();
  return msd_exe::runTool(argc, argv);
}
