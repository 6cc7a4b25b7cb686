#pragma once

#include "core/tensor.h"

namespace onetape {

// What the random operators require of their arguments, with PyTorch's texts.

void check_uniform_dtype(DType dtype);
void check_uniform_bounds(double from, double to, DType dtype);
void check_normal_dtype(DType dtype);
void check_deviation(double std);
void check_deviations(const Tensor& std);
/// For integers drawn from [from, to).
void check_random_bounds(int64_t from, int64_t to, DType dtype);
/// For integers drawn from `from` up to largest_integer().
void check_random_from(int64_t from, DType dtype);
void check_random_dtype(const char* kernel, DType dtype);
/// The largest integer below which a dtype has every integer.
int64_t largest_integer(DType dtype);
/// May a dtype count to n?
void check_permutation(int64_t n, DType dtype);
void check_multinomial(const Tensor& weights, int64_t num_samples, bool replacement);
/// Every weight finite and not negative, every row with one that is positive.
void check_weights(const Tensor& weights);
void check_rates(const Tensor& rates);

}  // namespace onetape
