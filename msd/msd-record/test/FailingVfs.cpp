#include "msd-record/test/FailingVfs.hpp"

#include <sqlite3.h>

#include <atomic>
#include <cstring>

namespace msd_record::test {

namespace {

std::atomic<int> callCount{0};
std::atomic<int> failing{0};  ///< number of the call to fail; 0: none
std::atomic<bool> persistent{false};
std::atomic<int> answer{SQLITE_FULL};
std::atomic<bool> isShort{false};  ///< of a write that fails, half of the bytes arrive

sqlite3_vfs* below = nullptr;
sqlite3_vfs shim{};

struct File {
  sqlite3_file base;
  // The real file follows in the same block.
  [[nodiscard]] sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

sqlite3_file* realOf(sqlite3_file* file) {
  return reinterpret_cast<File*>(file)->real();
}

/// What a call that changes a file answers, or SQLITE_OK to let it through.
int verdict() {
  const int call = ++callCount;
  const int n = failing;
  if (n == 0 || call < n || (call > n && !persistent)) return SQLITE_OK;
  return answer;
}

int closeFile(sqlite3_file* f) {
  return realOf(f)->pMethods->xClose(realOf(f));
}
int readFile(sqlite3_file* f, void* to, int n, sqlite3_int64 at) {
  return realOf(f)->pMethods->xRead(realOf(f), to, n, at);
}
int writeFile(sqlite3_file* f, const void* from, int n, sqlite3_int64 at) {
  const int code = verdict();
  const bool isOther = code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_TRUNCATE;
  if (code == SQLITE_OK || isOther) return realOf(f)->pMethods->xWrite(realOf(f), from, n, at);
  if (isShort) static_cast<void>(realOf(f)->pMethods->xWrite(realOf(f), from, n / 2, at));
  return code;
}
int truncateFile(sqlite3_file* f, sqlite3_int64 size) {
  const int code = verdict();
  return code == SQLITE_IOERR_TRUNCATE ? code : realOf(f)->pMethods->xTruncate(realOf(f), size);
}
int syncFile(sqlite3_file* f, int flags) {
  const int code = verdict();
  return code == SQLITE_IOERR_FSYNC ? code : realOf(f)->pMethods->xSync(realOf(f), flags);
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
int sectorSize(sqlite3_file* f) {
  return realOf(f)->pMethods->xSectorSize(realOf(f));
}
int traits(sqlite3_file* f) {
  return realOf(f)->pMethods->xDeviceCharacteristics(realOf(f));
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
  const int code = below->xOpen(below, name, realOf(f), flags, out);
  if (code == SQLITE_OK) f->pMethods = &kMethods;
  return code;
}

}  // namespace

FailingVfs::FailingVfs() {
  below = sqlite3_vfs_find(nullptr);
  shim = *below;
  shim.zName = "msd_failing";
  shim.szOsFile = static_cast<int>(sizeof(File)) + below->szOsFile;
  shim.xOpen = openFile;
  shim.pNext = nullptr;
  sqlite3_vfs_register(&shim, 0);
  neverFail();
}

FailingVfs::~FailingVfs() {
  sqlite3_vfs_unregister(&shim);
}

void FailingVfs::failAt(int n, Fault fault, bool isPersistent) {
  callCount = 0;
  persistent = isPersistent;
  isShort = fault == Fault::kShortWrite;
  switch (fault) {
    case Fault::kFull:
    case Fault::kShortWrite:
      answer = SQLITE_FULL;
      break;
    case Fault::kWriteError:
      answer = SQLITE_IOERR_WRITE;
      break;
    case Fault::kSyncError:
      answer = SQLITE_IOERR_FSYNC;
      break;
    case Fault::kTruncateError:
      answer = SQLITE_IOERR_TRUNCATE;
      break;
  }
  failing = n;
}

void FailingVfs::neverFail() {
  callCount = 0;
  failing = 0;
}

int FailingVfs::calls() const {
  return callCount;
}

}  // namespace msd_record::test
