#include "ir/program.h"

#include "ir/rewrite.h"

#include <algorithm>

namespace tessera {

Stmt::Stmt(StmtNode node) : node_(std::make_shared<const StmtNode>(std::move(node))) {}

bool operator==(const Stmt& a, const Stmt& b) {
  if (a.node_ == b.node_) return true;
  using Variant = std::variant<Loop, Block, Store, Allocate, If, Prefetch>;
  return static_cast<const Variant&>(*a.node_) == static_cast<const Variant&>(*b.node_);
}

Stmt nest_of(const Stage& stage) {
  Substitution qualified;
  for (const Axis& a : stage.axes)
    qualified.emplace(a.name, axis(stage.tensor.name + "." + a.name));
  std::vector<Expr> indices;
  for (const Axis& a : stage.axes)
    if (a.kind == AxisKind::Spatial) indices.push_back(qualified.at(a.name));
  Stmt nest(StmtNode{Store{.tensor = stage.tensor.name,
                           .indices = std::move(indices),
                           .value = substitute(stage.value, qualified),
                           .reducer = stage.reducer}});
  for (auto a = stage.axes.rbegin(); a != stage.axes.rend(); ++a)
    nest =
        Stmt(StmtNode{Loop{.axis = stage.tensor.name + "." + a->name,
                           .extent = a->extent,
                           .reduces = a->kind == AxisKind::Reduce ? stage.tensor.name : TensorId(),
                           .body = std::move(nest)}});
  return nest;
}

Program to_program(const Computation& computation) {
  std::vector<Param> params;
  for (const Operand& operand : computation.operands)
    params.push_back(
        {.role = operand.role,
         .placed = {.tensor = operand.tensor,
                    .memory = operand.role == Role::Constant ? Memory::Constant : Memory::Global,
                    .layout = row_major(operand.tensor.shape.size())}});
  for (const TensorId& output : computation.outputs) {
    const Tensor& tensor = find_stage(computation, output)->tensor;
    params.push_back({.role = Role::Output,
                      .placed = {.tensor = tensor, .layout = row_major(tensor.shape.size())}});
  }

  std::vector<Stmt> nests;
  for (const Stage& stage : computation.stages) nests.push_back(nest_of(stage));
  Stmt body = block(std::move(nests));
  for (auto stage = computation.stages.rbegin(); stage != computation.stages.rend(); ++stage) {
    const auto& outputs = computation.outputs;
    if (std::find(outputs.begin(), outputs.end(), stage->tensor.name) != outputs.end()) continue;
    body = Stmt(StmtNode{Allocate{
        .placed = {.tensor = stage->tensor, .layout = row_major(stage->tensor.shape.size())},
        .body = std::move(body)}});
  }
  return {.name = computation.name,
          .params = std::move(params),
          .tables = computation.tables,
          .body = std::move(body)};
}

}  // namespace tessera
