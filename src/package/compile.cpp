#include "package/compile.h"

#include "base/check.h"
#include "base/cores.h"
#include "base/parallel_for.h"
#include "extract/tasks.h"
#include "ir/overwrite.h"
#include "lower/lower.h"
#include "package/plan_memory.h"
#include "schedule/space.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

namespace tessera {
namespace {

/// One distinct task, made into code.
struct Made {
  Lowered lowered;
  ObjectCode object;
};

class NetworkCompiler {
 public:
  NetworkCompiler(const Network& network, const Target& target, const Backend& backend,
                  const CompileOptions& options)
      : network_(network), target_(target), backend_(backend), options_(options) {}

  Result<CompiledNetwork> run() {
    name_ports();
    find_tasks();
    if (const auto done = make_kernels(); !done) return done.error();
    place_values();
    for (std::size_t n = 0; n < network_.calls.size(); ++n)
      if (const auto done = add_call(n); !done) return done.error();
    out_.plan.weights_bytes = weights_end_;
    return std::move(out_);
  }

 private:
  void name_ports() {
    out_.plan.name = network_.name;
    for (const GraphInput& input : network_.inputs)
      out_.plan.inputs.push_back({input.name, input.type.element, input.type.shape});
    for (const NetworkOutput& output : network_.outputs) {
      const ValueType& type = network_.types.at(output.value);
      out_.plan.outputs.push_back({output.name, type.element, type.shape});
    }
  }

  /// Calls with the same fingerprint share a kernel.
  void find_tasks() {
    task_of_call_.resize(network_.calls.size());
    for (NetworkTask& one : tasks_of(network_, target_)) {
      for (const std::size_t call : one.calls) task_of_call_[call] = tasks_.size();
      tasks_.push_back(std::move(one.task));
    }
  }

  /// Schedules are asked for in order; code is made on all cores.
  Result<void> make_kernels() {
    const std::size_t count = tasks_.size();
    for (std::size_t n = 0; n < count; ++n) {
      Task& task = tasks_[n];
      task.computation.name = "kernel_" + std::to_string(n);
      out_.schedules.push_back(options_.schedule_of ? options_.schedule_of(task)
                                                    : default_schedule(task));
      out_.plan.kernels.push_back({task.computation.name, to_text(out_.schedules.back())});
    }
    std::vector<std::optional<Result<Made>>> made(count);
    std::mutex mutex;
    std::size_t done = 0;
    parallel_for(count, static_cast<std::size_t>(usable_cores()), [&](std::size_t n) {
      made[n] = make_kernel(n);
      const std::scoped_lock lock(mutex);
      if (options_.progress) options_.progress(++done, count);
    });
    for (std::optional<Result<Made>>& outcome : made) {
      if (!*outcome) return outcome->error();
      out_.objects.push_back(std::move((*outcome)->object.bytes));
      workspace_bytes_.push_back((*outcome)->object.workspace_bytes);
      lowered_.push_back(std::move((*outcome)->lowered));
    }
    out_.tasks = tasks_;
    return {};
  }

  Result<Made> make_kernel(std::size_t n) const {
    const Result<Program> program =
        tessera::apply(out_.schedules[n], to_program(tasks_[n].computation));
    if (!program) return program.error();
    Result<Lowered> lowered = lower(*program, target_);
    if (!lowered) return lowered.error();
    Result<ObjectCode> object = backend_.object(lowered->main, target_);
    if (!object) return object.error();
    return Made{*std::move(lowered), *std::move(object)};
  }

  /// Decides where values live.
  void place_values() {
    std::vector<CallMemory> calls;
    for (const std::size_t task : task_of_call_)
      calls.push_back({workspace_bytes_[task], overwritable_inputs(lowered_[task].main)});
    memory_ = plan_memory(network_, calls);
    out_.plan.arena_bytes = memory_.arena_bytes;
  }

  /// Parameters that are inputs of the call stand in their order, with derived constants behind.
  static std::vector<std::size_t> overwritable_inputs(const Program& kernel) {
    std::vector<std::size_t> inputs;
    for (std::size_t n = 0; n < kernel.params.size(); ++n)
      if (may_overwrite(kernel, kernel.params[n], kernel.params.back())) inputs.push_back(n);
    return inputs;
  }

