#pragma once

#include "base/result.h"
#include "ir/computation.h"

#include <string>
#include <string_view>

namespace tessera {

/// The computation of a family of tasks for the given sizes, as in
///
///     matmul:m=128,n=768,k=768,epilogue=bias+relu
///     conv2d:n=1,c=64,h=56,w=56,o=64,k=3,s=1,p=1
///     softmax:rows=1536,cols=128
///
/// Weights are constant operands. `task_spec_help` lists families and keys.
Result<Computation> parse_task_spec(std::string_view spec);

/// One line per family, with a value for each key that has a default:
/// `gather:rows=,cols=,count=,axis=0`.
std::string task_spec_help();

}  // namespace tessera
