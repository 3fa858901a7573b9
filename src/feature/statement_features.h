#pragma once

#include "feature/rows.h"
#include "schedule/schedule.h"

#include <string>
#include <vector>

namespace tessera {

/// Statements as the 164 features of Ansor (Zheng et al., OSDI 2020) in the order and with the
/// conventions of TenSet (Zheng et al., NeurIPS 2021), and the 10 features of its tasks. Columns,
/// each through slog(x) = sign(x) log2(|x| + 1) but those marked =:
///
///     0    16   operations of each kind in all iterations (feature/operation_counts.h)
///     16   11   vector loops: how many, product and innermost of their extents; = whether their
///               place is `none`, six others that TenSet never sets, or `mixed`
///     27   11   unrolled loops, likewise
///     38   11   parallel loops, likewise
///     49   8    = 0, and seven 1s: threads and blocks of a GPU
///     57   5*18 the tensors used, by ascending distance of reuse in bytes, unique bytes, unique
///               lines and kind; zeros where there are fewer, the last left out where more:
///               = read, write, read and write; bytes, unique bytes, lines, unique lines;
///               = reuse by a loop, serial, none; distance of reuse in iterations and bytes, count
///               of reuses; the four again, divided by the count (doubled without reuse); stride
///     147  10   = curve of arithmetic intensity (feature/intensity_curve.h)
///     157  4    allocation of the tensor stored to: bytes, elements times outer iterations,
///               iterations outside, iterations from there to the statement; zeros for outputs
///     161  3    iterations, loops, 0 (an unrolling pragma that there is not)
///     164  10   = the task (feature/task_features.h)
///
/// Where programs here differ from TVM's:
///   - A program is taken as its schedule leaves it, before lowering. Loops that run once do not
///     count, extents are the largest (6 of `min(6, 128 - i * 6)`), prefetches are no statements,
///     and the start of a reduction is no statement of its own.
///   - Nests of constants run when code is made and have no row.
///   - Strides and lines are those of the layout; a halo is part of the tensor, and a read that is
///     padded by it has no test. Lines have 64 bytes. Registers count as memory.
///   - A tensor that is allocated inside loops is the same memory each time, but holds nothing that
///     an iteration of theirs could reuse.
///   - The distance of a reuse is what one iteration of the loop that carries it does.
///   - Lines are reckoned with the extents of the very loops that do not move a tensor, and unique
///     ones with runs of the tensor itself; TenSet's code takes those of the innermost loop and of
///     whichever tensor came last.
inline constexpr std::size_t statement_width = 174;

/// Appends a program to `rows`, which have `statement_width` columns: a row for each store, in
/// order. The program is a scheduled one of the task.
void append_statements(const Task& task, const Program& program, Rows& rows);

/// The names of the columns: `float_addsub`, `vector.extents`, `B0.unique_bytes`, ..
std::vector<std::string> statement_columns();

}  // namespace tessera
