#pragma once

#include "record/tuning_run.h"

#include <string>
#include <string_view>

namespace tessera {

/// Shows a run while it goes. Time is the run's own, `elapsed_seconds`.
class TuningScreen {
 public:
  enum class Mode {
    Terminal,  // on stderr, drawn over itself, at most ten times a second
    Lines,     // on stderr, a line every ten seconds and at each phase
    Json,      // on stdout, an event each second, at each phase, at the start and at the end
  };
  /// By what was asked for and whether stderr is a terminal that can draw.
  static Mode mode_for(bool is_json);

  explicit TuningScreen(Mode mode) : mode_(mode) {}

  /// Shows it unless the last time is too near: cheap to call often.
  void show(const TuningRun& run);
  /// Shows how it ended, in any case. The last call.
  void finish(const TuningRun& run);

 private:
  void print(const TuningRun& run, std::string_view event);
  void draw(const TuningRun& run);

  Mode mode_;
  bool has_started_ = false;
  std::string phase_;        // that was shown last
  double next_seconds_ = 0;  // of the run, when it is to be shown again
  int drawn_lines_ = 0;
};

}  // namespace tessera
