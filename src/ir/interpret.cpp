#include "ir/interpret.h"

#include "base/check.h"
#include "ir/interpret_code.h"
#include "ir/text.h"
#include "ir/verify.h"

#include <cstring>
#include <limits>
#include <memory>
#include <new>

namespace tessera {
namespace {

using State = InterpretState;

/// What a fresh allocation holds: values that are unlikely to go unnoticed when read. In the
/// scheduled form halo and padding are zero from the start; in the lowered form the program writes
/// those zeros.
HostBuffer undefined_contents(const Placed& placed, Form form) {
  const auto& [tensor, memory, layout] = placed;
  const bool is_scheduled = form == Form::Scheduled;
  HostBuffer contents(tensor.dtype, is_scheduled ? element_count(tensor.shape)
                                                 : physical_size(layout, tensor.shape));
  const std::int64_t undefined = tensor.dtype == DType::I64 ? -(std::int64_t{1} << 62) : -(1 << 30);
  for (std::int64_t i = 0; i < contents.element_count(); ++i)
    if (is_float(tensor.dtype))
      contents.set(i, std::numeric_limits<double>::quiet_NaN());
    else
      contents.set_integer(i, undefined);
  return is_scheduled ? pack(contents, tensor.shape, layout) : std::move(contents);
}

template <typename T, typename Code>
StmtCode write(Place place, Code value) {
  return [place = std::move(place), value = std::move(value)](State& state) {
    const auto v = value(state);
    const std::int64_t at = place.locate(state);
    if (!state.error) static_cast<T*>(state.buffers[place.buffer])[at] = static_cast<T>(v);
  };
}

/// Turns the statements of a verified program into code. Owns the buffers of allocations and
/// tables.
class StmtResolver {
 public:
  StmtResolver(const Program& program, std::span<HostBuffer* const> buffers)
      : form_(program.form), resolver_(program.form) {
    for (std::size_t p = 0; p < buffers.size(); ++p)
      bind(program.params[p].placed.tensor, program.params[p].placed.layout, *buffers[p]);
    for (const Table& table : program.tables) {
      HostBuffer& contents = own(HostBuffer(table.tensor.dtype, element_count(table.tensor.shape)));
      for (std::size_t i = 0; i < table.values.size(); ++i)
        contents.set(static_cast<std::int64_t>(i), table.values[i]);
      bind(table.tensor, row_major(table.tensor.shape.size()), contents);
    }
  }

  StmtCode resolve(const Stmt& s) {
    return match(*s, [&](const auto& node) { return resolve(node); });
  }

  State state() const {
    return {.axes = std::vector<std::int64_t>(resolver_.axis_count()),
            .buffers = buffers_,
            .error = {}};
  }

 private:
  StmtCode resolve(const Loop& loop);
  StmtCode resolve(const Block& block);
  StmtCode resolve(const Store& store);
  StmtCode resolve(const Allocate& allocate);
  StmtCode resolve(const If& branch);
  StmtCode resolve(const Prefetch&) {
    return [](State&) {};
  }
  StmtCode assign(const Store& store, const Expr& value);

  void bind(const Tensor& tensor, const Layout& layout, HostBuffer& buffer) {
    resolver_.add_tensor(tensor, layout);
    buffers_.push_back(buffer.data());
  }
  HostBuffer& own(HostBuffer buffer) {
    return *owned_.emplace_back(std::make_unique<HostBuffer>(std::move(buffer)));
  }

