#pragma once

#include "conformance/run.h"
#include "conformance/test_case.h"

#include <optional>
#include <string>

namespace tessera::conformance {

struct Failure {
  std::string op;  // that cannot be compiled, or all of the model
  std::string reason;
};

/// Imports the model, runs it on each data set and compares; nothing when all agree. Inputs that an
/// operator needs while compiling, as the shape of a Reshape or what NonZero searches, are given as
/// constants.
std::optional<Failure> check_case(const TestCase& test, Run run);

}  // namespace tessera::conformance
