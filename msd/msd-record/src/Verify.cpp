#include "msd-record/src/Verify.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>

#include "msd-record/src/CapturedStep.hpp"
#include "msd-scene/src/BuildScene.hpp"

namespace msd_record {

namespace {

using msd_sim::StepReport;

bool isSame(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

struct Quantity {
  std::string_view name;
  double (*value)(const StepReport&);
};

using R = StepReport;
constexpr std::array<Quantity, 30> kQuantities{{
    {"time", [](const R& r) { return r.time; }},
    {"dt", [](const R& r) { return r.dt; }},
    {"status", [](const R& r) { return static_cast<double>(r.status); }},
    {"bodies", [](const R& r) { return static_cast<double>(r.bodies); }},
    {"awake_bodies", [](const R& r) { return static_cast<double>(r.awakeBodies); }},
    {"pairs", [](const R& r) { return static_cast<double>(r.pairs); }},
    {"manifolds", [](const R& r) { return static_cast<double>(r.manifolds); }},
    {"contacts", [](const R& r) { return static_cast<double>(r.contacts); }},
    {"islands", [](const R& r) { return static_cast<double>(r.islands); }},
    {"colours", [](const R& r) { return static_cast<double>(r.colours); }},
    {"substeps", [](const R& r) { return static_cast<double>(r.substeps); }},
    {"iterations", [](const R& r) { return static_cast<double>(r.iterations); }},
    {"residual", [](const R& r) { return r.residual; }},
    {"deepest_penetration", [](const R& r) { return r.deepestPenetration; }},
    {"joint_error", [](const R& r) { return r.jointError; }},
    {"natural_map", [](const R& r) { return r.certificate.naturalMap; }},
    {"complementarity", [](const R& r) { return r.certificate.complementarity; }},
    {"cone_violation", [](const R& r) { return r.certificate.coneViolation; }},
    {"normal_violation", [](const R& r) { return r.certificate.normalViolation; }},
    {"kinetic", [](const R& r) { return r.energy.kinetic; }},
    {"potential", [](const R& r) { return r.energy.potential; }},
    {"change", [](const R& r) { return r.energy.change; }},
    {"external_work", [](const R& r) { return r.energy.externalWork; }},
    {"joint_work", [](const R& r) { return r.energy.jointWork; }},
    {"normal_work", [](const R& r) { return r.energy.normalWork; }},
    {"friction_work", [](const R& r) { return r.energy.frictionWork; }},
    {"position_work", [](const R& r) { return r.energy.positionWork; }},
    {"damping_work", [](const R& r) { return r.energy.dampingWork; }},
    {"integrator_error", [](const R& r) { return r.energy.integratorError; }},
    {"scale", [](const R& r) { return r.energy.scale; }},
}};

constexpr std::array<std::string_view, 13> kStateNames{
    "x [m]",    "y [m]",    "z [m]",    "qw",         "qx",         "qy",        "qz",
    "vx [m/s]", "vy [m/s]", "vz [m/s]", "wx [rad/s]", "wy [rad/s]", "wz [rad/s]"};

/// The first thing in which two reports of a step differ.
std::optional<Difference> compareReports(const StepReport& recorded, const StepReport& found) {
  if (recorded.step != found.step) {
    return Difference{.step = found.step,
                      .quantity = "step",
                      .recorded = fmt::format("{}", recorded.step),
                      .found = fmt::format("{}", found.step)};
  }
  if (recorded.hash != found.hash) {
    return Difference{.step = recorded.step,
                      .quantity = "hash",
                      .recorded = recorded.hash.toString(),
                      .found = found.hash.toString()};
  }
  for (const Quantity& quantity : kQuantities) {
    const double a = quantity.value(recorded);
    const double b = quantity.value(found);
    if (isSame(a, b)) continue;
    return Difference{.step = recorded.step,
                      .quantity = std::string{quantity.name},
                      .recorded = fmt::format("{}", a),
                      .found = fmt::format("{}", b)};
  }
  return std::nullopt;
}

template <class Row>
bool areSame(const std::vector<Row>& a, const std::vector<Row>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < a[i].numbers.size(); ++k) {
      if (!isSame(a[i].numbers[k], b[i].numbers[k])) return false;
    }
  }
  return true;
}

/// Runs the scene and follows the recording.
class Verification {
 public:
  Verification(Reader& reader, const VerifyOptions& options)
      : reader_{reader},
        options_{options},
        bodies_{reader.bodies()},
        scene_{msd_scene::buildWorld(reader.scene(),
                                     {.threads = options.threads, .hashEveryStep = true})},
        capture_{scene_.world},
        numbers_{scene_.world} {}

