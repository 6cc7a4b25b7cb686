#pragma once

// Turns a function of an accumulator and an element into the loops of a reduction. Included by *.simd.cpp
// files.

#include "kernels/pointwise_loops.h"
#include "kernels/reduce.h"

namespace onetape {
namespace ONETAPE_LEVEL {

/// Rows and columns of a block for operators whose order of application does not matter (or matters little).
///
/// Op<T> has: Acc (the accumulator), a constructor from the parameters, static Acc nothing(), Acc step(Acc,
/// compute_t<T>), static Acc merge(Acc, Acc), and, where the accumulator is not the result, void finish(Acc,
/// char* const* out, at).
template <template <typename> class Op, typename T>
struct FoldLoops {
  using Acc = typename Op<T>::Acc;
  static constexpr int kLanes = sizeof(Acc) >= 16 ? 4 : 256 / sizeof(Acc);
  static constexpr int64_t kColumns = 1024;
  static constexpr int64_t kLongRow = 32;

  template <int Lanes>
  static Acc row_in_lanes(const Op<T>& op, const T* in, int64_t n, Acc acc) {
    constexpr int kFew = std::min(Lanes, 8);
    Acc lanes[Lanes];
    for (int l = 0; l < Lanes; ++l) lanes[l] = Op<T>::nothing();
    int64_t i = 0;
    for (; i + Lanes <= n; i += Lanes) {
      for (int l = 0; l < Lanes; ++l) lanes[l] = op.step(lanes[l], static_cast<compute_t<T>>(in[i + l]));
    }
    for (; i + kFew <= n; i += kFew) {
      for (int l = 0; l < kFew; ++l) lanes[l] = op.step(lanes[l], static_cast<compute_t<T>>(in[i + l]));
    }
    for (int half = Lanes / 2; half > 0; half /= 2) {
      for (int l = 0; l < half; ++l) lanes[l] = Op<T>::merge(lanes[l], lanes[l + half]);
    }
    acc = Op<T>::merge(acc, lanes[0]);
    for (; i < n; ++i) acc = op.step(acc, static_cast<compute_t<T>>(in[i]));
    return acc;
  }

  /// Elements that stand one after the other.
  static Acc row(const Op<T>& op, const T* in, int64_t n, Acc acc) {
    if (n >= 4 * kLanes) return row_in_lanes<kLanes>(op, in, n, acc);
    if (n >= kLongRow) return row_in_lanes<std::min(kLanes, 16)>(op, in, n, acc);
    for (int64_t i = 0; i < n; ++i) acc = op.step(acc, static_cast<compute_t<T>>(in[i]));
    return acc;
  }

  /// Short or strided sequences: several results at once, so that no step waits for the one before.
  static void side_by_side(const Op<T>& op, const ReduceBlock& b) {
    constexpr int64_t kGroup = 16;
    Acc* into = reinterpret_cast<Acc*>(b.into);
    int64_t k = 0;
    for (; k + kGroup <= b.keep; k += kGroup) {
      Acc acc[kGroup];
      std::copy_n(into + k, kGroup, acc);
      const char* in = b.in + k * b.keep_stride;
      for (int64_t r = 0; r < b.reduce; ++r, in += b.reduce_stride) {
        compute_t<T> x[kGroup];
        for (int64_t i = 0; i < kGroup; ++i) x[i] = load<T>(in + i * b.keep_stride);
#pragma GCC unroll 1  // so that it becomes vectors, not sixteen comparisons with branches
        for (int64_t i = 0; i < kGroup; ++i) acc[i] = op.step(acc[i], x[i]);
      }
      std::copy_n(acc, kGroup, into + k);
    }
    for (; k < b.keep; ++k) {
      const char* in = b.in + k * b.keep_stride;
      Acc acc = into[k];
      for (int64_t r = 0; r < b.reduce; ++r) acc = op.step(acc, load<T>(in + r * b.reduce_stride));
      into[k] = acc;
    }
  }

