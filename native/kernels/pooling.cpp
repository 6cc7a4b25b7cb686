#include "kernels/pooling.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/parallel.h"

namespace onetape {
namespace {

constexpr int64_t kGrain = 16384;  // elements worth a thread

/// Calls f(plane) for every plane, on several threads where it pays.
template <typename F>
void for_each_plane(const PoolPlan& plan, const F& f) {
  const int64_t size = std::max<int64_t>(std::max(plan.in_plane(), plan.out_plane()), 1);
  parallel_for(plan.planes, std::max<int64_t>(kGrain / size, 1), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) f(plane);
  });
}

/// Calls f(place in the result, windows of depth, height and width) for every element of a plane's result.
template <typename F>
void for_each_window(const PoolPlan& plan, const F& f) {
  int64_t at = 0;
  for (const PoolWindow& d : plan.windows[0]) {
    for (const PoolWindow& h : plan.windows[1]) {
      for (const PoolWindow& w : plan.windows[2]) f(at++, d, h, w);
    }
  }
}

template <typename T>
bool is_nan(T value) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    return std::isnan(static_cast<compute_t<T>>(value));
  }
}

template <typename T>
T lowest() {
  if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::min();
  return T(-std::numeric_limits<float>::infinity());
}

/// The largest element so far and its place. Without branches, since nobody can foresee which is largest.
template <typename T>
struct Largest {
  T value;
  int64_t place;

  void take(T other, int64_t at) {
    const int64_t larger = -static_cast<int64_t>(int{other > value} | int{is_nan(other)});
    place = (at & larger) | (place & ~larger);
    using Bits = std::conditional_t<
        sizeof(T) == 8, int64_t,
        std::conditional_t<sizeof(T) == 4, int32_t, std::conditional_t<sizeof(T) == 2, int16_t, int8_t>>>;
    const auto mask = static_cast<Bits>(larger);
    value = std::bit_cast<T>(
        static_cast<Bits>((std::bit_cast<Bits>(other) & mask) | (std::bit_cast<Bits>(value) & ~mask)));
  }
};

/// Are all windows pairs side by side of lines and columns?
bool is_by_pairs(const PoolPlan& plan) {
  const auto pairs = [](const std::vector<PoolWindow>& windows) {
    for (size_t i = 0; i < windows.size(); ++i) {
      const auto first = static_cast<int64_t>(2 * i);
      if (windows[i].first != first || windows[i].end != first + 2 || windows[i].step != 1) return false;
    }
    return true;
  };
  const PoolWindow& depth = plan.windows[0].front();
  return plan.in[0] == 1 && std::ssize(plan.windows[0]) == 1 && depth.first == 0 && depth.end == 1 &&
         pairs(plan.windows[1]) && pairs(plan.windows[2]);
}

/// Such windows along two lines; `row` is the place of the first one. The compiler makes vectors of it.
template <typename T>
void max_of_pairs(const T* lines, int64_t pitch, int64_t row, int64_t n, T* out, int64_t* indices) {
  for (int64_t x = 0; x < n; ++x) {
    T value = lines[2 * x];
    int64_t place = 2 * x;
    const auto take = [&](T other, int64_t at) {
      const bool larger = bool(int{other > value} | int{is_nan(other)});
      value = larger ? other : value;
      place = larger ? at : place;
    };
    take(lines[2 * x + 1], 2 * x + 1);
    take(lines[pitch + 2 * x], pitch + 2 * x);
    take(lines[pitch + 2 * x + 1], pitch + 2 * x + 1);
    out[x] = value;
    if (indices) indices[x] = row + place;
  }
}

template <typename T>
void max_pool_plane(const PoolPlan& plan, bool by_pairs, const T* in, T* out, int64_t* indices) {
  const int64_t line = plan.in[2];
  if (by_pairs) {
    const int64_t n = std::ssize(plan.windows[2]);
    for (int64_t y = 0; y < std::ssize(plan.windows[1]); ++y) {
      const int64_t row = 2 * y * line;
      max_of_pairs(in + row, line, row, n, out + y * n, indices ? indices + y * n : nullptr);
    }
    return;
  }
  const int64_t slice = plan.in[1] * line;
  for_each_window(plan, [&](int64_t at, const PoolWindow& d, const PoolWindow& h, const PoolWindow& w) {
    Largest<T> best{lowest<T>(), d.first * slice + h.first * line + w.first};
    for (int64_t z = d.first; z < d.end; z += d.step) {
      for (int64_t y = h.first; y < h.end; y += h.step) {
        const int64_t row = z * slice + y * line;
        if (w.end - w.first == 2 && w.step == 1) {
          best.take(in[row + w.first], row + w.first);
          best.take(in[row + w.first + 1], row + w.first + 1);
          continue;
        }
        for (int64_t x = w.first; x < w.end; x += w.step) best.take(in[row + x], row + x);
      }
    }
    out[at] = best.value;
    if (indices) indices[at] = best.place;
  });
}

