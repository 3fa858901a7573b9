#include "runtime/session.h"

#include "base/check.h"
#include "runtime/mapping.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

namespace tessera {
namespace {

using Where = BufferPlace::Where;

constexpr std::int64_t alignment = 64;  // of buffers, as kernels expect it

std::int64_t rounded_up(std::int64_t size) {
  return (size + alignment - 1) / alignment * alignment;
}

std::int64_t caller_bytes(const Port& port) {
  return element_count(port.shape) * size_bytes(port.element);
}

std::int64_t kernel_bytes(const Port& port) {
  return element_count(port.shape) * size_bytes(dtype_of(port.element));
}

bool is_used_in_place(const Port& port, const void* memory) {
  return is_stored_as_is(port.element) && reinterpret_cast<std::uintptr_t>(memory) % alignment == 0;
}

/// One side of a network: its ports, and for each a copy to go through where the caller's memory
/// cannot be used, and what the kernels of the present run use.
struct Side {
  std::span<const Port> ports;
  std::vector<void*> copies;
  std::vector<void*> used;
};

/// Where memory of a session is cut off next.
struct Cutter {
  std::byte* at;
  void* cut(std::int64_t size_bytes) { return std::exchange(at, at + rounded_up(size_bytes)); }
};

Side make_side(const std::vector<Port>& ports, Cutter& memory) {
  Side side{ports, {}, std::vector<void*>(ports.size())};
  for (const Port& port : ports) side.copies.push_back(memory.cut(kernel_bytes(port)));
  return side;
}

/// Of arena and copies of all ports, in this order.
std::int64_t memory_bytes(const Package& package) {
  const ExecutionPlan& plan = package.plan();
  std::int64_t sum = rounded_up(plan.arena_bytes);
  for (const auto* ports : {&plan.inputs, &plan.outputs})
    for (const Port& port : *ports) sum += rounded_up(kernel_bytes(port));
  return sum;
}

Result<std::shared_ptr<ThreadPool>> pool_for(const SessionOptions& options) {
  if (options.pool) return options.pool;
  constexpr std::int64_t most = 2047;
  if (options.threads < 0 || options.threads > most)
    return Error{"threads " + std::to_string(options.threads) + ", expected 0 to 2047"};
  return std::make_shared<ThreadPool>(options.threads);
}

Result<void> verify_pointers(std::span<const Port> ports, std::span<const void* const> pointers,
                             const std::string& kind) {
  if (pointers.size() != ports.size())
    return Error{std::to_string(pointers.size()) + " " + kind + "s, expected " +
                 std::to_string(ports.size())};
  for (std::size_t n = 0; n < ports.size(); ++n)
    if (pointers[n] == nullptr && element_count(ports[n].shape) > 0)
      return Error{kind + " '" + ports[n].name + "': null, expected its elements"};
  return {};
}

bool overlap(const Port& a, const void* a_begin, const Port& b, const void* b_begin) {
  const auto* const a_bytes = static_cast<const std::byte*>(a_begin);
  const auto* const b_bytes = static_cast<const std::byte*>(b_begin);
  const std::less<> before;
  return before(a_bytes, b_bytes + caller_bytes(b)) && before(b_bytes, a_bytes + caller_bytes(a));
}

}  // namespace

struct Session::State {
  /// A buffer of a call that lies in a port: it moves with the caller's memory.
  struct PortBuffer {
    std::size_t buffer;  // index into `buffers`
    BufferPlace place;
  };

  std::shared_ptr<const Package> package;
  std::shared_ptr<ThreadPool> pool;
  Mapping memory;
  Side inputs;
  Side outputs;
  std::byte* arena = nullptr;
  std::vector<void*> buffers;  // of all calls, one after the other
  std::vector<PortBuffer> port_buffers;
  std::mutex running;

  const ExecutionPlan& plan() const { return package->plan(); }

  void place_buffers() {
    // Kernels take all buffers as writable and leave weights alone.
    auto* const weights = const_cast<std::byte*>(package->weights().data());
    for (const KernelCall& call : plan().calls)
      for (const BufferPlace& place : call.buffers) {
        const bool is_port = place.where == Where::Input || place.where == Where::Output;
        if (is_port) port_buffers.push_back({buffers.size(), place});
        std::byte* const base = place.where == Where::Weights ? weights : arena;
        buffers.push_back(is_port ? nullptr : base + place.offset);
      }
  }

