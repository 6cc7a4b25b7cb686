#include "core/allocator.h"

#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace onetape {
namespace {

constexpr size_t kBytes = size_t{1} << 20;  // the largest that a thread keeps for itself
constexpr size_t kCount = 100;              // more than it keeps

std::vector<void*> allocated(size_t count) {
  std::vector<void*> blocks;
  for (size_t i = 0; i < count; ++i) blocks.push_back(allocate(kBytes));
  return blocks;
}

void free_all(const std::vector<void*>& blocks) {
  for (void* block : blocks) deallocate(block, kBytes);
}

template <typename F>
void in_thread(F function) {
  std::thread(function).join();
}

class Allocator : public testing::Test {
 protected:
  void SetUp() override {
    empty_cache();
    void* block = allocate(kBytes);
    deallocate(block, kBytes);
    if (memory_stats().cached == 0) GTEST_SKIP() << "this build keeps no blocks";
    empty_cache();
  }
  void TearDown() override { empty_cache(); }
};

TEST_F(Allocator, BlocksComeBackFromOtherThreads) {
  std::vector<void*> blocks;
  in_thread([&] { blocks = allocated(kCount); });
  const std::set<void*> known(blocks.begin(), blocks.end());
  free_all(blocks);
  EXPECT_EQ(memory_stats().cached, static_cast<int64_t>(kCount * kBytes));
  in_thread([&] {
    // All but those that the main thread keeps for itself.
    const auto again = allocated(kCount - 16);
    for (void* block : again) EXPECT_TRUE(known.contains(block));
    free_all(again);
  });
  EXPECT_EQ(memory_stats().cached, static_cast<int64_t>(kCount * kBytes));
}

TEST_F(Allocator, AThreadThatEndsLeavesItsBlocksToTheOthers) {
  void* block = nullptr;
  in_thread([&] {
    block = allocate(kBytes);
    deallocate(block, kBytes);
  });
  EXPECT_EQ(memory_stats().cached, static_cast<int64_t>(kBytes));
  EXPECT_EQ(allocate(kBytes), block);
  deallocate(block, kBytes);
}

TEST_F(Allocator, EmptyingGivesEverythingBack) {
  std::vector<void*> blocks = allocated(kCount);
  free_all(blocks);
  for (const size_t bytes : {size_t{1}, size_t{64}, size_t{65}, size_t{1000}, size_t{5} << 20}) {
    deallocate(allocate(bytes), bytes);
  }
  EXPECT_GT(memory_stats().cached, static_cast<int64_t>(kCount * kBytes));
  empty_cache();
  EXPECT_EQ(memory_stats().cached, 0);
}

}  // namespace
}  // namespace onetape
