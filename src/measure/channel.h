#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tessera {

/// One end of a connection between two processes of this machine; messages arrive whole and in
/// order.
class Channel {
 public:
  /// Two ends that are connected. Throws `std::system_error` when the system has no descriptors.
  static std::pair<Channel, Channel> make();

  explicit Channel(int descriptor) : descriptor_(descriptor) {}
  Channel(Channel&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Channel& operator=(Channel&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Channel();

  /// Whether it went: not when the other end has closed. The other process gets a copy of an end
  /// that is carried.
  bool send(std::string_view message, const Channel* carried = nullptr) const;

  struct Received;
  /// Waits; nothing when the other end has closed.
  std::optional<Received> receive() const;
  /// Whether something, or the end, arrives within that time.
  bool wait(std::chrono::duration<double> time) const;

 private:
  int descriptor_;
};

struct Channel::Received {
  std::string message;
  std::optional<Channel> carried;
};

}  // namespace tessera
