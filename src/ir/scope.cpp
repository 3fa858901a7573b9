#include "ir/scope.h"

#include "base/text.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "ir/words.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {
namespace {

std::string word(DType dtype) { return std::string(to_text(dtype)); }

bool is_number(DType dtype) { return dtype != DType::Bool; }

Result<DType> verify_constant(const Integer& e) {
  using Narrow = std::numeric_limits<std::int32_t>;
  const bool fits =
      e.dtype == DType::I64 ||
      (e.dtype == DType::I32 && e.value >= Narrow::min() && e.value <= Narrow::max()) ||
      (e.dtype == DType::Bool && (e.value == 0 || e.value == 1));
  if (!fits) return Error{"constant " + std::to_string(e.value) + " is no " + word(e.dtype)};
  return e.dtype;
}

}  // namespace

Result<void> verify_name(std::string_view name) {
  Scanner scanner(name);
  if (scanner.accept_name().value_or("") != name || name.empty())
    return Error{"'" + std::string(name) + "' is not a name"};
  if (std::find(reserved_words.begin(), reserved_words.end(), name) != reserved_words.end())
    return Error{"'" + std::string(name) + "' is a reserved word"};
  return {};
}

Result<void> verify(const Table& table) {
  const auto refusal = [&](const std::string& what) {
    return Error{"table " + table.tensor.name + ": " + what};
  };
  if (Result<void> sound = verify(table.tensor.shape); !sound)
    return refusal(sound.error().message);
  const std::int64_t count = element_count(table.tensor.shape);
  if (static_cast<std::int64_t>(table.values.size()) != count)
    return refusal(std::to_string(table.values.size()) + " values, expected " +
                   std::to_string(count));
  const DType dtype = table.tensor.dtype;
  for (const double value : table.values) {
    const bool fits = is_float(dtype) ? !std::isnan(value)
                                      : static_cast<double>(truncated(value, dtype)) == value;
    if (!fits) return refusal("value " + number_text(value) + " is no " + word(dtype));
  }
  return {};
}

Result<void> Scope::add_tensor(std::string_view name, TensorInfo info) {
  if (Result<void> sound = verify_name(name); !sound) return sound;
  if (!tensors_.emplace(name, std::move(info)).second)
    return Error{"tensor " + std::string(name) + " is defined twice"};
  return {};
}

Result<void> Scope::add_axis(std::string_view name, bool picks_register) {
  if (Result<void> sound = verify_name(name); !sound) return sound;
  if (!axes_.emplace(name, picks_register).second)
    return Error{"axis " + std::string(name) + " is defined twice"};
  return {};
}

