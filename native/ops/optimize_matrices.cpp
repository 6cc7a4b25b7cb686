// The steps of the optimizers that look at a matrix as a whole; options and states are those of
// optimizers.opt.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/parallel.h"
#include "ops.h"
#include "ops/optimizer_step.h"
#include "optimizers.h"

namespace onetape::optimizers {
namespace {

constexpr int64_t kGrain = 32768;  // elements worth a thread

/// Kernels take what they only read by the same type.
template <typename T>
char* bytes_at(const T* elements) {
  return reinterpret_cast<char*>(const_cast<T*>(elements));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

double root_of_mean_square(const Tensor& tensor) {
  static const Kernel& squares = find_kernel("row_squares");
  if (!tensor.has_data()) return 1;
  const Tensor t = ops::contiguous(tensor);
  return visit_floating("Adafactor", t.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    C sum = 0;
    const std::array data = {reinterpret_cast<char*>(&sum), t.bytes()};
    squares.loop(t.dtype())(data.data(), nullptr, t.numel(), nullptr);
    const T norm(std::sqrt(sum));  // PyTorch has it in the tensor's type
    return static_cast<double>(static_cast<C>(norm)) / std::sqrt(static_cast<double>(t.numel()));
  });
}

/// The distance from 1 to the next number.
double epsilon_of(DType dtype) {
  switch (dtype) {
    case DType::BF16:
      return 0x1p-7;
    case DType::F16:
      return 0x1p-10;
    case DType::F32:
      return std::numeric_limits<float>::epsilon();
    default:
      return std::numeric_limits<double>::epsilon();
  }
}

/// The mean of n squares of a sum, as PyTorch has it: from the norm, which is stored in the parameter's type.
template <typename T>
T mean_of_sum(compute_t<T> sum, int64_t n) {
  using C = compute_t<T>;
  const auto stored = [](C value) { return static_cast<C>(T(value)); };
  const C norm = stored(std::sqrt(sum));
  return T(stored(norm * norm) / static_cast<C>(n));
}

/// The mean of the squares in each row, in the shape (…, rows, 1), or in each column, in (…, 1, columns).
Tensor means_of_squares(const Tensor& matrices, bool of_rows) {
  static const Kernel& row_squares = find_kernel("row_squares");
  static const Kernel& column_squares = find_kernel("column_squares");
  const Tensor t = ops::contiguous(matrices);
  const int64_t rows = t.size(-2);
  const int64_t columns = t.size(-1);
  Ints shape = t.shape();
  shape[shape.size() - (of_rows ? 1 : 2)] = 1;
  const Tensor means = ops::new_empty(t, shape);
  if (!means.has_data()) return means;
  visit_floating("Adafactor", t.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = means.data<T>();
    const T* from = t.data<T>();
    if (of_rows) {
      const InnerLoop loop = row_squares.loop(t.dtype());
      parallel_for(means.numel(), kGrain / columns + 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          compute_t<T> sum = 0;
          const std::array data = {reinterpret_cast<char*>(&sum), bytes_at(from + i * columns)};
          loop(data.data(), nullptr, columns, nullptr);
          to[i] = mean_of_sum<T>(sum, columns);
        }
      });
      return;
    }
    const InnerLoop loop = column_squares.loop(t.dtype());
    for (int64_t matrix = 0; matrix < means.numel() / columns; ++matrix) {
      parallel_for(columns, kGrain / rows + 1, [&](int64_t begin, int64_t end) {
        std::vector<compute_t<T>> sums(static_cast<size_t>(end - begin));
        for (int64_t row = 0; row < rows; ++row) {
          const T* part = from + (matrix * rows + row) * columns + begin;
          const std::array data = {reinterpret_cast<char*>(sums.data()), bytes_at(part)};
          loop(data.data(), nullptr, end - begin, nullptr);
        }
        for (int64_t i = begin; i < end; ++i) {
          to[matrix * columns + i] = mean_of_sum<T>(sums[static_cast<size_t>(i - begin)], rows);
        }
      });
    }
  });
  return means;
}

/// Takes a share of the parameter off itself. Of 16-bit floats it is not rounded before, which mul would do.
void shrink(const Tensor& param, double share) {
  if (item_size(param.dtype()) == 2) {
    ops::lerp_(param, scalar_tensor(0.0, param.dtype()), Scalar(share));
  } else {
    ops::mul_(param, Scalar(1 - share));
  }
}

/// Takes a multiple of a tensor off the parameter, rounded once.
void take_off(const Tensor& param, const Tensor& update, double size) {
  static const Kernel& kernel = find_kernel("sgd");
  StepNumbers<sgd_number::kCount> numbers(false, 0);
  numbers[sgd_number::kLr] = size;
  ParameterStep(param, ops::to_dtype(update, param.dtype()), {}, false, {}).run(kernel, numbers, {});
}

