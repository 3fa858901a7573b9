#include "feature/tokens.h"

#include "feature/task_token.h"
#include "feature/token_columns.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace tessera {

/// Writes the token of one step; the ledger is as the steps before have left it.
class TokenEncoder::Writer {
 public:
  Writer(const TokenEncoder& encoder, const LoopLedger& ledger, std::span<float> token)
      : encoder_(encoder), ledger_(ledger), token_(token) {}

  void write(const Step& step) {
    token_[token_column::first_step + step.index()] = 1;
    std::visit([&](const auto& one) { write(one); }, step);
  }

 private:
  void write(const ChooseAlgorithm& step) {
    tensor(step.stage);
    number(0, static_cast<std::int64_t>(step.algorithm));
  }
  void write(const ChooseLayout& step) {
    tensor(step.tensor);
    layout(step.layout);
  }
  void write(const Inline& step) { tensor(step.stage); }
  void write(const CacheWrite& step) { tensor(step.tensor); }
  void write(const CacheRead& step) {
    tensor(step.tensor);
    loop(step.axis);
    memory(step.memory);
    layout(step.layout);
  }
  void write(const Split& step) {
    const LoopLedger::Loop& split = loop(step.axis);
    std::int64_t product = 1;
    for (std::size_t n = 0; n < step.factors.size(); ++n) {
      number(n, step.factors[n]);
      product *= step.factors[n];
    }
    rounds(split, product);
  }
  void write(const Jam& step) {
    number(0, step.factor);
    rounds(loop(step.axis), step.factor);
  }
  void write(const Fuse& step) {
    loop(step.outer);
    pair(0, ledger_.find(step.inner));
    pair(1, ledger_.find(step.outer));
  }
  void write(const Reorder& step) {
    for (std::size_t n = 0; n < std::min(step.axes.size(), token_column::pairs_count); ++n)
      pair(n, ledger_.find(step.axes[step.axes.size() - 1 - n]));
  }
  void write(const ComputeAt& step) {
    tensor(step.stage);
    loop(step.axis);
    memory(step.memory);
  }
  void write(const Factor& step) {
    tensor(step.tensor);
    for (std::size_t n = 0; n < std::min(step.axes.size(), token_column::pairs_count); ++n)
      pair(n, ledger_.find(step.axes[step.axes.size() - 1 - n]));
  }
  void write(const Vectorize& step) { loop(step.axis); }
  void write(const Unroll& step) { loop(step.axis); }
  void write(const Parallel& step) { rounds(loop(step.axis), encoder_.cores_); }
  void write(const PrefetchAhead& step) {
    tensor(step.tensor);
    loop(step.axis);
    number(0, step.distance);
  }

  void tensor(std::string_view name) {
    const TensorFacts& facts = encoder_.facts_of(name);
    token_[token_column::is_input] = facts.is_input ? 1 : 0;
    token_[token_column::is_constant] = facts.is_constant ? 1 : 0;
    token_[token_column::stage] = facts.stage;
    token_[token_column::elements] = facts.elements;
  }
  const LoopLedger::Loop& loop(std::string_view name) {
    const LoopLedger::Loop& loop = ledger_.find(name);
    token_[token_column::reduces] = loop.reduces ? 1 : 0;
    token_[token_column::axis] = loop.axis;
    token_[token_column::axis_extent] = log_size(loop.axis_extent);
    token_[token_column::extent] = log_size(loop.extent);
    token_[token_column::depth] = loop.depth;
    const LoopLedger::Reach reach = ledger_.reach(loop);
    token_[token_column::inside] = log_size(reach.spatial);
    token_[token_column::inside_reduced] = log_size(reach.reduced);
    token_[token_column::outside] = log_size(reach.outside);
    return loop;
  }
  void number(std::size_t n, std::int64_t value) {
    if (n < token_column::numbers_count) token_[token_column::numbers + n] = log_size(value);
  }
  void rounds(const LoopLedger::Loop& loop, std::int64_t factor) {
    const float extent = loop.extent, per_round = static_cast<float>(factor);
    if (extent == 0) return;
    const float count = std::ceil(extent / per_round);
    token_[token_column::rounds] = log_size(count);
    token_[token_column::waste] = count * per_round / extent - 1;
  }
  void memory(Memory memory) {
    token_[token_column::memory + static_cast<std::size_t>(memory)] = 1;
  }
  void pair(std::size_t n, const LoopLedger::Loop& loop) {
    token_[token_column::pairs + 2 * n] = log_size(loop.extent);
    token_[token_column::pairs + 2 * n + 1] = loop.reduces ? 1 : 0;
  }
  void layout(const Layout& layout) {
    const std::size_t count = std::min(layout.terms.size(), token_column::pairs_count);
    for (std::size_t n = 0; n < count; ++n) {
      const LayoutTerm& term = layout.terms[layout.terms.size() - 1 - n];
      token_[token_column::pairs + 2 * n] = log_size(term.modulo);
      token_[token_column::pairs + 2 * n + 1] = static_cast<float>(1 + term.dim);
    }
  }