  VerifyResult run() {
    frames_ = reader_.frameEntries();
    compareFrame(0);
    if (!result_.difference) {
      reader_.forEachStep(1, [this](const RecordedStep& recorded) { return follow(recorded); });
    }
    return result_;
  }

 private:
  bool follow(const RecordedStep& recorded) {
    StepReport found = scene_.advance();
    if (!scene_.world.settings().hashEveryStep) found.hash = scene_.world.stateHash();
    result_.difference = compareReports(recorded.report, found);
    ++result_.steps;
    if (result_.difference) {
      nameBody();
      return false;
    }
    compareFrame(recorded.report.step);
    if (options_.progress && !options_.progress(recorded.report.step)) return false;
    return !result_.difference;
  }

  /// Compares the frames of a step, when it has any.
  void compareFrame(std::uint64_t step) {
    for (; next_ < frames_.size() && frames_[next_].step == step && !result_.difference; ++next_) {
      const Frame frame = reader_.frame(frames_[next_].frame);
      capture_.frame(scene_.world, captured_);
      rows_.assign(captured_.contacts, captured_.states, numbers_);
      const std::vector<ContactRow> contacts = rows_.all();
      ++result_.frames;
      Difference difference{.step = step};
      if (compareBodies(frame, difference)) {
        difference.quantity = "state";
      } else if (!areSame(frame.contacts, contacts)) {
        difference.quantity = "contacts";
        difference.recorded = fmt::format("{} rows", frame.contacts.size());
        difference.found = fmt::format("{} rows", contacts.size());
      } else if (!areSame(frame.reactions, captured_.reactions)) {
        difference.quantity = "joint reactions";
      } else {
        continue;
      }
      result_.difference = difference;
    }
  }

  /// True, with the body's part of the difference filled in, when a body's state differs.
  bool compareBodies(const Frame& frame, Difference& difference) const {
    for (std::size_t i = 0; i < std::min(frame.states.size(), captured_.states.size()); ++i) {
      const BodyState& recorded = frame.states[i];
      const BodyState& found = captured_.states[i];
      for (std::size_t k = 0; k < kStateNames.size(); ++k) {
        if (isSame(recorded.numbers[k], found.numbers[k])) continue;
        difference.body = recorded.body < bodies_.size() ? bodies_[recorded.body].name
                                                         : fmt::format("{}", recorded.body);
        difference.bodyStep = frame.entry.step;
        difference.bodyQuantity = kStateNames[k];
        difference.bodyRecorded = recorded.numbers[k];
        difference.bodyFound = found.numbers[k];
        return true;
      }
    }
    return false;
  }

  /// Goes on to the next recorded frame, where bodies can be compared.
  void nameBody() {
    while (next_ < frames_.size() && frames_[next_].step < scene_.world.stepCount()) ++next_;
    if (next_ == frames_.size()) return;
    while (scene_.world.stepCount() < frames_[next_].step) {
      if (scene_.advance().status == msd_sim::StepStatus::kNonFinite) return;
    }
    const Frame frame = reader_.frame(frames_[next_].frame);
    capture_.frame(scene_.world, captured_);
    compareBodies(frame, *result_.difference);
  }

  Reader& reader_;
  const VerifyOptions& options_;
  std::vector<RecordedBody> bodies_;
  msd_scene::SceneWorld scene_;
  Capture capture_;
  BodyNumbers numbers_;
  std::vector<FrameEntry> frames_{};
  std::size_t next_{0};
  CapturedStep captured_{};
  ContactRows rows_{};
  VerifyResult result_{};
};

}  // namespace

VerifyResult verify(Reader& reader, const VerifyOptions& options) {
  return Verification{reader, options}.run();
}

std::string describe(const Difference& d) {
  std::string text = fmt::format("step {} differs: {}", d.step, d.quantity);
  if (!d.recorded.empty()) text += fmt::format(" was {}, is {}", d.recorded, d.found);
  if (d.body.empty()) return text + "; no body differs in a recorded frame";
  return text + fmt::format("; body \"{}\" {}: {} was {}, is {} (off by {:.3g})", d.body,
                            d.bodyStep == d.step ? std::string{"there"}
                                                 : fmt::format("at step {}", d.bodyStep),
                            d.bodyQuantity, d.bodyRecorded, d.bodyFound,
                            d.bodyFound - d.bodyRecorded);
}

}  // namespace msd_record
