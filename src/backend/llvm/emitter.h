#pragma once

#include "backend/llvm/alias.h"
#include "backend/llvm/arithmetic.h"
#include "backend/llvm/index_values.h"
#include "backend/llvm/known_values.h"
#include "backend/llvm/registers.h"
#include "base/result.h"
#include "ir/program.h"
#include "target/target.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tessera::codegen {

/// A tensor in scope and where it is.
struct Slot {
  enum class Place : std::uint8_t { Param, Table, Workspace, Scratch, Register };
  DType dtype = DType::F32;
  Place place = Place::Param;
  std::int64_t position = 0;  // number of the parameter, or bytes into the arena
  std::int64_t readable = 0;  // elements that may be read without harm
  bool read_only = false;
  int alias_class = 0;
  const Table* table = nullptr;
  llvm::Value* global = nullptr;  // of a table
  std::vector<llvm::Instruction*> stores;
  bool is_read = false;  // from memory; otherwise the stores are in vain

  RegisterPlan plan;
  bool is_private = false;  // allocated inside a vector loop: each element is one value per lane
  std::vector<llvm::Value*> values;
};

/// Writes a lowered program as a function `TesseraKernel <program name>` into a module. Unrolled
/// loops are expanded, vector loops become vector instructions, register tensors SSA values, bodies
/// of parallel loops functions of their own.
class Emitter {
 public:
  Emitter(const Program& program, const Target& target, llvm::Module& module);
  /// The bytes of workspace that a call needs.
  Result<std::int64_t> emit();

 private:
  /// The vector loop around the point of emission.
  struct Lanes {
    std::int64_t count = 0;  // 0 outside of vector loops and in one lane alone
    std::int64_t lane = 0;   // that one
    AxisId axis;
    int term = 0;
    llvm::Value* mask = nullptr;  // lanes below the extent; null when all are
    bool has_first = true;        // the first lane is below the extent
  };
  /// Bytes handed out as a stack; `peak` is what the memory must hold.
  struct Arena {
    std::int64_t top = 0;
    std::int64_t peak = 0;
  };
  struct Frame {  // of the function being written
    llvm::Function* function = nullptr;
    llvm::Value* call = nullptr;
    llvm::Value* scratch = nullptr;  // null in the kernel function, whose scratch is the workspace
    Arena arena;
    std::map<const Slot*, llvm::Value*> bases;
  };
  /// Registers that a piece of code assigns, with their values at some point.
  using Snapshot = std::vector<std::pair<Slot*, std::vector<llvm::Value*>>>;

  // emit_function.cpp
  llvm::Function* begin_function(const std::string& name, llvm::ArrayRef<llvm::Type*> args);
  void emit_parallel(const Loop& loop);
  /// The function, and the scratch that it needs.
  std::pair<llvm::Function*, std::int64_t> emit_parallel_body(const Loop& loop,
                                                              llvm::StructType* frame_type,
                                                              const std::vector<AxisId>& captured,
                                                              std::int64_t largest_extent);
  enum class CallField : std::uint8_t { Buffers, Workspace, Parallel, Pool };
  llvm::Value* call_field(CallField field);
  llvm::Value* base(const Slot& slot);
  void add_params();
  void add_tables();
  llvm::GlobalVariable* add_constant(const std::string& name, llvm::Constant* value);

  // emit_stmt.cpp
  void emit(const Stmt& s);
  void emit_loop(const Loop& loop);
  void emit_serial(const Loop& loop, llvm::Value* begin, llvm::Value* end, bool may_be_empty,
                   Range range);
  void emit_unrolled(const Loop& loop);
  void emit_vector(const Loop& loop);
  void emit_if(const If& branch);
  void emit_branch(llvm::Value* condition, const Stmt& yes, const Stmt* no);
  void emit_allocate(const Allocate& allocate);
  void place_in_memory(Slot& slot, std::int64_t elements);
  void emit_prefetch(const Prefetch& prefetch);
  void forget_stored(const Stmt& body);
  Snapshot snapshot(const Stmt& body) const;
  Snapshot open_registers(const Snapshot& before, llvm::BasicBlock* from);
  void close_registers(const Snapshot& opened, llvm::BasicBlock* latch);
  void merge(const Snapshot& a, llvm::BasicBlock* from_a, const Snapshot& b,
             llvm::BasicBlock* from_b);

