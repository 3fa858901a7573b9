#include "cli/verbs.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace tessera {

void on_run(CLI::App& verb, std::function<int()> act) {
  // The one way in which CLI11 passes a code through a callback.
  verb.callback([act = std::move(act)] {
    if (const int code = act(); code != ExitCode::success) throw CLI::RuntimeError(code);
  });
}

int refuse(const Error& error) {
  std::string message = error.message;
  std::ranges::replace(message, '\n', ' ');
  std::fflush(stdout);  // what was said before stands before it
  std::fprintf(stderr, "tessera: %s\n", message.c_str());
  return ExitCode::refused;
}

void print_json(const nlohmann::ordered_json& document) {
  constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
  fmt::print("{}\n", document.dump(2, ' ', false, replace));
}

}  // namespace tessera
