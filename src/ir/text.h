#pragma once

#include "base/result.h"
#include "ir/computation.h"
#include "ir/program.h"

#include <string>
#include <string_view>

namespace tessera {

/// Text forms; `parse_*` of `to_text` gives back an equal value, whose text is the same. A parser
/// accepts only what `verify` accepts. The grammar stands in docs/text_forms.md.
std::string to_text(const Expr& e);
std::string to_text(const Stmt& s);
std::string to_text(const Computation& computation);
std::string to_text(const Program& program);
std::string_view to_text(Reducer reducer);
std::string_view to_text(UnaryOp op);
std::string_view to_text(BinaryOp op);
std::string_view to_text(Memory memory);
std::string_view to_text(LoopKind kind);
std::string_view to_text(Role role);

Result<Computation> parse_computation(std::string_view text);
Result<Program> parse_program(std::string_view text);

}  // namespace tessera
