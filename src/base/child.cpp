#include "base/child.h"

#include "base/check.h"
#include "base/file.h"

#include <array>
#include <csignal>
#include <exception>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera {

Child::Child(const std::function<void(int pipe)>& act) {
  std::array<int, 2> ends{};
  check(pipe(ends.data()) == 0, "a pipe");
  process_ = fork();
  check(process_ >= 0, "a process");
  if (process_ == 0) {
    close(ends[0]);
    try {
      act(ends[1]);
    } catch (const std::exception& problem) {
      (void)write_all(ends[1], problem.what());
    }
    _exit(0);  // without what the parent has yet to do
  }
  close(ends[1]);
  pipe_ = ends[0];
}

Child::~Child() {
  close(pipe_);
  waitpid(process_, nullptr, 0);
}

void Child::kill() const { ::kill(process_, SIGKILL); }

std::string Child::text() {
  std::string all;
  std::array<char, 4096> piece{};
  ssize_t size = 0;
  while ((size = read(pipe_, piece.data(), piece.size())) > 0)
    all.append(piece.data(), static_cast<std::size_t>(size));
  return all;
}

std::string in_child(const std::function<std::string()>& act) {
  return Child([&](int pipe) {
           check(write_all(pipe, act()).has_value(), "a pipe that takes the text");
         })
      .text();
}

}  // namespace tessera
