// Largest and smallest elements, alone or with their positions. NaN counts as the extreme of both; of equals
// the first.

#include "kernels/reduce_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

struct Larger {
  template <typename A>
  static constexpr A least() {
    if constexpr (std::is_floating_point_v<A>)
      return -std::numeric_limits<A>::infinity();
    else
      return std::numeric_limits<A>::lowest();
  }
  template <typename A>
  static bool before(A x, A best) {
    return x > best;
  }
};

struct Smaller {
  template <typename A>
  static constexpr A least() {
    if constexpr (std::is_floating_point_v<A>)
      return std::numeric_limits<A>::infinity();
    else
      return std::numeric_limits<A>::max();
  }
  template <typename A>
  static bool before(A x, A best) {
    return x < best;
  }
};

/// Is x to be taken instead of the best so far? The first NaN is kept.
template <typename Order, typename A>
bool beats(A x, A best) {
  return Order::before(x, best) | ((x != x) & (best == best));
}

// ---- amax, amin ----
template <typename T, typename Order>
struct Extreme {
  using Acc = compute_t<T>;
  explicit Extreme(const Scalar*) {}
  static Acc nothing() { return Order::template least<Acc>(); }
  static Acc step(Acc acc, Acc x) { return (Order::before(x, acc) | (x != x)) ? x : acc; }
  static Acc merge(Acc a, Acc b) { return step(a, b); }
};
template <typename T, typename Order>
struct ExtremeOf16 : Extreme<T, Order> {
  using Extreme<T, Order>::Extreme;
  static void finish(float acc, char* const* out, int64_t at) { put<T>(out[0], at, acc); }
};
template <typename T, typename Order>
using ExtremeOp =
    std::conditional_t<std::is_same_v<T, compute_t<T>>, Extreme<T, Order>, ExtremeOf16<T, Order>>;

template <typename T>
struct Amax : ExtremeOp<T, Larger> {
  using ExtremeOp<T, Larger>::ExtremeOp;
};
template <typename T>
struct Amin : ExtremeOp<T, Smaller> {
  using ExtremeOp<T, Smaller>::ExtremeOp;
};
const Fold<Amax, Real> amax("max_values_cpu");
const Fold<Amin, Real> amin("min_values_cpu");
const Fold<Amax, Real> max_all("max_all");
const Fold<Amin, Real> min_all("min_all");

// ---- with positions: out[0] positions, out[1] values unless null ----
template <typename A>
struct Found {
  A value;
  int64_t index;
};

template <typename T, typename Order>
struct Arg {
  using Value = compute_t<T>;
  using Acc = Found<Value>;
  explicit Arg(const Scalar*) {}
  static Acc nothing() { return {Order::template least<Value>(), 0}; }
  static Acc merge(Acc a, Acc b) { return beats<Order>(b.value, a.value) ? b : a; }
  static void finish(Acc acc, char* const* out, int64_t at) {
    put<int64_t>(out[0], at, acc.index);
    if (out[1]) put<T>(out[1], at, acc.value);
  }
};

template <typename T, typename Order>
struct ArgLoops {
  using Value = compute_t<T>;
  using Best = Found<Value>;
  static constexpr int64_t kRows = int64_t{1} << 30;
  using Row = std::conditional_t<sizeof(Value) == 8, int64_t,
                                 int32_t>;  // as wide as the value, for the vector's sake

  /// Looks for the position only in those stretches that hold something better.
  static void row(const T* in, int64_t n, int64_t first, Best& best) {
    constexpr int64_t kStretch = 512;
    const ExtremeFold fold(nullptr);
    for (int64_t from = 0; from < n; from += kStretch) {
      const int64_t count = std::min(kStretch, n - from);
      const Value value =
          FoldLoops<ExtremeOf, T>::row(fold, in + from, count, Order::template least<Value>());
      if (!beats<Order>(value, best.value)) continue;
      const auto is_it = [&](T x) {
        const Value v = static_cast<Value>(x);
        return value == value ? v == value : v != v;
      };
      best = {value, first + (std::find_if(in + from, in + from + count, is_it) - in)};
    }
  }

