#pragma once

#include "base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>

namespace CLI {
class App;
}

namespace tessera {

/// Codes with which the program ends.
struct ExitCode {
  static constexpr int success = 0;
  static constexpr int refused = 2;  // what was asked for, with the reason on stderr
  static constexpr int internal_error = 70;
};

/// Adds a verb to the program: its options, its help and what it does. `main` lists them all.
void add_demo(CLI::App& program);
void add_inspect(CLI::App& program);
void add_tune(CLI::App& program);
void add_compile(CLI::App& program);
void add_run(CLI::App& program);
void add_bench(CLI::App& program);
void add_profile(CLI::App& program);
void add_report(CLI::App& program);
void add_show(CLI::App& program);
void add_zoo(CLI::App& program);
void add_db(CLI::App& program);
void add_collect(CLI::App& program);
void add_train(CLI::App& program);
void add_adapt(CLI::App& program);
void add_eval(CLI::App& program);
void add_devices(CLI::App& program);
void add_doctor(CLI::App& program);

/// Makes `act` what happens when `verb` is chosen; it gives the exit code.
void on_run(CLI::App& verb, std::function<int()> act);

/// Prints `tessera: MESSAGE` on stderr, on one line, and gives the exit code for it.
int refuse(const Error& error);

/// Prints a document on stdout. Its texts may be names and paths, which need not be UTF-8.
void print_json(const nlohmann::ordered_json& document);

}  // namespace tessera
