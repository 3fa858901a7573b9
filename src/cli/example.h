#pragma once

#include "backend/backend.h"
#include "measure/instance.h"
#include "target/target.h"

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// A task worth showing.
struct Example {
  std::string name;
  std::string_view spec;
  std::string_view small_spec;  // one like it that the interpreter finishes soon
  /// How answers to the decision `algorithm` begin, each shown by itself; empty: any answer.
  std::vector<std::string> algorithms = {""};
};

std::vector<Example> examples();

/// An example by one algorithm: the schedule that the prior finds best, compiled, results checked.
struct CheckedExample {
  std::string name;
  std::string_view spec;
  std::string choices;
  bool is_default = false;  // no other algorithm is better by the prior
  double flops = 0;         // of the task as written, whatever the algorithm
  double max_error = 0;     // largest difference from plain loops
  Instance instance;
};

/// One for each algorithm that the Space has. Results are compared with plain loops and, for the
/// small shape, with the interpreter; a difference is a bug of ours.
std::vector<CheckedExample> checked(const Example& example, const Target& target,
                                    const Backend& backend, ThreadPool& pool);

}  // namespace tessera
