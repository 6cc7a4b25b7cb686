#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace onetape {

/// Scores [n, classes, inner] in row-major order, with one class number a (n, inner).
struct ClassLoss {
  int64_t n;
  int64_t classes;
  int64_t inner;
  const int64_t* target;
  const void* weight;  // one a class, or null
  int64_t ignore;
};

/// IndexError unless every target is a class or the ignored number.
void check_targets(const ClassLoss& loss);
/// Sum of the weights of the targets that count.
double total_weight(DType dtype, const ClassLoss& loss);
/// out[i] = −weight[t] · scores[i, t], 0 where ignored.
void nll_pick(DType dtype, const ClassLoss& loss, const void* scores, void* out);
/// out[i, t] = −weight[t] · grad[i], on zeros.
void nll_spread(DType dtype, const ClassLoss& loss, const void* grad, void* out);

}  // namespace onetape
