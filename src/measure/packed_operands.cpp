#include "measure/packed_operands.h"

namespace tessera {
namespace {

/// Beyond this nothing is kept: what is in use stays until it no longer is.
constexpr std::int64_t most_bytes = std::int64_t{1} << 30;

}  // namespace

std::int64_t PackedOperands::size_bytes() {
  const std::scoped_lock lock(mutex_);
  return size_bytes_;
}

void PackedOperands::grow(std::int64_t bytes) {
  size_bytes_ += bytes;
  if (size_bytes_ <= most_bytes) return;
  packed_.clear();
  derived_.clear();
  size_bytes_ = 0;
}

std::shared_ptr<const HostBuffer> PackedOperands::packed(std::size_t operand,
                                                         const Placed& placed) {
  const std::string key = std::to_string(operand) + " " + to_text(placed.layout);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = packed_.find(key); found != packed_.end()) return found->second;
  }
  auto made = std::make_shared<const HostBuffer>(
      pack(operands_[operand], placed.tensor.shape, placed.layout));
  const std::scoped_lock lock(mutex_);
  grow(made->size_bytes());
  return packed_.emplace(key, made).first->second;
}

std::shared_ptr<const PackedOperands::Buffers> PackedOperands::derived(
    const std::string& program, const std::function<Buffers()>& make) {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = derived_.find(program); found != derived_.end()) return found->second;
  }
  auto made = std::make_shared<const Buffers>(make());
  std::int64_t bytes = 0;
  for (const auto& buffer : *made) bytes += buffer->size_bytes();
  const std::scoped_lock lock(mutex_);
  grow(bytes);
  return derived_.emplace(program, made).first->second;
}

}  // namespace tessera
