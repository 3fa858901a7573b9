#include "cli/schedule_summary.h"

#include "base/text.h"

#include <algorithm>
#include <cctype>

namespace tessera {
namespace {

bool is_number(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// `conv.m` of `conv.m.t.0.1`: without the numbers that splits add, and without its own name.
std::string stage_of(std::string_view axis) {
  std::size_t dot = axis.rfind('.');
  while (dot != std::string_view::npos && is_number(axis.substr(dot + 1))) {
    axis = axis.substr(0, dot);
    dot = axis.rfind('.');
  }
  return std::string(axis.substr(0, std::min(dot, axis.size())));
}

/// The innermost parts of the loops of a stage, as the steps before `end` split them first.
std::string tile_of(const std::string& stage, Schedule::const_iterator begin,
                    Schedule::const_iterator end) {
  std::vector<std::string> extents;
  for (auto step = begin; step != end; ++step)
    if (const auto* split = std::get_if<Split>(&*step))
      if (split->axis.starts_with(stage + ".") &&
          split->axis.find('.', stage.size() + 1) == std::string::npos)
        extents.push_back(std::to_string(split->factors.back()));
  return join(extents, "x");
}

}  // namespace

std::string summary_of(const Schedule& schedule) {
  std::vector<std::string> words;
  bool is_parallel = false;
  for (auto step = schedule.begin(); step != schedule.end(); ++step) {
    const auto* at = std::get_if<ComputeAt>(&*step);
    if (std::holds_alternative<ChooseAlgorithm>(*step)) {
      const std::string text = to_text(*step);
      words.push_back(text.substr(text.rfind(' ') + 1));
    } else if (at != nullptr && at->memory == Memory::Register) {
      const std::string tile = tile_of(stage_of(at->axis), schedule.begin(), step);
      if (!tile.empty() && (words.empty() || words.back() != "tile " + tile))
        words.push_back("tile " + tile);
    } else if (const auto* packed = std::get_if<CacheRead>(&*step)) {
      words.push_back("packs " + packed->tensor);
    }
    is_parallel = is_parallel || std::holds_alternative<Parallel>(*step);
  }
  words.emplace_back(is_parallel ? "parallel" : "one thread");
  return join(words, ", ");
}

}  // namespace tessera
