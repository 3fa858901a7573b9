#include "learn/teach_further.h"

#include "learn/seen_programs.h"

#include <algorithm>

namespace tessera {
namespace {

Result<Measured> measured_of(const KnowledgeBase& base, const Platform& platform, double share,
                             const DistilOptions& options) {
  if (share < 1) return pick_by_base(base, platform, share, options);
  Measured all;
  for (const EncodedList& list : platform.pool) all.emplace_back(list.rows.size(), true);
  return all;
}

}  // namespace

Result<KnowledgeBase> teach_further(
    KnowledgeBase base, const Dataset& data, const FurtherLecture& lecture,
    const std::function<void(std::string_view target, std::string_view doing, double done)>&
        progress) {
  const Result<std::vector<Platform>> platforms =
      platforms_of(data, static_cast<std::size_t>(lecture.distil.threads));
  if (!platforms) return platforms.error();
  for (const std::string& target : lecture.targets) {
    const auto platform = std::ranges::find_if(
        *platforms, [&](const Platform& one) { return preset_of(one.name) == target; });
    if (platform == platforms->end()) return Error{"target " + target + ": none of the data"};
    DistilOptions options = lecture.distil;
    if (progress)
      options.progress = [&](std::string_view doing, double done) {
        progress(target, doing, done);
      };
    const Result<Measured> measured = measured_of(base, *platform, lecture.share, options);
    if (!measured) return measured.error();
    Result<KnowledgeBase> next = learn_platform(base, *platform, *measured, options);
    if (!next) return next.error();
    base = *std::move(next);
  }
  return base;
}

}  // namespace tessera
