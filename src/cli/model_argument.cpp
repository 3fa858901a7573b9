#include "cli/model_argument.h"

#include "onnx/import.h"
#include "package/build.h"
#include "zoo/zoo.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace tessera {
namespace {

Result<Shape> parse_shape(std::string_view text) {
  Shape shape;
  while (!text.empty()) {
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const bool is_last = text.empty();
    if (error != std::errc{} || extent < 1 ||
        (!is_last && (text.front() != ',' || text.size() < 2)))
      return Error{"expected extents of 1 or more, as in 1,3,224,224"};
    if (!is_last) text.remove_prefix(1);
    shape.push_back(extent);
  }
  return shape;
}

Result<ImportOptions> import_options(const ModelArgument& argument) {
  ImportOptions options;
  for (const std::string& given : argument.shapes) {
    const std::size_t sign = given.rfind('=');
    const Result<Shape> shape = sign == std::string::npos
                                    ? Result<Shape>(Error{"expected NAME=1,3,224,224"})
                                    : parse_shape(std::string_view(given).substr(sign + 1));
    if (!shape) return Error{"--shape " + given + ": " + shape.error().message};
    options.shapes[given.substr(0, sign)] = *shape;
  }
  return options;
}

Result<void> verify_shapes_are_open(const ModelArgument& argument) {
  if (argument.shapes.empty()) return {};
  return Error{"--shape " + argument.shapes.front() + ": the shapes of " + argument.model +
               " are fixed"};
}

}  // namespace

void add_shape_option(CLI::App& verb, std::vector<std::string>& shapes) {
  verb.add_option("--shape", shapes,
                  "Shape of an input that the model leaves open, as NAME=1,3,224,224")
      ->type_name("NAME=SHAPE")
      ->allow_extra_args(false);
}

void add_model_argument(CLI::App& verb, ModelArgument& argument, const std::string& what) {
  verb.add_option("MODEL", argument.model, what)->required();
  add_shape_option(verb, argument.shapes);
}

Result<Manifest> read_package(const ModelArgument& argument) {
  if (const auto open = verify_shapes_are_open(argument); !open) return open.error();
  return read_manifest(argument.model);
}

Result<Graph> read_model(const ModelArgument& argument) {
  constexpr std::string_view zoo = "zoo:";
  const Result<ImportOptions> options = import_options(argument);
  if (!options) return options.error();
  if (argument.model.starts_with(zoo)) {
    if (const auto open = verify_shapes_are_open(argument); !open) return open.error();
    return zoo_graph(std::string_view(argument.model).substr(zoo.size()));
  }
  Result<Imported> imported = import_onnx_file(argument.model, *options);
  if (!imported) return imported.error();
  for (const std::string& notice : imported->notices) fmt::print(stderr, "tessera: {}\n", notice);
  return std::move(imported->graph);
}

Result<std::shared_ptr<const Package>> open_or_compile(const ModelArgument& argument,
                                                       std::int64_t threads) {
  if (argument.is_package()) {
    if (const auto open = verify_shapes_are_open(argument); !open) return open.error();
    return Package::open(argument.model);
  }
  Result<Graph> graph = read_model(argument);
  if (!graph) return graph.error();
  Target target = detect_host();
  if (threads > 0) target.cores = threads;
  const std::string path =
      std::filesystem::temp_directory_path() / ("tessera-" + std::to_string(getpid()) + ".tessera");
  const Result<ExecutionPlan> plan = build_package(*std::move(graph), target, path);
  if (!plan) return Error{argument.model + ": " + plan.error().message};
  Result<std::shared_ptr<const Package>> package = Package::open(path);
  std::filesystem::remove(path);
  return package;
}

}  // namespace tessera
