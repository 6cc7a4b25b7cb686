#include <gtest/gtest.h>

#include "autograd/engine.h"
#include "autograd/meta.h"
#include "core/allocator.h"
#include "core/error.h"
#include "ops.h"

namespace onetape {
namespace {

Tensor leaf(double value) {
  Tensor t = scalar_tensor(value, DType::F64);
  set_requires_grad(t, true);
  return t;
}

double value(const Tensor& t) { return item(t).to<double>(); }

void backward_of(const Tensor& t, BackwardOptions options = {}) { backward(std::span(&t, 1), {}, options); }

TEST(Autograd, ProductAndSumOfScalars) {
  const Tensor x = leaf(2);
  const Tensor w = leaf(3);
  const Tensor b = leaf(1);
  const Tensor y = ops::add(ops::mul(w, x), b);
  EXPECT_EQ(value(y), 7);
  backward_of(ops::mul(y, y));
  EXPECT_EQ(value(grad(x)), 42);
  EXPECT_EQ(value(grad(w)), 28);
  EXPECT_EQ(value(grad(b)), 14);
}

TEST(Autograd, SecondBackwardFailsAfterTheBuffersWereFreed) {
  const Tensor x = leaf(2);
  const Tensor y = ops::mul(x, x);
  backward_of(y);
  EXPECT_THROW(backward_of(y), Error);
}

TEST(Autograd, SecondDerivative) {
  const Tensor x = leaf(3);
  const Tensor y = ops::mul(ops::mul(x, x), x);
  const std::vector<Tensor> first =
      grad(std::span(&y, 1), std::span(&x, 1), {}, {.retain_graph = true, .create_graph = true});
  EXPECT_EQ(value(first[0]), 27);
  const std::vector<Tensor> second = grad(std::span(&first[0], 1), std::span(&x, 1), {});
  EXPECT_EQ(value(second[0]), 18);
}

TEST(Autograd, AChainOfAMillionNodesRunsAndIsFreed) {
  const Tensor x = leaf(1);
  Tensor y = x;
  for (int i = 0; i < 1000000; ++i) y = ops::mul(y, 1.0);
  backward_of(y);
  EXPECT_EQ(value(grad(x)), 1);
}

TEST(Autograd, ChangedOperandIsRefused) {
  const Tensor x = leaf(2);
  const Tensor y = ops::mul(x, 2.0);
  const Tensor z = ops::mul(y, y);
  ops::add_(y, Scalar(1));
  EXPECT_THROW(backward_of(z), Error);
}

TEST(Autograd, InPlaceOnAView) {
  const Tensor x = ops::ones(std::array<int64_t, 1>{3}, Options{.dtype = DType::F64, .requires_grad = true});
  const Tensor y = ops::mul(x, 2.0);
  const Tensor part = ops::as_strided(y, std::array<int64_t, 1>{2}, std::array<int64_t, 1>{1}, 1);
  ops::mul_(part, Scalar(5.0));
  backward_of(ops::sum(y));
  const double* g = grad(x).data<double>();
  EXPECT_EQ(g[0], 2);
  EXPECT_EQ(g[1], 10);
  EXPECT_EQ(g[2], 10);
}

TEST(Autograd, ALeafKeepsItsNode) {
  const Tensor x = leaf(2);
  const Node* const node = gradient_edge(x).node.get();
  for (int i = 0; i < 3; ++i) backward_of(ops::mul(x, x));
  EXPECT_EQ(gradient_edge(x).node.get(), node);
  EXPECT_EQ(value(grad(x)), 12);
}

TEST(Autograd, WhatIsRegisteredOnALeafsNodeEndsWithItsLastReference) {
  const Tensor x = leaf(2);
  int calls = 0;
  Ref<Node> node = gradient_edge(x).node;
  const HookRemover remove = node->extra().pre_hooks.add([&calls](TensorList&) { ++calls; });
  backward_of(ops::mul(x, x));
  EXPECT_EQ(calls, 1);
  node.reset();
  backward_of(ops::mul(x, x));
  EXPECT_EQ(calls, 1);
  remove();  // harmless
}

TEST(Autograd, LeavesThatOwnEachOtherThroughTheirGradientsAreFreedWithoutRecursion) {
  const int64_t before = live_tensors();
  {
    Tensor last = leaf(1);
    for (int i = 0; i < 300000; ++i) {
      Tensor next = leaf(1);
      set_grad(next, ops::mul(last, 1.0));
      last = next;
    }
  }
  EXPECT_EQ(live_tensors(), before);
}

}  // namespace
}  // namespace onetape
