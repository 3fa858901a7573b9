#pragma once

#include "base/text.h"
#include "ir/computation.h"
#include "ir/program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tessera {

/// Reads the parts that both text forms share. Fails once for all: after the first failure every
/// function takes nothing and gives an empty value, so that a parser asks `failed` in its loops and
/// at its end only.
class Reader {
 public:
  explicit Reader(std::string_view text) : scanner_(text) {}

  bool failed() const { return error_.has_value(); }
  const Error& error() const { return *error_; }
  void fail(std::string_view message);
  void fail_expected(std::string_view what);

  bool accept(std::string_view symbol) { return !failed() && scanner_.accept(symbol); }
  bool sees(std::string_view symbol) { return !failed() && scanner_.sees(symbol); }
  void expect(std::string_view symbol);
  /// The end of the line; empty lines after it are skipped.
  void expect_line_end();
  void skip_lines() { scanner_.skip_lines(); }
  bool at_end() { return scanner_.at_end(); }

  std::string name();
  std::int64_t integer();
  double number();
  DType dtype();
  /// `NAME DTYPE[EXTENT, ..]`.
  Tensor tensor();
  Table table();
  Layout layout();
  /// `[NAME:EXTENT, ..]`.
  std::vector<Axis> axes(AxisKind kind);
  /// The reducer's word, only when a list of axes follows: `max[..]` may also be a load.
  std::optional<Reducer> accept_reducer();
  Expr expr() { return infix(1).expr; }
  /// `[EXPR, ..]`.
  std::vector<Expr> indices() { return elements().exprs; }

  /// Lets loads of `tensor` know their dtype; gives what was declared under the name before.
  std::optional<DType> declare(const TensorId& tensor, std::optional<DType> dtype);

 private:
  /// An expression and the height of its tree.
  struct Parsed {
    Expr expr = 0;
    int depth = 1;
  };
  struct ParsedList {
    std::vector<Expr> exprs;
    int depth = 0;
  };
  Parsed infix(int least);
  Parsed prefix();
  Parsed operand();
  Parsed number_literal();
  Parsed call(const std::string& function);
  Parsed load(const std::string& tensor);
  ParsedList exprs_until(std::string_view close);
  ParsedList elements();
  std::optional<BinaryOp> accept_infix(int least);
  Parsed joined(ExprNode node, int depth_below);

  Scanner scanner_;
  std::optional<Error> error_;
  std::unordered_map<TensorId, DType> dtypes_;
  int nesting_ = 0;
};

}  // namespace tessera
