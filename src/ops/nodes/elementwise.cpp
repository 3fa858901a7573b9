#include "ops/elementwise.h"

#include "ops/activation.h"
#include "ops/nodes/nodes.h"

namespace tessera::ops {
namespace {

template <TensorId (*F)(ComputationBuilder&, const TensorId&, std::string_view)>
void activation(Definition& d) {
  d.output(F(d.b, d.input(0), d.node().op));
}

template <BinaryOp Operator>
void arithmetic(Definition& d) {
  d.output(binary(d.b, Operator, d.input(0), d.input(1), d.node().op));
}

template <UnaryOp Operator>
void function(Definition& d) {
  d.output(unary(d.b, Operator, d.input(0), d.node().op));
}

constexpr Op list[] = {
    {"", "Add", arithmetic<BinaryOp::Add>, 2},
    {"", "Sub", arithmetic<BinaryOp::Sub>, 2},
    {"", "Mul", arithmetic<BinaryOp::Mul>, 2},
    {"", "Exp", function<UnaryOp::Exp>},
    {"", "Relu", activation<relu>},
};

}  // namespace

std::span<const Op> elementwise_nodes() { return list; }

}  // namespace tessera::ops
