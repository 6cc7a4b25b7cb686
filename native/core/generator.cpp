#include "core/generator.h"

#include <cstring>
#include <random>

#include "core/error.h"

namespace onetape {
namespace {

// Matsumoto and Nishimura, "Mersenne Twister", ACM TOMACS 8 (1998).
constexpr int kWords = 624;
constexpr int kMiddle = 397;
constexpr uint32_t kMatrix = 0x9908b0dfu;

uint32_t twist(uint32_t u, uint32_t v) {
  const uint32_t mixed = (u & 0x80000000u) | (v & 0x7fffffffu);
  return (mixed >> 1) ^ ((v & 1u) ? kMatrix : 0u);
}

/// PyTorch's CPUGeneratorImplState.
struct StateLayout {
  uint64_t seed;
  int32_t left;
  int32_t seeded;
  uint64_t next;
  std::array<uint64_t, kWords> words;
  std::array<double, 3> normal;  // the second is the kept sample
  int32_t has_normal;
  int32_t filler;
  float normal_float;
  bool has_normal_float;
};

}  // namespace

void Generator::set_seed(uint64_t seed) {
  seed_ = seed;
  words_[0] = static_cast<uint32_t>(seed);
  for (uint32_t i = 1; i < kWords; ++i) words_[i] = 1812433253u * (words_[i - 1] ^ (words_[i - 1] >> 30)) + i;
  left_ = 1;
  next_ = 0;
  next_normal.reset();
  next_normal_float.reset();
}

uint64_t Generator::reseed() {
  std::random_device entropy;
  set_seed(((static_cast<uint64_t>(entropy()) << 32) | entropy()) & 0x1fffffffffffffull);
  return seed_;
}

void Generator::refill() {
  left_ = kWords;
  next_ = 0;
  // In parts, so that no index wraps around in a loop, which the compiler can then do several at a time.
  uint32_t* const w = words_.data();
  constexpr int kRest = kWords - kMiddle;
  for (int i = 0; i < kRest; ++i) w[i] = w[i + kMiddle] ^ twist(w[i], w[i + 1]);
  for (int i = kRest; i < kWords - 1; ++i) w[i] = w[i - kRest] ^ twist(w[i], w[i + 1]);
  w[kWords - 1] = w[kMiddle - 1] ^ twist(w[kWords - 1], w[0]);
}

void Generator::skip(uint64_t count) {
  while (count >= static_cast<uint64_t>(left_)) {
    count -= static_cast<uint64_t>(left_);
    refill();
    ++next_;  // one number of the new words is used
  }
  left_ -= static_cast<int32_t>(count);
  next_ += static_cast<uint32_t>(count);
}

uint32_t Generator::random() {
  if (--left_ == 0) refill();
  uint32_t y = words_[next_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

uint64_t Generator::random64() {
  const uint64_t high = random();
  return (high << 32) | random();
}

Generator::State Generator::state() const {
  return {seed_, words_, left_, next_, next_normal, next_normal_float};
}

void Generator::set_state(const State& state) {
  seed_ = state.seed;
  words_ = state.words;
  left_ = state.left;
  next_ = state.next;
  next_normal = state.normal;
  next_normal_float = state.normal_float;
}

void Generator::write_state(char* bytes) const {
  static_assert(offsetof(StateLayout, normal_float) == 5048 && sizeof(StateLayout) == kStateBytes);
  StateLayout layout;
  std::memset(&layout, 0, sizeof layout);
  layout.seed = seed_;
  layout.left = left_;
  layout.seeded = 1;
  layout.next = next_;
  for (int i = 0; i < kWords; ++i) layout.words[i] = words_[i];
  layout.has_normal = next_normal.has_value();
  layout.normal[1] = next_normal.value_or(0);
  layout.has_normal_float = next_normal_float.has_value();
  layout.normal_float = next_normal_float.value_or(0);
  std::memcpy(bytes, &layout, kStateBytes);
}

void Generator::read_state(const char* bytes) {
  StateLayout layout;
  std::memset(&layout, 0, sizeof layout);
  // The flag is read as a byte: bytes from a file may be no bool.
  std::memcpy(&layout, bytes, offsetof(StateLayout, has_normal_float));
  const bool has_normal_float = bytes[offsetof(StateLayout, has_normal_float)] != 0;
  const bool valid = layout.seeded == 1 && layout.left >= 1 && layout.left <= kWords &&
                     layout.next <= kWords && layout.next + static_cast<uint64_t>(layout.left) <= kWords + 1;
  check(valid, "Invalid mt19937 state");
  seed_ = layout.seed;
  left_ = layout.left;
  next_ = static_cast<uint32_t>(layout.next);
  for (int i = 0; i < kWords; ++i) words_[i] = static_cast<uint32_t>(layout.words[i]);
  next_normal = layout.has_normal != 0 ? std::optional(layout.normal[1]) : std::nullopt;
  next_normal_float = has_normal_float ? std::optional(layout.normal_float) : std::nullopt;
}

Generator& default_generator() {
  static auto* one = new Generator;  // outlives every thread
  return *one;
}

void manual_seed(uint64_t seed) {
  Generator& generator = default_generator();
  const std::lock_guard guard(generator.mutex);
  generator.set_seed(seed);
}

}  // namespace onetape
