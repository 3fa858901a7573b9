#include "ops/node_view.h"

#include "base/check.h"

#include <algorithm>

namespace tessera::ops {

NodeView::NodeView(const Graph& graph, const Node& node) : node_(&node) {
  for (const ValueId& value : node.inputs) {
    const auto type = graph.types.find(value);
    const auto constant = graph.constants.find(value);
    types_.push_back(type == graph.types.end() ? nullptr : &type->second);
    constants_.push_back(constant == graph.constants.end() ? nullptr : &constant->second);
  }
}

bool NodeView::has_elements(std::size_t n) const {
  return has_input(n) && std::ranges::find(shape(n), 0) == shape(n).end();
}

const ValueType& NodeView::type(std::size_t n) const {
  check(has_input(n), "an input that is present");
  return *types_[n];
}

const Constant* NodeView::constant(std::size_t n) const {
  return n < constants_.size() ? constants_[n] : nullptr;
}

Result<std::vector<std::int64_t>> NodeView::integers(std::size_t n, std::string_view what) const {
  const Constant* known = constant(n);
  if (known == nullptr || is_float(known->data->dtype()))
    return Error{
        "its " + std::string(what) +
        (known == nullptr ? " is known only when the network runs" : " is not of an integer type")};
  std::vector<std::int64_t> out;
  for (std::int64_t e = 0; e < known->data->element_count(); ++e)
    out.push_back(known->data->get_integer(e));
  return out;
}

Result<std::vector<std::int64_t>> NodeView::attribute_or_input(std::string_view name,
                                                               std::size_t n) const {
  if (has_attribute(name) || !has_input(n)) return integers(name);
  return integers(n, name);
}

Result<std::vector<double>> NodeView::reals(std::size_t n, std::string_view what) const {
  const Constant* known = constant(n);
  if (known == nullptr)
    return Error{"its " + std::string(what) + " is known only when the network runs"};
  std::vector<double> out;
  for (std::int64_t e = 0; e < known->data->element_count(); ++e)
    out.push_back(known->data->get(e));
  return out;
}

const Attribute* NodeView::find(std::string_view name) const {
  const auto found = node_->attributes.find(std::string(name));
  return found == node_->attributes.end() ? nullptr : &found->second;
}

namespace {

template <typename T>
const T* as(const Attribute* attribute) {
  return attribute == nullptr ? nullptr : std::get_if<T>(attribute);
}

template <typename T, typename Otherwise>
T value_or(const Attribute* attribute, Otherwise otherwise) {
  const T* value = as<T>(attribute);
  return value == nullptr ? T(std::move(otherwise)) : *value;
}

}  // namespace

bool NodeView::has_attribute(std::string_view name) const { return find(name) != nullptr; }

std::int64_t NodeView::integer(std::string_view name, std::int64_t otherwise) const {
  return value_or<std::int64_t>(find(name), otherwise);
}

double NodeView::real(std::string_view name, double otherwise) const {
  return value_or<double>(find(name), otherwise);
}

std::string NodeView::text(std::string_view name, std::string_view otherwise) const {
  return value_or<std::string>(find(name), otherwise);
}

std::vector<std::int64_t> NodeView::integers(std::string_view name,
                                             std::vector<std::int64_t> otherwise) const {
  return value_or<std::vector<std::int64_t>>(find(name), std::move(otherwise));
}

std::vector<double> NodeView::reals(std::string_view name, std::vector<double> otherwise) const {
  return value_or<std::vector<double>>(find(name), std::move(otherwise));
}

std::vector<std::string> NodeView::texts(std::string_view name) const {
  return value_or<std::vector<std::string>>(find(name), std::vector<std::string>());
}

const Constant* NodeView::tensor(std::string_view name) const { return as<Constant>(find(name)); }

const Graph* NodeView::graph(std::string_view name) const {
  const auto* value = as<std::shared_ptr<const Graph>>(find(name));
  return value == nullptr ? nullptr : value->get();
}

std::int64_t concat_axis(const NodeView& view) {
  return view.integer("axis", view.version() < 4 ? 1 : 0);
}

}  // namespace tessera::ops
