#include "conformance/test_case.h"

#include "onnx/tensor_file.h"

#include <algorithm>
#include <string_view>

namespace tessera::conformance {
namespace {

namespace fs = std::filesystem;

/// `input_0.pb`, `input_1.pb`, as far as there are.
Result<std::vector<Constant>> read_tensors(const fs::path& folder, const std::string& what) {
  std::vector<Constant> tensors;
  for (int n = 0;; ++n) {
    const fs::path file = folder / (what + "_" + std::to_string(n) + ".pb");
    if (!fs::exists(file)) return tensors;
    Result<Constant> tensor = read_tensor_file(file);
    if (!tensor)
      return Error{file.filename().string() + tensor.error().message.substr(file.string().size())};
    tensors.push_back(*std::move(tensor));
  }
}

}  // namespace

std::vector<TestCase> find_cases(const fs::path& data) {
  std::vector<TestCase> found;
  for (const char* set : {"node", "pytorch-converted", "pytorch-operator"}) {
    if (!fs::is_directory(data / set)) continue;
    for (const auto& entry : fs::directory_iterator(data / set))
      if (fs::exists(entry.path() / "model.onnx"))
        found.push_back({entry.path().filename().string(), entry.path()});
  }
  std::ranges::sort(found, {}, &TestCase::name);
  return found;
}

Result<std::vector<DataSet>> read_data_sets(const TestCase& test) {
  std::vector<DataSet> sets;
  for (int n = 0;; ++n) {
    const fs::path folder = test.folder / ("test_data_set_" + std::to_string(n));
    if (!fs::is_directory(folder)) return sets;
    Result<std::vector<Constant>> inputs = read_tensors(folder, "input");
    if (!inputs) return inputs.error();
    Result<std::vector<Constant>> outputs = read_tensors(folder, "output");
    if (!outputs) return outputs.error();
    sets.push_back({*std::move(inputs), *std::move(outputs)});
  }
}

}  // namespace tessera::conformance
