#include <cstring>

#include <gtest/gtest.h>

#include "autograd/engine.h"
#include "autograd/meta.h"
#include "autograd/mode.h"
#include "core/allocator.h"
#include "ops.h"
#include "ops/optimize.h"
#include "tape/file.h"
#include "tape/text.h"

namespace onetape::tape {
namespace {

Tensor range(IntSpan sizes) {
  int64_t numel = 1;
  for (const int64_t size : sizes) numel *= size;
  return ops::reshape(
      ops::sub(ops::div(ops::arange(Scalar(numel), Options{.dtype = DType::F32}), Scalar(7.0)), Scalar(2)),
      sizes);
}

bool same_bits(const Tensor& a, const Tensor& b) {
  const Tensor x = ops::contiguous(a);
  const Tensor y = ops::contiguous(b);
  return same(x.sizes(), y.sizes()) && x.dtype() == y.dtype() &&
         std::memcmp(x.bytes(), y.bytes(), static_cast<size_t>(x.numel()) * x.item_bytes()) == 0;
}

template <typename F>
Ref<Tape> record(F f, std::vector<Tensor> inputs) {
  begin_recording(inputs);
  try {
    return finish_recording(f(inputs), false);
  } catch (...) {
    abandon_recording();
    throw;
  }
}

Tensor bent(const Tensor& x) {
  const Tensor inner =
      ops::mul(ops::add(x, ops::mul(ops::mul(ops::mul(x, x), x), 0.044715)), 0.7978845608028654);
  return ops::mul(ops::mul(x, 0.5), ops::add(ops::tanh(inner), 1));
}

template <typename F>
void check_runs(F f, const std::vector<Ints>& shapes) {
  const GradModeGuard no_grad(false);
  std::vector<Tensor> examples;
  for (const Ints& shape : shapes) examples.push_back(range(shape));
  const Ref<Tape> tape = record(f, examples);
  for (int i = 0; i < 4; ++i) {
    std::vector<Tensor> inputs;
    for (const Ints& shape : shapes) inputs.push_back(ops::mul(range(shape), Scalar(1.0 + i)));
    std::vector<Tensor> copies;
    for (const Tensor& input : inputs) copies.push_back(ops::clone(input));
    const std::vector<Tensor> expected = f(inputs);
    const std::vector<Tensor> got = tape->run(copies);
    ASSERT_EQ(got.size(), expected.size());
    for (size_t k = 0; k < got.size(); ++k)
      EXPECT_TRUE(same_bits(got[k], expected[k])) << "run " << i << ", output " << k;
  }
}

using Tensors = std::vector<Tensor>;

TEST(Tape, ElementWiseChains) {
  for (const Ints& shape : {Ints{}, Ints{1}, Ints{7}, Ints{300, 401}, Ints{0, 3}})
    check_runs([](const Tensors& in) { return Tensors{bent(in[0])}; }, {shape});
}

TEST(Tape, BroadcastsReductionsAndViews) {
  check_runs(
      [](const Tensors& in) {
        const Tensor sum = ops::add(ops::mul(in[0], in[1]), in[2]);
        return Tensors{ops::softmax(ops::transpose(sum, 0, 1), 1), ops::mean(sum),
                       ops::select(bent(sum), 0, 1)};
      },
      {{5, 4}, {4}, {5, 1}});
}

TEST(Tape, ChangesInPlace) {
  check_runs(
      [](const Tensors& in) {
        const Tensor y = ops::clone(in[0]);
        ops::mul_(ops::select(y, 0, 0), 3);
        ops::add_(y, in[0]);
        return Tensors{y, ops::exp(y)};
      },
      {{2, 3}});
}

TEST(Tape, MatrixProducts) {
  check_runs(
      [](const Tensors& in) {
        return Tensors{ops::relu(ops::mm(ops::relu(ops::mm(in[0], in[1])), ops::transpose(in[1], 0, 1)))};
      },
      {{6, 5}, {5, 8}});
}

TEST(Tape, BackwardIsRecorded) {
  const Tensor w = range(Ints{3});
  set_requires_grad(w, true);
  const auto step = [&](const Tensors& in) {
    const Tensor loss = ops::sum(bent(ops::mul(w, in[0])));
    backward(std::span(&loss, 1), {});
    return Tensors{detach(loss)};
  };
  const Ref<Tape> tape = record(step, {range(Ints{3})});
  for (int i = 0; i < 3; ++i) {
    const Tensors in = {ops::mul(range(Ints{3}), Scalar(0.5 + i))};
    set_grad(w, {});
    const Tensors expected = step(in);
    const Tensor gradient = grad(w);
    set_grad(w, {});
    EXPECT_TRUE(same_bits(tape->run(in)[0], expected[0]));
    EXPECT_TRUE(same_bits(grad(w), gradient));
  }
  EXPECT_THROW(tape->run(Tensors{range(Ints{3})}), Error);  // there is a gradient now
}

TEST(Tape, ResultsAreDifferentiable) {
  const Tensor x = range(Ints{4});
  set_requires_grad(x, true);
  const Ref<Tape> tape = record([](const Tensors& in) { return Tensors{bent(in[0])}; }, {x});
  const Tensor one = ops::sum(tape->run(Tensors{x})[0]);
  const Tensor other = ops::sum(bent(x));
  EXPECT_TRUE(same_bits(onetape::grad(Tensors{one}, Tensors{x}, {})[0],
                        onetape::grad(Tensors{other}, Tensors{x}, {})[0]));
}

TEST(Tape, StepsAllocateNothing) {
  const GradModeGuard grad_mode(true);
  const Tensor w = ops::mul(range(Ints{40, 30}), 0.01);
  const Tensor b = range(Ints{30});
  set_requires_grad(w, true);
  set_requires_grad(b, true);
  const OptimizerTable& adam = find_optimizer("Adam");
  const std::vector<double> options = {1e-3, 0.9, 0.999, 1e-8, 0, 0, 0, 0};
  std::vector<double> numbers(adam.options.size());
  std::copy_n(options.begin(), std::min(options.size(), numbers.size()), numbers.begin());
  OptimizerGroup group(adam, {w, b});
  make_optimizer_state(adam, group.params, group.states, numbers);
  const auto step = [&](const Tensors& in) {
    const Tensor hidden = ops::log_softmax(bent(ops::add(ops::mm(in[0], w), b)), 1);
    const Tensor loss = ops::neg(ops::mean(ops::mul(hidden, hidden)));
    backward(std::span(&loss, 1), {});
    group.step(numbers);
    return Tensors{detach(loss)};
  };
  begin_recording(Tensors{range(Ints{20, 40})});
  abandon_recording();
  const Tensors in = {range(Ints{20, 40})};
  begin_recording(in);
  const Ref<Tape> tape = finish_recording(step(in), true);
  const std::vector<std::vector<double>> all = {numbers};
  for (int i = 0; i < 3; ++i) tape->run(in, all);
  const int64_t before = memory_stats().allocations;
  for (int i = 0; i < 5; ++i) tape->run(in, all);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_EQ(memory_stats().allocations, before);
#endif
}

TEST(Tape, SavedAndLoaded) {
  const GradModeGuard no_grad(false);
  const Tensor w = range(Ints{4, 3});
  const auto f = [&](const Tensors& in) { return Tensors{bent(ops::mm(in[0], w))}; };
  const Tensors in = {range(Ints{2, 4})};
  const Ref<Tape> tape = record(f, in);
  const Ref<Tape> loaded = from_bytes(to_bytes(tape->program()));
  EXPECT_EQ(text_of(tape->program()), text_of(loaded->program()));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(same_bits(loaded->run(in)[0], f(in)[0]));
  EXPECT_THROW(from_bytes("nothing"), Error);
}

TEST(Tape, ElementsDecideNothing) {
  const Tensors in = {range(Ints{3})};
  EXPECT_THROW(record([](const Tensors& x) { return Tensors{ops::mul(x[0], item(ops::sum(x[0])))}; }, in),
               Error);
  EXPECT_THROW(record([](const Tensors& x) { return Tensors{ops::nonzero(x[0])}; }, in), Error);
  EXPECT_EQ(thread_modes.watcher, nullptr);
}

}  // namespace
}  // namespace onetape::tape
