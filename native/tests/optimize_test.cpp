#include "ops/optimize.h"

#include <cmath>

#include <gtest/gtest.h>

#include "autograd/meta.h"
#include "core/error.h"
#include "ops.h"

namespace onetape {
namespace {

Tensor numbers(std::initializer_list<double> values) {
  Tensor t = Tensor::empty(Ints{static_cast<int64_t>(values.size())}, DType::F64);
  std::copy(values.begin(), values.end(), t.data<double>());
  return t;
}

/// The options of an optimizer: zero but for those given.
std::vector<double> options_of(const OptimizerTable& table,
                               std::initializer_list<std::pair<std::string_view, double>> given) {
  std::vector<double> options(table.options.size());
  for (const auto& [name, value] : given) {
    for (size_t i = 0; i < options.size(); ++i) {
      if (table.options[i].name == name) options[i] = value;
    }
  }
  return options;
}

TEST(Optimize, SgdWithMomentumKeepsItsBuffer) {
  const std::vector<Tensor> params = {numbers({1, 2}), numbers({3})};
  const std::vector<Tensor> grads = {numbers({1, -1}), numbers({2})};
  std::vector<Tensor> buffers(2);
  const OptimizerTable& sgd = find_optimizer("SGD");
  const auto options = options_of(sgd, {{"lr", 0.5}, {"momentum", 0.5}, {"dampening", 0.5}});
  optimizer_step(sgd, params, grads, buffers, options);
  EXPECT_EQ(params[0].data<double>()[0], 0.5);
  EXPECT_EQ(buffers[0].data<double>()[1], -1);
  optimizer_step(sgd, params, grads, buffers, options);
  EXPECT_EQ(buffers[1].data<double>()[0], 2);
  EXPECT_EQ(params[0].data<double>()[1], 3);
  EXPECT_EQ(params[1].data<double>()[0], 1);
}

TEST(Optimize, AdamsFirstStepIsTheLearningRate) {
  OptimizerGroup group(find_optimizer("Adam"), {numbers({1, 1}), numbers({5})});
  set_grad(group.params[0], numbers({4, -0.25}));
  std::vector<double> options = options_of(group.table, {{"lr", 0.125}, {"eps", 1e-8}});
  options[1] = 0.9;
  options[2] = 0.999;
  group.step(options);
  EXPECT_NEAR(group.params[0].data<double>()[0], 0.875, 1e-8);
  EXPECT_NEAR(group.params[0].data<double>()[1], 1.125, 1e-8);
  EXPECT_EQ(item(group.state_of(0)[0]).to<double>(), 1);
  EXPECT_FALSE(group.state_of(1)[0].defined());  // it has no gradient
  EXPECT_EQ(group.params[1].data<double>()[0], 5);
}

TEST(Optimize, ViewsOfOtherMemoryLayoutsAreUpdatedInPlace) {
  const Tensor whole = ops::ones(std::array<int64_t, 2>{3, 2}, Options{.dtype = DType::F32});
  const Tensor param = ops::transpose(whole, 0, 1);
  const Tensor grad =
      ops::reshape(ops::to_dtype(numbers({1, 2, 3, 4, 5, 6}), DType::F32), std::array<int64_t, 2>{2, 3});
  const OptimizerTable& sgd = find_optimizer("SGD");
  std::vector<Tensor> states(1);
  optimizer_step(sgd, std::span(&param, 1), std::span(&grad, 1), states, options_of(sgd, {{"lr", 1}}));
  const float expected[] = {0, -3, -1, -4, -2, -5};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(whole.data<float>()[i], expected[i]);
}

TEST(Optimize, NothingIsChangedWhereAGradientDoesNotFit) {
  const std::vector<Tensor> params = {numbers({1, 2}), numbers({3})};
  const std::vector<Tensor> grads = {numbers({1, 1}), numbers({2, 2})};
  const OptimizerTable& sgd = find_optimizer("SGD");
  std::vector<Tensor> states(2);
  EXPECT_THROW(optimizer_step(sgd, params, grads, states, options_of(sgd, {{"lr", 1}})), Error);
  EXPECT_EQ(params[0].data<double>()[0], 1);
}

TEST(Optimize, EveryTableHasAStep) {
  for (const char* name :
       {"SGD", "Adam", "Adamax", "NAdam", "RAdam", "RMSprop", "Adagrad", "Adadelta", "Rprop", "ASGD"}) {
    OptimizerGroup group(find_optimizer(name), {numbers({1, 2})});
    set_grad(group.params[0], numbers({1, -1}));
    std::vector<double> options(group.table.options.size(), 0.5);
    group.begin(options);
    group.step(options);
    EXPECT_NE(group.params[0].data<double>()[1], 2) << name;
  }
  EXPECT_THROW(find_optimizer("Newton"), Error);
}

}  // namespace
}  // namespace onetape