/// The numbers of a float32 tensor, each rounded to bfloat16.
Tensor rounded(const Tensor& t) { return ops::to_dtype(ops::to_dtype(t, DType::BF16), DType::F32); }

/// A matrix whose singular values are all near to 1, from one with the same singular vectors: rounds of
/// a·x + b·x³ + c·x⁵, in bfloat16 as in PyTorch. What is multiplied is kept in float32, which is faster than
/// to widen it for each product.
Tensor orthogonalized(const Tensor& matrix, ParameterStep& one) {
  namespace m = muon;
  const bool tall = matrix.size(0) > matrix.size(1);
  Tensor x = ops::to_dtype(matrix, DType::BF16, true);
  if (tall) x = ops::transpose(x, 0, 1);
  ops::div_(x, ops::clamp(ops::norm(x), Scalar(one.option(m::kEps))));
  x = ops::to_dtype(x, DType::F32);
  const Scalar a(one.option(m::kNsCoefficients0));
  const Scalar b(one.option(m::kNsCoefficients1));
  const Scalar c(one.option(m::kNsCoefficients2));
  for (int round = 0; round < one.option(m::kNsSteps); ++round) {
    const Tensor gram = rounded(ops::mm(x, ops::transpose(x, 0, 1)));
    x = rounded(ops::addmm(x, rounded(ops::addmm(gram, gram, gram, b, c)), x, a));
  }
  return tall ? ops::transpose(x, 0, 1) : x;
}

/// What lr is multiplied by for a matrix; `word` is the number of the option's word.
double form_factor(double word, const Tensor& matrix) {
  const auto rows = static_cast<double>(matrix.size(0));
  const auto columns = static_cast<double>(matrix.size(1));
  switch (static_cast<int>(word)) {
    case muon::kNoAdjustLrFn:
    case muon::kOriginal:
      return std::sqrt(std::max(1.0, rows / columns));
    case muon::kMatchRmsAdamw:
      return 0.2 * std::sqrt(std::max(rows, columns));
    case muon::kSpectralUnclamped:
      return std::sqrt(rows / columns);
    default:
      return 1.0;
  }
}

}  // namespace

// ---- Adafactor ----
void adafactor::step(ParameterStep& one) {
  const Tensor& param = one.param();
  const Tensor& grad = one.grad();
  const double step = one.count(kStepState);
  if (param.numel() == 0) return;
  const double least = std::isnan(one.option(kEps0)) ? epsilon_of(param.dtype()) : one.option(kEps0);
  const Scalar newest(std::pow(step, one.option(kBeta2Decay)));
  const double rate = std::min(one.option(kLr), 1 / std::sqrt(step));
  const double size = std::max(one.option(kEps1), root_of_mean_square(param)) * rate;
  if (one.option(kWeightDecay) != 0) shrink(param, one.option(kLr) * one.option(kWeightDecay));
  Tensor update;
  if (param.dim() > 1) {
    const Tensor& rows = one.state(kRowVarState);
    const Tensor& columns = one.state(kColVarState);
    ops::lerp_(rows, means_of_squares(grad, true), newest);
    ops::lerp_(columns, means_of_squares(grad, false), newest);
    update = ops::mul(rows, columns);
    constexpr std::array<int64_t, 1> kLastButOne = {-2};
    ops::div_(update, ops::clamp_(ops::mean(rows, IntSpan(kLastButOne), true), Scalar(least)));
  } else {
    ops::lerp_(one.state(kVarianceState), ops::mul(grad, grad), newest);
    update = ops::clone(one.state(kVarianceState));
  }
  ops::mul_(ops::rsqrt_(ops::clamp_(update, Scalar(least * least))), grad);
  const double clipped = std::max(1.0, root_of_mean_square(update) / one.option(kD));
  take_off(param, update, (one.flag(kMaximize) ? -size : size) / clipped);
}

// ---- Muon ----
void muon::step(ParameterStep& one) {
  const Tensor& param = one.param();
  check_value(one.option(kNsSteps) < 100,
              "Number of steps must be less than 100 for computational efficiency");
  check_value(param.dim() == 2, "Param gradient must be a 2D matrix");
  const double lr = one.option(kLr);
  const Tensor& mean = one.state(kMomentumBufferState);
  ops::lerp_(mean, one.grad(), Scalar(1 - one.option(kMomentum)));
  if (param.numel() == 0) return;
  const Tensor ahead =
      one.flag(kNesterov) ? ops::lerp(one.grad(), mean, Scalar(one.option(kMomentum))) : mean;
  const Tensor update = orthogonalized(ahead, one);
  const double factor = form_factor(one.option(kAdjustLrFn), param);
  shrink(param, lr * one.option(kWeightDecay));
  take_off(param, update, lr * factor);
}

}  // namespace onetape::optimizers
