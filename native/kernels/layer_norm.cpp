#include "kernels/layer_norm.h"

#include <vector>

#include "core/parallel.h"
#include "kernels/registry.h"

namespace onetape {
namespace {

constexpr int64_t kGrain = 16384;  // elements worth a thread

using Loop = void (*)(const NormBlock& block);

/// Rows [begin, end) of a block.
NormBlock part(const NormBlock& all, int64_t begin, int64_t end, int64_t item, int64_t statistic) {
  NormBlock block = all;
  const int64_t at = begin * all.n * item;
  block.in += at;
  if (block.grad) block.grad += at;
  if (block.out) block.out += at;
  block.mean += begin * statistic;
  block.rstd += begin * statistic;
  block.rows = end - begin;
  return block;
}

int64_t statistic_size(DType dtype) { return dtype == DType::F64 ? 8 : 4; }

}  // namespace

void layer_norm_rows(DType dtype, const NormBlock& block) {
  const auto loop = find_function<Loop>("LayerNormKernelImpl", dtype);
  const auto item = static_cast<int64_t>(item_size(dtype));
  parallel_for(
      block.rows, std::max<int64_t>(kGrain / std::max<int64_t>(block.n, 1), 1),
      [&](int64_t begin, int64_t end) { loop(part(block, begin, end, item, statistic_size(dtype))); });
}

void layer_norm_rows_backward(DType dtype, const NormBlock& block, char* weight_grad, char* bias_grad) {
  const auto loop = find_function<Loop>("LayerNormBackwardKernelImpl", dtype);
  const auto item = static_cast<int64_t>(item_size(dtype));
  const int64_t elements = block.rows * block.n;
  const int64_t parts = std::clamp<int64_t>(elements / kGrain, 1, num_threads());
  const int64_t step = (block.rows + parts - 1) / parts;
  std::vector<double> sums(static_cast<size_t>(2 * parts * block.n), 0.0);
  parallel_for(parts, 1, [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) {
      NormBlock mine = part(block, std::min(i * step, block.rows), std::min((i + 1) * step, block.rows), item,
                            statistic_size(dtype));
      mine.weight_sum = weight_grad ? sums.data() + 2 * i * block.n : nullptr;
      mine.bias_sum = bias_grad ? sums.data() + (2 * i + 1) * block.n : nullptr;
      loop(mine);
    }
  });
  visit_floating("LayerNormBackwardKernelImpl", dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto deliver = [&](char* out, int64_t which) {
      for (int64_t k = 0; out && k < block.n; ++k) {
        double total = 0;
        for (int64_t i = 0; i < parts; ++i) total += sums[(2 * i + which) * block.n + k];
        reinterpret_cast<T*>(out)[k] = static_cast<T>(static_cast<compute_t<T>>(total));
      }
    };
    deliver(weight_grad, 0);
    deliver(bias_grad, 1);
  });
}

}  // namespace onetape
