#include "base/check.h"
#include "base/text.h"
#include "extract/passes.h"
#include "extract/rewriter.h"

#include <algorithm>
#include <cstring>

namespace tessera {
namespace {

/// Channels of a part fill the blocks of every target.
constexpr std::int64_t channel_multiple = 16;

/// A convolution and the function that alone follows it, if one does.
struct Branch {
  const Node* conv = nullptr;
  const Node* then = nullptr;
  const ValueId& result() const { return (then == nullptr ? conv : then)->outputs.front(); }
};

bool has_bias(const Node& conv) { return conv.inputs.size() > 2 && !conv.inputs[2].empty(); }

bool is_function(const Rewriter& rewriter, const Node& node, const ValueId& of) {
  static const std::set<std::string> functions{"Relu", "Clip", "LeakyRelu", "Sigmoid", "HardSwish"};
  return node.domain.empty() && functions.contains(node.op) && node.inputs[0] == of &&
         std::all_of(node.inputs.begin() + 1, node.inputs.end(), [&](const ValueId& value) {
           return value.empty() || rewriter.constant(value) != nullptr;
         });
}

std::optional<Branch> branch_from(const Rewriter& rewriter, const Node& conv) {
  if (!conv.domain.empty() || conv.op != "Conv") return std::nullopt;
  const auto group = conv.attributes.find("group");
  if (group != conv.attributes.end() && std::get<std::int64_t>(group->second) != 1)
    return std::nullopt;
  const Constant* weights = rewriter.constant(conv.inputs[1]);
  if (weights == nullptr || weights->type.shape[0] % channel_multiple != 0) return std::nullopt;
  if (has_bias(conv) && rewriter.constant(conv.inputs[2]) == nullptr) return std::nullopt;
  Branch branch{.conv = &conv};
  if (rewriter.has_one_reader(conv.outputs[0])) {
    const Node* reader = rewriter.readers(conv.outputs[0]).front();
    if (is_function(rewriter, *reader, conv.outputs[0])) branch.then = reader;
  }
  const std::vector<const Node*> readers = rewriter.readers(branch.result());
  const bool is_joined = std::any_of(readers.begin(), readers.end(),
                                     [](const Node* reader) { return reader->op == "Concat"; });
  if (readers.empty() || is_joined || rewriter.is_output(branch.result())) return std::nullopt;
  return branch;
}

/// Branches with the same text can be one.
std::string likeness(const Rewriter& rewriter, const Branch& branch) {
  Shape filter = rewriter.shape(branch.conv->inputs[1]);
  filter.erase(filter.begin());
  std::string text = branch.conv->inputs[0] + " " + branch.conv->attributes_text() + " " +
                     to_text(filter) + (has_bias(*branch.conv) ? " biased" : "");
  if (branch.then == nullptr) return text;
  text += " then " + branch.then->op + " " + branch.then->attributes_text();
  for (std::size_t n = 1; n < branch.then->inputs.size(); ++n) text += " " + branch.then->inputs[n];
  return text;
}

/// One input of the convolutions, one behind the other.
ValueId joined(Rewriter& rewriter, const std::vector<Branch>& branches, std::size_t input) {
  ValueType type = rewriter.constant(branches.front().conv->inputs[input])->type;
  type.shape[0] = 0;
  for (const Branch& branch : branches)
    type.shape[0] += rewriter.shape(branch.conv->inputs[input])[0];
  HostBuffer all(dtype_of(type.element), element_count(type.shape));
  auto* to = static_cast<std::byte*>(all.data());
  for (const Branch& branch : branches) {
    const HostBuffer& part = *rewriter.constant(branch.conv->inputs[input])->data;
    std::memcpy(to, part.data(), static_cast<std::size_t>(part.size_bytes()));
    to += part.size_bytes();
  }
  return rewriter.add_constant(branches.front().conv->inputs[input] + "/merged", type,
                               std::move(all));
}

/// The branches as one, its result cut into theirs.
std::vector<Node> merged(Rewriter& rewriter, const std::vector<Branch>& branches) {
  const Branch& first = branches.front();
  std::vector<Node> nodes{*first.conv};
  if (first.then != nullptr) nodes.push_back(*first.then);
  for (std::size_t n = 1; n < first.conv->inputs.size(); ++n)
    if (!first.conv->inputs[n].empty()) nodes[0].inputs[n] = joined(rewriter, branches, n);
  ValueType type = rewriter.graph().types.at(first.conv->outputs[0]);
  type.shape[1] = rewriter.shape(nodes[0].inputs[1])[0];
  for (Node& node : nodes) {
    node.outputs = {node.outputs[0] + "/merged"};
    rewriter.graph().types[node.outputs[0]] = type;
  }
  nodes.back().inputs[0] = nodes.size() == 1 ? nodes.back().inputs[0] : nodes[0].outputs[0];
  std::int64_t begin = 0;
  const ValueId whole = nodes.back().outputs[0];
  for (const Branch& branch : branches) {
    const std::int64_t end = begin + rewriter.shape(branch.result())[1];
    nodes.push_back(rewriter.slice(whole, branch.result(), 1, begin, end));
    begin = end;
  }
  return nodes;
}

}  // namespace

void merge_parallel(Graph& graph) {
  Rewriter rewriter(graph);
  std::map<std::string, std::vector<Branch>> alike;
  for (const Node& node : graph.nodes)
    if (const auto branch = branch_from(rewriter, node))
      alike[likeness(rewriter, *branch)].push_back(*branch);
  std::set<ValueId> replaced;
  std::vector<Node> added;
  for (const auto& [text, branches] : alike) {
    if (branches.size() < 2) continue;
    for (Node& node : merged(rewriter, branches)) added.push_back(std::move(node));
    for (const Branch& branch : branches) replaced.insert(branch.result());
  }
  if (added.empty()) return;
  std::erase_if(graph.nodes,
                [&](const Node& node) { return replaced.contains(node.outputs.front()); });
  graph.nodes.insert(graph.nodes.end(), added.begin(), added.end());
  check(sort_nodes(graph).has_value(), "no cycle among merged branches");
  drop_dead(graph);
}

}  // namespace tessera