  const TokenEncoder& encoder_;
  const LoopLedger& ledger_;
  std::span<float> token_;
};

TokenEncoder::TokenEncoder(const Task& task)
    : program_(to_program(task.computation)), cores_(task.target.cores), plain_(program_) {
  append_task_token(task.computation, head_);
  append_hardware_token(task.target, head_);
  const auto add = [&](const Tensor& tensor) -> TensorFacts& {
    TensorFacts& facts = tensors_[tensor.name];
    facts.elements = log_size(static_cast<float>(element_count(tensor.shape)));
    return facts;
  };
  for (const Operand& operand : task.computation.operands) {
    TensorFacts& facts = add(operand.tensor);
    facts.is_input = operand.role == Role::Input;
    facts.is_constant = operand.role == Role::Constant;
  }
  const auto& stages = task.computation.stages;
  for (std::size_t n = 0; n < stages.size(); ++n)
    add(stages[n].tensor).stage = static_cast<float>(stages.size() - n);
}

/// `x0.pack` and `Conv.part` are what they were made of.
const TokenEncoder::TensorFacts& TokenEncoder::facts_of(std::string_view tensor) const {
  static const TensorFacts unknown;
  while (true) {
    if (const auto found = tensors_.find(tensor); found != tensors_.end()) return found->second;
    const std::size_t dot = tensor.rfind('.');
    if (dot == std::string_view::npos) return unknown;
    tensor = tensor.substr(0, dot);
  }
}

const LoopLedger& TokenEncoder::after(const ChooseAlgorithm& step) const {
  const std::lock_guard lock(mutex_);
  auto known = after_algorithm_.find(step.algorithm);
  if (known == after_algorithm_.end()) {
    const Result<Program> changed = tessera::apply(step, program_);
    const LoopLedger ledger = changed ? LoopLedger(*changed) : plain_;
    known = after_algorithm_.emplace(step.algorithm, ledger).first;
  }
  return known->second;
}

Rows TokenEncoder::encode(std::span<const EstimatedSchedule> schedules) const {
  Rows rows{.width = token_width};
  std::size_t tokens = 0;
  for (const EstimatedSchedule& one : schedules) tokens += one.schedule->size() + 1;
  rows.values.reserve(tokens * token_width + schedules.size() * head_.size());
  LoopLedger ledger = plain_;
  for (const EstimatedSchedule& one : schedules) append(one, ledger, rows);
  return rows;
}

void TokenEncoder::append(const EstimatedSchedule& estimated, LoopLedger& ledger,
                          Rows& rows) const {
  ledger = plain_;
  const Schedule& schedule = *estimated.schedule;
  std::size_t at = rows.values.size() + head_.size();
  rows.values.resize(at + (schedule.size() + 1) * token_width);
  std::ranges::copy(head_, rows.values.begin() + static_cast<std::ptrdiff_t>(at - head_.size()));
  for (const Step& step : schedule) {
    Writer(*this, ledger, std::span(rows.values).subspan(at, token_width)).write(step);
    at += token_width;
    const auto* algorithm = std::get_if<ChooseAlgorithm>(&step);
    if (algorithm == nullptr || algorithm->algorithm == Algorithm::Direct) {
      ledger.take(step);
      continue;
    }
    ledger = after(*algorithm);
  }
  const std::span<float> last = std::span(rows.values).subspan(at, token_width);
  last[token_column::estimate] = 1;
  last[token_column::facts] = estimated.estimate.speed;
  std::ranges::copy(estimated.estimate.parts, last.begin() + token_column::facts + 1);
  rows.estimates.push_back(estimated.estimate.speed);
  rows.starts.push_back(rows.values.size() / token_width);
}

}  // namespace tessera
