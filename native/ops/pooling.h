#pragma once

#include "core/tensor.h"
#include "kernels/pooling.h"

namespace onetape {

/// What a pooling operator was given, one number a dimension.
struct PoolNumbers {
  Ints kernel;
  Ints stride;
  Ints padding;
  Ints dilation;
  bool ceil_mode;
};

/// The numbers of an operator over so many dimensions: a single one stands for all; an absent stride is the
/// kernel's size. RuntimeError naming `op` for lists of another length. `either` is a word of the texts.
PoolNumbers pool_numbers(const char* op, int64_t dims, IntSpan kernel, std::optional<IntSpan> stride,
                         IntSpan padding, IntSpan dilation, bool ceil_mode, const char* either = "either ");

/// The windows of a pooling over the last two or three dimensions. RuntimeError unless all numbers and shapes
/// fit.
PoolPlan pool_plan(const Tensor& input, const PoolNumbers& numbers);
/// Sets what the windows of averages count as.
void set_averages(PoolPlan& plan, const PoolNumbers& numbers, bool count_include_pad,
                  std::optional<int64_t> divisor_override);
/// The windows that divide the last dimensions as evenly as can be.
PoolPlan adaptive_plan(const Tensor& input, IntSpan output_size);
/// RuntimeError if a dimension other than a batch's is empty; `first` is the first of them.
void check_not_empty(const char* op, const Tensor& input, int64_t first);

/// input's sizes with the last ones replaced by those of the result.
Ints pooled_sizes(const Tensor& input, const PoolPlan& plan, int64_t dims);

/// Largest elements and their places, recorded under the node's name. `op` names the kernel in errors.
struct MaxPool {
  Tensor values;
  Tensor indices;
};
MaxPool record_max_pool(const char* op, const char* node, const Tensor& input, const PoolPlan& plan,
                        int64_t dims);
/// Averages, recorded under the node's name.
Tensor record_average_pool(const char* node, const Tensor& input, const PoolPlan& plan, int64_t dims);

}  // namespace onetape
