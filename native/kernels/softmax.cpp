#include "kernels/softmax.h"

#include "core/parallel.h"
#include "kernels/registry.h"
#include "kernels/softmax_loops.h"

namespace onetape {
namespace {

constexpr int64_t kGrain = 16384;  // elements worth a thread

/// How many columns to take at once: so few that they stay in the cache between the passes over them, or,
/// where that would be very few, as many as there may be, since memory is best read in long runs.
int64_t columns_together(int64_t n) {
  constexpr int64_t kCached = 1 << 16;  // elements
  constexpr int64_t kFew = 64;
  const int64_t fit = kCached / n / 16 * 16;
  return fit < kFew ? SoftmaxBlock::kColumns : std::min(fit, SoftmaxBlock::kColumns);
}

/// Runs f over all of the tensor, in blocks of whole rows or of neighbouring columns.
void run(SoftmaxLoop loop, const AlongDim& shape, size_t item, const char* a, const char* b, char* out) {
  if (shape.outer * shape.n * shape.inner == 0) return;
  const auto step = static_cast<int64_t>(item);
  if (shape.inner == 1) {
    parallel_for(shape.outer, std::max<int64_t>(kGrain / shape.n, 1), [&](int64_t begin, int64_t end) {
      const int64_t at = begin * shape.n * step;
      loop({a + at, b ? b + at : nullptr, out + at, end - begin, shape.n, 1});
    });
    return;
  }
  const int64_t columns = columns_together(shape.n);
  const int64_t blocks = (shape.inner + columns - 1) / columns;
  const int64_t work = shape.n * std::min(shape.inner, columns);
  parallel_for(shape.outer * blocks, std::max<int64_t>(kGrain / work, 1), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t column = i % blocks * columns;
      const int64_t at = (i / blocks * shape.n * shape.inner + column) * step;
      loop({a + at, b ? b + at : nullptr, out + at, std::min(columns, shape.inner - column), shape.n,
            shape.inner});
    }
  });
}

}  // namespace

void softmax(std::string_view op, DType dtype, bool log, const AlongDim& shape, const char* in, char* out) {
  if (!is_floating(dtype))
    fail(ErrorKind::NotImplemented, "\"", op, "\" not implemented for '", scalar_type_name(dtype), "'");
  run(find_function<SoftmaxLoop>(log ? "log_softmax" : "softmax", dtype), shape, item_size(dtype), in,
      nullptr, out);
}

void softmax_backward(DType dtype, bool log, const AlongDim& shape, const char* grad, const char* output,
                      char* out) {
  run(find_function<SoftmaxLoop>(log ? "log_softmax_backward" : "softmax_backward", dtype), shape,
      item_size(dtype), grad, output, out);
}

}  // namespace onetape
