#pragma once

#include "base/result.h"
#include "ir/program.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

namespace tessera {

/// How a stage is computed. Winograd computes a 3x3 convolution of stride 1 on 4x4 or 6x6 input
/// tiles with 16/36 or 36/144 of the multiplications (Lavin and Gray, arXiv 1509.09308).
enum class Algorithm : std::uint8_t { Direct, Winograd2, Winograd4 };

/// Rewrites the nest of `stage` into the nests of another algorithm. Comes before any step on the
/// stage.
///
///     C = conv(I, W)   ->   C.u = transform(W)   C.v = transform(I)   C.m = sum C.v * C.u   C =
///     transform(C.m)
struct ChooseAlgorithm {
  static constexpr std::string_view name = "algorithm";
  TensorId stage;
  Algorithm algorithm = Algorithm::Direct;
  static constexpr auto fields = std::tuple{&ChooseAlgorithm::stage, &ChooseAlgorithm::algorithm};
  friend bool operator==(const ChooseAlgorithm&, const ChooseAlgorithm&) = default;
};

/// Chooses where the elements of a tensor lie. Changes no index: those are logical until lowering.
///
///     constant B f32[768, 768]   ->   constant B f32[768, 768] layout [1/16 0 1%16]
struct ChooseLayout {
  static constexpr std::string_view name = "layout";
  TensorId tensor;
  Layout layout;
  static constexpr auto fields = std::tuple{&ChooseLayout::tensor, &ChooseLayout::layout};
  friend bool operator==(const ChooseLayout&, const ChooseLayout&) = default;
};

/// Puts the expression of a stage without reduction in place of its loads.
///
///     P[i] = exp(A[i])
///     C[i] = P[i] * 2.0    ->   C[i] = exp(A[i]) * 2.0
struct Inline {
  static constexpr std::string_view name = "inline";
  TensorId stage;
  static constexpr auto fields = std::tuple{&Inline::stage};
  friend bool operator==(const Inline&, const Inline&) = default;
};

/// Computes a stage into `T.tile` and copies that to `T` in a nest of its own, so that the copy can
/// be tiled and the computing placed inside it with `compute_at`.
///
///     for T.i                       for T.tile.i
///       for T.k                       for T.k
///         T[i] += A[i, k]    ->         T.tile[i] += A[i, k]
///                                   for T.i
///                                     T[i] = T.tile[i]
struct CacheWrite {
  static constexpr std::string_view name = "cache_write";
  TensorId tensor;
  static constexpr auto fields = std::tuple{&CacheWrite::tensor};
  friend bool operator==(const CacheWrite&, const CacheWrite&) = default;
};

/// Copies the part of `tensor` that the body of loop `axis` reads into `tensor.pack`, laid out as
/// told, and reads from there. Zero padding that every read asks for by `select(inside, tensor[..],
/// 0.0)` is copied too.
///
///     for C.j.0                     for C.j.0
///       for ..                        for B.pack.0, B.pack.1
///         .. B[k, j.0*16 + j]  ->       B.pack[..] = B[.., j.0*16 + ..]
///                                     for ..
///                                       .. B.pack[k, j]
struct CacheRead {
  static constexpr std::string_view name = "cache_read";
  TensorId tensor;
  AxisId axis;
  Memory memory = Memory::Stack;
  Layout layout;
  static constexpr auto fields =
      std::tuple{&CacheRead::tensor, &CacheRead::axis, &CacheRead::memory, &CacheRead::layout};
  friend bool operator==(const CacheRead&, const CacheRead&) = default;
};

/// Splits one loop into nested loops, the last factor innermost. A factor that does not divide
/// gives a shorter last round.
///
///     for i in N            for i.0 in ceil(N/f)
///       body(i)       ->      for i.1 in min(f, N - i.0*f)
///                               body(i.0*f + i.1)
struct Split {
  static constexpr std::string_view name = "split";
  AxisId axis;
  std::vector<std::int64_t> factors;
  static constexpr auto fields = std::tuple{&Split::axis, &Split::factors};
  friend bool operator==(const Split&, const Split&) = default;
};

/// Makes one loop of two that are perfectly nested.
///
///     for i in N                for i_j in N*M
///       for j in M       ->       body(i_j / M, i_j % M)
///         body(i, j)
struct Fuse {
  static constexpr std::string_view name = "fuse";
  AxisId outer;
  AxisId inner;
  static constexpr auto fields = std::tuple{&Fuse::outer, &Fuse::inner};
  friend bool operator==(const Fuse&, const Fuse&) = default;
};

/// Puts perfectly nested loops in the order given; loops between them that are not named keep their
/// place.
///
///     for i                  for k
///       for j          ->      for j
///         for k                  for i
///           body                   body                 reorder k i
struct Reorder {
  static constexpr std::string_view name = "reorder";
  std::vector<AxisId> axes;
  static constexpr auto fields = std::tuple{&Reorder::axes};
  friend bool operator==(const Reorder&, const Reorder&) = default;
};

/// Moves the nest of a stage to the start of the body of a consumer's loop, where it computes just
/// the part that this body reads, into memory of the given kind.
///
///     for P.i in N                   for C.i.0
///       P[i] = ..                      alloc P[8]
///     for C.i.0              ->        for P.i in 8
///       for C.i.1 in 8                   P[i] = ..(C.i.0*8 + i)
///         C[..] = P[i.0*8 + i.1]       for C.i.1 in 8
///                                        C[..] = P[i.1]
///
/// Comes before any other step on the loops of the stage.
struct ComputeAt {
  static constexpr std::string_view name = "compute_at";
  TensorId stage;
  AxisId axis;
  Memory memory = Memory::Stack;
  static constexpr auto fields =
      std::tuple{&ComputeAt::stage, &ComputeAt::axis, &ComputeAt::memory};
  friend bool operator==(const ComputeAt&, const ComputeAt&) = default;
};

/// Reduces over some loops last: partial results along them go to `T.part`.
///
///     for i                          for i, for k.0, for k.1
///       for k.0                        T.part[i, k.1] += A[i, k]
///         for k.1 in 8       ->      for i
///           T[i] += A[i, k]            for k.1 in 8
///                                        T[i] += T.part[i, k.1]
struct Factor {
  static constexpr std::string_view name = "factor";
  TensorId tensor;
  std::vector<AxisId> axes;
  static constexpr auto fields = std::tuple{&Factor::tensor, &Factor::axes};
  friend bool operator==(const Factor&, const Factor&) = default;
};

/// Makes each iteration of a loop one lane of a vector; the lanes are the next power of two. A
/// reduce loop becomes a reduction across lanes.
///
///     for j in 8              x[0:8] = ..
///       x[j] = ..      ->
struct Vectorize {
  static constexpr std::string_view name = "vectorize";
  AxisId axis;
  static constexpr auto fields = std::tuple{&Vectorize::axis};
  friend bool operator==(const Vectorize&, const Vectorize&) = default;
};

/// Emits each iteration of a loop.
///
///     for i in 2             body(0)
///       body(i)        ->    body(1)
struct Unroll {
  static constexpr std::string_view name = "unroll";
  AxisId axis;
  static constexpr auto fields = std::tuple{&Unroll::axis};
  friend bool operator==(const Unroll&, const Unroll&) = default;
};

/// Splits a loop and moves the inner part, unrolled, inside everything it is perfectly nested
/// around.
///
///     for i in N              for i.0 in N/f
///       for k           ->      for k
///         body(i, k)              for i.1 in f unroll
///                                   body(i.0*f + i.1, k)
struct Jam {
  static constexpr std::string_view name = "jam";
  AxisId axis;
  std::int64_t factor = 1;
  static constexpr auto fields = std::tuple{&Jam::axis, &Jam::factor};
  friend bool operator==(const Jam&, const Jam&) = default;
};

/// Shares the iterations of a loop among threads.
struct Parallel {
  static constexpr std::string_view name = "parallel";
  AxisId axis;
  static constexpr auto fields = std::tuple{&Parallel::axis};
  friend bool operator==(const Parallel&, const Parallel&) = default;
};

/// Asks for what the body of loop `axis` reads of `tensor`, `distance` iterations ahead.
///
///     for k              for k
///       .. B[k, j]  ->     prefetch B[k + distance, 0]
///                          .. B[k, j]
struct PrefetchAhead {
  static constexpr std::string_view name = "prefetch";
  TensorId tensor;
  AxisId axis;
  std::int64_t distance = 1;
  static constexpr auto fields =
      std::tuple{&PrefetchAhead::tensor, &PrefetchAhead::axis, &PrefetchAhead::distance};
  friend bool operator==(const PrefetchAhead&, const PrefetchAhead&) = default;
};

/// Every step there is, in a fixed order: the index of an alternative is its token. GPU bindings
/// (group, local) join when a backend has them.
using Step =
    std::variant<ChooseAlgorithm, ChooseLayout, Inline, CacheWrite, CacheRead, Split, Fuse, Reorder,
                 ComputeAt, Factor, Vectorize, Unroll, Jam, Parallel, PrefetchAhead>;

/// Rewrites a scheduled program, or says why that is not legal. The program it gives computes the
/// same.
Result<Program> apply(const ChooseAlgorithm& step, const Program& program);
Result<Program> apply(const ChooseLayout& step, const Program& program);
Result<Program> apply(const Inline& step, const Program& program);
Result<Program> apply(const CacheWrite& step, const Program& program);
Result<Program> apply(const CacheRead& step, const Program& program);
Result<Program> apply(const Split& step, const Program& program);
Result<Program> apply(const Fuse& step, const Program& program);
Result<Program> apply(const Reorder& step, const Program& program);
Result<Program> apply(const ComputeAt& step, const Program& program);
Result<Program> apply(const Factor& step, const Program& program);
Result<Program> apply(const Vectorize& step, const Program& program);
Result<Program> apply(const Unroll& step, const Program& program);
Result<Program> apply(const Jam& step, const Program& program);
Result<Program> apply(const Parallel& step, const Program& program);
Result<Program> apply(const PrefetchAhead& step, const Program& program);

}  // namespace tessera
