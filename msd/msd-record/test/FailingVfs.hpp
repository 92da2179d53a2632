#pragma once

#include <string>

namespace msd_record::test {

/// A layer under SQLite that passes everything on until the n-th call that changes a file, and
/// answers that one, or that one and all after it, with an error: a disk that is full or broken.
class FailingVfs {
 public:
  enum class Fault {
    kFull,           ///< ENOSPC
    kShortWrite,     ///< half of the bytes arrive, then ENOSPC
    kWriteError,     ///< EIO
    kSyncError,      ///< EIO of fsync
    kTruncateError,  ///< EIO of ftruncate
  };
  /// Registers the layer under its name.
  FailingVfs();
  ~FailingVfs();
  FailingVfs(const FailingVfs&) = delete;
  FailingVfs& operator=(const FailingVfs&) = delete;

  /// Fails the call number `n` from now, from 1; `persistent`: and every one after it.
  void failAt(int n, Fault fault, bool persistent);
  void neverFail();
  /// Calls that change a file, since failAt or neverFail.
  [[nodiscard]] int calls() const;
  [[nodiscard]] std::string name() const { return "msd_failing"; }
};

}  // namespace msd_record::test
