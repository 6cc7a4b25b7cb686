#include <thread>

#include <gtest/gtest.h>

#include "core/error.h"
#include "ops.h"

namespace onetape {
namespace {

template <typename T>
std::vector<T> values(const Tensor& t) {
  const Tensor flat = ops::contiguous(t);
  return {flat.data<T>(), flat.data<T>() + flat.numel()};
}

// The numbers expected here are those of PyTorch 2.15 on a CPU after torch.manual_seed(0).
TEST(Random, NumbersOfTheSeedZero) {
  manual_seed(0);
  EXPECT_EQ(values<float>(ops::rand(Ints{3})),
            (std::vector<float>{0.49625658988952637f, 0.7682217955589294f, 0.08847743272781372f}));
  manual_seed(0);
  EXPECT_EQ(values<float>(ops::randn(Ints{2})),
            (std::vector<float>{1.5409960746765137f, -0.293428897857666f}));
  manual_seed(0);
  const std::vector<float> many = values<float>(ops::randn(Ints{17}));
  EXPECT_EQ(many[0], -1.1258398294448853f);
  EXPECT_EQ(many[16], 0.9318265914916992f);
  manual_seed(0);
  EXPECT_EQ(values<int64_t>(ops::randint(10, Ints{5})), (std::vector<int64_t>{4, 9, 3, 0, 3}));
  manual_seed(0);
  EXPECT_EQ(values<int64_t>(ops::randperm(5)), (std::vector<int64_t>{4, 0, 1, 3, 2}));
}

TEST(Random, AGeneratorOfItsOwnLeavesTheDefaultAlone) {
  manual_seed(1);
  const std::vector<float> first = values<float>(ops::rand(Ints{2}));
  manual_seed(1);
  Generator own(7);
  ops::rand(Ints{100}, &own);
  EXPECT_EQ(values<float>(ops::rand(Ints{2})), first);
}

TEST(Random, AViewIsFilledInTheOrderOfItsMemory) {
  const Tensor memory = ops::empty(Ints{3, 4});
  manual_seed(2);
  ops::uniform_(ops::transpose(memory, 0, 1));
  manual_seed(2);
  EXPECT_EQ(values<float>(memory), values<float>(ops::rand(Ints{12})));
}

TEST(Random, ManyThreadsMayDrawFromOneGenerator) {
  manual_seed(3);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int k = 0; k < 200; ++k) ops::randn(Ints{64});
    });
  }
  for (std::thread& thread : threads) thread.join();
  manual_seed(3);
  Tensor last;
  for (int k = 0; k < 801; ++k) last = ops::randn(Ints{64});
  manual_seed(3);
  for (int k = 0; k < 800; ++k) ops::rand(Ints{64});
  EXPECT_EQ(values<float>(ops::randn(Ints{64})), values<float>(last));
}

TEST(Random, WithoutReplacementEveryIndexComesOnce) {
  manual_seed(4);
  std::vector<int64_t> drawn = values<int64_t>(ops::multinomial(ops::ones(Ints{50}), 50));
  std::sort(drawn.begin(), drawn.end());
  EXPECT_EQ(drawn, values<int64_t>(ops::arange(Scalar(50), Options{})));
}

TEST(Random, BadParametersAreRefused) {
  const Tensor x = ops::zeros(Ints{3});
  EXPECT_THROW(ops::uniform_(x, 2, 1), Error);
  EXPECT_THROW(ops::normal_(x, 0, -1), Error);
  EXPECT_THROW(ops::randint(5, 5, Ints{2}), Error);
  EXPECT_THROW(ops::multinomial(ops::zeros(Ints{3}), 1), Error);
  EXPECT_THROW(ops::randint(0, 300, Ints{2}, nullptr, Options{.dtype = DType::U8}), Error);
  EXPECT_EQ(values<float>(x), (std::vector<float>{0, 0, 0}));
}

}  // namespace
}  // namespace onetape
