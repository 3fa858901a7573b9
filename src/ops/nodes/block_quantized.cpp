#include "base/text.h"
#include "ops/nodes/nodes.h"

/// Products with weights of a few bits each, which are known and become floats here.
namespace tessera::ops {
namespace {

enum : std::size_t { input, weights, scales, zero_points, group_index, bias };

/// Weights [columns, depth] in blocks along the depth, each with a scale and a zero point.
struct BlockFormat {
  std::int64_t depth = 0, columns = 0, bits = 4, block = 32;

  std::int64_t blocks() const { return (depth + block - 1) / block; }
  /// In bytes.
  std::int64_t block_size() const { return block * bits / 8; }
  std::int64_t zero_row_size() const { return (blocks() * bits + 7) / 8; }
};

/// Value `n` of those packed from the byte `first` on, lowest bits first.
std::int64_t unpacked(const HostBuffer& bytes, std::int64_t first, std::int64_t n,
                      std::int64_t bits) {
  const std::int64_t byte = bytes.get_integer(first + n * bits / 8);
  return byte >> (n * bits % 8) & ((std::int64_t{1} << bits) - 1);
}

Result<BlockFormat> format_of(const NodeView& view) {
  const BlockFormat f{.depth = view.integer("K", 0),
                      .columns = view.integer("N", 0),
                      .bits = view.integer("bits", 4),
                      .block = view.integer("block_size", 0)};
  if ((f.bits != 2 && f.bits != 4 && f.bits != 8) || f.depth < 1 || f.columns < 1 || f.block < 8 ||
      f.block > (1 << 16) || f.depth > most_constant_elements / f.columns)
    return Error{std::to_string(f.depth) + " x " + std::to_string(f.columns) + " weights of " +
                 std::to_string(f.bits) + " bits in blocks of " + std::to_string(f.block) +
                 ", expected 2, 4 or 8 bits in blocks of at least 8"};
  if (view.shape(input).empty() || view.shape(input).back() != f.depth)
    return Error{"input " + to_text(view.shape(input)) + " for weights of depth " +
                 std::to_string(f.depth)};
  return f;
}

Result<void> verify_known(const NodeView& view, std::size_t n, std::int64_t count) {
  if (view.constant(n) == nullptr)
    return Error{"input " + std::to_string(n) + " is known only when the network runs"};
  if (view.constant(n)->data->element_count() == count) return {};
  return Error{"input " + std::to_string(n) + " of shape " + to_text(view.shape(n)) +
               ", expected " + std::to_string(count) + " elements"};
}

Result<void> verify_inputs(const NodeView& view, const BlockFormat& f) {
  if (view.has_elements(group_index)) return Error{"a group index, expected none"};
  const std::int64_t groups = f.columns * f.blocks();
  if (const auto sound = verify_known(view, weights, groups * f.block_size()); !sound) return sound;
  if (const auto sound = verify_known(view, scales, groups); !sound) return sound;
  if (!view.has_elements(zero_points)) return {};
  const bool is_packed = view.type(zero_points).element == ElementType::UInt8;
  return verify_known(view, zero_points, is_packed ? f.columns * f.zero_row_size() : groups);
}

/// (weight - zero point) * scale as [depth, columns].
Constant dequantised(const NodeView& view, const BlockFormat& f) {
  const HostBuffer &packed = *view.constant(weights)->data, &factors = *view.constant(scales)->data;
  const HostBuffer* zeros =
      view.has_elements(zero_points) ? view.constant(zero_points)->data.get() : nullptr;
  const auto zero_of = [&](std::int64_t column, std::int64_t block) {
    if (zeros == nullptr) return static_cast<double>(std::int64_t{1} << (f.bits - 1));
    if (is_float(zeros->dtype())) return zeros->get(column * f.blocks() + block);
    return static_cast<double>(unpacked(*zeros, column * f.zero_row_size(), block, f.bits));
  };
  auto data = std::make_shared<HostBuffer>(DType::F32, f.depth * f.columns);
  const std::span<float> out = data->as<float>();
  for (std::int64_t column = 0; column < f.columns; ++column)
    for (std::int64_t k = 0; k < f.depth; ++k) {
      const std::int64_t group = column * f.blocks() + k / f.block;
      const auto weight =
          static_cast<double>(unpacked(packed, group * f.block_size(), k % f.block, f.bits));
      out[static_cast<std::size_t>(k * f.columns + column)] =
          static_cast<float>((weight - zero_of(column, k / f.block)) * factors.get(group));
    }
  return {{view.type(input).element, {f.depth, f.columns}}, std::move(data)};
}

void matmul_n_bits(Expansion& e) {
  const auto format = format_of(e);
  if (!format) return e.refuse(format.error().message);
  if (const auto sound = verify_inputs(e, *format); !sound) return e.refuse(sound.error().message);
  const ValueId product = e.add("MatMul", {e.input(input), e.constant(dequantised(e, *format))});
  e.output(e.has_elements(bias) ? e.add("Add", {product, e.input(bias)}) : product);
}

constexpr Op list[] = {
    {"com.microsoft", "MatMulNBits", matmul_n_bits, 3},
};

}  // namespace

std::span<const Op> block_quantized_nodes() { return list; }

}  // namespace tessera::ops
