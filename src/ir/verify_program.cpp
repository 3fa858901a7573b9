#include "ir/rewrite.h"
#include "ir/scope.h"
#include "ir/text.h"
#include "ir/verify.h"

#include <string>
#include <unordered_set>

namespace tessera {
namespace {

std::string word(DType dtype) { return std::string(to_text(dtype)); }

/// Verifies statements from the outside in, keeping what is in scope.
class ProgramVerifier {
 public:
  explicit ProgramVerifier(Form form) : is_scheduled_(form == Form::Scheduled) {}

  /// Keeps a view of the tensor's name.
  Result<void> add(const Tensor& tensor, Memory memory, const Layout& layout, bool is_writable);
  Result<void> verify(const Stmt& s) {
    return match(*s, [&](const auto& node) { return verify(node); });
  }

 private:
  Result<void> verify_body(const Stmt& s);
  Result<void> verify(const Loop& loop);
  Result<void> verify(const Block& block);
  Result<void> verify(const Store& store);
  Result<void> verify(const Allocate& allocate);
  Result<void> verify(const If& branch);
  Result<void> verify(const Prefetch& prefetch);
  Result<void> verify_extent(const Loop& loop) const;
  Result<void> verify_kind(const Loop& loop) const;
  Result<void> verify_reduction(const Loop& loop) const;
  const Loop* enclosing(LoopKind kind) const;
  bool is_reducing(const TensorId& tensor) const;

