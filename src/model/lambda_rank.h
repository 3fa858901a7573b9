#pragma once

#include <span>
#include <vector>

namespace tessera {

/// How far the scores of one list are from what they should be.
struct ListLoss {
  double loss = 0;
  std::vector<float> gradient = {};          // by the scores
  std::vector<float> feature_gradient = {};  // by the features; empty for zeros
};

/// How badly the scores of one list order its labels (LambdaRank, Burges 2010):
///
///     sum over pairs with y_i > y_j of  w_ij log2(1 + exp(s_j - s_i))
///     w_ij = |1/log2(1+p_i) - 1/log2(1+p_j)| (2^y_i - 2^y_j) / maxDCG
///
/// where p are the positions from 1 on by descending score, equal scores in the order of the list,
/// and maxDCG is the DCG of the best order. The gradient takes w for constant. Labels are at least
/// 0.
ListLoss lambda_rank(std::span<const float> scores, std::span<const float> labels);

}  // namespace tessera
