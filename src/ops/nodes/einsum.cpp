#include "base/text.h"
#include "ops/nodes/nodes.h"
#include "ops/shape.h"

#include <algorithm>
#include <map>

namespace tessera::ops {
namespace {

/// The labels of one term, one character per dimension. Those of an ellipsis are digits, counted
/// from its end, so that ellipses align there.
using Labels = std::string;

/// `term` without blanks, its ellipsis written out for a tensor of `rank`.
Result<Labels> labels_of(std::string term, std::size_t rank) {
  std::erase(term, ' ');
  const std::size_t dots = term.find("...");
  const std::size_t named = dots == std::string::npos ? term.size() : term.size() - 3;
  if (rank > max_rank || named > rank || (dots == std::string::npos && named != rank))
    return Error{"term \"" + term + "\" does not fit rank " + std::to_string(rank)};
  const auto is_letter = [](char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); };
  if (static_cast<std::size_t>(std::ranges::count_if(term, is_letter)) != named)
    return Error{"term \"" + term + "\" is not of letters and one ellipsis"};
  if (dots == std::string::npos) return term;
  Labels any;
  for (std::size_t n = rank - named; n-- > 0;) any += static_cast<char>('0' + n);
  return term.replace(dots, 3, any);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

/// What an equation leaves out: the labels of ellipses, then those that occur once, in order.
Labels implied_result(const std::vector<Labels>& terms) {
  std::map<char, int> count;
  for (const Labels& term : terms)
    for (const char c : term) ++count[c];
  Labels any, once;
  for (const auto& [label, n] : count)
    if (label <= '9')
      any.insert(any.begin(), label);
    else if (n == 1)
      once += label;
  return any + once;
}

struct Equation {
  std::vector<Labels> terms;
  Labels result;
  std::map<char, std::int64_t> extents;
};

Result<void> learn_extents(Equation& equation, const Labels& term, const Shape& shape) {
  for (std::size_t n = 0; n < term.size(); ++n) {
    std::int64_t& extent = equation.extents.try_emplace(term[n], 1).first->second;
    if (extent != shape[n] && extent != 1 && shape[n] != 1)
      return Error{std::string("label ") + term[n] + " has extents " + std::to_string(extent) +
                   " and " + std::to_string(shape[n])};
    extent = std::max(extent, shape[n]);
  }
  return {};
}

Result<Equation> parse(const Definition& d) {
  std::string text = d.text("equation", "");
  const std::size_t arrow = text.find("->");
  const std::vector<std::string> terms = split(text.substr(0, arrow), ',');
  if (terms.size() != d.input_count())
    return Error{"equation \"" + text + "\" has " + std::to_string(terms.size()) + " terms for " +
                 std::to_string(d.input_count()) + " inputs"};
  Equation equation;
  std::size_t any = 0;  // dimensions that ellipses stand for
  for (std::size_t n = 0; n < terms.size(); ++n) {
    if (!d.has_input(n)) return Error{"input " + std::to_string(n) + " is absent"};
    const Result<Labels> labels = labels_of(terms[n], d.shape(n).size());
    if (!labels) return labels.error();
    const Result<void> learned = learn_extents(equation, *labels, d.shape(n));
    if (!learned) return learned.error();
    equation.terms.push_back(*labels);
    for (const char c : *labels)
      if (c <= '9') any = std::max(any, static_cast<std::size_t>(c - '0') + 1);
  }
  if (arrow == std::string::npos) {
    equation.result = implied_result(equation.terms);
    return equation;
  }
  std::string result = text.substr(arrow + 2);
  std::erase(result, ' ');
  const bool has_dots = result.find("...") != std::string::npos;
  const Result<Labels> labels =
      labels_of(result, has_dots ? result.size() - 3 + any : result.size());
  if (!labels) return labels.error();
  equation.result = *labels;
  for (const char c : equation.result)
    if (!equation.extents.contains(c) || std::ranges::count(equation.result, c) > 1)
      return Error{"equation \"" + text + "\" gives label " + c + " that no term has, or twice"};
  return equation;
}

std::string axis_name(char label) { return std::string("l") + label; }

/// result[labels] = sum(other labels) product of one element of each operand.
void einsum(Definition& d) {
  const Result<Equation> equation = parse(d);
  if (!equation) return d.refuse(equation.error().message);
  std::vector<Axis> axes;
  for (const char c : equation->result)
    axes.push_back(spatial(axis_name(c), equation->extents.at(c)));
  for (const auto& [label, extent] : equation->extents)
    if (equation->result.find(label) == std::string::npos)
      axes.push_back(reduced(axis_name(label), extent));

  const DType dtype = d.b.dtype(d.input(0));
  std::optional<Expr> product;
  for (std::size_t n = 0; n < equation->terms.size(); ++n) {
    if (d.b.dtype(d.input(n)) != dtype || dtype == DType::Bool)
      return d.refuse("expected numbers of one type");
    std::vector<Expr> indices;
    for (std::size_t k = 0; k < d.shape(n).size(); ++k)
      indices.push_back(d.shape(n)[k] == 1 ? Expr(0) : axis(axis_name(equation->terms[n][k])));
    const Expr element = d.b.read(d.input(n), std::move(indices));
    product = product ? *product * element : element;
  }
  d.output(d.b.stage(d.node().op, std::move(axes), Reducer::Sum, *product));
}

constexpr Op list[] = {{"", "Einsum", einsum}};

}  // namespace

std::span<const Op> einsum_nodes() { return list; }

}  // namespace tessera::ops
