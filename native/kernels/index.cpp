#include "kernels/index.h"

#include <cstring>

#include "core/parallel.h"
#include "kernels/item_size.h"
#include "kernels/walk.h"

namespace onetape {
namespace {

constexpr int64_t kGrain = 16384;  // elements worth a thread

int64_t product(IntSpan sizes) {
  int64_t n = 1;
  for (const int64_t size : sizes) n *= size;
  return n;
}

/// Are the `after` dimensions one run of neighbours in both tensors?
bool rows_are_dense(const IndexPlan& plan) {
  int64_t step = 1;
  for (size_t d = plan.after.size(); d-- > 0;) {
    if (plan.after[d] != 1 && (plan.memory_after[d] != step || plan.dense_after[d] != step)) return false;
    step *= plan.after[d];
  }
  return true;
}

/// Calls row(memory offset, dense offset) for rows [begin, end) of before × points.
template <typename F>
void for_rows(const IndexPlan& plan, int64_t begin, int64_t end, F row) {
  const auto points = static_cast<int64_t>(plan.points.size());
  Walk<2> outer(plan.before, {plan.memory_before, plan.dense_before}, begin / points);
  int64_t p = begin % points;
  for (int64_t r = begin; r < end; ++r) {
    row(outer[0] + plan.points[p], outer[1] + p * plan.dense_point);
    if (++p == points) {
      p = 0;
      outer.next();
    }
  }
}

/// Calls one(memory offset, dense offset) for every element of a row.
template <typename F>
void for_row(const IndexPlan& plan, int64_t n, int64_t memory, int64_t dense, F one) {
  if (plan.after.size() <= 1) {
    const int64_t memory_step = plan.after.empty() ? 0 : plan.memory_after[0];
    const int64_t dense_step = plan.after.empty() ? 0 : plan.dense_after[0];
    for (int64_t i = 0; i < n; ++i) one(memory + i * memory_step, dense + i * dense_step);
    return;
  }
  Walk<2> inner(plan.after, {plan.memory_after, plan.dense_after});
  for (int64_t i = 0; i < n; ++i, inner.next()) one(memory + inner[0], dense + inner[1]);
}

/// Copies rows; `read` says whether memory or dense is the source.
template <typename T, bool read>
void copy_rows(const IndexPlan& plan, T* memory, T* dense, int64_t begin, int64_t end) {
  const int64_t n = product(plan.after);
  const bool whole = n > 1 && rows_are_dense(plan);
  for_rows(plan, begin, end, [&](int64_t in_memory, int64_t in_dense) {
    T* a = memory + in_memory;
    T* b = dense + in_dense;
    if (whole) {
      std::memcpy(read ? b : a, read ? a : b, static_cast<size_t>(n) * sizeof(T));
    } else if (n == 1) {
      (read ? *b : *a) = read ? *a : *b;
    } else {
      for_row(plan, n, in_memory, in_dense,
              [&](int64_t m, int64_t d) { (read ? dense[d] : memory[m]) = read ? memory[m] : dense[d]; });
    }
  });
}

int64_t row_count(const IndexPlan& plan) {
  return product(plan.after) == 0 ? 0 : product(plan.before) * static_cast<int64_t>(plan.points.size());
}

}  // namespace

void index_read(const IndexPlan& plan, const Tensor& memory, const Tensor& dense) {
  if (!memory.has_data()) return;
  const int64_t rows = row_count(plan);
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, product(plan.after)));
  visit_item_size(memory.item_bytes(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
      copy_rows<T, true>(plan, memory.data<T>(), dense.data<T>(), begin, end);
    });
  });
}

void index_write(const IndexPlan& plan, const Tensor& memory, const Tensor& dense) {
  if (!memory.has_data()) return;
  const int64_t rows = row_count(plan);
  if (rows == 0) return;
  visit_item_size(memory.item_bytes(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    copy_rows<T, false>(plan, memory.data<T>(), dense.data<T>(), 0, rows);
  });
}

void index_accumulate(const IndexPlan& plan, const Tensor& memory, const Tensor& dense, const Scalar& alpha) {
  if (!memory.has_data()) return;
  const int64_t rows = row_count(plan);
  if (rows == 0) return;
  const int64_t n = product(plan.after);
  visit_all(memory.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    T* to = memory.data<T>();
    const T* from = dense.data<T>();
    const C factor = alpha.to<C>();
    for_rows(plan, 0, rows, [&](int64_t in_memory, int64_t in_dense) {
      for_row(plan, n, in_memory, in_dense, [&](int64_t m, int64_t d) {
        to[m] = static_cast<T>(static_cast<C>(to[m]) + factor * static_cast<C>(from[d]));
      });
    });
  });
}

}  // namespace onetape
