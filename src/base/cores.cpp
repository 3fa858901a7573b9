#include "base/cores.h"

#include "base/file.h"
#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <sched.h>
#include <unistd.h>

namespace tessera {
namespace {

std::int64_t affinity_cores() {
  // The kernel refuses a mask smaller than its own, which may exceed the 1024 cores of cpu_set_t.
  for (std::size_t room = 1024; room <= (1U << 20); room *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> mask(CPU_ALLOC(room),
                                                                [](cpu_set_t* m) { CPU_FREE(m); });
    if (sched_getaffinity(0, CPU_ALLOC_SIZE(room), mask.get()) == 0)
      return CPU_COUNT_S(CPU_ALLOC_SIZE(room), mask.get());
  }
  return present_cores();
}

std::optional<std::int64_t> integer_of(const std::string& path) {
  const Result<std::string> text = read_file(path);
  return text ? Scanner(*text).accept_integer() : std::nullopt;
}

std::optional<double> ratio(std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

/// Version 2: `QUOTA PERIOD` or `max PERIOD` in one file.
std::optional<double> quota_2(const std::string& folder) {
  const Result<std::string> text = read_file(folder + "/cpu.max");
  if (!text) return std::nullopt;
  Scanner scanner(*text);
  const std::optional<std::int64_t> quota = scanner.accept_integer();
  return ratio(quota, scanner.accept_integer());
}

/// Version 1: two files, the quota -1 when there is none.
std::optional<double> quota_1(const std::string& folder) {
  return ratio(integer_of(folder + "/cpu.cfs_quota_us"), integer_of(folder + "/cpu.cfs_period_us"));
}

struct Membership {
  std::string controllers;  // empty in version 2
  std::string path;
};

/// A line `ID:CONTROLLERS:PATH`.
std::optional<Membership> parse_membership(const std::string& line) {
  const std::size_t first = line.find(':');
  if (first == std::string::npos) return std::nullopt;
  const std::size_t second = line.find(':', first + 1);
  if (second == std::string::npos) return std::nullopt;
  return Membership{line.substr(first + 1, second - first - 1), line.substr(second + 1)};
}

bool holds_cpu(const std::string& controllers) {
  return ("," + controllers + ",").find(",cpu,") != std::string::npos;
}

}  // namespace

std::optional<double> cgroup_quota(std::string_view membership, const std::string& mount) {
  std::optional<double> smallest;
  for (const std::string& line : split_lines(membership)) {
    const std::optional<Membership> member = parse_membership(line);
    if (!member || !(member->controllers.empty() || holds_cpu(member->controllers))) continue;
    const bool is_2 = member->controllers.empty();
    const std::string root = is_2 ? mount : mount + "/" + member->controllers;
    // In a container the path may be the host's: what does not exist is passed over up to the root.
    for (std::string path = member->path == "/" ? "" : member->path;;
         path.resize(path.rfind('/'))) {
      const std::optional<double> quota = is_2 ? quota_2(root + path) : quota_1(root + path);
      if (quota && (!smallest || *quota < *smallest)) smallest = quota;
      if (path.rfind('/') == std::string::npos) break;
    }
  }
  return smallest;
}

std::int64_t present_cores() { return std::max<std::int64_t>(1, sysconf(_SC_NPROCESSORS_ONLN)); }

std::int64_t usable_cores() {
  const std::int64_t cores = affinity_cores();
  const Result<std::string> membership = read_file("/proc/self/cgroup");
  const std::optional<double> quota =
      membership ? cgroup_quota(*membership, "/sys/fs/cgroup") : std::nullopt;
  if (!quota || *quota >= static_cast<double>(cores)) return std::max<std::int64_t>(1, cores);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(*quota)));
}

}  // namespace tessera