int64_t divisor_of(const PoolPlan& plan, const PoolWindow& d, const PoolWindow& h, const PoolWindow& w) {
  return plan.divisor != 0 ? plan.divisor : d.size * h.size * w.size;
}

/// sum / count; of int64 without what is behind the point.
template <typename T>
T divided(compute_t<T> sum, int64_t count) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(count == -1 ? T(0) - sum : sum / static_cast<T>(count));
  } else {
    return static_cast<T>(sum / static_cast<compute_t<T>>(count));
  }
}

template <typename T>
void average_plane(const PoolPlan& plan, const T* in, T* out) {
  const int64_t line = plan.in[2];
  const int64_t slice = plan.in[1] * line;
  for_each_window(plan, [&](int64_t at, const PoolWindow& d, const PoolWindow& h, const PoolWindow& w) {
    compute_t<T> sum(0);
    for (int64_t z = d.first; z < d.end; ++z) {
      for (int64_t y = h.first; y < h.end; ++y) {
        const T* row = in + z * slice + y * line;
        for (int64_t x = w.first; x < w.end; ++x) sum += static_cast<compute_t<T>>(row[x]);
      }
    }
    const bool empty = d.first >= d.end || h.first >= h.end || w.first >= w.end;
    out[at] = empty ? T(0) : divided<T>(sum, divisor_of(plan, d, h, w));
  });
}

template <typename T>
void average_plane_backward(const PoolPlan& plan, const T* grad, T* out) {
  const int64_t line = plan.in[2];
  const int64_t slice = plan.in[1] * line;
  for_each_window(plan, [&](int64_t at, const PoolWindow& d, const PoolWindow& h, const PoolWindow& w) {
    if (d.first >= d.end || h.first >= h.end || w.first >= w.end) return;
    const T share = divided<T>(static_cast<compute_t<T>>(grad[at]), divisor_of(plan, d, h, w));
    for (int64_t z = d.first; z < d.end; ++z) {
      for (int64_t y = h.first; y < h.end; ++y) {
        T* row = out + z * slice + y * line;
        for (int64_t x = w.first; x < w.end; ++x) row[x] = static_cast<T>(row[x] + share);
      }
    }
  });
}

/// Calls f(TypeTag<T>{}) for int64 and the floating dtypes.
template <typename F>
void visit_averaged(DType dtype, const F& f) {
  if (dtype == DType::I64) {
    f(TypeTag<int64_t>{});
  } else {
    visit_floating("average_pool", dtype, f);
  }
}

}  // namespace

void max_pool(const char* op, DType dtype, const PoolPlan& plan, const char* in, char* out,
              int64_t* indices) {
  if (dtype == DType::Bool) fail(ErrorKind::NotImplemented, "\"", op, "\" not implemented for 'Bool'");
  const bool by_pairs = plan.out_plane() > 0 && is_by_pairs(plan);
  visit_real(op, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_plane(plan, [&](int64_t plane) {
      max_pool_plane(plan, by_pairs, reinterpret_cast<const T*>(in) + plane * plan.in_plane(),
                     reinterpret_cast<T*>(out) + plane * plan.out_plane(),
                     indices ? indices + plane * plan.out_plane() : nullptr);
    });
  });
}

void max_pool_backward(DType dtype, int64_t planes, int64_t in_plane, int64_t out_plane, const char* grad,
                       const int64_t* indices, char* out) {
  const int64_t grain = std::max<int64_t>(kGrain / std::max<int64_t>(in_plane, 1), 1);
  visit_floating("max_pool_backward", dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    parallel_for(planes, grain, [&](int64_t begin, int64_t end) {
      T* to = reinterpret_cast<T*>(out) + begin * in_plane;
      std::fill_n(to, (end - begin) * in_plane, T(0));
      for (int64_t plane = begin; plane < end; ++plane, to += in_plane) {
        const T* from = reinterpret_cast<const T*>(grad) + plane * out_plane;
        const int64_t* at = indices + plane * out_plane;
        for (int64_t i = 0; i < out_plane; ++i) {
          const int64_t place = at[i];
          check_index(place >= 0 && place < in_plane, "index ", place,
                      " is out of bounds for dimension 1 with size ", in_plane);
          to[place] = static_cast<T>(to[place] + from[i]);
        }
      }
    });
  });
}

void average_pool(DType dtype, const PoolPlan& plan, const char* in, char* out) {
  visit_averaged(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_plane(plan, [&](int64_t plane) {
      average_plane(plan, reinterpret_cast<const T*>(in) + plane * plan.in_plane(),
                    reinterpret_cast<T*>(out) + plane * plan.out_plane());
    });
  });
}

void average_pool_backward(DType dtype, const PoolPlan& plan, const char* grad, char* out) {
  visit_averaged(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_plane(plan, [&](int64_t plane) {
      average_plane_backward(plan, reinterpret_cast<const T*>(grad) + plane * plan.out_plane(),
                             reinterpret_cast<T*>(out) + plane * plan.in_plane());
    });
  });
}

}  // namespace onetape
