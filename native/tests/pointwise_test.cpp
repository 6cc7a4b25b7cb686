// What the operator tables' samples cannot show: arguments that change a kernel's path, kinks, ties and
// chance.

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "autograd/engine.h"
#include "autograd/meta.h"
#include "core/error.h"
#include "core/generator.h"
#include "ops.h"

namespace onetape {
namespace {

Tensor vector(std::initializer_list<double> values, DType dtype = DType::F64, bool requires_grad = false) {
  Tensor wide = Tensor::empty(std::array<int64_t, 1>{static_cast<int64_t>(values.size())}, DType::F64);
  std::copy(values.begin(), values.end(), wide.data<double>());
  Tensor t = ops::to_dtype(wide, dtype);
  if (requires_grad) set_requires_grad(t, true);
  return t;
}

std::vector<double> list(const Tensor& t) {
  const Tensor wide = ops::contiguous(ops::to_dtype(detach(t), DType::F64));
  return {wide.data<double>(), wide.data<double>() + wide.numel()};
}

template <typename F>
std::vector<double> slopes(std::initializer_list<double> at, F function) {
  const Tensor x = vector(at, DType::F64, true);
  const Tensor total = ops::sum(function(x));
  backward(std::span(&total, 1), {});
  return list(grad(x));
}

TEST(Pointwise, SinesOfLargeAndSmallArgumentsInOneBlock) {
  for (const DType dtype : {DType::F32, DType::F64}) {
    const Tensor x = vector({0.5, 1e6, 2e7, -1e30, 3, INFINITY, NAN, -0.0}, dtype);
    const std::vector<double> in = list(x);
    const std::vector<double> sine = list(ops::sin(x));
    const std::vector<double> cosine = list(ops::cos(x));
    const double precision = dtype == DType::F32 ? 1e-7 : 1e-15;
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(sine[i], std::sin(in[i]), precision);
      EXPECT_NEAR(cosine[i], std::cos(in[i]), precision);
    }
    EXPECT_TRUE(std::isnan(sine[5]) && std::isnan(sine[6]));
    EXPECT_TRUE(std::signbit(sine[7]));
  }
}

TEST(Pointwise, PowersAtTheirSpecialPoints) {
  constexpr std::array<double, 14> points = {0, -0.0, 1,        -1,        2,   -2,    0.5,
                                             3, -3,   INFINITY, -INFINITY, NAN, 1e-30, -8};
  for (const double x : points) {
    for (const double y : points) {
      const double got = list(ops::pow(vector({x}, DType::F32), vector({y}, DType::F32)))[0];
      const double want = std::pow(static_cast<float>(x), static_cast<float>(y));
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(got)) << x << " to the power " << y;
      } else {
        EXPECT_FLOAT_EQ(got, want) << x << " to the power " << y;
        EXPECT_EQ(std::signbit(got), std::signbit(want)) << x << " to the power " << y;
      }
    }
  }
}

TEST(Pointwise, IntegersToNegativePowers) {
  EXPECT_EQ(list(ops::pow(vector({2, 1, -1, -1, 0}, DType::I64), vector({-1, -1, -3, -2, -1}, DType::I64))),
            (std::vector<double>{0, 1, -1, 1, 0}));
  EXPECT_THROW(ops::pow(vector({2}, DType::I64), wrapped_number(-1)), Error);
}

TEST(Pointwise, TiesShareTheGradient) {
  const auto with_one = [](const Tensor& x) { return ops::maximum(x, vector({1, 1, 1})); };
  EXPECT_EQ(slopes({0, 1, 2}, with_one), (std::vector<double>{0, 0.5, 1}));
  const auto least = [](const Tensor& x) { return ops::fmin(x, vector({1, 1, 1})); };
  EXPECT_EQ(slopes({0, 1, 2}, least), (std::vector<double>{1, 0.5, 0}));
}

TEST(Pointwise, SlopesAtKinks) {
  EXPECT_EQ(slopes({-1, 0, 1}, [](const Tensor& x) { return ops::abs(x); }), (std::vector<double>{-1, 0, 1}));
  EXPECT_EQ(slopes({-1, 0, 1}, [](const Tensor& x) { return ops::relu(x); }), (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(slopes({-1, 0, 1}, [](const Tensor& x) { return ops::hardtanh(x); }),
            (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(slopes({-3, 0, 3}, [](const Tensor& x) { return ops::hardswish(x); }),
            (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(slopes({0, 0.5, 1}, [](const Tensor& x) { return ops::clamp(x, Scalar(0), Scalar(1)); }),
            (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(slopes({0, 2}, [](const Tensor& x) { return ops::pow(x, wrapped_number(0)); }),
            (std::vector<double>{0, 0}));
}

TEST(Pointwise, BoundsBeyondAnIntegerTypeBoundNothing) {
  const Tensor x = vector({1, 200}, DType::U8);
  EXPECT_EQ(list(ops::clamp(x, Scalar(-1), Scalar(100))), (std::vector<double>{1, 100}));
  EXPECT_EQ(list(ops::clamp(x, Scalar(5), Scalar(int64_t{1} << 40))), (std::vector<double>{5, 200}));
}

TEST(Pointwise, FloorDivisionHasNoGradient) {
  const Tensor x = vector({3}, DType::F64, true);
  const Tensor y = ops::floor_divide(x, wrapped_number(2));
  EXPECT_THROW(backward(std::span(&y, 1), {}), Error);
}

TEST(Dropout, DrawsTheSameForTheSameSeedAndKeepsTheScale) {
  const Tensor x = ops::ones(std::array<int64_t, 1>{1000}, Options{.dtype = DType::F64});
  manual_seed(7);
  const std::vector<double> first = list(ops::dropout(x, 0.1, true));
  manual_seed(7);
  EXPECT_EQ(first, list(ops::dropout(x, 0.1, true)));
  int kept = 0;
  for (const double value : first) {
    EXPECT_TRUE(value == 0 || value == 1 / 0.9);
    kept += value != 0;
  }
  EXPECT_NEAR(kept, 900, 40);
  EXPECT_TRUE(ops::dropout(x, 0.1, false).is(x));
}

TEST(Dropout, RefusesWhatIsNoProbability) {
  EXPECT_THROW(ops::dropout(vector({1}), -0.1, true), Error);
  EXPECT_THROW(ops::bernoulli(vector({0.5, 1.5})), Error);
  EXPECT_THROW(ops::bernoulli(vector({NAN})), Error);
}

}  // namespace
}  // namespace onetape
