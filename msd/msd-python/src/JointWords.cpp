#include "JointWords.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "msd-scene/src/SceneDocument.hpp"

namespace msd_python {

using namespace msd_sim;

namespace {

constexpr std::array<std::string_view, 3> kMotorModes{"velocity", "position", "force"};

template <class Names>
std::size_t place(const Names& names, const std::string& name, const char* what) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw std::invalid_argument(
      fmt::format("{} is \"{}\"; expected one of: {}", what, name, fmt::join(names, ", ")));
}

}  // namespace

JointKind toJointKind(const std::string& name) {
  return static_cast<JointKind>(place(msd_scene::kJointTypes, name, "kind"));
}
std::string fromJointKind(JointKind kind) {
  return std::string{msd_scene::kJointTypes[static_cast<std::size_t>(kind)]};
}
MotorMode toMotorMode(const std::string& name) {
  return static_cast<MotorMode>(place(kMotorModes, name, "mode"));
}
std::string fromMotorMode(MotorMode mode) {
  return std::string{kMotorModes[static_cast<std::size_t>(mode)]};
}
bool hasCoordinate(JointKind kind) {
  return kind != JointKind::kBall && kind != JointKind::kFixed && kind != JointKind::kUniversal;
}

}  // namespace msd_python
