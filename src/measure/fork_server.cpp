#include "measure/fork_server.h"

#include "base/check.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace tessera {
namespace {

void go_with_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it ended before
}

[[noreturn]] void be_child(const Channel& channel,
                           const std::function<void(const Channel&)>& serve) {
  try {
    serve(channel);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tessera: measuring worker: %s\n", error.what());
    _exit(1);
  }
  _exit(0);
}

/// Makes a child and sends its process and channel; `-` when there can be none.
void serve_fork(const Channel& server, const std::function<void(const Channel&)>& serve) {
  auto [here, there] = Channel::make();
  const pid_t self = getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    go_with_parent(self);
    {
      const Channel closed = std::move(here);
    }
    be_child(there, serve);
  }
  if (child < 0)
    server.send("-" + std::string(std::strerror(errno)));
  else
    server.send(std::to_string(child), &here);
}

[[noreturn]] void be_server(const Channel& server,
                            const std::function<void(const Channel&)>& serve) {
  try {
    while (const auto request = server.receive()) {
      if (request->message == "fork") {
        serve_fork(server, serve);
        continue;
      }
      int status = 0;
      waitpid(std::stoi(request->message), &status, 0);
      server.send(std::to_string(status));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tessera: fork server: %s\n", error.what());
  }
  _exit(0);
}

}  // namespace

ForkServer::ForkServer(const std::function<void(const Channel&)>& serve) : channel_(-1) {
  auto [here, there] = Channel::make();
  const pid_t self = getpid();
  std::fflush(nullptr);
  process_ = ::fork();
  if (process_ < 0)
    throw std::system_error(errno, std::generic_category(), "a process to measure in");
  if (process_ == 0) {
    go_with_parent(self);
    std::signal(SIGINT, SIG_IGN);
    {
      const Channel closed = std::move(here);
    }
    be_server(there, serve);
  }
  channel_ = std::move(here);
}

ForkServer::ForkServer(ForkServer&& other) noexcept
    : process_(std::exchange(other.process_, 0)), channel_(std::move(other.channel_)) {}

ForkServer::~ForkServer() {
  if (process_ == 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

Result<ForkServer::Child> ForkServer::fork() const {
  const Error gone{"the process that starts measuring workers has ended"};
  if (!channel_.send("fork")) return gone;
  std::optional<Channel::Received> answer = channel_.receive();
  if (!answer) return gone;
  if (!answer->carried) return Error{"no measuring worker: " + answer->message.substr(1)};
  return Child{std::stoi(answer->message), *std::move(answer->carried)};
}

ForkServer::Ending ForkServer::end_of(const Child& child, bool is_killed) const {
  if (is_killed) kill(child.process, SIGKILL);
  const auto answer = channel_.send(std::to_string(child.process))
                          ? channel_.receive()
                          : std::optional<Channel::Received>();
  if (!answer) return {SIGKILL, "ended with its server"};
  const int status = std::stoi(answer->message);
  if (!WIFSIGNALED(status)) return {0, "exit code " + std::to_string(WEXITSTATUS(status))};
  std::string text = strsignal(WTERMSIG(status));
  text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return {WTERMSIG(status), std::move(text)};
}

}  // namespace tessera
