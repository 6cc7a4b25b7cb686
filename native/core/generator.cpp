#include "core/generator.h"

#include <random>

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
  for (int i = 0; i < kWords; ++i) {
    words_[i] = words_[(i + kMiddle) % kWords] ^ twist(words_[i], words_[(i + 1) % kWords]);
  }
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
