#include "ir/reader.h"
#include "ir/verify.h"
#include "ir/words.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {
namespace {

std::string depth_message() { return "expression nests deeper than " + std::to_string(max_depth); }

}  // namespace

Reader::Parsed Reader::joined(ExprNode node, int depth_below) {
  if (depth_below >= max_depth) fail(depth_message());
  if (failed()) return {};  // also keeps what failed from growing
  return {Expr(std::move(node)), depth_below + 1};
}

std::optional<BinaryOp> Reader::accept_infix(int least) {
  for (std::size_t k = 0; k < binary_words.size(); ++k) {
    const std::string_view word = binary_words[k];
    if (infix_precedence(word) < least || !sees(word) || (word == "<" && sees("<="))) continue;
    accept(word);
    return static_cast<BinaryOp>(k);
  }
  return std::nullopt;
}

/// Operators that bind at least as tightly as `least`, by precedence climbing.
Reader::Parsed Reader::infix(int least) {
  Parsed left = prefix();
  while (const std::optional<BinaryOp> op = accept_infix(least)) {
    const Parsed right = infix(infix_precedence(word_of(*op, binary_words)) + 1);
    left = joined(Binary{*op, left.expr, right.expr}, std::max(left.depth, right.depth));
  }
  return left;
}

Reader::Parsed Reader::prefix() {
  constexpr int most = 2 * max_depth + 2;  // one level of the tree may stand in parentheses
  if (nesting_ == most) fail(depth_message());
  if (failed()) return {};
  ++nesting_;
  Parsed parsed = operand();
  --nesting_;
  return parsed;
}

Reader::Parsed Reader::operand() {
  if (accept("(")) {
    Parsed inner = infix(1);
    expect(")");
    return inner;
  }
  if (accept("!")) {
    const Parsed a = prefix();
    return joined(Unary{UnaryOp::Not, a.expr}, a.depth);
  }
  if (const std::optional<std::string> word = scanner_.accept_name()) {
    if (accept("(")) return call(*word);
    if (sees("[")) return load(*word);
    if (*word == "true" || *word == "false")
      return joined(Integer{DType::Bool, *word == "true" ? 1 : 0}, 0);
    if (*word == "inf") return joined(Real{std::numeric_limits<double>::infinity()}, 0);
    if (*word == "nan") return joined(Real{std::numeric_limits<double>::quiet_NaN()}, 0);
    return joined(AxisRef{*word}, 0);
  }
  if (const Result<Scanner::Number> number = scanner_.expect_number()) {
    if (number->is_integer) return joined(Integer{DType::I64, number->integer}, 0);
    const bool is_nan = std::isnan(number->value);
    return joined(Real{is_nan ? std::numeric_limits<double>::quiet_NaN() : number->value}, 0);
  }
  if (accept("-")) {
    const Parsed a = prefix();
    return joined(Unary{UnaryOp::Neg, a.expr}, a.depth);
  }
  fail_expected("an expression");
  return {};
}

/// Expressions up to `close`, which is taken.
Reader::ParsedList Reader::exprs_until(std::string_view close) {
  ParsedList list;
  while (!failed() && !accept(close)) {
    Parsed item = infix(1);
    list.depth = std::max(list.depth, item.depth);
    list.exprs.push_back(std::move(item.expr));
    if (!sees(close)) expect(",");
  }
  return list;
}

Reader::ParsedList Reader::elements() {
  expect("[");
  return exprs_until("]");
}

Reader::Parsed Reader::load(const std::string& tensor) {
  const auto known = dtypes_.find(tensor);
  if (known == dtypes_.end()) fail("no tensor " + tensor);
  ParsedList indices = elements();
  if (failed()) return {};
  return joined(Load{tensor, known->second, std::move(indices.exprs)}, indices.depth);
}

/// A call whose name and opening bracket are taken.
Reader::Parsed Reader::call(const std::string& function) {
  const bool is_bracketed = sees("(");  // `i32((3))` casts, `i32(3)` is a constant
  const ParsedList list = exprs_until(")");
  if (failed()) return {};
  const std::vector<Expr>& a = list.exprs;
  const auto wants = [&](std::size_t count) {
    if (a.size() != count)
      fail(function + " of " + std::to_string(a.size()) + " arguments, expected " +
           std::to_string(count));
    return !failed();
  };
  if (function == "select") {
    if (!wants(3)) return {};
    return joined(Select{a[0], a[1], a[2]}, list.depth);
  }
  if (const std::optional<DType> dtype = parse_dtype(function)) {
    if (!wants(1)) return {};
    const auto* literal = as<Integer>(a[0]);
    if (*dtype == DType::I32 && literal && literal->dtype == DType::I64 && !is_bracketed)
      return joined(Integer{DType::I32, literal->value}, 0);
    return joined(Cast{*dtype, a[0]}, list.depth);
  }
  if (const auto op = parse_word<UnaryOp>(function, unary_words)) {
    if (!wants(1)) return {};
    return joined(Unary{*op, a[0]}, list.depth);
  }
  if (const auto op = parse_word<BinaryOp>(function, binary_words)) {
    if (!wants(2)) return {};
    return joined(Binary{*op, a[0], a[1]}, list.depth);
  }
  fail("no function " + function);
  return {};
}

}  // namespace tessera
