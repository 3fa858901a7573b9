#pragma once

#include "base/result.h"
#include "graph/graph.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::conformance {

/// A model with data sets, each of inputs and the outputs that they must give.
struct TestCase {
  std::string name;  // unique among all: the name of its folder
  std::filesystem::path folder;
};

struct DataSet {
  std::vector<Constant> inputs;
  std::vector<Constant> outputs;
};

/// Those of the sets `node`, `pytorch-converted` and `pytorch-operator` below `data`, by name.
std::vector<TestCase> find_cases(const std::filesystem::path& data);

Result<std::vector<DataSet>> read_data_sets(const TestCase& test);

}  // namespace tessera::conformance
