#include "autograd/forward.h"

#include <gtest/gtest.h>

#include "autograd/engine.h"
#include "autograd/meta.h"
#include "autograd/mode.h"
#include "core/error.h"
#include "ops.h"

namespace onetape {
namespace {

Tensor number(double value) { return scalar_tensor(Scalar(value), DType::F64); }
double value_of(const Tensor& t) { return item(t).to<double>(); }

class Forward : public testing::Test {
 protected:
  void SetUp() override { enter_dual_level(); }
  void TearDown() override {
    if (dual_level() >= 0) exit_dual_level(0);
  }
};

TEST_F(Forward, TangentIsTheDirectionalDerivative) {
  const Tensor x = make_dual(number(3), number(2), 0);
  const Tensor y = ops::mul(ops::mul(x, x), ops::exp(x));
  const double e = std::exp(3.0);
  EXPECT_NEAR(value_of(tangent_of(y)), 2 * (6 * e + 9 * e), 1e-10);
  EXPECT_FALSE(y.requires_grad());
  EXPECT_FALSE(grad_fn(y));
}

TEST_F(Forward, NoGradModeDoesNotStopIt) {
  const GradModeGuard mode(false);
  const Tensor x = make_dual(number(3), number(2), 0);
  EXPECT_EQ(value_of(tangent_of(ops::mul(x, x))), 12);
}

TEST_F(Forward, BothWaysOfSecondDerivatives) {
  const Tensor x = number(3);
  set_requires_grad(x, true);
  const Tensor y = ops::exp(make_dual(x, number(2), 0));
  const Tensor over_reverse =
      grad(std::span(&y, 1), std::span(&x, 1), {}, {.retain_graph = true, .create_graph = false})[0];
  EXPECT_NEAR(value_of(tangent_of(over_reverse)), 2 * std::exp(3.0), 1e-10);
  const Tensor tangent = tangent_of(y);
  ASSERT_TRUE(tangent.requires_grad());
  EXPECT_NEAR(value_of(grad(std::span(&tangent, 1), std::span(&x, 1), {})[0]), 2 * std::exp(3.0), 1e-10);
}

TEST_F(Forward, EndsWithItsLevel) {
  const Tensor x = make_dual(number(3), number(2), 0);
  EXPECT_THROW(enter_dual_level(), Error);
  EXPECT_THROW(exit_dual_level(1), Error);
  exit_dual_level(0);
  EXPECT_FALSE(dual_active());
  EXPECT_FALSE(tangent_of(ops::mul(x, x)).defined());
  enter_dual_level();
  EXPECT_FALSE(tangent_of(x).defined());
}

TEST_F(Forward, ManyTangentsAreForgotten) {
  const int64_t before = live_tensors();
  Tensor x = make_dual(number(1), number(1), 0);
  for (int i = 0; i < 5000; ++i) x = ops::mul(x, number(1));
  EXPECT_EQ(value_of(tangent_of(x)), 1);
  EXPECT_LT(live_tensors(), before + 50);
}

}  // namespace
}  // namespace onetape
