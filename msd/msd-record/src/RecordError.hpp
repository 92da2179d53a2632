#pragma once

#include <stdexcept>

namespace msd_record {

/// A file that is not a recording, or one that cannot be read, made or continued. The message names
/// the file, what was found and what to do about it.
class RecordError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace msd_record
