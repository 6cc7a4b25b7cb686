#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "core/export.h"
#include "core/ref.h"

namespace onetape {

/// The random number generator of PyTorch's CPU backend: mt19937 and the order in which its samplers use it,
/// so that the same seed gives the same numbers. Lock `mutex` while drawing.
class ONETAPE_API Generator {
 public:
  static constexpr uint64_t kDefaultSeed = 67280421310721;

  explicit Generator(uint64_t seed = kDefaultSeed) { set_seed(seed); }

  void retain() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  void set_seed(uint64_t seed);
  uint64_t seed() const { return seed_; }
  /// A seed from the system's entropy, which the generator then has.
  uint64_t reseed();

  uint32_t random();
  uint64_t random64();
  /// As if random() had been called so often.
  void skip(uint64_t count);
  /// Half of a Box-Muller pair that a scalar sampler kept for the next call.
  std::optional<double> next_normal;
  std::optional<float> next_normal_float;

  /// Everything that decides the numbers to come.
  struct State {
    uint64_t seed;
    std::array<uint32_t, 624> words;
    int32_t left;
    uint32_t next;
    std::optional<double> normal;
    std::optional<float> normal_float;
  };
  State state() const;
  void set_state(const State& state);

  /// The state as PyTorch lays it out in bytes, to be kept in files.
  static constexpr size_t kStateBytes = 5056;
  void write_state(char* bytes) const;
  /// Throws a Runtime error, and changes nothing, if no generator can be in that state.
  void read_state(const char* bytes);

  std::mutex mutex;

 private:
  void refill();

  std::atomic<uint32_t> refs_{1};
  uint64_t seed_ = 0;
  std::array<uint32_t, 624> words_{};
  int32_t left_ = 1;
  uint32_t next_ = 0;
};

/// The generator that is used where none is given.
ONETAPE_API Generator& default_generator();
/// Seeds the default generator, as torch.manual_seed.
ONETAPE_API void manual_seed(uint64_t seed);

}  // namespace onetape
