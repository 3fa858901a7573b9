#include "ir/text.h"

#include "base/text.h"
#include "ir/words.h"

#include <cmath>

namespace tessera {
namespace {

std::string real_text(double value) {
  std::string text = number_text(value);
  const bool is_whole = text.find_first_of(".en") == std::string::npos;  // n: inf, nan
  return is_whole ? text + ".0" : text;
}

int precedence(const Expr& e) {
  if (const auto* u = as<Unary>(e))
    return u->op == UnaryOp::Neg || u->op == UnaryOp::Not ? prefix_precedence : primary_precedence;
  if (const auto* b = as<Binary>(e))
    if (const int infix = infix_precedence(to_text(b->op)); infix != 0) return infix;
  return primary_precedence;
}

/// Whether `-` before the text of `e` would read as the sign of a literal.
bool takes_sign(const Expr& e) {
  if (const auto* i = as<Integer>(e)) return i->dtype == DType::I64 && i->value >= 0;
  if (const auto* r = as<Real>(e)) return std::isnan(r->value) || !std::signbit(r->value);
  return false;
}

bool is_index_literal(const Expr& e) {
  const auto* i = as<Integer>(e);
  return i != nullptr && i->dtype == DType::I64;
}

/// Appends text; statements are indented by two blanks per level.
class Printer {
 public:
  std::string take() { return std::move(out_); }

  void print(const Expr& e, int least = 1) {
    const bool needs_parentheses = precedence(e) < least;
    if (needs_parentheses) out_ += '(';
    match(*e, [&](const auto& node) { print(node); });
    if (needs_parentheses) out_ += ')';
  }
  void print(const Stmt& s) {
    match(*s, [&](const auto& node) { print(node); });
  }
  void print(const Tensor& tensor) {
    put(tensor.name, " ", to_text(tensor.dtype), to_text(tensor.shape));
  }
  void print(const Table& table);
  void print(const Stage& stage);
  void print(const Param& param) {
    put(to_text(param.role), " ");
    print(param.placed.tensor);
    put(" layout ", to_text(param.placed.layout), "\n");
  }

  template <typename... Parts>
  void put(const Parts&... parts) {
    (out_.append(parts), ...);
  }

 private:
  void print(const Integer& e);
  void print(const Real& e) { out_ += real_text(e.value); }
  void print(const AxisRef& e) { out_ += e.axis; }
  void print(const Unary& e);
  void print(const Binary& e);
  void print(const Select& e) { print_call("select", {&e.condition, &e.yes, &e.no}); }
  void print(const Cast& e);
  void print(const Load& e) { print_element(e.tensor, e.indices); }
  void print_call(std::string_view function, std::initializer_list<const Expr*> arguments);
  void print_element(const TensorId& tensor, const std::vector<Expr>& indices);

  void print(const Loop& s);
  void print(const Block& s) {
    for (const Stmt& stmt : s.stmts) print(stmt);
  }
  void print(const Store& s);
  void print(const Allocate& s);
  void print(const If& s);
  void print(const Prefetch& s);
  /// ` {`, the statement indented, and the closing bracket without its line end.
  void print_body(const Stmt& s);
  void print_axes(const std::vector<Axis>& axes, AxisKind kind);
  void indent() { out_.append(indent_, ' '); }

