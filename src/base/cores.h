#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

/// Cores this process may use: the affinity mask, cut by the cgroup's CPU quota rounded up.
std::int64_t usable_cores();

/// Cores of this machine that are online.
std::int64_t present_cores();

/// The smallest CPU quota, in cores, along the path of the cgroup that `membership` (the text of
/// /proc/self/cgroup) names, versions 1 and 2, with the hierarchy mounted at `mount`. Nothing when
/// time is not limited.
std::optional<double> cgroup_quota(std::string_view membership, const std::string& mount);

}  // namespace tessera