  /// Neighbouring results from neighbouring elements.
  static void columns(const ReduceBlock& b) {
    constexpr int64_t kColumns = 8192 / sizeof(Value);  // wide rows: memory is read page by page
    Value value[kColumns + 32];  // not a whole page before index: loads must not wait for unrelated stores
    Row index[kColumns];
    for (int64_t top = 0; top < b.reduce; top += kRows) {
      for (int64_t from = 0; from < b.keep; from += kColumns) {
        const int64_t n = std::min(kColumns, b.keep - from);
        Best* best = reinterpret_cast<Best*>(b.into) + from;
        for (int64_t k = 0; k < n; ++k) value[k] = best[k].value;
        std::fill_n(index, n, Row(-1));
        const char* in = b.in + top * b.reduce_stride + from * static_cast<int64_t>(sizeof(T));
        const Row rows = static_cast<Row>(std::min(kRows, b.reduce - top));
        for (Row r = 0; r < rows; ++r, in += b.reduce_stride) {
          for (int64_t k = 0; k < n; ++k) {
            const Value x = load<T>(in + k * static_cast<int64_t>(sizeof(T)));
            const bool better = beats<Order>(x, value[k]);
            value[k] = better ? x : value[k];
            index[k] = better ? r : index[k];
          }
        }
        for (int64_t k = 0; k < n; ++k) {
          if (index[k] >= 0) best[k] = {value[k], b.first + top + index[k]};
        }
      }
    }
  }

  /// Short or strided sequences, several at once. Up to kRows elements a sequence, so that Row holds their
  /// places.
  template <int Group>
  static void group(const ReduceBlock& b, int64_t from, int64_t top, Row rows) {
    Best* best = reinterpret_cast<Best*>(b.into) + from;
    Value value[Group];
    Row index[Group];
    for (int k = 0; k < Group; ++k) value[k] = best[k].value;
    std::fill_n(index, Group, Row(-1));
    const char* in = b.in + from * b.keep_stride + top * b.reduce_stride;
    for (Row r = 0; r < rows; ++r, in += b.reduce_stride) {
      Value x[Group];
      for (int k = 0; k < Group; ++k) x[k] = load<T>(in + k * b.keep_stride);
#pragma GCC unroll 1  // so that it becomes vectors, not comparisons with branches
      for (int k = 0; k < Group; ++k) {
        const bool better = beats<Order>(x[k], value[k]);
        value[k] = better ? x[k] : value[k];
        index[k] = better ? r : index[k];
      }
    }
    for (int k = 0; k < Group; ++k) {
      if (index[k] >= 0) best[k] = {value[k], b.first + top + index[k]};
    }
  }

  static void side_by_side(const ReduceBlock& b) {
    constexpr int kGroup = 16;
    for (int64_t top = 0; top < b.reduce; top += kRows) {
      const Row rows = static_cast<Row>(std::min(kRows, b.reduce - top));
      int64_t k = 0;
      for (; k + kGroup <= b.keep; k += kGroup) group<kGroup>(b, k, top, rows);
      for (; k < b.keep; ++k) group<1>(b, k, top, rows);
    }
  }

  static void add(const ReduceBlock& b, const Scalar*) {
    constexpr int64_t kLongRow = 32;
    if (b.reduce_stride == sizeof(T) && (b.reduce >= kLongRow || b.keep == 1)) {
      for (int64_t k = 0; k < b.keep; ++k) {
        row(reinterpret_cast<const T*>(b.in + k * b.keep_stride), b.reduce, b.first,
            reinterpret_cast<Best*>(b.into)[k]);
      }
    } else if (b.keep_stride == sizeof(T)) {
      columns(b);
    } else {
      side_by_side(b);
    }
  }

 private:
  template <typename U>
  using ExtremeOf = Extreme<U, Order>;
  using ExtremeFold = Extreme<T, Order>;
};

template <typename T>
struct Argmax : Arg<T, Larger> {
  using Arg<T, Larger>::Arg;
};
template <typename T>
struct Argmin : Arg<T, Smaller> {
  using Arg<T, Smaller>::Arg;
};
template <template <typename> class, typename T>
using ArgmaxLoops = ArgLoops<T, Larger>;
template <template <typename> class, typename T>
using ArgminLoops = ArgLoops<T, Smaller>;
const Fold<Argmax, Real, ArgmaxLoops> argmax("argmax_cpu");
const Fold<Argmin, Real, ArgminLoops> argmin("argmin_cpu");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
