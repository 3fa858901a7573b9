#include "conformance/test_case.h"

#include "onnx/tensor_file.h"

#include <algorithm>

namespace tessera::conformance {
namespace {

namespace fs = std::filesystem;

/// `PREFIX_0.pb`, `PREFIX_1.pb`, as far as there are.
Result<std::vector<Constant>> read_tensors(const fs::path& prefix) {
  std::vector<Constant> tensors;
  for (int n = 0;; ++n) {
    const fs::path file = prefix.string() + "_" + std::to_string(n) + ".pb";
    if (!fs::exists(file)) return tensors;
    Result<Constant> tensor = read_tensor_file(file);
    if (!tensor) return tensor.error();
    tensors.push_back(*std::move(tensor));
  }
}

Constant rising(const ValueType& type) {
  const std::int64_t count = element_count(type.shape);
  auto data = std::make_shared<HostBuffer>(dtype_of(type.element), count);
  for (std::int64_t n = 0; n < count; ++n)
    data->set(n, static_cast<double>(n) / static_cast<double>(count));
  return {type, std::move(data)};
}

Result<std::vector<DataSet>> read_light(const fs::path& model,
                                        const std::vector<GraphInput>& inputs) {
  fs::path prefix = model;
  Result<std::vector<Constant>> outputs =
      read_tensors(prefix.replace_extension().string() + "_output");
  if (!outputs) return outputs.error();
  DataSet set;
  for (const GraphInput& input : inputs) set.inputs.push_back(rising(input.type));
  set.outputs = *std::move(outputs);
  return std::vector{std::move(set)};
}

}  // namespace

std::vector<TestCase> find_cases(const fs::path& data) {
  std::vector<TestCase> found;
  for (const char* set : {"node", "pytorch-converted", "pytorch-operator", "light"}) {
    if (!fs::is_directory(data / set)) continue;
    for (const auto& entry : fs::directory_iterator(data / set)) {
      const fs::path& path = entry.path();
      if (path.extension() == ".onnx") found.push_back({set, path.stem().string(), path});
      if (fs::exists(path / "model.onnx"))
        found.push_back({set, path.filename().string(), path / "model.onnx"});
    }
  }
  std::ranges::sort(found, {}, &TestCase::name);
  return found;
}

Result<std::vector<DataSet>> read_data_sets(const TestCase& test,
                                            const std::vector<GraphInput>& inputs) {
  if (test.model.filename() != "model.onnx") return read_light(test.model, inputs);
  std::vector<DataSet> sets;
  for (int n = 0;; ++n) {
    const fs::path folder = test.model.parent_path() / ("test_data_set_" + std::to_string(n));
    if (!fs::is_directory(folder)) return sets;
    Result<std::vector<Constant>> given = read_tensors(folder / "input");
    if (!given) return given.error();
    Result<std::vector<Constant>> expected = read_tensors(folder / "output");
    if (!expected) return expected.error();
    sets.push_back({*std::move(given), *std::move(expected)});
  }
}

}  // namespace tessera::conformance
