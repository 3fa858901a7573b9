#include "model/torch/tensor_layout.h"

#include "base/check.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

namespace tessera {
namespace {

std::string to_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (const std::int64_t extent : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

}  // namespace

TensorLayout::TensorLayout(const Tensors& like) {
  for (const NamedTensor& tensor : like) {
    const std::int64_t count = std::accumulate(tensor.shape.begin(), tensor.shape.end(),
                                               std::int64_t{1}, std::multiplies());
    slices_.push_back({tensor.name, tensor.shape, size(), static_cast<std::size_t>(count)});
  }
}

Tensors TensorLayout::tensors(std::span<const float> numbers) const {
  check(numbers.size() == size(), "as many numbers as the layout has");
  Tensors tensors;
  for (const Slice& slice : slices_) {
    const auto values = numbers.subspan(slice.first, slice.size);
    tensors.push_back({slice.name, slice.shape, {values.begin(), values.end()}});
  }
  return tensors;
}

Result<std::vector<float>> TensorLayout::numbers(const Tensors& tensors) const {
  std::map<std::string, const NamedTensor*> by_name;
  for (const NamedTensor& tensor : tensors)
    if (!by_name.emplace(tensor.name, &tensor).second)
      return Error{"tensor \"" + tensor.name + "\" is there twice"};
  std::vector<float> numbers(size());
  for (const Slice& slice : slices_) {
    const auto found = by_name.find(slice.name);
    if (found == by_name.end()) return Error{"no tensor \"" + slice.name + "\""};
    const NamedTensor& tensor = *found->second;
    if (tensor.shape != slice.shape || tensor.values.size() != slice.size)
      return Error{"tensor \"" + slice.name + "\": shape " + to_text(tensor.shape) + ", expected " +
                   to_text(slice.shape)};
    std::copy(tensor.values.begin(), tensor.values.end(),
              numbers.begin() + static_cast<std::ptrdiff_t>(slice.first));
    by_name.erase(found);
  }
  if (!by_name.empty()) return Error{"unknown tensor \"" + by_name.begin()->first + "\""};
  if (Result<void> finite = expect_finite(tensors); !finite) return finite.error();
  return numbers;
}

}  // namespace tessera
