#pragma once

#include "core/generator.h"
#include "core/tensor.h"

namespace onetape {

// Fill `out`, in the order of its memory, with PyTorch's numbers for the same state of the generator. The
// caller holds the generator's lock and has checked dtype and parameters.

/// Evenly distributed in [from, to).
void fill_uniform(const Tensor& out, double from, double to, Generator& generator);
void fill_normal(const Tensor& out, double mean, double std, Generator& generator);
void fill_exponential(const Tensor& out, double lambda, Generator& generator);
/// Integers base, base + 1, … base + range − 1; range 0 stands for 2^64.
void fill_integers(const Tensor& out, uint64_t range, int64_t base, Generator& generator);
/// Any integer that the dtype holds exactly and that is not negative.
void fill_any_integers(const Tensor& out, Generator& generator);
/// The numbers below out.numel(), each once; `out` is contiguous.
void fill_permutation(const Tensor& out, Generator& generator);
/// 1 with probability p, else 0.
void fill_bernoulli(const Tensor& out, double p, Generator& generator);
/// The same with a probability for each element (both tensors are contiguous); RuntimeError if one is not a
/// probability.
void fill_bernoulli(const Tensor& out, const Tensor& probabilities, Generator& generator);
/// A number of events, given how many are expected: one for each element of `rate` (contiguous, as `out`).
void fill_poisson(const Tensor& out, const Tensor& rate, Generator& generator);

/// 53 random bits as a double in [0, 1).
inline double uniform_double(Generator& generator) {
  return static_cast<double>(generator.random64() & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
}
/// 24 random bits as a float in [0, 1).
inline float uniform_float(Generator& generator) {
  return static_cast<float>(generator.random() & ((uint32_t{1} << 24) - 1)) * 0x1p-24f;
}

}  // namespace onetape
