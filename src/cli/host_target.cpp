#include "cli/host_target.h"

namespace tessera {

Result<Target> host_target(const std::string& name, std::int64_t threads) {
  Result<Target> target = parse_target(name);
  if (!target) return target;
  if (!runs_here(*target))
    return Error{"target " + target->name + ": this machine cannot run its code"};
  *target = with_host_caches(*std::move(target));
  if (threads > 0) target->cores = threads;
  return target;
}

}  // namespace tessera
