#include "base/temporary_folder.h"
#include "conformance/run.h"
#include "package/build.h"
#include "runtime/session.h"

namespace tessera::conformance {
namespace {

std::vector<std::byte> encoded(const Constant& value) {
  const ElementType element = value.type.element;
  std::vector<std::byte> bytes(
      static_cast<std::size_t>(value.data->element_count() * size_bytes(element)));
  encode(*value.data, element, bytes);
  return bytes;
}

Constant decoded(const Port& port, const std::vector<std::byte>& bytes) {
  return {{port.element, port.shape},
          std::make_shared<HostBuffer>(decode(port.element, element_count(port.shape), bytes))};
}

Result<std::vector<Constant>> run_session(Session session, const std::vector<Constant>& inputs) {
  std::vector<std::vector<std::byte>> in, out;
  std::vector<const void*> in_pointers;
  std::vector<void*> out_pointers;
  const std::vector<Port> ports = session.package().plan().outputs;
  for (const Constant& value : inputs) in.push_back(encoded(value));
  for (const Port& port : ports)
    out.emplace_back(
        static_cast<std::size_t>(element_count(port.shape) * size_bytes(port.element)));
  for (const auto& bytes : in) in_pointers.push_back(bytes.data());
  for (auto& bytes : out) out_pointers.push_back(bytes.data());
  if (const auto done = session.run(in_pointers, out_pointers); !done) return done.error();
  std::vector<Constant> results;
  for (std::size_t n = 0; n < ports.size(); ++n) results.push_back(decoded(ports[n], out[n]));
  return results;
}

}  // namespace

Result<std::vector<Constant>> run_compiled(const Graph& graph,
                                           const std::vector<Constant>& inputs) {
  const TemporaryFolder folder = *TemporaryFolder::make();
  const std::string path = folder / "model.tessera";
  const Target target = detect_host();
  if (const auto built = build_package(graph, target, path); !built) return built.error();
  Result<std::shared_ptr<const Package>> package = Package::open(path);
  if (!package) return package.error();
  Result<Session> session = Session::make(*std::move(package));
  if (!session) return session.error();
  return run_session(*std::move(session), inputs);
}

}  // namespace tessera::conformance
