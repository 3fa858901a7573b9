#pragma once

#include "base/result.h"
#include "graph/graph.h"

#include <filesystem>
#include <map>
#include <onnx/onnx_pb.h>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// Operator sets have two names for ONNX's own domain; this is the empty one.
std::string plain_domain(const std::string& domain);

/// Reads the graphs of a model. Calls of the model's functions are replaced by what they call, with
/// values named after the first output of the call.
class GraphReader {
 public:
  /// The model must outlive the reader.
  GraphReader(const onnx::ModelProto& model, std::filesystem::path folder);

  /// Constants, nodes and outputs of the model's graph, but no inputs.
  Result<Graph> read();

 private:
  using Functions = std::map<std::pair<std::string, std::string>, const onnx::FunctionProto*>;
  using NodeMessages = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

  /// What names mean inside a function.
  struct Scope {
    std::map<std::string, std::int64_t> versions;   // of operator sets, by domain
    std::string prefix;                             // of values
    std::map<std::string, ValueId> parameters;      // as the caller calls them
    std::map<std::string, Attribute> attributes;    // as the caller gives them
    std::vector<const onnx::FunctionProto*> calls;  // outermost first; none in the model's graph

    ValueId value(const std::string& name) const;
  };

  Result<Graph> read_graph(const onnx::GraphProto& message, const Scope& scope);
  Result<Graph> read_body(const onnx::GraphProto& message, const Scope& scope);
  Result<std::map<ValueId, Constant>> read_constants(const onnx::GraphProto& message,
                                                     const Scope& scope);
  Result<Constant> read_shared_tensor(const onnx::TensorProto& message);
  Result<std::vector<Node>> read_nodes(const NodeMessages& messages, const Scope& scope);
  Result<Node> read_node(const onnx::NodeProto& message, const Scope& scope);
  Result<std::map<std::string, Attribute>> read_attributes(const onnx::NodeProto& message,
                                                           const Scope& scope);
  Result<std::vector<Node>> read_call(const Node& call, const onnx::FunctionProto& function,
                                      const Scope& caller);
  /// Counts what a function adds; refuses past the budget.
  Result<void> spend(std::size_t bytes);

  const onnx::ModelProto& model_;
  std::filesystem::path folder_;
  Functions functions_;                                   // by domain and name
  std::map<const onnx::TensorProto*, Constant> tensors_;  // a function may be called often
  std::size_t budget_bytes_;                              // left for what functions expand to
};

}  // namespace tessera
