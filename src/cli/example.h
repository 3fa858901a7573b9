#pragma once

#include "backend/backend.h"
#include "measure/instance.h"
#include "target/target.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// A task worth showing.
struct Example {
  std::string_view name;
  std::string_view spec;
  std::string_view small_spec;  // one like it that the interpreter finishes soon
  std::string_view algorithm;   // how the answer to the decision `algorithm` begins; empty: any
};

std::span<const Example> examples();

/// An example with the schedule that the prior finds best, compiled, its results checked.
struct CheckedExample {
  Example example;
  std::string choices;
  bool is_default = false;  // no other algorithm is better by the prior
  double flops = 0;         // of the task as written, whatever the algorithm
  double max_error = 0;     // largest difference from plain loops
  Instance instance;
};

/// Nothing when the Space has no such algorithm. Compares with plain loops at full size and with
/// the interpreter at the small one, using the threads of `pool`; a difference is a bug of ours.
std::optional<CheckedExample> make_checked(const Example& example, const Target& target,
                                           const Backend& backend, ThreadPool& pool);

}  // namespace tessera
