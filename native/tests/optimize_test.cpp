#include "ops/optimize.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/error.h"
#include "ops.h"

namespace onetape {
namespace {

Tensor numbers(std::initializer_list<double> values) {
  Tensor t = Tensor::empty(Ints{static_cast<int64_t>(values.size())}, DType::F64);
  std::copy(values.begin(), values.end(), t.data<double>());
  return t;
}

TEST(Optimize, SgdWithMomentumKeepsItsBuffer) {
  const std::vector<Tensor> params = {numbers({1, 2}), numbers({3})};
  const std::vector<Tensor> grads = {numbers({1, -1}), numbers({2})};
  std::vector<Tensor> buffers(2);
  const SgdOptions options{.lr = 0.5, .momentum = 0.5, .dampening = 0.5};
  sgd_step(params, grads, buffers, options);
  EXPECT_EQ(params[0].data<double>()[0], 0.5);
  EXPECT_EQ(buffers[0].data<double>()[1], -1);
  sgd_step(params, grads, buffers, options);
  EXPECT_EQ(buffers[1].data<double>()[0], 2);
  EXPECT_EQ(params[0].data<double>()[1], 3);
  EXPECT_EQ(params[1].data<double>()[0], 1);
}

TEST(Optimize, AdamsFirstStepIsTheLearningRate) {
  const Tensor param = numbers({1, 1});
  const Tensor grad = numbers({4, -0.25});
  const Tensor mean = numbers({0, 0});
  const Tensor square = numbers({0, 0});
  const Tensor step = scalar_tensor(0.0, DType::F32);
  adam_step(std::span(&param, 1), std::span(&grad, 1), std::span(&mean, 1), std::span(&square, 1), {},
            std::span(&step, 1), {.lr = 0.125});
  EXPECT_NEAR(param.data<double>()[0], 0.875, 1e-8);
  EXPECT_NEAR(param.data<double>()[1], 1.125, 1e-8);
  EXPECT_EQ(item(step).to<double>(), 1);
}

TEST(Optimize, ViewsOfOtherMemoryLayoutsAreUpdatedInPlace) {
  const Tensor whole = ops::ones(std::array<int64_t, 2>{3, 2}, Options{.dtype = DType::F32});
  const Tensor param = ops::transpose(whole, 0, 1);
  const Tensor grad =
      ops::reshape(ops::to_dtype(numbers({1, 2, 3, 4, 5, 6}), DType::F32), std::array<int64_t, 2>{2, 3});
  sgd_step(std::span(&param, 1), std::span(&grad, 1), {}, {.lr = 1});
  const float expected[] = {0, -3, -1, -4, -2, -5};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(whole.data<float>()[i], expected[i]);
}

TEST(Optimize, NothingIsChangedWhereAGradientDoesNotFit) {
  const std::vector<Tensor> params = {numbers({1, 2}), numbers({3})};
  const std::vector<Tensor> grads = {numbers({1, 1}), numbers({2, 2})};
  EXPECT_THROW(sgd_step(params, grads, {}, {.lr = 1}), Error);
  EXPECT_EQ(params[0].data<double>()[0], 1);
}

}  // namespace
}  // namespace onetape