  Form form_;
  ExprResolver resolver_;
  std::vector<void*> buffers_;
  std::vector<std::unique_ptr<HostBuffer>> owned_;
  std::vector<std::pair<TensorId, std::size_t>>
      reducing_;  // enclosing reduce loops: tensor, axis slot
};

StmtCode StmtResolver::resolve(const Loop& loop) {
  IntegerCode extent = resolver_.integer(loop.extent);
  const std::size_t slot = resolver_.add_axis(loop.axis);
  if (!loop.reduces.empty()) reducing_.emplace_back(loop.reduces, slot);
  StmtCode body = resolve(loop.body);
  if (!loop.reduces.empty()) reducing_.pop_back();

  if (loop.kind == LoopKind::Parallel)
    return [slot, extent = std::move(extent), body = std::move(body)](State& state) {
      for (std::int64_t i = extent(state) - 1; i >= 0 && !state.error; --i) {
        state.axes[slot] = i;
        body(state);
      }
    };
  const std::int64_t most =
      loop.kind == LoopKind::Vector ? loop.lanes : std::numeric_limits<std::int64_t>::max();
  return [slot, most, name = loop.axis, extent = std::move(extent),
          body = std::move(body)](State& state) {
    const std::int64_t count = extent(state);
    if (count > most)
      state.refuse("loop " + name + ": extent " + std::to_string(count) + " is above its " +
                   std::to_string(most) + " lanes");
    for (std::int64_t i = 0; i < count && !state.error; ++i) {
      state.axes[slot] = i;
      body(state);
    }
  };
}

StmtCode StmtResolver::resolve(const Block& block) {
  std::vector<StmtCode> stmts;
  for (const Stmt& s : block.stmts) stmts.push_back(resolve(s));
  return [stmts = std::move(stmts)](State& state) {
    for (const StmtCode& s : stmts) s(state);
  };
}

StmtCode StmtResolver::assign(const Store& store, const Expr& value) {
  Place place = resolver_.store_place(store.tensor, store.indices);
  switch (value.dtype()) {
    case DType::F32:
      return write<float>(std::move(place), resolver_.real(value));
    case DType::I32:
      return write<std::int32_t>(std::move(place), resolver_.integer(value));
    case DType::I64:
      return write<std::int64_t>(std::move(place), resolver_.integer(value));
    case DType::Bool:
      return write<std::uint8_t>(std::move(place), resolver_.integer(value));
  }
  fail("a listed dtype");
}

StmtCode StmtResolver::resolve(const Store& store) {
  if (!store.reducer) return assign(store, store.value);
  const DType dtype = resolver_.dtype(store.tensor);
  const Expr stored = load(store.tensor, dtype, store.indices);
  StmtCode later = assign(store, combine(*store.reducer, stored, store.value));
  if (form_ == Form::Lowered) return later;

  StmtCode first =
      assign(store, combine(*store.reducer, identity(*store.reducer, dtype), store.value));
  std::vector<std::size_t> slots;
  for (const auto& [tensor, slot] : reducing_)
    if (tensor == store.tensor) slots.push_back(slot);
  return
      [slots = std::move(slots), first = std::move(first), later = std::move(later)](State& state) {
        for (const std::size_t slot : slots)
          if (state.axes[slot] != 0) return later(state);
        first(state);
      };
}

StmtCode StmtResolver::resolve(const Allocate& allocate) {
  // One buffer serves every entry: statements run one at a time.
  const HostBuffer& undefined = own(undefined_contents(allocate.placed, form_));
  HostBuffer& buffer = own(undefined.copy());
  bind(allocate.placed.tensor, allocate.placed.layout, buffer);
  return [&undefined, &buffer, body = resolve(allocate.body)](State& state) {
    std::memcpy(buffer.data(), undefined.data(), static_cast<std::size_t>(buffer.size_bytes()));
    body(state);
  };
}

StmtCode StmtResolver::resolve(const If& branch) {
  StmtCode no = branch.no ? resolve(*branch.no) : [](State&) {};
  return [condition = resolver_.integer(branch.condition), yes = resolve(branch.yes),
          no = std::move(no)](State& state) { (condition(state) != 0 ? yes : no)(state); };
}

Result<void> check_buffers(const Program& program, std::span<HostBuffer* const> buffers) {
  if (buffers.size() != program.params.size())
    return Error{"program " + program.name + ": " + std::to_string(buffers.size()) +
                 " buffers, expected " + std::to_string(program.params.size())};
  const auto text = [](std::int64_t count, DType dtype) {
    return std::to_string(count) + " " + std::string(to_text(dtype));
  };
  for (std::size_t p = 0; p < buffers.size(); ++p) {
    const auto& [tensor, memory, layout] = program.params[p].placed;
    const std::int64_t count = physical_size(layout, tensor.shape);
    if (buffers[p]->element_count() != count || buffers[p]->dtype() != tensor.dtype)
      return Error{std::string(to_text(program.params[p].role)) + " " + tensor.name +
                   ": buffer of " + text(buffers[p]->element_count(), buffers[p]->dtype()) +
                   ", expected " + text(count, tensor.dtype)};
  }
  return {};
}

}  // namespace

Result<void> interpret(const Program& program, std::span<HostBuffer* const> buffers) try {
  if (Result<void> sound = verify(program); !sound) return sound;
  if (Result<void> fit = check_buffers(program, buffers); !fit) return fit;
  StmtResolver resolver(program, buffers);
  const StmtCode code = resolver.resolve(program.body);
  State state = resolver.state();
  code(state);
  if (state.error) return *state.error;
  return {};
} catch (const std::bad_alloc&) {
  return Error{"program " + program.name + ": its tensors do not fit into memory"};
}

Result<std::vector<HostBuffer>> evaluate(const Computation& computation,
                                         std::span<const HostBuffer> operands) try {
  if (Result<void> sound = verify(computation); !sound) return sound.error();
  std::vector<HostBuffer> owned;
  for (const HostBuffer& operand : operands) owned.push_back(operand.copy());
  for (const TensorId& name : computation.outputs) {
    const Tensor& output = *find_tensor(computation, name);
    owned.emplace_back(output.dtype, element_count(output.shape));
  }
  std::vector<HostBuffer*> buffers;
  for (HostBuffer& buffer : owned) buffers.push_back(&buffer);
  if (Result<void> run = interpret(to_program(computation), buffers); !run) return run.error();
  owned.erase(owned.begin(), owned.end() - static_cast<std::ptrdiff_t>(computation.outputs.size()));
  return owned;
} catch (const std::bad_alloc&) {
  return Error{"computation " + computation.name + ": its tensors do not fit into memory"};
}

}  // namespace tessera
