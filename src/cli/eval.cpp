#include "cli/eval.h"

#include "cli/verbs.h"

#include <CLI/CLI.hpp>

namespace tessera {

void add_eval(CLI::App& program) {
  CLI::App& eval = *program.add_subcommand("eval", "Judge what was learned");
  eval.require_subcommand(1);
  add_eval_model(eval);
  add_eval_search(eval);
  add_eval_sampler(eval);
  add_eval_transfer(eval);
}

}  // namespace tessera
