#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace msd_record::test {

/// A layer under SQLite that knows what a disk would hold if the power went: what was synced, and of
/// what was written since any part, in sectors. At the n-th call that changes a file the power goes:
/// from then on nothing works.
class PowerLossVfs {
 public:
  PowerLossVfs();
  ~PowerLossVfs();
  PowerLossVfs(const PowerLossVfs&) = delete;
  PowerLossVfs& operator=(const PowerLossVfs&) = delete;

  /// Forgets all files; the power goes at call number `n`, from 1.
  void loseAt(int n);
  /// Did it?
  [[nodiscard]] bool isLost() const;
  /// Writes what the disk holds into a folder, under the files' own names. Of what was not synced,
  /// each sector arrived or not, as `seed` decides; 0: none did.
  void writeDisk(const std::filesystem::path& folder, std::uint64_t seed) const;
  [[nodiscard]] std::string name() const { return "msd_power_loss"; }
};

}  // namespace msd_record::test
