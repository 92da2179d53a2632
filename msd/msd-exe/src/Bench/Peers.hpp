#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace msd_exe {

/// An engine that `msd bench` can run its scenes on, through an adapter (bench/adapters).
struct PeerEngine {
  std::string_view name;
  std::string_view source;  ///< what the adapter is built with
  bool threaded;            ///< the adapter can use more than one thread
};

/// Every engine that has an adapter, in the order in which they are run.
inline constexpr PeerEngine kPeerEngines[]{
    {"bullet", "libbullet-dev installed", false},
    {"ode", "libode-dev installed", false},
    {"mujoco", "libmujoco-dev installed", false},
    {"box3d", "-DMSD_BENCH_BOX3D=PATH, where Box3D is installed", true},
    {"jolt", "-DMSD_BENCH_JOLT=PATH, where Jolt is installed", true},
};

/// The path of msd itself. Throws UsageError where the system does not tell.
[[nodiscard]] std::filesystem::path toolPath();

/// Beside the tool in a build, below libexec when installed.
[[nodiscard]] std::optional<std::filesystem::path> findAdapter(std::string_view peer);

/// The other engines of a run, and those that are left out because nobody asked for them by name.
struct Peers {
  std::vector<PeerEngine> present{};
  std::vector<PeerEngine> absent{};
};

/// Throws UsageError for an engine that was asked for and is not there.
[[nodiscard]] Peers findPeers(const std::optional<std::vector<std::string>>& asked);

}  // namespace msd_exe
