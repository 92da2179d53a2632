#include "msd-exe/src/Bench/Peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "msd-exe/src/Command.hpp"

namespace msd_exe {

namespace fs = std::filesystem;

namespace {

std::array<fs::path, 2> adapterFolders() {
  const fs::path folder = toolPath().parent_path();
  return {folder, folder.parent_path() / "libexec" / "msd"};
}

}  // namespace

fs::path toolPath() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    throw UsageError{
        fmt::format("cannot tell where msd itself is: /proc/self/exe: {}", error.message())};
  }
  return path;
}

std::optional<fs::path> findAdapter(std::string_view peer) {
  for (const fs::path& folder : adapterFolders()) {
    fs::path candidate = folder / fmt::format("msd-peer-{}", peer);
    if (fs::exists(candidate)) return candidate;
  }
  return std::nullopt;
}

Peers findPeers(const std::optional<std::vector<std::string>>& asked) {
  Peers peers;
  for (const PeerEngine& peer : kPeerEngines) {
    if (asked && std::ranges::find(*asked, peer.name) == asked->end()) continue;
    (findAdapter(peer.name) ? peers.present : peers.absent).push_back(peer);
  }
  if (asked && !peers.absent.empty()) {
    const PeerEngine& peer = peers.absent.front();
    const auto [beside, below] = adapterFolders();
    throw UsageError{
        fmt::format("--against {0}: the adapter msd-peer-{0} is missing (looked in {1} and {2}); "
                    "{3}build msd-sim with {4}",
                    peer.name, beside.string(), below.string(),
                    peer.source.starts_with("-D") ? "" : "install the package msd-sim-peers, or ",
                    peer.source)};
  }
  return peers;
}

}  // namespace msd_exe
