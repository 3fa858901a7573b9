#include "measure/channel.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace tessera {
namespace {

constexpr std::size_t longest_message = 1 << 20;

/// Space for one descriptor beside a message.
struct Control {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> bytes{};
};

}  // namespace

std::pair<Channel, Channel> Channel::make() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "a connection between processes");
  for (const int end : ends)
    for (const int option : {SO_SNDBUF, SO_RCVBUF}) {
      constexpr int size = 4 << 20;  // as much of it as the system grants
      setsockopt(end, SOL_SOCKET, option, &size, sizeof size);
    }
  return {Channel(ends[0]), Channel(ends[1])};
}

Channel::~Channel() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool Channel::send(std::string_view message, const Channel* carried) const {
  iovec data{const_cast<char*>(message.data()), message.size()};
  Control control;
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  if (carried != nullptr) {
    header.msg_control = control.bytes.data();
    header.msg_controllen = control.bytes.size();
    cmsghdr* part = CMSG_FIRSTHDR(&header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(part), &carried->descriptor_, sizeof(int));
  }
  ssize_t sent = -1;
  do sent = sendmsg(descriptor_, &header, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent >= 0;
}

std::optional<Channel::Received> Channel::receive() const {
  Received received{std::string(longest_message, '\0'), std::nullopt};
  iovec data{received.message.data(), received.message.size()};
  Control control;
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control.bytes.data();
  header.msg_controllen = control.bytes.size();
  ssize_t size = -1;
  do size = recvmsg(descriptor_, &header, MSG_CMSG_CLOEXEC);
  while (size < 0 && errno == EINTR);
  if (size <= 0) return std::nullopt;  // no message of ours is empty
  received.message.resize(static_cast<std::size_t>(size));
  if (const cmsghdr* part = CMSG_FIRSTHDR(&header);
      part != nullptr && part->cmsg_type == SCM_RIGHTS) {
    int carried = -1;
    std::memcpy(&carried, CMSG_DATA(part), sizeof carried);
    received.carried.emplace(carried);
  }
  return received;
}

bool Channel::wait(std::chrono::duration<double> time) const {
  const auto end = std::chrono::steady_clock::now() + time;
  for (;;) {
    const std::chrono::duration<double, std::milli> left = end - std::chrono::steady_clock::now();
    pollfd poll_one{descriptor_, POLLIN, 0};
    const int ready = poll(&poll_one, 1, std::max(0, static_cast<int>(std::ceil(left.count()))));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

}  // namespace tessera
