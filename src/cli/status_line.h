#pragma once

#include "base/stopwatch.h"

#include <string>

namespace tessera {

/// Where long work stands, on stderr: drawn over itself on a terminal, else a line now and then.
class StatusLine {
 public:
  /// Each line begins with the subject.
  explicit StatusLine(std::string subject) : subject_(std::move(subject)) {}
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(const std::string& line);

 private:
  std::string subject_;
  Stopwatch stopwatch_;
  double next_ = 0;
  bool is_open_ = false;
};

}  // namespace tessera
