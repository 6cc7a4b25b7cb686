#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "autograd/engine.h"
#include "autograd/meta.h"
#include "core/geometry_lock.h"
#include "ops.h"

namespace onetape {
namespace {

constexpr int kThreads = 8;
constexpr int kSteps = 2000;

Tensor leaf(double value) {
  Tensor t = scalar_tensor(value, DType::F64);
  set_requires_grad(t, true);
  return t;
}

template <typename F>
void on_threads(F body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

TEST(Threads, GradientsOfASharedLeafAddUpExactly) {
  const Tensor shared = leaf(3);
  on_threads([&](int) {
    for (int i = 0; i < kSteps; ++i) {
      const Tensor y = ops::mul(shared, 2.0);
      backward(std::span(&y, 1), {});
    }
  });
  EXPECT_EQ(item(grad(shared)).to<double>(), 2.0 * kThreads * kSteps);
}

TEST(Threads, RunsMayShareAGraphThatIsKept) {
  const Tensor x = leaf(2);
  Tensor y = x;
  for (int i = 0; i < 10; ++i) y = ops::mul(y, y.is(x) ? ops::mul(x, 1.0) : ops::add(x, 0.0));
  on_threads([&](int) {
    for (int i = 0; i < 200; ++i) {
      const std::vector<Tensor> g = grad(std::span(&y, 1), std::span(&x, 1), {}, {.retain_graph = true});
      EXPECT_EQ(item(g[0]).to<double>(), 11 * 1024.0);
    }
  });
}

TEST(Threads, FreeingAGraphWhileAnotherRunUsesItIsAnErrorNotACrash) {
  for (int round = 0; round < 50; ++round) {
    const Tensor x = leaf(2);
    Tensor y = x;
    for (int i = 0; i < 50; ++i) y = ops::mul(y, x);
    on_threads([&](int) {
      try {
        backward(std::span(&y, 1), {});
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("second time"), std::string::npos);
      }
    });
  }
}

TEST(Threads, SizesChangeWhileOthersCompute) {
  const Tensor shared = ops::ones(Ints{64, 64}, {});
  const Tensor other = ops::ones(Ints{64, 64}, {});
  on_threads([&](int i) {
    for (int k = 0; k < 300; ++k) {
      const ReadingGeometry reading;
      try {
        switch ((i + k) % 6) {
          case 0:
            ops::resize_(shared, Ints{3, 5, 2, 1, 1, 1});
            break;
          case 1:
            ops::resize_(shared, Ints{64, 64});
            break;
          case 2:
            ops::set_(shared, other);
            break;
          case 3:
            ops::add_out(Tensor::empty(Ints{0}, DType::F32), shared, other);
            break;
          default:
            ops::sum(ops::mul(shared, shared));
        }
      } catch (const Error&) {
        continue;  // shapes that do not fit any more
      }
    }
  });
}

TEST(Threads, AStorageThatIsMadeShorterKeepsItsPlace) {
  const Tensor x = ops::ones(Ints{1 << 16}, {});
  const Ref<Storage> storage = x.storage();
  EXPECT_TRUE(storage->resize(0));
  EXPECT_EQ(storage->nbytes(), 0U);
  EXPECT_EQ(x.data<float>()[1 << 15], 0);
  EXPECT_TRUE(storage->resize(4 << 16));
  EXPECT_FALSE(storage->resize((4 << 16) + 1));
}

TEST(Threads, TensorsMayDieOnOtherThreadsThanTheyWereMadeOn) {
  const int64_t before = live_tensors();
  std::vector<std::vector<Tensor>> made(kThreads);
  on_threads([&](int i) {
    for (int k = 0; k < kSteps; ++k) made[i].push_back(ops::mul(leaf(k), 2.0));
  });
  on_threads([&](int i) { made[(i + 1) % kThreads].clear(); });
  EXPECT_EQ(live_tensors(), before);
}

TEST(Threads, TheNodeOfASharedLeafSleepsAndWakesInAllOfThem) {
  const int64_t before = live_tensors();
  {
    const Tensor shared = leaf(3);
    std::atomic<int> hooked{0};
    on_threads([&](int thread) {
      for (int i = 0; i < kSteps; ++i) {
        const Tensor y = ops::mul(shared, 2.0);
        if (i % 3 == 0) continue;  // a graph that is dropped
        if (i % 7 == thread % 7) {
          // What is registered on the node stays as long as anything refers to it.
          const Ref<Node> node = gradient_edge(shared).node;
          node->extra().pre_hooks.add([&hooked](TensorList&) { ++hooked; });
        }
        backward(std::span(&y, 1), {});
      }
    });
    const int steps = kSteps - (kSteps + 2) / 3;
    EXPECT_EQ(item(grad(shared)).to<double>(), 2.0 * kThreads * steps);
    EXPECT_GT(hooked.load(), 0);
  }
  EXPECT_EQ(live_tensors(), before);
}

TEST(Threads, LeavesAndTheirGraphsMayBeLetGoOfAtTheSameTime) {
  const int64_t before = live_tensors();
  for (int round = 0; round < 20; ++round) {
    std::vector<Tensor> leaves;
    std::vector<Tensor> graphs;
    for (int i = 0; i < kSteps; ++i) {
      leaves.push_back(leaf(i));
      graphs.push_back(ops::mul(leaves.back(), 2.0));
    }
    on_threads([&](int thread) {
      std::vector<Tensor>& mine = thread % 2 == 0 ? leaves : graphs;
      for (size_t i = static_cast<size_t>(thread / 2); i < mine.size(); i += kThreads / 2) {
        if (thread % 2 == 0) ops::mul(mine[i], 3.0);  // wakes the node, and lets it sleep
        mine[i].reset();
      }
    });
  }
  EXPECT_EQ(live_tensors(), before);
}

}  // namespace
}  // namespace onetape
