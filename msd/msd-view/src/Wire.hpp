#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "msd-view/src/Frame.hpp"
#include "msd-view/src/SceneInfo.hpp"

/// The binary messages from the server to the page. docs/view.md gives the layouts; the page's
/// src/wire.ts reads them. Everything is little endian; the first word says what a message is.
namespace msd_view {

enum class MessageKind : std::uint32_t {
  kPoses = 1,
  kContacts = 2,
  kSeries = 3,
  kScene = 4,
  kBounds = 5,
  kJoints = 6,
};

/// How the playing stands; goes out with every picture.
struct PlayState {
  std::uint64_t first{0};  ///< moments that can be shown
  std::uint64_t last{0};
  bool isPlaying{false};
  bool isLive{true};
  bool isEnded{false};  ///< a recording, or a failed simulation, shown to its end
  double speed{1.0};    ///< simulated seconds per second asked for
  msd_sim::Method method{msd_sim::Method::kFast};
  std::string failure{};

  bool operator==(const PlayState&) const = default;
};

/// Positions in single precision from the scene's origin, orientations in 16 bits a component: for
/// the picture only.
[[nodiscard]] std::string encodePoses(const Frame& frame, const SceneInfo& scene,
                                      const PlayState& state);
[[nodiscard]] std::string encodeContacts(const Frame& frame, const SceneInfo& scene);
[[nodiscard]] std::string encodeBounds(const Frame& frame, const SceneInfo& scene);
/// Coordinates and motors of the joints.
[[nodiscard]] std::string encodeJoints(const Frame& frame);
/// `reset` tells the page to forget the rows it has.
[[nodiscard]] std::string encodeSeries(std::span<const SeriesRow> rows, bool reset);
/// The scene as JSON, followed by the vertices and triangles it refers to.
[[nodiscard]] std::string encodeScene(const SceneInfo& scene);

}  // namespace msd_view
