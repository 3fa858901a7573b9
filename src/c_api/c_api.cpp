#include "runtime/package.h"
#include "runtime/session.h"

#include <exception>
#include <string>
#include <tessera_runtime.h>

using tessera::ElementType;
using tessera::Package;
using tessera::Port;
using tessera::Result;
using tessera::Session;

struct tessera_package {
  std::shared_ptr<const Package> package;
};

struct tessera_session {
  Session session;
};

namespace {

static_assert(static_cast<int>(ElementType::Float) == TESSERA_FLOAT);
static_assert(static_cast<int>(ElementType::BFloat16) == TESSERA_BFLOAT16);

std::string& last_error() {
  static thread_local std::string text;
  return text;
}

/// What `action` gives; its refusals and exceptions become the last error and `failure`.
template <typename Answer, typename Action>
Answer guarded(Answer failure, const Action& action) noexcept {
  try {
    Result<Answer> answer = action();
    if (answer) return *std::move(answer);
    last_error() = answer.error().message;
  } catch (const std::exception& problem) {
    last_error() = problem.what();
  }
  return failure;
}

tessera_port port_at(const std::vector<Port>& ports, std::size_t number) {
  return guarded(tessera_port{}, [&]() -> Result<tessera_port> {
    if (number >= ports.size())
      return tessera::Error{"port " + std::to_string(number) + ", expected below " +
                            std::to_string(ports.size())};
    const Port& port = ports[number];
    const std::int64_t size_bytes =
        tessera::element_count(port.shape) * tessera::size_bytes(port.element);
    return tessera_port{.name = port.name.c_str(),
                        .element_type = static_cast<tessera_element_type>(port.element),
                        .rank = port.shape.size(),
                        .shape = port.shape.data(),
                        .size_bytes = static_cast<std::size_t>(size_bytes)};
  });
}

}  // namespace

const char* tessera_version(void) { return TESSERA_VERSION; }

const char* tessera_last_error(void) { return last_error().c_str(); }

tessera_package* tessera_package_open(const char* path) {
  return guarded<tessera_package*>(nullptr, [&]() -> Result<tessera_package*> {
    Result<std::shared_ptr<const Package>> opened = Package::open(path);
    if (!opened) return opened.error();
    return new tessera_package{*std::move(opened)};
  });
}

void tessera_package_close(tessera_package* package) { delete package; }

const char* tessera_package_name(const tessera_package* package) {
  return package->package->plan().name.c_str();
}

size_t tessera_input_count(const tessera_package* package) {
  return package->package->plan().inputs.size();
}

size_t tessera_output_count(const tessera_package* package) {
  return package->package->plan().outputs.size();
}

tessera_port tessera_input(const tessera_package* package, size_t number) {
  return port_at(package->package->plan().inputs, number);
}

tessera_port tessera_output(const tessera_package* package, size_t number) {
  return port_at(package->package->plan().outputs, number);
}

tessera_session* tessera_session_create(const tessera_package* package, int threads) {
  return guarded<tessera_session*>(nullptr, [&]() -> Result<tessera_session*> {
    Result<Session> session = Session::make(package->package, {.threads = threads});
    if (!session) return session.error();
    return new tessera_session{*std::move(session)};
  });
}

void tessera_session_destroy(tessera_session* session) { delete session; }

int tessera_session_run(tessera_session* session, const void* const* inputs, size_t input_count,
                        void* const* outputs, size_t output_count) {
  return guarded(1, [&]() -> Result<int> {
    const Result<void> run = session->session.run({inputs, input_count}, {outputs, output_count});
    if (!run) return run.error();
    return 0;
  });
}
