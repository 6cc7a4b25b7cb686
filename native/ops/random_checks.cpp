#include "ops/random_checks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/copy.h"
#include "ops/creation.h"
#include "ops/type_words.h"

namespace onetape {
namespace {

/// The largest finite number of a dtype.
double largest(DType dtype) {
  switch (dtype) {
    case DType::Bool:
      return 1;
    case DType::U8:
      return 255;
    case DType::I8:
      return 127;
    case DType::I16:
      return 32767;
    case DType::I32:
      return 2147483647;
    case DType::I64:
      return 9223372036854775807.0;
    case DType::F16:
      return 65504;
    case DType::BF16:
      return 0x1.fep127;
    case DType::F32:
      return std::numeric_limits<float>::max();
    default:
      return std::numeric_limits<double>::max();
  }
}

double smallest(DType dtype) {
  if (dtype == DType::Bool || dtype == DType::U8) return 0;
  return is_integral(dtype) ? -largest(dtype) - 1 : -largest(dtype);
}

void check_within(double value, const char* what, DType dtype) {
  check(value >= smallest(dtype) && value <= largest(dtype), what, " is out of bounds for ",
        type_words(dtype));
}

void check_real(DType dtype) {
  check(!is_complex(dtype), "check_random_bounds handles only integral, floating-point and boolean types");
}

template <typename F>
bool all_of(const Tensor& t, F f) {
  if (!t.has_data()) return true;
  const Tensor flat = dense(t);
  return visit_real("all", t.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* at = flat.data<T>();
    return std::all_of(at, at + flat.numel(), [&](T value) { return f(convert<double>(value)); });
  });
}

}  // namespace

void check_uniform_dtype(DType dtype) {
  if (is_differentiable(dtype)) return;
  fail(ErrorKind::NotImplemented, "\"check_uniform_bounds\" not implemented for '", scalar_type_name(dtype),
       "'");
}

void check_uniform_bounds(double from, double to, DType dtype) {
  const DType real = to_real(dtype);
  check_within(from, "from", real);
  check_within(to, "to", real);
  check(from <= to, "uniform_ expects to return a [from, to) range, but found from=", from, " > to=", to);
  check(to - from <= largest(real), "uniform_ expects to-from <= std::numeric_limits<",
        scalar_type_name(real), ">::max(), but found to=", to, " and from=", from,
        " which result in to-from to exceed the limit");
}

void check_normal_dtype(DType dtype) {
  check_random_dtype("normal_kernel_cpu", is_complex(dtype) ? to_real(dtype) : dtype);
}

void check_random_dtype(const char* kernel, DType dtype) {
  const bool any_real = std::string_view(kernel) == "random_kernel_cpu";
  if (any_real ? !is_complex(dtype) : is_floating(dtype)) return;
  fail(ErrorKind::NotImplemented, "\"", kernel, "\" not implemented for '", scalar_type_name(dtype), "'");
}

void check_deviation(double std) { check(std >= 0, "normal expects std >= 0.0, but found std ", std); }

void check_deviations(const Tensor& std) {
  check(!is_complex(std.dtype()), "normal expects standard deviation to be non-complex");
  check(all_of(std, [](double value) { return value >= 0; }), "normal expects all elements of std >= 0.0");
}

void check_random_bounds(int64_t from, int64_t to, DType dtype) {
  check(from < to, "random_ expects 'from' to be less than 'to', but got from=", from, " >= to=", to);
  check_real(dtype);
  check_within(static_cast<double>(from), "from", dtype);
  check_within(static_cast<double>(to - 1), "to - 1", dtype);
}

void check_random_from(int64_t from, DType dtype) {
  check(!is_complex(dtype), "random_from_to_impl handles only integral, floating-point and boolean types");
  check_within(static_cast<double>(from), "from", dtype);
  check(from <= largest_integer(dtype),
        "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but "
        "got from=",
        from, " > to_inc=", largest_integer(dtype));
}

int64_t largest_integer(DType dtype) {
  switch (dtype) {
    case DType::F16:
      return int64_t{1} << 11;
    case DType::BF16:
      return int64_t{1} << 8;
    case DType::F32:
      return int64_t{1} << 24;
    case DType::I64:
      return std::numeric_limits<int64_t>::max();
    case DType::F64:
      return int64_t{1} << 53;
    default:
      return static_cast<int64_t>(largest(dtype));
  }
}

void check_permutation(int64_t n, DType dtype) {
  check(n >= 0, "Trying to create tensor with negative dimension ", n, ": ", Ints{n});
  if (dtype == DType::F16) {
    check(n <= 2049, "n cannot be greater than 2049 for Half type.");
  } else if (dtype == DType::F32) {
    check(n <= largest_integer(dtype) + 1, "n cannot be greater than 2^24+1 for Float type.");
  } else if (dtype == DType::F64) {
    check(n <= largest_integer(dtype) + 1, "n cannot be greater than 2^53+1 for Double type.");
  } else if (is_integral(dtype)) {
    checked_scalar_tensor(n - 1, dtype);
  }
}

void check_multinomial(const Tensor& weights, int64_t num_samples, bool replacement) {
  check(weights.dim() == 1 || weights.dim() == 2, "prob_dist must be 1 or 2 dim");
  check(is_floating(weights.dtype()), "multinomial only supports floating-point dtypes for input, got: ",
        scalar_type_name(weights.dtype()));
  check(num_samples > 0, "cannot sample n_sample <= 0 samples");
  check(replacement || num_samples <= weights.size(-1),
        "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  check(weights.size(-1) > 0, "multinomial: a row has no probabilities, got shape ", weights.shape());
}

void check_weights(const Tensor& weights) {
  check(all_of(weights, [](double value) { return value >= 0 && std::isfinite(value); }),
        "probability tensor contains either `inf`, `nan` or element < 0");
  const int64_t columns = weights.size(-1);
  if (!weights.has_data()) return;
  visit_floating("multinomial", weights.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* row = weights.data<T>();
    for (int64_t i = 0; i < weights.numel(); i += columns) {
      const bool any = std::any_of(row + i, row + i + columns,
                                   [](T value) { return static_cast<compute_t<T>>(value) > 0; });
      check(any, "invalid multinomial distribution (sum of probabilities <= 0)");
    }
  });
}

void check_rates(const Tensor& rates) {
  if (!is_floating(rates.dtype())) {
    fail(ErrorKind::NotImplemented, "\"poisson_cpu\" not implemented for '", scalar_type_name(rates.dtype()),
         "'");
  }
  check(all_of(rates, [](double value) { return value >= 0; }),
        "invalid Poisson rate, expected rate to be non-negative");
}

}  // namespace onetape
