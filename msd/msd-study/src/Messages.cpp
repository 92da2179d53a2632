#include "msd-study/src/Messages.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace msd_study {

bool sendMessage(int socket, std::span<const std::byte> bytes) {
  const std::array<std::uint64_t, 1> size{bytes.size()};
  const auto head = std::as_bytes(std::span{size});
  std::vector<std::byte> message;
  message.reserve(head.size() + bytes.size());
  message.insert(message.end(), head.begin(), head.end());
  message.insert(message.end(), bytes.begin(), bytes.end());
  for (std::size_t sent = 0; sent < message.size();) {
    const ssize_t count =
        ::send(socket, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

bool MessageReader::read() {
  std::array<std::byte, 65536> piece;
  for (;;) {
    const ssize_t count = ::recv(socket_, piece.data(), piece.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    buffer_.insert(buffer_.end(), piece.begin(), piece.begin() + count);
    return true;
  }
}

std::optional<std::vector<std::byte>> MessageReader::next() {
  std::uint64_t size = 0;
  if (buffer_.size() < sizeof(size)) return std::nullopt;
  std::memcpy(&size, buffer_.data(), sizeof(size));
  if (buffer_.size() - sizeof(size) < size) return std::nullopt;
  const auto start = buffer_.begin() + sizeof(size);
  const auto end = start + static_cast<std::ptrdiff_t>(size);
  std::vector<std::byte> message{start, end};
  buffer_.erase(buffer_.begin(), end);
  return message;
}

}  // namespace msd_study
