#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace msd_study {

/// Messages over a stream socket: a length, then so many bytes.

/// False where the other side is gone.
[[nodiscard]] bool sendMessage(int socket, std::span<const std::byte> bytes);

/// Collects what arrives and cuts it into messages.
class MessageReader {
 public:
  explicit MessageReader(int socket) : socket_{socket} {}
  /// Reads what is there, once; false at the end of the stream.
  [[nodiscard]] bool read();
  /// The next whole message, where one has arrived.
  [[nodiscard]] std::optional<std::vector<std::byte>> next();

 private:
  int socket_;
  std::vector<std::byte> buffer_;
};

}  // namespace msd_study
