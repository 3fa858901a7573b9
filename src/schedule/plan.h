#pragma once

#include "schedule/nest_view.h"
#include "schedule/schedule.h"

#include <string>
#include <vector>

namespace tessera {

struct RuleContext;

/// Nests that one rule schedules together.
struct Unit {
  enum class Rule : std::uint8_t { Tile, Row, Flat, Winograd };
  Rule rule = Rule::Flat;
  std::vector<NestView> nests;  // in order of computing; Tile: the reduction, then its consumer
  std::size_t rows = 0;         // Row: the leading axes that all nests have
};

/// A task made ready for the rules under one algorithm: cheap stages are inlined, reductions have a
/// consumer, and each remaining nest belongs to a unit.
struct Plan {
  std::string name;  // of the algorithm
  Schedule steps;    // that lead to `program`
  Program program;
  std::vector<Unit> units;
};

/// One plan per algorithm that the task admits, direct first.
std::vector<Plan> plans_of(const Task& task);

void apply_rule(RuleContext& context, const Unit& unit);

}  // namespace tessera