  std::string out_;
  std::size_t indent_ = 0;
};

void Printer::print(const Integer& e) {
  if (e.dtype == DType::Bool)
    put(e.value != 0 ? "true" : "false");
  else if (e.dtype == DType::I32)
    put("i32(", std::to_string(e.value), ")");
  else
    put(std::to_string(e.value));
}

void Printer::print(const Unary& e) {
  if (e.op != UnaryOp::Neg && e.op != UnaryOp::Not) return print_call(to_text(e.op), {&e.a});
  put(to_text(e.op));
  const bool must_part = e.op == UnaryOp::Neg && takes_sign(e.a);
  print(e.a, must_part ? primary_precedence + 1 : prefix_precedence);
}

void Printer::print(const Binary& e) {
  const int infix = infix_precedence(to_text(e.op));
  if (infix == 0) return print_call(to_text(e.op), {&e.a, &e.b});
  print(e.a, infix);
  put(" ", to_text(e.op), " ");
  print(e.b, infix + 1);
}

void Printer::print(const Cast& e) {
  put(to_text(e.to), "(");
  const bool must_part = e.to == DType::I32 && is_index_literal(e.a);  // `i32(3)` is a constant
  print(e.a, must_part ? primary_precedence + 1 : 1);
  put(")");
}

void Printer::print_call(std::string_view function, std::initializer_list<const Expr*> arguments) {
  put(function);
  std::string_view separator = "(";
  for (const Expr* argument : arguments) {
    put(separator);
    print(*argument);
    separator = ", ";
  }
  put(")");
}

void Printer::print_element(const TensorId& tensor, const std::vector<Expr>& indices) {
  put(tensor, "[");
  for (const Expr& index : indices) {
    if (&index != indices.data()) put(", ");
    print(index);
  }
  put("]");
}

void Printer::print_body(const Stmt& s) {
  put(" {\n");
  indent_ += 2;
  print(s);
  indent_ -= 2;
  indent();
  put("}");
}

void Printer::print(const Loop& s) {
  indent();
  put("for ", s.axis, " in ");
  print(s.extent);
  if (s.kind != LoopKind::Serial) put(" ", to_text(s.kind));
  if (s.kind == LoopKind::Vector) put(" ", std::to_string(s.lanes));
  if (!s.reduces.empty()) put(" reduce ", s.reduces);
  print_body(s.body);
  put("\n");
}

void Printer::print(const Store& s) {
  indent();
  print_element(s.tensor, s.indices);
  put(" ", s.reducer ? word_of(*s.reducer, store_words) : "=", " ");
  print(s.value);
  put("\n");
}

void Printer::print(const Allocate& s) {
  indent();
  put("alloc ");
  print(s.placed.tensor);
  put(" ", to_text(s.placed.memory), " layout ", to_text(s.placed.layout));
  print_body(s.body);
  put("\n");
}

void Printer::print(const If& s) {
  indent();
  put("if ");
  print(s.condition);
  print_body(s.yes);
  if (s.no) {
    put(" else");
    print_body(*s.no);
  }
  put("\n");
}

void Printer::print(const Prefetch& s) {
  indent();
  put("prefetch ");
  print_element(s.tensor, s.indices);
  put("\n");
}

void Printer::print_axes(const std::vector<Axis>& axes, AxisKind kind) {
  std::string_view separator = "[";
  for (const Axis& axis : axes) {
    if (axis.kind != kind) continue;
    put(separator, axis.name, ":", std::to_string(axis.extent));
    separator = ", ";
  }
  put(separator == "[" ? "[]" : "]");
}

void Printer::print(const Table& table) {
  put("table ");
  print(table.tensor);
  std::vector<std::string> values;
  for (const double value : table.values)
    values.push_back(is_float(table.tensor.dtype) ? real_text(value) : number_text(value));
  put(" = [", join(values, ", "), "]\n");
}

void Printer::print(const Stage& stage) {
  put("stage ", stage.tensor.name, " ", to_text(stage.tensor.dtype));
  print_axes(stage.axes, AxisKind::Spatial);
  put(" = ");
  if (stage.reducer) {
    put(to_text(*stage.reducer));
    print_axes(stage.axes, AxisKind::Reduce);
    put(" ");
  }
  print(stage.value);
  put("\n");
}

}  // namespace

std::string_view to_text(Reducer reducer) { return word_of(reducer, reducer_words); }
std::string_view to_text(UnaryOp op) { return word_of(op, unary_words); }
std::string_view to_text(BinaryOp op) { return word_of(op, binary_words); }
std::string_view to_text(Memory memory) { return word_of(memory, memory_words); }
std::string_view to_text(LoopKind kind) { return word_of(kind, loop_words); }
std::string_view to_text(Role role) { return word_of(role, role_words); }

std::string to_text(const Expr& e) {
  Printer printer;
  printer.print(e);
  return printer.take();
}

std::string to_text(const Stmt& s) {
  Printer printer;
  printer.print(s);
  return printer.take();
}

std::string to_text(const Computation& computation) {
  Printer printer;
  printer.put("computation ", computation.name, "\n");
  for (const Operand& operand : computation.operands) {
    printer.put(to_text(operand.role), " ");
    printer.print(operand.tensor);
    printer.put("\n");
  }
  for (const Table& table : computation.tables) printer.print(table);
  for (const Stage& stage : computation.stages) printer.print(stage);
  for (const TensorId& output : computation.outputs) printer.put("output ", output, "\n");
  return printer.take();
}

std::string to_text(const Program& program) {
  Printer printer;
  printer.put("program ", program.name, " ", word_of(program.form, form_words), "\n");
  for (const Param& param : program.params) printer.print(param);
  for (const Table& table : program.tables) printer.print(table);
  printer.put("body\n");
  printer.print(program.body);
  return printer.take();
}

}  // namespace tessera
