#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace onetape {

/// Sequences of labels and the classes that a model sees in each step: log_probs[steps, samples, classes].
struct Ctc {
  int64_t steps;
  int64_t samples;
  int64_t classes;
  int64_t longest;               // target
  const int64_t* targets;        // of all samples
  const int64_t* starts;         // of a sample's labels in targets
  const int64_t* input_lengths;  // a sample
  const int64_t* target_lengths;
  int64_t blank;
};

/// losses[sample] = −log of the probability of its labels; alpha[sample, step, 2 · longest + 1] = log of the
/// probability of all ways to the place in the labels with blanks between.
void ctc_forward(DType dtype, const Ctc& ctc, const void* log_probs, void* losses, void* alpha);
/// out[step, sample, class]: the gradient of the losses, given that of each, for log_probs that a softmax
/// made: it takes the sum of the probabilities for 1.
void ctc_backward(DType dtype, const Ctc& ctc, const void* log_probs, const void* losses, const void* alpha,
                  const void* grad, bool zero_infinity, void* out);

}  // namespace onetape