  // emit_store.cpp
  void emit_store(const Store& store);
  /// One access of `lanes` elements side by side, or of one element when `lanes` is 0.
  void store_at(const Store& store, Slot& slot, const Index& offset, std::int64_t lanes);
  void store_lane_by_lane(const Store& store, Slot& slot, llvm::Value* value);
  void store_horizontal(const Store& store, Slot& slot, const Index& offset);
  void write(Slot& slot, const Index& offset, std::int64_t lanes, llvm::Value* value);
  void write_register(Slot& slot, const Index& offset, std::int64_t lanes, llvm::Value* value);
  void note_store(Slot& slot, llvm::Instruction* store);
  void write_if(llvm::Value* condition, Slot& slot, llvm::Value* pointer, llvm::Value* value,
                llvm::Align align);
  void write_masked(Slot& slot, llvm::Value* pointer, llvm::Value* value, llvm::Value* mask,
                    llvm::Align align);

  // emit_load.cpp
  llvm::Value* emit_load(const Load& load);
  llvm::Value* read(Slot& slot, const Index& offset, std::int64_t lanes);
  llvm::Value* read_memory(Slot& slot, const Index& offset, std::int64_t lanes);
  llvm::Value* read_guarded(Slot& slot, llvm::Value* pointer, std::int64_t lanes,
                            llvm::Value* guard, llvm::Align align);
  llvm::Value* read_register(const Slot& slot, const Index& offset, std::int64_t lanes);
  llvm::Value* gather(Slot& slot, const Load& load);
  llvm::Value* read_strided(Slot& slot, const Index& first, std::int64_t stride);
  /// Where the lanes of the vector loop lie: the offset of the first, and the distance from each to
  /// the next, absent when it is not one constant. Outside of vector loops the distance is 0.
  struct Access {
    Index first;
    std::optional<std::int64_t> stride;
  };
  Access access(const Expr& offset);
  bool lies_inside(const Slot& slot, const Index& offset, std::int64_t lanes) const;
  llvm::Align alignment(const Slot& slot, const Index& offset) const;
  llvm::Value* address(const Slot& slot, const Index& offset, std::int64_t lanes);
  /// Whether an access of `lanes` elements (0: one for all lanes) may touch memory; null for
  /// always.
  llvm::Value* permission(std::int64_t lanes);
  /// Calls `f` with the vector axis bound to one lane, as outside of the vector loop; not when the
  /// lane is known to be inactive.
  void in_lane(std::int64_t lane, llvm::Value* active, llvm::function_ref<void()> f);
  llvm::Value* zeros();

  // emit_expr.cpp
  llvm::Value* emit(const Expr& e);
  llvm::Value* emit_binary(const Binary& e);
  llvm::Value* emit_comparison(BinaryOp op, const Index& a, const Index& b);
  llvm::Value* emit_select(const Select& e);
  bool is_zero_elsewhere(llvm::Value* value) const;
  llvm::Value* emit_product_sum(const Binary& product, llvm::Value* sum);
  llvm::Value* emit_in_place(const Expr& e);

  void refuse(std::string message);

  const Program& program_;
  const Target& target_;
  llvm::Module& module_;
  llvm::IRBuilder<> b_;
  Arithmetic ops_;
  IndexSpace indices_;
  IndexValues index_values_;
  AliasClasses aliases_;
  Frame frame_;
  Lanes lanes_;
  llvm::Value* guard_ = nullptr;  // condition under which memory may be touched; null for always
  std::map<TensorId, Slot*> tensors_;
  std::deque<Slot> slots_;
  llvm::Value* zeros_ = nullptr;
  KnownValues known_;
  std::optional<Error> refusal_;
};

}  // namespace tessera::codegen