  Result<void> verify_overlaps(std::span<const void* const> in, std::span<void* const> out) const {
    for (std::size_t n = 0; n < out.size(); ++n) {
      const Port& port = outputs.ports[n];
      const auto refused = [&](const std::string& kind, const Port& other) {
        return Error{"output '" + port.name + "' overlaps " + kind + " '" + other.name + "'"};
      };
      for (std::size_t m = 0; m < in.size(); ++m)
        if (overlap(port, out[n], inputs.ports[m], in[m])) return refused("input", inputs.ports[m]);
      for (std::size_t m = 0; m < n; ++m)
        if (overlap(port, out[n], outputs.ports[m], out[m]))
          return refused("output", outputs.ports[m]);
    }
    return {};
  }

  void take_inputs(std::span<const void* const> in) {
    for (std::size_t n = 0; n < in.size(); ++n) {
      const Port& port = inputs.ports[n];
      const bool in_place = is_used_in_place(port, in[n]);
      inputs.used[n] = in_place ? const_cast<void*>(in[n]) : inputs.copies[n];
      if (!in_place) decode(port.element, element_count(port.shape), in[n], inputs.copies[n]);
    }
  }

  void choose_outputs(std::span<void* const> out) {
    for (std::size_t n = 0; n < out.size(); ++n)
      outputs.used[n] = is_used_in_place(outputs.ports[n], out[n]) ? out[n] : outputs.copies[n];
  }

  void give_outputs(std::span<void* const> out) {
    for (std::size_t n = 0; n < out.size(); ++n) {
      const Port& port = outputs.ports[n];
      if (outputs.used[n] != out[n])
        encode(port.element, element_count(port.shape), outputs.used[n], out[n]);
    }
  }

  void move_port_buffers() {
    for (const auto& [buffer, place] : port_buffers) {
      const Side& side = place.where == Where::Input ? inputs : outputs;
      void* const memory_of_port = side.used[static_cast<std::size_t>(place.port)];
      buffers[buffer] = static_cast<std::byte*>(memory_of_port) + place.offset;
    }
  }

  void make_calls(std::span<std::chrono::nanoseconds> times) {
    using Clock = std::chrono::steady_clock;
    TesseraCall arguments{.buffers = buffers.data(),
                          .workspace = nullptr,
                          .parallel = &ThreadPool::parallel,
                          .pool = pool.get()};
    Clock::time_point start = times.empty() ? Clock::time_point{} : Clock::now();
    for (std::size_t n = 0; n < plan().calls.size(); ++n) {
      const KernelCall& call = plan().calls[n];
      arguments.workspace = arena + call.workspace;
      package->kernels()[static_cast<std::size_t>(call.kernel)].entry(&arguments);
      arguments.buffers += call.buffers.size();
      if (times.empty()) continue;
      const Clock::time_point end = Clock::now();
      times[n] = end - std::exchange(start, end);
    }
  }
};

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

Result<Session> Session::make(std::shared_ptr<const Package> package,
                              const SessionOptions& options) {
  const ExecutionPlan& plan = package->plan();
  Result<std::shared_ptr<ThreadPool>> pool = pool_for(options);
  if (!pool) return pool.error();
  Result<Mapping> memory = Mapping::of_zeros(memory_bytes(*package));
  if (!memory) return Error{"session of '" + plan.name + "': " + memory.error().message};
  auto state = std::make_unique<State>();
  Cutter cutter{memory->bytes().data()};
  state->package = std::move(package);
  state->pool = *std::move(pool);
  state->memory = *std::move(memory);
  state->arena = static_cast<std::byte*>(cutter.cut(plan.arena_bytes));
  state->place_buffers();
  state->inputs = make_side(plan.inputs, cutter);
  state->outputs = make_side(plan.outputs, cutter);
  return Session(std::move(state));
}

Result<void> Session::run(std::span<const void* const> inputs, std::span<void* const> outputs,
                          std::span<std::chrono::nanoseconds> call_times) {
  State& state = *state_;
  const ExecutionPlan& plan = state.plan();
  if (Result<void> sound = verify_pointers(plan.inputs, inputs, "input"); !sound) return sound;
  if (Result<void> sound = verify_pointers(plan.outputs, outputs, "output"); !sound) return sound;
  if (Result<void> sound = state.verify_overlaps(inputs, outputs); !sound) return sound;
  check(call_times.empty() || call_times.size() == plan.calls.size(), "a time per call");
  const std::lock_guard lock(state.running);
  state.take_inputs(inputs);
  state.choose_outputs(outputs);
  state.move_port_buffers();
  state.make_calls(call_times);
  state.give_outputs(outputs);
  return {};
}

const Package& Session::package() const { return *state_->package; }
std::int64_t Session::threads() const { return state_->pool->threads(); }

}  // namespace tessera
