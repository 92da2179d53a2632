#include "msd-exe/src/PosesWriter.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <limits>

#include "msd-exe/src/Command.hpp"

namespace msd_exe {

namespace {

static_assert(std::endian::native == std::endian::little, "poses files are little endian");

constexpr std::size_t kNumbersPerBody = 13;

double* append(double* out, const msd_sim::Vector3D& v) {
  *out++ = v.x();
  *out++ = v.y();
  *out++ = v.z();
  return out;
}

}  // namespace

PosesWriter::PosesWriter(const std::filesystem::path& path, std::uint64_t steps,
                         std::uint64_t every)
    : file_{path}, every_{every}, expected_frames_{1 + steps / every + (steps % every != 0)} {
  if (expected_frames_ > std::numeric_limits<std::int32_t>::max()) {
    throw UsageError{fmt::format("--poses: {} frames do not fit; take a larger --poses-every",
                                 expected_frames_)};
  }
}

void PosesWriter::begin(const msd_scene::SceneWorld& scene) {
  const std::array<std::int32_t, 2> header{static_cast<std::int32_t>(scene.bodies.size()),
                                           static_cast<std::int32_t>(expected_frames_)};
  file_.write(header.data(), sizeof header);
  frame_.resize(1 + kNumbersPerBody * scene.bodies.size());
  writeFrame(scene);
}

void PosesWriter::step(const msd_scene::SceneWorld& scene, const msd_sim::StepReport&, double) {
  ++steps_;
  last_is_written_ = steps_ % every_ == 0;
  if (last_is_written_) writeFrame(scene);
}

void PosesWriter::finish(const msd_scene::SceneWorld& scene) {
  if (!last_is_written_) writeFrame(scene);
  if (frames_ != expected_frames_) {  // the run ended early
    const auto count = static_cast<std::int32_t>(frames_);
    file_.rewrite(sizeof(std::int32_t), &count, sizeof count);
  }
  file_.commit();
}

void PosesWriter::writeFrame(const msd_scene::SceneWorld& scene) {
  const msd_sim::WorldModel& world = scene.world;
  double* out = frame_.data();
  *out++ = world.time();
  for (const msd_sim::BodyId body : scene.bodies) {
    const msd_sim::Pose& pose = world.asset(body).getReferenceFrame().pose();
    out = append(out, pose.position);
    *out++ = pose.orientation.w();
    out = append(out, pose.orientation.vec());
    out = append(out, world.frameVelocity(body));
    out = append(out, world.isEnvironment(body)
                          ? msd_sim::AngularRate{0.0, 0.0, 0.0}
                          : world.inertial(body).getInertialState().angularVelocity);
  }
  file_.write(frame_.data(), frame_.size() * sizeof(double));
  ++frames_;
  last_is_written_ = true;
}

}  // namespace msd_exe
