#pragma once

#include "model/lambda_rank.h"

#include <span>
#include <vector>

namespace tessera {

/// How the scores s of a student differ from those of its teacher, t, on one list. Only the order
/// of scores and their distances beside each other mean something, so both are standardised first:
/// z = (s - mean) / deviation.
///
///     KL(softmax(2 z(t)) || softmax(2 z(s)))    the top of the list, most of all
///     + mean (z(t) - z(s))^2                    all of it
///
/// A list of one program, or one that the teacher finds all alike, teaches nothing.
ListLoss imitation_loss(std::span<const float> scores, std::span<const float> teacher);

/// 1 - cosine between what the last layers of both see of each program, the mean over programs; by
/// the student's features, which are `width` for each program.
ListLoss feature_loss(std::span<const float> features, std::span<const float> teacher,
                      std::size_t width);

/// Kendall's tau: of all pairs that labels tell apart the share in the right order less that in the
/// wrong one; 1 where they tell none apart.
double agreement(std::span<const float> scores, std::span<const float> labels);

/// Sum of two losses by the same scores and features, the second with a weight.
ListLoss plus(ListLoss loss, const ListLoss& more, float weight);

}  // namespace tessera
