#include "kernels/resample.h"

#include "core/error.h"
#include "core/parallel.h"
#include "kernels/registry.h"

namespace onetape {
namespace {

template <typename T>
struct Resampled {
  using C = std::conditional_t<std::is_same_v<T, uint8_t>, float, compute_t<T>>;

  explicit Resampled(const ResampleShape& shape) : shape_(shape) {
    for (size_t d = 0; d < 3; ++d) weights_[d].assign(shape[d].weights.begin(), shape[d].weights.end());
  }

  /// Σ over the taps of one dimension, of what f gives at each place.
  template <typename F>
  C sum(size_t d, int64_t at, const F& f) const {
    const Taps& taps = shape_[d];
    if (taps.taps == 1) return f(taps.places[static_cast<size_t>(at)]);
    C total(0);
    for (int64_t k = taps.first(at); k < taps.last(at); ++k)
      total += weights_[d][static_cast<size_t>(k)] * f(taps.places[static_cast<size_t>(k)]);
    return total;
  }
  void gather(const T* in, T* out) const {
    for (int64_t z = 0; z < shape_[0].out; ++z) {
      for (int64_t y = 0; y < shape_[1].out; ++y) {
        for (int64_t x = 0; x < shape_[2].out; ++x) {
          *out++ = static_cast<T>(sum(0, z, [&](int64_t from_z) {
            return sum(1, y, [&](int64_t from_y) {
              const T* line = in + (from_z * shape_[1].in + from_y) * shape_[2].in;
              return sum(2, x, [&](int64_t from_x) { return static_cast<C>(line[from_x]); });
            });
          }));
        }
      }
    }
  }

  /// Calls f(place, weight) for the taps of one dimension.
  template <typename F>
  void each(size_t d, int64_t at, const F& f) const {
    const Taps& taps = shape_[d];
    for (int64_t k = taps.first(at); k < taps.last(at); ++k)
      f(taps.places[static_cast<size_t>(k)], weights_[d][static_cast<size_t>(k)]);
  }
  void scatter(const T* in, T* out, std::vector<C>& sums) const {
    std::fill(sums.begin(), sums.end(), C(0));
    for (int64_t z = 0; z < shape_[0].out; ++z) {
      for (int64_t y = 0; y < shape_[1].out; ++y) {
        for (int64_t x = 0; x < shape_[2].out; ++x) {
          const C value = static_cast<C>(*in++);
          each(0, z, [&](int64_t to_z, C weight_z) {
            each(1, y, [&](int64_t to_y, C weight_y) {
              C* line = sums.data() + (to_z * shape_[1].in + to_y) * shape_[2].in;
              each(2, x,
                   [&](int64_t to_x, C weight_x) { line[to_x] += weight_z * weight_y * weight_x * value; });
            });
          });
        }
      }
    }
    for (size_t i = 0; i < sums.size(); ++i) out[i] = static_cast<T>(sums[i]);
  }

  void run(int64_t planes, bool spread, const T* in, T* out) const {
    const int64_t large = shape_[0].out * shape_[1].out * shape_[2].out;
    const int64_t small = shape_[0].in * shape_[1].in * shape_[2].in;
    constexpr int64_t kWorth = 1 << 15;
    parallel_for(planes, std::max<int64_t>(1, kWorth / std::max<int64_t>(large, 1)),
                 [&](int64_t begin, int64_t end) {
                   std::vector<C> sums(spread ? static_cast<size_t>(small) : 0);
                   for (int64_t p = begin; p < end; ++p) {
                     if (spread) {
                       scatter(in + p * large, out + p * small, sums);
                     } else {
                       gather(in + p * small, out + p * large);
                     }
                   }
                 });
  }

 private:
  const ResampleShape& shape_;
  std::array<std::vector<C>, 3> weights_;
};

}  // namespace

void resample(std::string_view op, DType dtype, const ResampleShape& shape, int64_t planes, bool spread,
              const char* in, char* out) {
  visit_all(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr bool known = std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, Half> ||
                           std::is_same_v<T, BFloat16> || std::is_same_v<T, uint8_t>;
    if constexpr (known) {
      Resampled<T>(shape).run(planes, spread, reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out));
    } else {
      fail(ErrorKind::NotImplemented, "\"", op, "\" not implemented for '", scalar_type_name(dtype), "'");
    }
  });
}

}  // namespace onetape
