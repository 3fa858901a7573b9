#include "base/check.h"
#include "feature/statement_features.h"

namespace tessera {
namespace {

constexpr const char* operations_columns[] = {
    "float_mad",   "float_addsub", "float_mul",  "float_divmod", "float_compare", "float_math",
    "float_other", "int_mad",      "int_addsub", "int_mul",      "int_divmod",    "int_compare",
    "int_math",    "int_other",    "bool",       "select"};

constexpr const char* loops_columns[] = {"loops",         "extents",       "innermost",
                                         "none",          "inner_spatial", "middle_spatial",
                                         "outer_spatial", "inner_reduce",  "middle_reduce",
                                         "outer_reduce",  "mixed"};

constexpr const char* gpu_columns[] = {"is_gpu",   "block_x",  "block_y",  "block_z",
                                       "thread_x", "thread_y", "thread_z", "virtual_threads"};

constexpr const char* tensor_columns[] = {"is_read",
                                          "is_write",
                                          "is_read_write",
                                          "bytes",
                                          "unique_bytes",
                                          "lines",
                                          "unique_lines",
                                          "loop_reuse",
                                          "serial_reuse",
                                          "no_reuse",
                                          "reuse_distance_iterations",
                                          "reuse_distance_bytes",
                                          "reuse_count",
                                          "bytes_per_reuse",
                                          "unique_bytes_per_reuse",
                                          "lines_per_reuse",
                                          "unique_lines_per_reuse",
                                          "stride"};

constexpr const char* scope_columns[] = {
    "alloc_bytes", "alloc_product", "alloc_outer_iterations", "alloc_inner_iterations",
    "iterations",  "loops",         "unroll_pragma"};

constexpr const char* task_columns[] = {
    "max",   "min",     "add",          "conv2d", "conv2d_winograd", "depthwise_conv2d",
    "dense", "softmax", "batch_matmul", "unused"};

}  // namespace

std::vector<std::string> statement_columns() {
  std::vector<std::string> names;
  const auto add = [&](const std::string& prefix, const auto& list) {
    for (const char* name : list) names.push_back(prefix + name);
  };
  add("", operations_columns);
  for (const char* kind : {"vector.", "unroll.", "parallel."}) add(kind, loops_columns);
  add("", gpu_columns);
  for (int n = 0; n < 5; ++n) add("B" + std::to_string(n) + ".", tensor_columns);
  for (int n = 0; n < 10; ++n) names.push_back("intensity." + std::to_string(n));
  add("", scope_columns);
  add("task.", task_columns);
  check(names.size() == statement_width, "a name for each column");
  return names;
}

}  // namespace tessera
