#include "kernels/loop.h"

#include <array>

#include "core/parallel.h"

namespace onetape {
namespace {

constexpr int64_t kGrain = 32768;  // elements worth a thread

/// The loop's dimensions, innermost first, after reordering and merging.
struct Plan {
  Ints shape;
  std::array<Ints, kMaxLoopOperands> strides;
  int operands = 0;
};

/// Should dimension a be further inside than b? The output decides, then the inputs.
bool inside(std::span<const LoopOperand> operands, size_t a, size_t b) {
  for (const LoopOperand& op : operands) {
    const int64_t x = std::abs(op.strides[a]);
    const int64_t y = std::abs(op.strides[b]);
    if (x == 0 || y == 0 || x == y) continue;
    return x < y;
  }
  return false;
}

Plan make_plan(IntSpan shape, std::span<const LoopOperand> operands) {
  Plan plan;
  plan.operands = static_cast<int>(operands.size());
  Ints order;
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) continue;
    size_t at = order.size();
    while (at > 0 && inside(operands, d, static_cast<size_t>(order[at - 1]))) --at;
    order.insert(at, static_cast<int64_t>(d));
  }
  for (const int64_t d : order) {
    bool merge = !plan.shape.empty();
    for (int i = 0; merge && i < plan.operands; ++i) {
      merge = operands[i].strides[d] == plan.strides[i].back() * plan.shape.back();
    }
    if (merge) {
      plan.shape[plan.shape.size() - 1] *= shape[d];
      continue;
    }
    plan.shape.push_back(shape[d]);
    for (int i = 0; i < plan.operands; ++i) plan.strides[i].push_back(operands[i].strides[d]);
  }
  if (plan.shape.empty()) {
    plan.shape.push_back(1);
    for (int i = 0; i < plan.operands; ++i) plan.strides[i].push_back(0);
  }
  return plan;
}

/// Runs elements [begin, end) of the plan's flat order.
void run_range(const Plan& plan, std::span<const LoopOperand> operands, InnerLoop inner, const Scalar* params,
               int64_t begin, int64_t end) {
  const size_t n = plan.shape.size();
  Ints index(n, 0);
  std::array<char*, kMaxLoopOperands> data{};
  std::array<int64_t, kMaxLoopOperands> strides{};
  int64_t rest = begin;
  for (int i = 0; i < plan.operands; ++i) {
    data[i] = operands[i].data;
    strides[i] = plan.strides[i][0];
  }
  for (size_t d = 0; d < n; ++d) {
    index[d] = rest % plan.shape[d];
    rest /= plan.shape[d];
    for (int i = 0; i < plan.operands; ++i) data[i] += index[d] * plan.strides[i][d];
  }
  int64_t left = end - begin;
  for (;;) {
    const int64_t count = std::min(left, plan.shape[0] - index[0]);
    inner(data.data(), strides.data(), count, params);
    left -= count;
    if (left == 0) return;
    for (int i = 0; i < plan.operands; ++i) data[i] -= index[0] * plan.strides[i][0];
    index[0] = 0;
    for (size_t d = 1; d < n; ++d) {
      for (int i = 0; i < plan.operands; ++i) data[i] += plan.strides[i][d];
      if (++index[d] < plan.shape[d]) break;
      for (int i = 0; i < plan.operands; ++i) data[i] -= plan.shape[d] * plan.strides[i][d];
      index[d] = 0;
    }
  }
}

}  // namespace

void run_loop(IntSpan shape, std::span<LoopOperand> operands, InnerLoop inner, const Scalar* params) {
  int64_t numel = 1;
  for (const int64_t size : shape) numel *= size;
  if (numel == 0) return;
  const Plan plan = make_plan(shape, operands);
  parallel_for(numel, kGrain,
               [&](int64_t begin, int64_t end) { run_range(plan, operands, inner, params, begin, end); });
}

Ints loop_strides(IntSpan sizes, IntSpan strides, size_t item_size, IntSpan shape) {
  Ints out(shape.size(), 0);
  const size_t lead = shape.size() - sizes.size();
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] != 1) out[lead + d] = strides[d] * static_cast<int64_t>(item_size);
  }
  return out;
}

}  // namespace onetape
