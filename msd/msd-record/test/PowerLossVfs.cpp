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
constexpr int kNoFile = -1;

/// Bytes that were written, or a file that was cut, and may or may not have reached the disk.
struct Change {
  std::size_t at{0};
  std::string bytes{};
  bool isCut{false};  ///< the file ends at `at`
};

/// A file without its name: one that was deleted may come back.
struct Content {
  std::string synced{};
  std::vector<Change> pending{};
};

/// A name was given to a file, or taken away.
struct Naming {
  std::string name{};
  int content{kNoFile};
  bool isSynced{false};
};

void applyTo(std::string& content, const Change& change) {
  if (change.isCut) {
    content.resize(std::min(content.size(), change.at));
    return;
  }
  content.resize(std::max(content.size(), change.at + change.bytes.size()));
  std::copy(change.bytes.begin(), change.bytes.end(),
            content.begin() + static_cast<std::ptrdiff_t>(change.at));
}

std::mutex guard;
std::vector<Content> contents;
std::vector<Naming> namings;       ///< in the order in which they happened
std::map<std::string, int> names;  ///< now
int calls = 0;
int lostAt = 0;
bool lost = false;

/// Counts a call; false from the moment when the power is gone.
bool hasPower() {
  ++calls;
  lost = lost || (lostAt > 0 && calls >= lostAt);
  return !lost;
}

sqlite3_vfs* below = nullptr;
sqlite3_vfs shim{};

struct File {
  sqlite3_file base;
  int content;  ///< kNoFile: scratch
  // The real file follows in the same block.
};

constexpr std::size_t kFileBytes = (sizeof(File) + 15) / 16 * 16;

sqlite3_file* realOf(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + kFileBytes);
}
Content* contentOf(sqlite3_file* file) {
  const int content = reinterpret_cast<File*>(file)->content;
  return content == kNoFile ? nullptr : &contents[static_cast<std::size_t>(content)];
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
  if (Content* content = lost ? nullptr : contentOf(f)) {
    const auto* bytes = static_cast<const char*>(from);
    content->pending.push_back({static_cast<std::size_t>(at), {bytes, bytes + n}, false});
  }
  if (!hasPower()) return SQLITE_IOERR_WRITE;
  return realOf(f)->pMethods->xWrite(realOf(f), from, n, at);
}
int truncateFile(sqlite3_file* f, sqlite3_int64 size) {
  const std::lock_guard lock{guard};
  if (!hasPower()) return SQLITE_IOERR_TRUNCATE;
  if (Content* content = contentOf(f))
    content->pending.push_back({static_cast<std::size_t>(size), {}, true});
  return realOf(f)->pMethods->xTruncate(realOf(f), size);
}
int syncFile(sqlite3_file* f, int flags) {
  const std::lock_guard lock{guard};
  if (!hasPower()) return SQLITE_IOERR_FSYNC;
  if (Content* content = contentOf(f)) {
    for (const Change& change : content->pending) applyTo(content->synced, change);
    content->pending.clear();
    for (Naming& naming : namings) {
      naming.isSynced = naming.isSynced || naming.content == reinterpret_cast<File*>(f)->content;
    }
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
  const std::lock_guard lock{guard};
  f->pMethods = nullptr;
  reinterpret_cast<File*>(f)->content = kNoFile;
  const int code = below->xOpen(below, name, realOf(f), flags, out);
  if (code != SQLITE_OK) return code;
  f->pMethods = &kMethods;
  if (name == nullptr) return code;
  const auto [place, isNew] = names.try_emplace(name, static_cast<int>(contents.size()));
  if (isNew) {
    contents.emplace_back();
    namings.push_back({name, place->second, false});
  }
  reinterpret_cast<File*>(f)->content = place->second;
  return code;
}

int deleteFile(sqlite3_vfs*, const char* name, int syncFolder) {
  const std::lock_guard lock{guard};
  if (!hasPower()) return SQLITE_IOERR_DELETE;
  const int code = below->xDelete(below, name, syncFolder);
  if (code != SQLITE_OK) return code;
  names.erase(name);
  namings.push_back({name, kNoFile, false});
  if (syncFolder == 0) return code;
  for (Naming& naming : namings) naming.isSynced = true;
  return code;
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
  contents.clear();
  namings.clear();
  names.clear();
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
  const auto arrives = [&] { return seed != 0 && random() % 2 == 0; };
  std::map<std::string, int> there;
  for (const Naming& naming : namings) {
    if (!naming.isSynced && !arrives()) continue;
    if (naming.content == kNoFile) {
      there.erase(naming.name);
    } else {
      there[naming.name] = naming.content;
    }
  }
  for (const auto& [name, number] : there) {
    const Content& file = contents[static_cast<std::size_t>(number)];
    std::string bytes = file.synced;
    for (const Change& change : file.pending) {
      if (change.isCut && arrives()) applyTo(bytes, change);
      for (std::size_t at = 0; at < change.bytes.size(); at += kSector) {
        if (arrives()) applyTo(bytes, {change.at + at, change.bytes.substr(at, kSector), false});
      }
    }
    std::ofstream{folder / std::filesystem::path{name}.filename(), std::ios::binary} << bytes;
  }
}

}  // namespace msd_record::test