  bool is_scheduled_;
  Scope scope_;
  std::vector<const Loop*> loops_;  // enclosing, outermost first
  // In the scheduled form steps find loops and tensors by name, so a name serves once.
  std::unordered_set<std::string_view> spent_axes_, spent_tensors_;
  int depth_ = 0;
};

Result<void> ProgramVerifier::add(const Tensor& tensor, Memory memory, const Layout& layout,
                                  bool is_writable) {
  if (Result<void> sound = tessera::verify(layout, tensor.shape); !sound) return sound;
  Scope::TensorInfo info{.dtype = tensor.dtype,
                         .memory = memory,
                         .is_writable = is_writable,
                         .extents = {physical_size(layout, tensor.shape)},
                         .halo = {}};
  if (is_scheduled_) {
    info.extents = tensor.shape;
    info.halo = layout.halo;
  }
  return scope_.add_tensor(tensor.name, std::move(info));
}

Result<void> ProgramVerifier::verify_body(const Stmt& s) {
  if (depth_ == max_depth) return Error{"statements nest deeper than " + std::to_string(max_depth)};
  ++depth_;
  Result<void> verdict = verify(s);
  --depth_;
  return verdict;
}

const Loop* ProgramVerifier::enclosing(LoopKind kind) const {
  for (const Loop* loop : loops_)
    if (loop->kind == kind) return loop;
  return nullptr;
}

bool ProgramVerifier::is_reducing(const TensorId& tensor) const {
  for (const Loop* loop : loops_)
    if (loop->reduces == tensor) return true;
  return false;
}

Result<void> ProgramVerifier::verify_extent(const Loop& loop) const {
  const Result<DType> dtype = scope_.verify(loop.extent);
  if (!dtype) return Error{"extent: " + dtype.error().message};
  if (*dtype != DType::I64) return Error{"extent is " + word(*dtype) + ", expected i64"};
  if (const std::vector<Load> loads = loads_in(loop.extent); !loads.empty())
    return Error{"extent reads " + loads.front().tensor + ", expected axes and constants"};
  const auto* constant = as<Integer>(loop.extent);
  if (constant != nullptr && constant->value < 1)
    return Error{"extent " + std::to_string(constant->value) + " is below 1"};
  if (loop.kind != LoopKind::Vector) {
    if (loop.lanes == 0) return {};
    return Error{std::to_string(loop.lanes) + " lanes of a loop that is not vector"};
  }
  if (loop.lanes < 1) return Error{std::to_string(loop.lanes) + " lanes, expected at least 1"};
  if (constant != nullptr && constant->value > loop.lanes)
    return Error{"extent " + std::to_string(constant->value) + " is above its " +
                 std::to_string(loop.lanes) + " lanes"};
  return {};
}

Result<void> ProgramVerifier::verify_kind(const Loop& loop) const {
  const auto refusal = [&](const Loop& outer) {
    return Error{std::string(to_text(loop.kind)) + " inside " + std::string(to_text(outer.kind)) +
                 " loop " + outer.axis};
  };
  if (loop.kind == LoopKind::Vector)
    if (const Loop* outer = enclosing(LoopKind::Vector)) return refusal(*outer);
  if (loop.kind == LoopKind::Parallel)
    for (const LoopKind kind : {LoopKind::Parallel, LoopKind::Unroll, LoopKind::Vector})
      if (const Loop* outer = enclosing(kind)) return refusal(*outer);
  return {};
}

Result<void> ProgramVerifier::verify_reduction(const Loop& loop) const {
  if (loop.reduces.empty()) return {};
  const std::string subject = "reduces " + loop.reduces;
  if (!is_scheduled_) return Error{subject + " in a lowered program"};
  if (scope_.find_tensor(loop.reduces) == nullptr) return Error{subject + " before it is defined"};
  if (loop.kind == LoopKind::Parallel) return Error{subject + " in parallel"};
  return {};
}

Result<void> ProgramVerifier::verify(const Loop& loop) {
  const auto refusal = [&](const Result<void>& verdict) {
    return Error{"loop " + loop.axis + ": " + verdict.error().message};
  };
  if (Result<void> sound = verify_extent(loop); !sound) return refusal(sound);
  if (Result<void> sound = verify_kind(loop); !sound) return refusal(sound);
  if (Result<void> sound = verify_reduction(loop); !sound) return refusal(sound);
  // While a program is being scheduled, a loop may still become unrolled.
  const bool picks_register =
      is_scheduled_ || loop.kind == LoopKind::Unroll || loop.kind == LoopKind::Vector;
  if (Result<void> added = scope_.add_axis(loop.axis, picks_register); !added)
    return refusal(added);
  if (is_scheduled_ && !spent_axes_.insert(loop.axis).second)
    return refusal(Error{"axis " + loop.axis + " is defined twice"});
  loops_.push_back(&loop);
  Result<void> body = verify_body(loop.body);
  loops_.pop_back();
  scope_.remove_axis(loop.axis);
  return body;
}

Result<void> ProgramVerifier::verify(const Block& block) {
  if (block.stmts.size() == 1) return Error{"block of one statement, expected the statement"};
  for (const Stmt& s : block.stmts) {
    if (as<Block>(s) != nullptr) return Error{"block inside a block, expected one"};
    if (Result<void> sound = verify(s); !sound) return sound;
  }
  return {};
}

Result<void> ProgramVerifier::verify(const Store& store) {
  const auto refusal = [&](const std::string& what) {
    return Error{"store to " + store.tensor + ": " + what};
  };
  const Result<DType> to = scope_.verify_store(store.tensor, store.indices);
  if (!to) return refusal(to.error().message);
  const Result<DType> value = scope_.verify(store.value);
  if (!value) return refusal(value.error().message);
  if (*value != *to) return refusal("value is " + word(*value) + ", expected " + word(*to));
  if (store.reducer && *to == DType::Bool)
    return refusal(std::string(to_text(*store.reducer)) + " of bool, expected numbers");
  if (!store.reducer && is_reducing(store.tensor))
    return refusal("no reducer inside a loop that reduces it");
  return {};
}

Result<void> ProgramVerifier::verify(const Allocate& allocate) {
  const auto& [tensor, memory, layout] = allocate.placed;
  const std::string& name = tensor.name;
  const auto refusal = [&](const Result<void>& verdict) {
    return Error{"alloc " + name + ": " + verdict.error().message};
  };
  if (memory == Memory::Constant && !is_scheduled_)
    return refusal(Error{"memory constant, expected global, stack or register"});
  if (Result<void> added = add(tensor, memory, layout, true); !added) return refusal(added);
  if (is_scheduled_ && !spent_tensors_.insert(name).second)
    return refusal(Error{"tensor " + name + " is defined twice"});
  Result<void> body = verify_body(allocate.body);
  scope_.remove_tensor(name);
  return body;
}

Result<void> ProgramVerifier::verify(const If& branch) {
  const Result<DType> condition = scope_.verify(branch.condition);
  if (!condition) return Error{"if: " + condition.error().message};
  if (*condition != DType::Bool)
    return Error{"if: condition is " + word(*condition) + ", expected bool"};
  if (Result<void> yes = verify_body(branch.yes); !yes) return yes;
  return branch.no ? verify_body(*branch.no) : Result<void>();
}

Result<void> ProgramVerifier::verify(const Prefetch& prefetch) {
  const Result<DType> sound = scope_.verify_prefetch(prefetch.tensor, prefetch.indices);
  if (!sound) return Error{"prefetch: " + sound.error().message};
  return {};
}

/// Roles, their memories and their order; what the parameters hold is the verifier's.
Result<void> verify_roles(const Program& program) {
  bool has_output = false;
  for (const auto& [role, placed] : program.params) {
    const std::string subject = std::string(to_text(role)) + " " + placed.tensor.name + ": ";
    const Memory memory = role == Role::Constant ? Memory::Constant : Memory::Global;
    if (placed.memory != memory)
      return Error{subject + "memory " + std::string(to_text(placed.memory)) + ", expected " +
                   std::string(to_text(memory))};
    if (has_output && role != Role::Output) return Error{subject + "after an output"};
    has_output = role == Role::Output;
  }
  return {};
}

}  // namespace

Result<void> verify(const Program& program) {
  if (Result<void> sound = verify_name(program.name); !sound)
    return Error{"program: " + sound.error().message};
  if (Result<void> sound = verify_roles(program); !sound) return sound;
  ProgramVerifier verifier(program.form);
  for (const auto& [role, placed] : program.params) {
    const auto& [tensor, memory, layout] = placed;
    if (Result<void> added = verifier.add(tensor, memory, layout, role == Role::Output); !added)
      return Error{std::string(to_text(role)) + " " + tensor.name + ": " + added.error().message};
  }
  for (const Table& table : program.tables) {
    if (Result<void> sound = verify(table); !sound) return sound;
    const Layout layout = row_major(table.tensor.shape.size());
    if (Result<void> added = verifier.add(table.tensor, Memory::Constant, layout, false); !added)
      return Error{"table " + table.tensor.name + ": " + added.error().message};
  }
  return verifier.verify(program.body);
}

}  // namespace tessera
