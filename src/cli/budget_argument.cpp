#include "cli/budget_argument.h"

#include <CLI/CLI.hpp>

#include <map>

namespace tessera {

void add_budget_argument(CLI::App& verb, double& seconds, const std::string& help) {
  const std::map<std::string, double> units{
      {"s", 1}, {"sec", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};
  verb.add_option("--budget", seconds, help)
      ->transform(CLI::AsNumberWithUnit(units))
      ->type_name("TIME");
}

}  // namespace tessera
