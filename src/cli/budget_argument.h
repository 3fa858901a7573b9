#pragma once

#include <string>

namespace CLI {
class App;
}

namespace tessera {

/// `--budget TIME`: `90s`, `5min`, `1h`; seconds without a unit.
void add_budget_argument(CLI::App& verb, double& seconds, const std::string& help);

}  // namespace tessera
