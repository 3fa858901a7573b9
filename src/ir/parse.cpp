#include "ir/reader.h"
#include "ir/rewrite.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "ir/words.h"

namespace tessera {
namespace {

Stage read_stage(Reader& reader) {
  Stage stage;
  stage.tensor.name = reader.name();
  stage.tensor.dtype = reader.dtype();
  stage.axes = reader.axes(AxisKind::Spatial);
  for (const Axis& axis : stage.axes) stage.tensor.shape.push_back(axis.extent);
  reader.expect("=");
  stage.reducer = reader.accept_reducer();
  if (stage.reducer)
    for (Axis& axis : reader.axes(AxisKind::Reduce)) stage.axes.push_back(std::move(axis));
  stage.value = reader.expr();
  return stage;
}

Table read_table(Reader& reader) {
  Table table = reader.table();
  reader.declare(table.tensor.name, table.tensor.dtype);
  return table;
}

class StmtReader {
 public:
  explicit StmtReader(Reader& reader) : reader_(reader) {}

  /// Statements, one after another, up to a closing bracket or the end.
  Stmt stmts() {
    std::vector<Stmt> stmts;
    while (!reader_.failed() && !reader_.at_end() && !reader_.sees("}")) {
      stmts.push_back(stmt());
      reader_.expect_line_end();
    }
    return block(std::move(stmts));
  }

 private:
  Stmt stmt() {
    if (reader_.accept("for")) return loop();
    if (reader_.accept("if")) return branch();
    if (reader_.accept("alloc")) return allocate();
    if (reader_.accept("prefetch")) {
      TensorId tensor = reader_.name();
      return Stmt(StmtNode{Prefetch{std::move(tensor), reader_.indices()}});
    }
    return store();
  }

  /// `{`, statements, `}`.
  Stmt body() {
    if (nesting_ == max_depth)
      reader_.fail("statements nest deeper than " + std::to_string(max_depth));
    reader_.expect("{");
    reader_.expect_line_end();
    ++nesting_;
    Stmt inner = stmts();
    --nesting_;
    reader_.expect("}");
    return inner;
  }

  Stmt loop() {
    AxisId axis = reader_.name();
    reader_.expect("in");
    Expr extent = reader_.expr();
    LoopKind kind = LoopKind::Serial;
    for (const LoopKind other : {LoopKind::Parallel, LoopKind::Unroll, LoopKind::Vector})
      if (kind == LoopKind::Serial && reader_.accept(to_text(other))) kind = other;
    const std::int64_t lanes = kind == LoopKind::Vector ? reader_.integer() : 0;
    TensorId reduces = reader_.accept("reduce") ? reader_.name() : TensorId();
    return Stmt(StmtNode{Loop{.axis = std::move(axis),
                              .extent = std::move(extent),
                              .kind = kind,
                              .reduces = std::move(reduces),
                              .lanes = lanes,
                              .body = body()}});
  }

  Stmt branch() {
    Expr condition = reader_.expr();
    Stmt yes = body();
    std::optional<Stmt> no;
    if (reader_.accept("else")) no = body();
    return Stmt(StmtNode{If{std::move(condition), std::move(yes), std::move(no)}});
  }

  Stmt allocate() {
    Placed placed{.tensor = reader_.tensor(), .layout = {}};
    const std::string word = reader_.name();
    const auto memory = parse_word<Memory>(word, memory_words);
    if (!memory) reader_.fail("no memory " + word);
    placed.memory = memory.value_or(Memory::Global);
    reader_.expect("layout");
    placed.layout = reader_.layout();
    const TensorId name = placed.tensor.name;
    const std::optional<DType> outside = reader_.declare(name, placed.tensor.dtype);
    Stmt inner = body();
    reader_.declare(name, outside);
    return Stmt(StmtNode{Allocate{std::move(placed), std::move(inner)}});
  }

  Stmt store() {
    Store store{.tensor = reader_.name(), .indices = reader_.indices(), .reducer = {}};
    for (std::size_t k = 0; k < store_words.size() && !store.reducer; ++k)
      if (reader_.accept(store_words[k])) store.reducer = static_cast<Reducer>(k);
    if (!store.reducer) reader_.expect("=");
    store.value = reader_.expr();
    return Stmt(StmtNode{std::move(store)});
  }

  Reader& reader_;
  int nesting_ = 0;
};

Param read_param(Reader& reader, Role role) {
  Param param{.role = role, .placed = {.tensor = reader.tensor(), .layout = {}}};
  param.placed.memory = role == Role::Constant ? Memory::Constant : Memory::Global;
  reader.expect("layout");
  param.placed.layout = reader.layout();
  reader.declare(param.placed.tensor.name, param.placed.tensor.dtype);
  return param;
}

template <typename T>
Result<T> verified(const Reader& reader, T value) {
  if (reader.failed()) return reader.error();
  if (Result<void> sound = verify(value); !sound) return sound.error();
  return value;
}

}  // namespace

Result<Computation> parse_computation(std::string_view text) {
  Reader reader(text);
  Computation computation;
  reader.skip_lines();
  reader.expect("computation");
  computation.name = reader.name();
  reader.expect_line_end();
  while (!reader.failed() && !reader.at_end()) {
    if (reader.accept("stage")) {
      Stage& stage = computation.stages.emplace_back(read_stage(reader));
      reader.declare(stage.tensor.name, stage.tensor.dtype);
    } else if (reader.accept("table")) {
      computation.tables.push_back(read_table(reader));
    } else if (reader.accept("output")) {
      computation.outputs.push_back(reader.name());
    } else if (const bool is_input = reader.accept("input");
               is_input || reader.accept("constant")) {
      const Role role = is_input ? Role::Input : Role::Constant;
      const Tensor& tensor = computation.operands.emplace_back(role, reader.tensor()).tensor;
      reader.declare(tensor.name, tensor.dtype);
    } else {
      reader.fail_expected("input, constant, table, stage or output");
    }
    reader.expect_line_end();
  }
  return verified(reader, std::move(computation));
}

Result<Program> parse_program(std::string_view text) {
  Reader reader(text);
  Program program{.name = {}, .params = {}, .tables = {}, .body = block({})};
  reader.skip_lines();
  reader.expect("program");
  program.name = reader.name();
  const std::string word = reader.name();
  const auto form = parse_word<Form>(word, form_words);
  if (!form) reader.fail("no form " + word);
  program.form = form.value_or(Form::Scheduled);
  reader.expect_line_end();
  while (!reader.failed() && !reader.at_end() && !reader.sees("body")) {
    if (reader.accept("table")) {
      program.tables.push_back(read_table(reader));
    } else {
      const std::string role_word = reader.name();
      const auto role = parse_word<Role>(role_word, role_words);
      if (!role) reader.fail("no role " + role_word);
      program.params.push_back(read_param(reader, role.value_or(Role::Input)));
    }
    reader.expect_line_end();
  }
  reader.expect("body");
  reader.expect_line_end();
  program.body = StmtReader(reader).stmts();
  if (!reader.failed() && !reader.at_end()) reader.fail_expected("a statement");
  return verified(reader, std::move(program));
}

}  // namespace tessera