  Result<void> add_call(std::size_t n) {
    const Call& call = network_.calls[n];
    const Lowered& lowered = lowered_[task_of_call_[n]];
    std::map<TensorId, ValueId> value_of;
    const Task& task = tasks_[task_of_call_[n]];
    for (std::size_t m = 0; m < call.inputs.size(); ++m)
      value_of[task.computation.operands[m].tensor.name] = call.inputs[m];
    for (std::size_t m = 0; m < call.outputs.size(); ++m)
      value_of[task.computation.outputs[m]] = call.outputs[m];
    Result<std::map<TensorId, BufferPlace>> derived = derived_constants(call, lowered, value_of);
    if (!derived) return derived.error();
    KernelCall planned{.kernel = static_cast<std::int64_t>(task_of_call_[n]),
                       .buffers = {},
                       .workspace = memory_.workspaces[n],
                       .title = call.title,
                       .flops = flops(call.computation),
                       .traffic_bytes = traffic_bytes(call.computation)};
    for (const Param& param : lowered.main.params) {
      const TensorId& name = param.placed.tensor.name;
      if (const auto found = derived->find(name); found != derived->end())
        planned.buffers.push_back(found->second);
      else if (param.role == Role::Constant)
        planned.buffers.push_back(constant_place(value_of.at(name), param.placed));
      else
        planned.buffers.push_back(place_of(value_of.at(name)));
    }
    out_.plan.calls.push_back(std::move(planned));
    return {};
  }

  /// A constant is a constant operand wherever it is read, unless through a view.
  BufferPlace place_of(const ValueId& value) {
    const auto [holder, bytes] = network_.holder_of(value);
    if (const auto found = memory_.places.find(holder); found != memory_.places.end()) {
      BufferPlace place = found->second;
      place.offset += bytes;
      return place;
    }
    check(network_.constants.contains(holder), "a value that something makes");
    const Constant& constant = network_.constants.at(holder);
    return weights_place(holder, row_major(constant.type.shape.size()),
                         [&] { return constant.data->copy(); });
  }

  BufferPlace constant_place(const ValueId& value, const tessera::Placed& placed) {
    return weights_place(value, placed.layout, [&] {
      return pack(*network_.constants.at(value).data, placed.tensor.shape, placed.layout);
    });
  }

  template <typename Make>
  BufferPlace weights_place(const std::string& subject, const Layout& layout, const Make& make) {
    const auto [found, is_new] = weights_.emplace(subject + " " + to_text(layout), weights_end_);
    if (is_new) add_weights(make());
    return {.where = BufferPlace::Where::Weights, .port = 0, .offset = found->second};
  }

  void add_weights(HostBuffer data) {
    constexpr std::int64_t alignment = 64;
    const std::int64_t begin = weights_end_;
    weights_end_ = (begin + data.size_bytes() + 2 * alignment - 1) / alignment * alignment;
    out_.weights.push_back({begin, std::move(data)});
  }

  /// Runs the part of a kernel that depends on constants only, for the constants of this call.
  Result<std::map<TensorId, BufferPlace>> derived_constants(
      const Call& call, const Lowered& lowered, const std::map<TensorId, ValueId>& value_of) {
    std::map<TensorId, BufferPlace> places;
    if (!lowered.prepare) return places;
    const Program& prepare = *lowered.prepare;
    std::string subject = lowered.main.name;
    for (const Param& param : prepare.params)
      if (param.role != Role::Output) subject += " " + value_of.at(param.placed.tensor.name);
    std::vector<HostBuffer> buffers;
    std::vector<void*> pointers;
    for (const Param& param : prepare.params) {
      const tessera::Placed& placed = param.placed;
      if (param.role == Role::Output)
        buffers.emplace_back(placed.tensor.dtype,
                             physical_size(placed.layout, placed.tensor.shape));
      else
        buffers.push_back(pack(*network_.constants.at(value_of.at(placed.tensor.name)).data,
                               placed.tensor.shape, placed.layout));
      pointers.push_back(buffers.back().data());
    }
    const Result<std::unique_ptr<Kernel>> kernel = backend_.compile(prepare, detect_host());
    if (!kernel) return Error{call.title + ": " + kernel.error().message};
    ThreadPool alone(1);
    (*kernel)->run(pointers, alone);
    for (std::size_t n = 0; n < prepare.params.size(); ++n) {
      const tessera::Placed& placed = prepare.params[n].placed;
      if (prepare.params[n].role == Role::Output)
        places[placed.tensor.name] =
            weights_place(subject + " " + placed.tensor.name, placed.layout,
                          [&] { return std::move(buffers[n]); });
    }
    return places;
  }

  const Network& network_;
  const Target& target_;
  const Backend& backend_;
  const CompileOptions& options_;
  CompiledNetwork out_;
  std::vector<Task> tasks_;
  std::vector<std::size_t> task_of_call_;
  std::vector<Lowered> lowered_;               // of each task
  std::vector<std::int64_t> workspace_bytes_;  // likewise
  MemoryPlan memory_;
  std::map<std::string, std::int64_t> weights_;  // constants by name and layout
  std::int64_t weights_end_ = 0;
};

}  // namespace

std::function<Schedule(const Task&)> one_by_one(std::vector<Schedule> schedules) {
  return [schedules = std::move(schedules), next = std::size_t{0}](const Task&) mutable {
    check(next < schedules.size(), "a schedule for each task");
    return schedules[next++];
  };
}

Result<CompiledNetwork> compile_network(const Network& network, const Target& target,
                                        const Backend& backend, const CompileOptions& options) {
  return NetworkCompiler(network, target, backend, options).run();
}

}  // namespace tessera
