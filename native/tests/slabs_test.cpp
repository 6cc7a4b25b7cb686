#include "core/slabs.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/allocator.h"
#include "core/pool.h"

namespace onetape {
namespace {

constexpr size_t kCount = 100'000;
constexpr int64_t kSlab = 1 << 16;

/// Blocks of many sizes, filled with a byte of their own so that two that overlap show.
class Blocks {
 public:
  explicit Blocks(unsigned seed) : random_(seed) {
    for (size_t i = 0; i < kCount; ++i) {
      const size_t bytes = 1 + random_() % 1024;
      void* const block = pool_allocate(bytes);
      std::memset(block, mark(blocks_.size()), bytes);
      blocks_.push_back({block, bytes});
    }
  }
  int damaged() const {
    int count = 0;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      const auto* const bytes = static_cast<const unsigned char*>(blocks_[i].first);
      count += std::any_of(bytes, bytes + blocks_[i].second,
                           [wanted = mark(i)](unsigned char byte) { return byte != wanted; });
    }
    return count;
  }
  void free_in_any_order() {
    std::shuffle(blocks_.begin(), blocks_.end(), random_);
    for (const auto& [block, bytes] : blocks_) pool_free(block, bytes);
    blocks_.clear();
  }

 private:
  static unsigned char mark(size_t i) { return static_cast<unsigned char>(i * 7 + 1); }
  std::mt19937 random_;
  std::vector<std::pair<void*, size_t>> blocks_;
};

class SlabsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!kPoolCaches) GTEST_SKIP() << "this build has no slabs";
    empty_cache();
  }
};

TEST_F(SlabsTest, MemoryOfFreedBlocksServesAgainAndGoesBack) {
  const int64_t before = slab_bytes();
  {
    Blocks blocks(1);
    EXPECT_EQ(blocks.damaged(), 0);
    EXPECT_GT(slab_bytes(), before + static_cast<int64_t>(kCount) * 400);
    blocks.free_in_any_order();
  }
  empty_cache();
  EXPECT_LE(slab_bytes(), before + 2 * kSlab);
  Blocks again(2);
  EXPECT_EQ(again.damaged(), 0);
  again.free_in_any_order();
}

TEST_F(SlabsTest, ThreadsMayFreeWhatOthersTook) {
  const int64_t before = slab_bytes();
  for (unsigned round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<Blocks>> made(4);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; ++i) {
      threads.emplace_back([&made, i, round] { made[i] = std::make_unique<Blocks>(10 * round + i); });
    }
    for (std::thread& thread : threads) thread.join();
    threads.clear();
    for (unsigned i = 0; i < 4; ++i) {
      threads.emplace_back([&made, i] {
        EXPECT_EQ(made[(i + 1) % 4]->damaged(), 0);
        made[(i + 1) % 4]->free_in_any_order();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  empty_cache();
  EXPECT_LE(slab_bytes(), before + 2 * kSlab);
}

}  // namespace
}  // namespace onetape
