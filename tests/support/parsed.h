#pragma once

#include "base/check.h"
#include "ir/text.h"

#include <string_view>

namespace tessera {

/// The program of a text that must be one.
inline Program parsed_program(std::string_view text) {
  Result<Program> program = parse_program(text);
  check(program.has_value(), program ? "" : program.error().message);
  return *std::move(program);
}

}  // namespace tessera
