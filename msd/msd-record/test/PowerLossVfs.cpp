#include "msd-record/test/PowerLossVfs.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>
#include <random>
#include <vector>

namespace msd_record::test {

namespace {

constexpr std::size_t kSector = 512;

/// A change that may or may not have reached the disk.
struct Change {
  std::size_t at{0};
  std::string bytes{};
  bool isCut{false};  ///< the file ends at `at`
};

struct DiskFile {
  bool exists{false};  ///< for certain: it was synced
  std::string synced{};
  std::vector<Change> pending{};
};

void applyTo(std::string& content, const Change& change) {
  if (change.isCut) {
    content.resize(change.at);
    return;
  }
  content.resize(std::max(content.size(), change.at + change.bytes.size()));
  std::copy(change.bytes.begin(), change.bytes.end(),
            content.begin() + static_cast<std::ptrdiff_t>(change.at));
}

std::mutex guard;
std::map<std::string, DiskFile> disk;  ///< by path
int calls = 0;
int lostAt = 0;
bool lost = false;

/// Counts a call; false from the moment when the power is gone.
bool hasPower() {
  lost = lost || (lostAt > 0 && ++calls >= lostAt);
  return !lost;
}

sqlite3_vfs* below = nullptr;
sqlite3_vfs shim{};

struct File {
  sqlite3_file base;
  const char* name;  ///< as long as SQLite has it open; null for scratch files
  // The real file follows in the same block.
};

constexpr std::size_t kFileBytes = (sizeof(File) + 15) / 16 * 16;

sqlite3_file* realOf(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + kFileBytes);
}
DiskFile* diskOf(sqlite3_file* file) {
  const char* name = reinterpret_cast<File*>(file)->name;
  return name == nullptr ? nullptr : &disk[name];
}

int closeFile(sqlite3_file* f) {
  return realOf(f)->pMethods->xClose(realOf(f));
}
int readFile(sqlite3_file* f, void* to, int n, sqlite3_int64 at) {
  return realOf(f)->pMethods->xRead(realOf(f), to, n, at);
}
int writeFile(sqlite3_file* f, const void* from, int n, sqlite3_int64 at) {
  const std::lock_guard lock{guard};
  // The write under way when the power goes may arrive in part.
  if (DiskFile* file = lost ? nullptr : diskOf(f)) {
    const auto* bytes = static_cast<const char*>(from);
    file->pending.push_back(
        {static_cast<std::size_t>(at), {bytes, bytes + n}, false});
  }
  if (!hasPower()) return SQLITE_IOERR_WRITE;
  return realOf(f)->pMethods->xWrite(realOf(f), from, n, at);
}
int truncateFile(sqlite3_file* f, sqlite3_int64 size) {
  const std::lock_guard lock{guard};
  if (!hasPower()) return SQLITE_IOERR_TRUNCATE;
  if (DiskFile* file = diskOf(f)) {
    file->pending.push_back({static_cast<std::size_t>(size), {}, true});
  }
  return realOf(f)->pMethods->xTruncate(realOf(f), size);
}
int syncFile(sqlite3_file* f, int flags) {
  const std::lock_guard lock{guard};
  if (!hasPower()) return SQLITE_IOERR_FSYNC;
  if (DiskFile* file = diskOf(f)) {
    file->exists = true;
    for (const Change& change : file->pending) applyTo(file->synced, change);
    file->pending.clear();
  }
  return realOf(f)->pMethods->xSync(realOf(f), flags);
}
int fileSize(sqlite3_file* f, sqlite3_int64* size) {
  return realOf(f)->pMethods->xFileSize(realOf(f), size);
}
int lockFile(sqlite3_file* f, int kind) {
  return realOf(f)->pMethods->xLock(realOf(f), kind);
}
int unlockFile(sqlite3_file* f, int kind) {
  return realOf(f)->pMethods->xUnlock(realOf(f), kind);
}
int isReserved(sqlite3_file* f, int* out) {
  return realOf(f)->pMethods->xCheckReservedLock(realOf(f), out);
}
int control(sqlite3_file* f, int op, void* arg) {
  return realOf(f)->pMethods->xFileControl(realOf(f), op, arg);
}
int sectorSize(sqlite3_file*) {
  return static_cast<int>(kSector);
}
int traits(sqlite3_file*) {
  return 0;  // a disk that promises nothing
}
int shmMap(sqlite3_file* f, int page, int size, int extend, void volatile** out) {
  return realOf(f)->pMethods->xShmMap(realOf(f), page, size, extend, out);
}
int shmLock(sqlite3_file* f, int at, int n, int flags) {
  return realOf(f)->pMethods->xShmLock(realOf(f), at, n, flags);
}
void shmBarrier(sqlite3_file* f) {
  realOf(f)->pMethods->xShmBarrier(realOf(f));
}
int shmUnmap(sqlite3_file* f, int remove) {
  return realOf(f)->pMethods->xShmUnmap(realOf(f), remove);
}

const sqlite3_io_methods kMethods{2,          closeFile,  readFile, writeFile,  truncateFile,
                                  syncFile,   fileSize,   lockFile, unlockFile, isReserved,
                                  control,    sectorSize, traits,   shmMap,     shmLock,
                                  shmBarrier, shmUnmap,   nullptr,  nullptr};

int openFile(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* f, int flags, int* out) {
  f->pMethods = nullptr;
  reinterpret_cast<File*>(f)->name = name;
  const int code = below->xOpen(below, name, realOf(f), flags, out);
  if (code == SQLITE_OK) f->pMethods = &kMethods;
  return code;
}

/// A deletion that is not synced may be undone; the file is then as it was synced.
int deleteFile(sqlite3_vfs*, const char* name, int syncFolder) {
  const std::lock_guard lock{guard};
  if (!hasPower()) return SQLITE_IOERR_DELETE;
  if (syncFolder != 0) disk.erase(name);
  return below->xDelete(below, name, syncFolder);
}

}  // namespace

PowerLossVfs::PowerLossVfs() {
  below = sqlite3_vfs_find(nullptr);
  shim = *below;
  shim.zName = "msd_power_loss";
  shim.szOsFile = static_cast<int>(kFileBytes) + below->szOsFile;
  shim.xOpen = openFile;
  shim.xDelete = deleteFile;
  shim.pNext = nullptr;
  sqlite3_vfs_register(&shim, 0);
  loseAt(0);
}

PowerLossVfs::~PowerLossVfs() {
  sqlite3_vfs_unregister(&shim);
}

void PowerLossVfs::loseAt(int n) {
  const std::lock_guard lock{guard};
  disk.clear();
  calls = 0;
  lostAt = n;
  lost = false;
}

bool PowerLossVfs::isLost() const {
  const std::lock_guard lock{guard};
  return lost;
}

void PowerLossVfs::writeDisk(const std::filesystem::path& folder, std::uint64_t seed) const {
  const std::lock_guard lock{guard};
  std::mt19937_64 random{seed};
  for (const auto& [path, file] : disk) {
    std::string content = file.synced;
    bool exists = file.exists;
    for (const Change& change : file.pending) {
      if (seed == 0) break;
      if (change.isCut) {
        if (random() % 2 == 0) applyTo(content, change);
        continue;
      }
      for (std::size_t at = 0; at < change.bytes.size(); at += kSector) {
        if (random() % 2 == 0) continue;
        exists = true;
        applyTo(content, {change.at + at, change.bytes.substr(at, kSector), false});
      }
    }
    if (!exists) continue;
    const auto name = std::filesystem::path{path}.filename();
    std::ofstream{folder / name, std::ios::binary} << content;
  }
}

}  // namespace msd_record::test
