#pragma once

#include "base/result.h"
#include "graph/graph.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::conformance {

/// A model with inputs and the outputs that they must give.
struct TestCase {
  std::string set;   // `node`
  std::string name;  // unique among all
  std::filesystem::path model;
};

struct DataSet {
  std::vector<Constant> inputs;
  std::vector<Constant> outputs;
};

/// Those of the sets `node`, `pytorch-converted`, `pytorch-operator` and `light` below `data`, as
/// far as they are there, by name.
std::vector<TestCase> find_cases(const std::filesystem::path& data);

/// What lies in folders beside the model. Light networks, which lie side by side, have outputs
/// only: their input is 0, 1/n, 2/n, ..
Result<std::vector<DataSet>> read_data_sets(const TestCase& test,
                                            const std::vector<GraphInput>& inputs);

}  // namespace tessera::conformance
