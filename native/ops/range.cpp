#include "kernels/range.h"

#include <cmath>

#include "ops.h"
#include "ops/creation.h"

namespace onetape::ops {
namespace {

bool is_int64(const Scalar& value) { return value.is_integral() && !value.is_beyond_int64(); }

/// How many numbers an arange has; checks that they lead somewhere.
int64_t arange_length(const Scalar& start, const Scalar& end, const Scalar& step) {
  check(step.to<double>() != 0, "step must be nonzero");
  check(std::isfinite(start.to<double>()) && std::isfinite(end.to<double>()),
        "unsupported range: ", start.to<double>(), " -> ", end.to<double>());
  const bool up = step.to<double>() > 0;
  if (is_int64(start) && is_int64(end) && is_int64(step)) {
    const auto from = static_cast<uint64_t>(start.to<int64_t>());
    const auto to = static_cast<uint64_t>(end.to<int64_t>());
    const auto by = static_cast<uint64_t>(step.to<int64_t>());
    check(up ? start.to<int64_t>() <= end.to<int64_t>() : start.to<int64_t>() >= end.to<int64_t>(),
          "upper bound and lower bound inconsistent with step sign");
    const uint64_t distance = up ? to - from : from - to;
    const uint64_t stride = up ? by : -by;
    return static_cast<int64_t>(distance / stride + (distance % stride != 0 ? 1 : 0));
  }
  check(up ? start.to<double>() <= end.to<double>() : start.to<double>() >= end.to<double>(),
        "upper bound and lower bound inconsistent with step sign");
  const double length = std::ceil((end.to<double>() - start.to<double>()) / step.to<double>());
  check(length < 9223372036854775808.0, "invalid size, possible overflow?");
  return static_cast<int64_t>(length);
}

/// The options of the tensor that a sequence is made in: the gradient flag comes after the numbers.
Options without_grad(const Options& options) { return {.dtype = options.dtype, .device = options.device}; }

void check_steps(int64_t steps) { check(steps >= 0, "number of steps must be non-negative"); }

/// The dtype of a spaced sequence that names none.
DType spaced_dtype(const Scalar& start, const Scalar& end) {
  const bool has_complex = start.kind() == DTypeKind::Complex || end.kind() == DTypeKind::Complex;
  return has_complex ? to_complex(default_dtype()) : default_dtype();
}

/// How many elements of a matrix have column − row ≤ offset, with offset in [−row − 1, col + 1]. In closed
/// form, since a matrix without columns may have more rows than can be counted.
int64_t lower_triangle_count(int64_t row, int64_t col, int64_t offset) {
  const int64_t first = std::min(std::max<int64_t>(-offset, 0), row);  // rows above it have no element
  const int64_t full = std::clamp<int64_t>(col - offset, first, row);  // rows from here on are whole
  const int64_t growing = full - first;                                // rows of 1 + x, 2 + x, … elements
  const int64_t ends = growing == 0 ? 0 : (first + offset + 1) + (full + offset);
  int64_t slope = 0;
  int64_t rest = 0;
  int64_t count = 0;
  const bool halve_ends = ends % 2 == 0;
  const bool overflows =
      __builtin_mul_overflow(halve_ends ? ends / 2 : ends, halve_ends ? growing : growing / 2, &slope) ||
      __builtin_mul_overflow(row - full, col, &rest) || __builtin_add_overflow(slope, rest, &count);
  check(!overflows, "the triangle of a ", row, " x ", col,
        " matrix has more elements than a tensor can hold");
  return count;
}

/// Writes rows and columns of the elements for which column − row is ≤ offset (lower) or ≥ offset (upper).
Tensor triangle_indices(const char* name, int64_t row, int64_t col, bool lower, int64_t offset,
                        const Options& options) {
  check(row >= 0, "row must be non-negative, got", row);
  check(col >= 0, "col must be non-negative, got", col);
  const DType dtype = options.dtype_or(DType::I64);
  if (dtype != DType::I32 && dtype != DType::I64) {
    fail(ErrorKind::NotImplemented, "\"", name, "\" not implemented for '", scalar_type_name(dtype), "'");
  }
  constexpr int64_t kLargest = int64_t{1} << 61;  // no sum of a few of these overflows
  check(row <= kLargest && col <= kLargest, "a ", row, " x ", col, " matrix is too large");
  offset = std::clamp(offset, -row - 1, col + 1);
  // The upper triangle is the lower one of the transposed matrix.
  const int64_t count =
      lower ? lower_triangle_count(row, col, offset) : lower_triangle_count(col, row, -offset);
  Tensor result = make_tensor(Ints{2, count}, options, DType::I64);
  const int64_t first = lower ? std::max<int64_t>(-offset, 0) : 0;
  visit_real(name, dtype, [&](auto tag) {
    if (!result.has_data()) return;
    using T = typename decltype(tag)::type;
    T* rows = result.data<T>();
    T* columns = rows + count;
    // Every row from the first on adds elements until all are written.
    for (int64_t r = first, written = 0; written < count; ++r) {
      const int64_t from = lower ? 0 : std::max<int64_t>(r + offset, 0);
      const int64_t to = lower ? std::min(r + offset + 1, col) : col;
      for (int64_t c = from; c < to; ++c, ++written) {
        rows[written] = static_cast<T>(r);
        columns[written] = static_cast<T>(c);
      }
    }
  });
  return result;
}

}  // namespace

// ---- arange ----
Tensor arange(Body, const Scalar& end, const Options& options) {
  return arange(Scalar(0), end, Scalar(1), options);
}

Tensor arange(Body, const Scalar& start, const Scalar& end, const Scalar& step, const Options& options) {
  const bool integral = start.is_integral() && end.is_integral() && step.is_integral();
  const DType dtype = options.dtype_or(integral ? DType::I64 : default_dtype());
  for (const Scalar& one : {start, end, step}) {
    if (one.is_beyond_int64()) check_convertible(one, dtype);
  }
  const int64_t length = arange_length(start, end, step);
  Tensor result = make_tensor(Ints{length}, without_grad(options), dtype);
  fill_arange(result, start, step);
  return with_requires_grad(std::move(result), options);
}

// ---- linspace ----
Tensor linspace(Body, const Scalar& start, const Scalar& end, int64_t steps, const Options& options) {
  check_steps(steps);
  Tensor result = make_tensor(Ints{steps}, without_grad(options), spaced_dtype(start, end));
  if (result.dtype() == DType::Bool)
    fail(ErrorKind::NotImplemented, "\"linspace_cpu\" not implemented for 'Bool'");
  check_convertible(start, result.dtype());
  check_convertible(end, result.dtype());
  if (result.has_data()) {
    fill_linspace(result, item(onetape::scalar_tensor(start, result.dtype())),
                  item(onetape::scalar_tensor(end, result.dtype())));
  }
  return with_requires_grad(std::move(result), options);
}

// ---- logspace ----
Tensor logspace(Body, const Scalar& start, const Scalar& end, int64_t steps, double base,
                const Options& options) {
  check_steps(steps);
  Tensor result = make_tensor(Ints{steps}, without_grad(options), spaced_dtype(start, end));
  if (result.dtype() == DType::Bool)
    fail(ErrorKind::NotImplemented, "\"logspace_cpu\" not implemented for 'Bool'");
  if (steps == 1 && !is_complex(result.dtype())) {
    fill_(result, Scalar(std::pow(base, start.to<double>())));
    return with_requires_grad(std::move(result), options);
  }
  checked_scalar_tensor(start, result.dtype());
  checked_scalar_tensor(end, result.dtype());
  fill_logspace(result, start, end, base);
  return with_requires_grad(std::move(result), options);
}

// ---- eye ----
Tensor eye(Body, int64_t n, std::optional<int64_t> m, const Options& options) {
  check(n >= 0, "n must be greater or equal to 0, got ", n);
  const int64_t columns = m.value_or(n);
  check(columns >= 0, "m must be greater or equal to 0, got ", columns);
  const Tensor result = zeros(Ints{n, columns}, without_grad(options));
  fill_(diagonal(result), Scalar(1));
  return with_requires_grad(result, options);
}

// ---- tril_indices, triu_indices ----
Tensor tril_indices(Body, int64_t row, int64_t col, int64_t offset, const Options& options) {
  return triangle_indices("tril_indices", row, col, true, offset, options);
}

Tensor triu_indices(Body, int64_t row, int64_t col, int64_t offset, const Options& options) {
  return triangle_indices("triu_indices", row, col, false, offset, options);
}

}  // namespace onetape::ops
