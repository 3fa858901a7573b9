#include "runtime/package.h"

#include "runtime/mapping.h"
#include "runtime/package_format.h"
#include "runtime/shared_library.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tessera {
namespace {

/// A package file with what it says of itself.
struct Contents {
  Mapping file;
  PackageSections sections;  // of the file
  Manifest manifest;
};

Result<Contents> contents_of(const std::string& path) {
  Result<Mapping> file = Mapping::of_file(path);
  if (!file) return file.error();
  const auto refused = [&](const Error& error) { return Error{path + ": " + error.message}; };
  const Result<PackageSections> sections = sections_of(file->bytes());
  if (!sections) return refused(sections.error());
  Result<Manifest> manifest = parse_manifest(
      {reinterpret_cast<const char*>(sections->manifest.data()), sections->manifest.size()});
  if (!manifest) return refused(manifest.error());
  const auto weights_bytes = static_cast<std::int64_t>(sections->weights.size());
  if (manifest->plan.weights_bytes != weights_bytes)
    return refused({"weights of " + std::to_string(weights_bytes) + " bytes, expected " +
                    std::to_string(manifest->plan.weights_bytes)});
  return Contents{*std::move(file), *sections, *std::move(manifest)};
}

Result<LoadedKernel> find_kernel(const SharedLibrary& code, const std::string& name) {
  const std::string workspace_name = name + "_workspace_bytes";
  void* const entry = code.find(name);
  void* const workspace_bytes = code.find(workspace_name);
  if (entry == nullptr || workspace_bytes == nullptr)
    return Error{"code without symbol '" + (entry == nullptr ? name : workspace_name) + "'"};
  return LoadedKernel{reinterpret_cast<TesseraKernel>(entry),
                      *static_cast<const std::int64_t*>(workspace_bytes)};
}

}  // namespace

struct Package::State {
  Contents contents;
  SharedLibrary code;
  std::vector<LoadedKernel> kernels;
};

Package::Package(std::unique_ptr<State> state) : state_(std::move(state)) {}
Package::~Package() = default;

Result<std::shared_ptr<const Package>> Package::open(const std::string& path) {
  Result<Contents> contents = contents_of(path);
  if (!contents) return contents.error();
  const auto refused = [&](const Error& error) { return Error{path + ": " + error.message}; };
  const Manifest& manifest = contents->manifest;
  const Result<void> runs = verify_runs_here(manifest.arch, manifest.features);
  if (!runs) return refused(runs.error());
  Result<SharedLibrary> code = SharedLibrary::load(contents->sections.code);
  if (!code) return refused(code.error());
  std::vector<LoadedKernel> kernels;
  for (const KernelCode& named : manifest.plan.kernels) {
    const Result<LoadedKernel> kernel = find_kernel(*code, named.symbol);
    if (!kernel) return refused(kernel.error());
    kernels.push_back(*kernel);
  }
  for (const KernelCall& call : manifest.plan.calls)
    if (call.workspace + kernels[static_cast<std::size_t>(call.kernel)].workspace_bytes >
        manifest.plan.arena_bytes)
      return refused({"workspace of call '" + call.title + "' beyond the arena"});
  return std::shared_ptr<const Package>(new Package(
      std::make_unique<State>(*std::move(contents), *std::move(code), std::move(kernels))));
}

const ExecutionPlan& Package::plan() const { return manifest().plan; }
const Manifest& Package::manifest() const { return state_->contents.manifest; }
std::span<const std::byte> Package::weights() const { return state_->contents.sections.weights; }
std::span<const LoadedKernel> Package::kernels() const { return state_->kernels; }

Result<Manifest> read_manifest(const std::string& path) {
  Result<Contents> contents = contents_of(path);
  if (!contents) return contents.error();
  return std::move(contents->manifest);
}

}  // namespace tessera
