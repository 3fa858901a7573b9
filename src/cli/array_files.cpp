#include "cli/array_files.h"

#include "base/text.h"
#include "onnx/tensor_file.h"

#include <algorithm>
#include <memory>
#include <system_error>

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view archive_ending = ".npz";
constexpr std::string_view tensor_ending = ".pb";

Result<NamedArray> read_tensor_array(const fs::path& path, const std::string& name) {
  const Result<Constant> tensor = read_tensor_file(path);
  if (!tensor) return tensor.error();
  const auto& [element, shape] = tensor->type;
  NamedArray array{name, element, shape, {}};
  array.bytes.resize(static_cast<std::size_t>(element_count(shape) * size_bytes(element)));
  encode(*tensor->data, element, array.bytes);
  return array;
}

Result<void> write_tensor_array(const fs::path& path, const NamedArray& array) {
  auto data =
      std::make_shared<HostBuffer>(decode(array.element, element_count(array.shape), array.bytes));
  return write_tensor_file(path, array.name, {{array.element, array.shape}, std::move(data)});
}

/// Of `PORT=FILE`, whose port may itself have the sign in its name.
Result<NamedArray> read_port_array(const std::string& given, std::span<const Port> ports) {
  const auto named = std::ranges::find_if(
      ports, [&](const Port& port) { return given.starts_with(port.name + "="); });
  if (named != ports.end())
    return read_tensor_array(given.substr(named->name.size() + 1), named->name);
  std::vector<std::string> names;
  for (const Port& port : ports) names.push_back(port.name);
  return Error{"--input " + given + ": no such input, expected one of " + join(names, ", ")};
}

bool is_there(const fs::path& path) {
  std::error_code unreadable;
  return fs::exists(path, unreadable);
}

}  // namespace

Result<std::vector<NamedArray>> read_arrays(std::span<const std::string> given,
                                            std::span<const Port> ports) {
  std::vector<NamedArray> arrays;
  for (const std::string& one : given) {
    if (one.ends_with(tensor_ending) && one.find('=') != std::string::npos) {
      Result<NamedArray> array = read_port_array(one, ports);
      if (!array) return array.error();
      arrays.push_back(*std::move(array));
    } else if (one.ends_with(archive_ending)) {
      Result<std::vector<NamedArray>> archive = read_npz(one);
      if (!archive) return archive.error();
      std::ranges::move(*archive, std::back_inserter(arrays));
    } else {
      return Error{"--input " + one + ": expected FILE.npz or NAME=FILE.pb"};
    }
  }
  return arrays;
}

fs::path test_set_file(const fs::path& folder, const std::string& kind, std::size_t port) {
  return folder / (kind + "_" + std::to_string(port) + std::string(tensor_ending));
}

Result<std::vector<NamedArray>> read_test_inputs(const fs::path& folder,
                                                 std::span<const Port> ports) {
  std::vector<NamedArray> arrays;
  for (std::size_t n = 0; n < ports.size(); ++n) {
    Result<NamedArray> array = read_tensor_array(test_set_file(folder, "input", n), ports[n].name);
    if (!array) return Error{"input \"" + ports[n].name + "\": " + array.error().message};
    arrays.push_back(*std::move(array));
  }
  const fs::path beyond = test_set_file(folder, "input", ports.size());
  if (is_there(beyond))
    return Error{beyond.string() + ": the network has " + std::to_string(ports.size()) + " inputs"};
  return arrays;
}

Result<std::vector<NamedArray>> read_test_outputs(const fs::path& folder,
                                                  std::span<const Port> ports) {
  std::vector<NamedArray> arrays;
  for (std::size_t n = 0; n < ports.size(); ++n) {
    const fs::path path = test_set_file(folder, "output", n);
    if (!is_there(path)) continue;
    Result<NamedArray> array = read_tensor_array(path, ports[n].name);
    if (!array) return array.error();
    arrays.push_back(*std::move(array));
  }
  return arrays;
}

Result<void> write_arrays(const std::string& path, const std::vector<NamedArray>& arrays) {
  if (path.ends_with(archive_ending)) return write_npz(path, arrays);
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed) return Error{path + ": " + failed.message()};
  for (std::size_t n = 0; n < arrays.size(); ++n)
    if (Result<void> done = write_tensor_array(test_set_file(path, "output", n), arrays[n]); !done)
      return done;
  return {};
}

}  // namespace tessera