  /// Neighbouring results from neighbouring elements: the vector goes across the columns.
  static void columns(const Op<T>& op, const ReduceBlock& b) {
    for (int64_t from = 0; from < b.keep; from += kColumns) {
      const int64_t n = std::min(kColumns, b.keep - from);
      Acc* __restrict acc = reinterpret_cast<Acc*>(b.into) + from;
      const char* in = b.in + from * static_cast<int64_t>(sizeof(T));
      for (int64_t r = 0; r < b.reduce; ++r, in += b.reduce_stride) {
        const T* __restrict row = reinterpret_cast<const T*>(in);
        for (int64_t k = 0; k < n; ++k) acc[k] = op.step(acc[k], static_cast<compute_t<T>>(row[k]));
      }
    }
  }

  static void add(const ReduceBlock& b, const Scalar* params) {
    const Op<T> op(params);
    Acc* into = reinterpret_cast<Acc*>(b.into);
    if (b.reduce_stride == sizeof(T) && (b.reduce >= kLongRow || b.keep == 1)) {
      for (int64_t k = 0; k < b.keep; ++k) {
        into[k] = row(op, reinterpret_cast<const T*>(b.in + k * b.keep_stride), b.reduce, into[k]);
      }
    } else if (b.keep_stride == sizeof(T)) {
      columns(op, b);
    } else {
      side_by_side(op, b);
    }
  }
};

template <typename R, typename Acc>
void put(char* out, int64_t at, Acc value) {
  reinterpret_cast<R*>(out)[at] = narrow<R>(value);
}

/// What follows from Op alone: start, merge, finish.
template <template <typename> class Op, typename T>
struct Accumulators {
  using Acc = typename Op<T>::Acc;

  static void start(char* into, int64_t n) { std::fill_n(reinterpret_cast<Acc*>(into), n, Op<T>::nothing()); }
  static void merge(char* into, const char* other, int64_t n, const Scalar*) {
    for (int64_t i = 0; i < n; ++i) {
      Acc& acc = reinterpret_cast<Acc*>(into)[i];
      acc = Op<T>::merge(acc, reinterpret_cast<const Acc*>(other)[i]);
    }
  }
  static void finish(const char* from, int64_t n, char* const* out, int64_t at, const Scalar* params) {
    const Op<T> op(params);
    for (int64_t i = 0; i < n; ++i) op.finish(reinterpret_cast<const Acc*>(from)[i], out, at + i);
  }
};

/// The Reduction of an Op whose blocks are added by Loops.
template <template <typename> class Op, typename T, typename Loops = FoldLoops<Op, T>>
const Reduction& reduction_of() {
  using Parts = Accumulators<Op, T>;
  static constexpr auto finish = [] {
    if constexpr (requires { &Op<T>::finish; })
      return &Parts::finish;
    else
      return nullptr;
  };
  static const Reduction one{sizeof(typename Op<T>::Acc), &Parts::start, &Loops::add, &Parts::merge,
                             finish()};
  return one;
}

/// `const Fold<Prod, Numbers> prod("prod_cpu");` makes a reduction for a set of dtypes. `Halves`: do higher
/// CPU levels gain for 16-bit floats?
template <template <typename> class Op, typename Set,
          template <template <typename> class, typename> class Loops = FoldLoops, bool Halves = false>
struct Fold {
  explicit Fold(std::string_view name) { add(name, Set()); }

 private:
  template <typename... T>
  static void add(std::string_view name, Types<T...>) {
    (
        [&] {
          constexpr bool half = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
          if constexpr (wanted<T> || (Halves && half))
            register_loop(kLevel, name, dtype_of<T>, as_loop(&reduction_of<Op, T, Loops<Op, T>>));
        }(),
        ...);
  }
};

}  // namespace ONETAPE_LEVEL
}  // namespace onetape
