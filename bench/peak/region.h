#pragma once

#include "schedule/space.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::bench {

/// The part of a Space in which its first decision is answered by an option that is admitted. Where
/// the Space does not ask, because it knows one answer only, that is `unasked`.
class Region {
 public:
  struct Restriction {
    std::string decision;
    std::string unasked;
    std::function<bool(std::string_view option)> admits;
  };

  Region(Space space, Restriction restriction)
      : space_(std::move(space)), restriction_(std::move(restriction)) {}

  const Space& space() const { return space_; }
  /// How `choices` answer the decision.
  std::string answer(const Choices& choices) const;
  bool contains(const Choices& choices) const;
  /// Uniform at every decision; nothing when the region is empty.
  std::optional<Choices> draw(Rng& rng) const;
  /// What to take without measuring, as `tessera::best_by_prior` of the whole Space; nothing when
  /// the region is empty.
  std::optional<Choices> best_by_prior() const;

 private:
  Space space_;
  Restriction restriction_;
};

/// Choices of `to` that answer as `choices` do in `from` wherever a decision of that name has that
/// option, and by the first option elsewhere.
Choices transferred(const Space& from, const Choices& choices, const Space& to);

}  // namespace tessera::bench
