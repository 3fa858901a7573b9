#pragma once

namespace CLI {
class App;
}

namespace tessera {

/// The verbs below `eval`.
void add_eval_model(CLI::App& eval);
void add_eval_search(CLI::App& eval);
void add_eval_sampler(CLI::App& eval);
void add_eval_transfer(CLI::App& eval);

}  // namespace tessera