const Scope::TensorInfo* Scope::find_tensor(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

Result<DType> Scope::verify(const Expr& e, int depth) const {
  if (depth > max_depth) return Error{"expression nests deeper than " + std::to_string(max_depth)};
  return match(
      *e, [](const Integer& i) { return verify_constant(i); },
      [](const Real&) -> Result<DType> { return DType::F32; },
      [&](const AxisRef& a) -> Result<DType> {
        if (axes_.contains(a.axis)) return DType::I64;
        return Error{"no axis " + a.axis};
      },
      [&](const Cast& c) -> Result<DType> {
        Result<DType> a = verify(c.a, depth + 1);
        if (!a) return a;
        return c.to;
      },
      [&](const auto& node) { return verify(node, depth); });
}

Result<DType> Scope::verify(const Unary& e, int depth) const {
  Result<DType> a = verify(e.a, depth + 1);
  if (!a) return a;
  const auto expected = [&](const char* what) {
    return Error{std::string(to_text(e.op)) + " of " + word(*a) + ", expected " + what};
  };
  switch (e.op) {
    case UnaryOp::Not:
      if (*a != DType::Bool) return expected("bool");
      break;
    case UnaryOp::Neg:
    case UnaryOp::Abs:
      if (!is_number(*a)) return expected("a number");
      break;
    default:
      if (!is_float(*a)) return expected("f32");
  }
  return a;
}

Result<DType> Scope::verify(const Binary& e, int depth) const {
  Result<DType> a = verify(e.a, depth + 1);
  if (!a) return a;
  Result<DType> b = verify(e.b, depth + 1);
  if (!b) return b;
  const auto expected = [&](const char* what) {
    return Error{std::string(to_text(e.op)) + " of " + word(*a) + " and " + word(*b) +
                 ", expected " + what};
  };
  if (*a != *b) return expected("one dtype");
  switch (e.op) {
    case BinaryOp::And:
    case BinaryOp::Or:
      if (*a != DType::Bool) return expected("bool");
      return a;
    case BinaryOp::Pow:
      if (!is_float(*a)) return expected("f32");
      return a;
    case BinaryOp::Equal:
      return DType::Bool;
    case BinaryOp::Less:
    case BinaryOp::LessEqual:
      if (!is_number(*a)) return expected("numbers");
      return DType::Bool;
    default:
      if (!is_number(*a)) return expected("numbers");
      return a;
  }
}

Result<DType> Scope::verify(const Select& e, int depth) const {
  Result<DType> condition = verify(e.condition, depth + 1);
  if (!condition) return condition;
  Result<DType> yes = verify(e.yes, depth + 1);
  if (!yes) return yes;
  Result<DType> no = verify(e.no, depth + 1);
  if (!no) return no;
  if (*condition != DType::Bool) return Error{"select on " + word(*condition) + ", expected bool"};
  if (*yes != *no)
    return Error{"select between " + word(*yes) + " and " + word(*no) + ", expected one dtype"};
  return yes;
}

Result<DType> Scope::verify(const Load& e, int depth) const {
  Result<DType> dtype = verify(Use{"reads", e.tensor, e.indices, true, false}, depth);
  if (dtype && *dtype != e.dtype)
    return Error{"reads " + e.tensor + " as " + word(e.dtype) + ", expected " + word(*dtype)};
  return dtype;
}

Result<DType> Scope::verify_store(const TensorId& tensor, const std::vector<Expr>& indices) const {
  const TensorInfo* info = find_tensor(tensor);
  if (info != nullptr && !info->is_writable)
    return Error{"writes " + tensor + ", which is read-only"};
  return verify(Use{"writes", tensor, indices, false, false}, 1);
}

Result<DType> Scope::verify_prefetch(const TensorId& tensor,
                                     const std::vector<Expr>& indices) const {
  return verify(Use{"prefetches", tensor, indices, true, true}, 1);
}

Result<DType> Scope::verify(const Use& use, int depth) const {
  const auto refusal = [&](const std::string& what) {
    return Error{use.verb + (" " + use.tensor) + " " + what};
  };
  const TensorInfo* info = find_tensor(use.tensor);
  if (info == nullptr) return refusal("before it is defined");
  if (use.indices.size() != info->extents.size())
    return refusal("with " + std::to_string(use.indices.size()) + " indices, expected " +
                   std::to_string(info->extents.size()));
  for (const Expr& index : use.indices) {
    Result<DType> dtype = verify(index, depth + 1);
    if (!dtype) return dtype;
    if (*dtype != DType::I64) return refusal("at " + word(*dtype) + ", expected i64");
    if (info->memory != Memory::Register) continue;
    if (Result<void> sound = verify_register_index(index); !sound)
      return refusal("in registers " + sound.error().message);
  }
  if (!use.may_leave)
    if (Result<void> inside = verify_bounds(use, *info); !inside)
      return refusal(inside.error().message);
  return info->dtype;
}

Result<void> Scope::verify_bounds(const Use& use, const TensorInfo& info) const {
  for (std::size_t dim = 0; dim < use.indices.size(); ++dim) {
    const auto* constant = as<Integer>(use.indices[dim]);
    if (constant == nullptr) continue;
    const Halo halo = use.may_reach_halo && !info.halo.empty() ? info.halo[dim] : Halo{};
    const std::int64_t last = info.extents[dim] + halo.after - 1;
    if (constant->value >= -halo.before && constant->value <= last) continue;
    return Error{"at index " + std::to_string(constant->value) + " of dimension " +
                 std::to_string(dim) + ", expected " + std::to_string(-halo.before) + " to " +
                 std::to_string(last)};
  }
  return {};
}

Result<void> Scope::verify_register_index(const Expr& index) const {
  const auto both = [&](const Expr& a, const Expr& b) -> Result<void> {
    if (Result<void> sound = verify_register_index(a); !sound) return sound;
    return verify_register_index(b);
  };
  return match(
      *index, [](const Integer&) -> Result<void> { return {}; },
      [&](const AxisRef& a) -> Result<void> {
        if (axes_.at(a.axis)) return {};
        return Error{"at axis " + a.axis + ", expected unrolled and vector axes"};
      },
      [&](const Unary& u) { return verify_register_index(u.a); },
      [&](const Binary& b) { return both(b.a, b.b); },
      [](const auto&) -> Result<void> {
        return Error{"at an index that is not arithmetic of axes and constants"};
      });
}

}  // namespace tessera
