#include "base/check.h"
#include "fuzz/onnx_mutation.h"
#include "onnx/export.h"
#include "onnx/import.h"
#include "ops/infer.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

/// Whatever is imported is exported as a model that says the same, and is safe to infer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::Result<tessera::Imported> imported =
      tessera::import_onnx(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!imported) return 0;
  imported->graph.name = "graph";
  const tessera::Result<tessera::Imported> again =
      tessera::import_onnx(tessera::export_onnx(imported->graph));
  tessera::check(again.has_value(), "what is exported is imported again");
  tessera::check(to_text(again->graph) == to_text(imported->graph), "the export keeps all of it");
  infer(std::move(imported->graph));
  return 0;
}

/// Mutates the message where there is one, and else or rarely its bytes.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  tessera::Rng rng(seed);
  onnx::ModelProto model;
  if (rng.chance(0.1) || !model.ParseFromArray(data, static_cast<int>(size)))
    return LLVMFuzzerMutate(data, size, max_size);
  tessera::fuzz::change(model, rng);
  const std::string bytes = model.SerializeAsString();
  if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
