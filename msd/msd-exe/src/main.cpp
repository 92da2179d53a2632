#include "msd-exe/src/Command.hpp"

int main(int argc, char** argv) {
  return msd_exe::runTool(argc, argv);
}
