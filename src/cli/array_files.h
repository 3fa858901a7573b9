#pragma once

#include "base/result.h"
#include "npz/npz.h"
#include "runtime/execution_plan.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// The arrays in the files that the user names: `X.npz`, an archive of NumPy, or `PORT=X.pb`, a
/// serialised tensor of ONNX, called as the port.
Result<std::vector<NamedArray>> read_arrays(std::span<const std::string> given,
                                            std::span<const Port> ports);

/// `input_0.pb`, `input_1.pb`, .. or the outputs of an ONNX test set.
std::filesystem::path test_set_file(const std::filesystem::path& folder, const std::string& kind,
                                    std::size_t port);
/// The inputs in a test set, called as the ports are. Refuses one that has too few or too many.
Result<std::vector<NamedArray>> read_test_inputs(const std::filesystem::path& folder,
                                                 std::span<const Port> ports);
/// The outputs in a test set, called as the ports are, as far as there are any.
Result<std::vector<NamedArray>> read_test_outputs(const std::filesystem::path& folder,
                                                  std::span<const Port> ports);

/// Writes an archive when `path` ends with `.npz`, and else `output_N.pb` into a folder, which need
/// not be there.
Result<void> write_arrays(const std::string& path, const std::vector<NamedArray>& arrays);

}  // namespace tessera
