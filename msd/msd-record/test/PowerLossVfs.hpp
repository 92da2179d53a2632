#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace msd_record::test {

/// A layer under SQLite that knows what a disk would hold if the power went: what was synced, and
/// of what was written, made or deleted since any part. At the n-th call that changes something the
/// power goes: from then on nothing works.
///
/// The disk promises as little as a file system may: sectors of 512 bytes arrive in any order; a
/// file that was made is there for certain once it was synced itself; a file that was deleted is
/// gone for certain once its folder was synced, or another file of its name was. Until then it may
/// come back with the bytes that it had.
class PowerLossVfs {
 public:
  PowerLossVfs();
  ~PowerLossVfs();
  PowerLossVfs(const PowerLossVfs&) = delete;
  PowerLossVfs& operator=(const PowerLossVfs&) = delete;

  /// Forgets all files; the power goes at call number `n`, from 1; 0: it stays.
  void loseAt(int n);
  /// Did it?
  [[nodiscard]] bool isLost() const;
  /// Writes what the disk holds into a folder, under the files' own names. Of what was not synced,
  /// each sector, file and deletion arrived or not, as `seed` decides; 0: none did.
  void writeDisk(const std::filesystem::path& folder, std::uint64_t seed) const;
  [[nodiscard]] std::string name() const { return "msd_power_loss"; }
};

}  // namespace msd_record::test
