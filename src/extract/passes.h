#pragma once

#include "base/result.h"
#include "graph/graph.h"
#include "ir/computation.h"
#include "tensor/host_buffer.h"

#include <functional>
#include <span>
#include <vector>

/// Passes over an inferred graph, in the order in which `simplify_graph` calls them. Each leaves a
/// graph that computes the same, with every type known.
namespace tessera {

/// Computes the outputs of a Computation from its operands.
using Evaluator =
    std::function<Result<std::vector<HostBuffer>>(const Computation&, std::span<const HostBuffer>)>;

/// Computes what depends on constants only.
Result<void> fold_constants(Graph& graph, const Evaluator& evaluate);

/// Takes away nodes that change nothing, and says others in the form that later passes expect:
///   - identities, and dropouts whose mask nobody reads;
///   - a Split becomes one Slice for each part;
///   - a Concat that begins as another one does takes that one's result.
void canonicalise(Graph& graph);

/// Puts zeros around an image into the convolution that reads it.
///
///     Conv(Pad(x, p), W) pads=q   ->   Conv(x, W) pads=p+q
void fold_pads(Graph& graph);

/// Puts a batch normalisation, or a product or sum with a constant per channel, into the weights
/// and the bias of the convolution before it.
///
///     BatchNormalization(Conv(x, W, b), s, t, m, v)   ->   Conv(x, W * f, (b - m) * f + t)
///                                                          with f = s / sqrt(v + epsilon)
void fold_scales(Graph& graph);

/// Finds norms that were written as their arithmetic: LayerNormalization and RMSNormalization.
void recover_norms(Graph& graph);

/// Finds x/2 * (1 + erf(x / sqrt(2))) and its approximation by tanh: Gelu.
void recover_gelu(Graph& graph);

/// Makes one convolution of several that read the same value in the same way, together with the
/// function that follows each. Results that a Concat reads stay alone: they are written where they
/// lie in its result.
///
///     Relu(Conv(x, W, b)), Relu(Conv(x, V, c))   ->   Slices of Relu(Conv(x, [W; V], [b; c]))
void merge_parallel(Graph& graph);

/// Lets a product read rows as they come, so that what follows can run on its tile:
///
///     Reshape(Gemm(Reshape(x, [m, k]), W, b), [1, m, n])   ->   MatMul(x, W) + b
void unfold_rows(Graph& graph);

/// Moves numbers that scale what a product reads behind it, where they run on its tile: queries and
/// keys of attention.
///
///     MatMul(x * a, y / b)   ->   MatMul(x, y) * (a / b)
void move_factors(Graph& graph);

/// Takes columns before they are moved, where one of the matrices is taken that they became:
///
///     Gather(Transpose(Reshape(x, [.., n, ..])), i)   ->   Transpose(Reshape(columns i of x))
void take_columns(Graph& graph);

/// Makes one product of several with constant weights that read the same value, or of the columns
/// of one that are cut apart: the queries, keys and values of attention. Its results lie one behind
/// the other, and each is read where it lies. Results that an activation or a sum follows stay
/// alone: that runs on the tile of a product of its own. Deep ones, as the gate and its partner in
/// large transformers, are one all the same.
///
///     MatMul(x, W) + b, MatMul(x, V) + c   ->   Slices of MatMul(x, [W, V]) + [b, c]
///     Slices of MatMul(x, [W V]) + [b c]   ->   the same
void stack_products(Graph& graph);

/// All of them.
Result<void> simplify_graph(Graph& graph, const Evaluator& evaluate);

}  // namespace tessera
