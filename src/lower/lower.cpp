#include "lower/lower.h"

#include "base/check.h"
#include "ir/simplify.h"
#include "ir/verify.h"
#include "lower/check_resources.h"
#include "lower/drop_unit_loops.h"
#include "lower/elide_padding.h"
#include "lower/flatten_storage.h"
#include "lower/initialise_reductions.h"
#include "lower/separate_constants.h"
#include "lower/skip_padding.h"
#include "lower/specialise_tails.h"

#include <string>

namespace tessera {
namespace {

Program verified(Program program, const char* pass) {
  const auto sound = verify(program);
  check(sound.has_value(),
        std::string("a sound program after ") + pass + ": " + (sound ? "" : sound.error().message));
  return program;
}

Result<Program> lower_one(Program program) {
  program = verified(elide_padding(program), "elide_padding");
  program = verified(drop_unit_loops(program), "drop_unit_loops");
  program = verified(skip_padding(program), "skip_padding");
  // These three together make the lowered form. Tails come first, so that initialisation copies
  // constant extents.
  program = flatten_storage(initialise_reductions(specialise_tails(program)));
  // Only now does it show whether the schedule unrolled every loop that indexes registers.
  if (const auto sound = verify(program); !sound)
    return Error{"program " + program.name + ": " + sound.error().message};
  return program;
}

}  // namespace

Result<Lowered> lower(const Program& scheduled, const Target& target) {
  if (const auto fits = check_resources(scheduled, target); !fits) return fits.error();
  Separated parts = separate_constants(scheduled);
  Result<Program> main = lower_one(std::move(parts.main));
  if (!main) return main.error();
  if (!parts.prepare) return Lowered{.main = *std::move(main), .prepare = std::nullopt};
  Result<Program> prepare = lower_one(*std::move(parts.prepare));
  if (!prepare) return prepare.error();
  return Lowered{.main = *std::move(main), .prepare = *std::move(prepare)};
}

}  // namespace tessera
