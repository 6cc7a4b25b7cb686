// Sums of floating numbers whose rounding error grows with the logarithm of the length: additions form a
// tree. The shape of the tree is PyTorch's, so that results agree to the last digit; it is the same on every
// CPU level.

#include <bit>

#include "kernels/reduce_loops.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

template <typename A>
struct RealOf {
  using type = A;
};
template <typename A>
struct RealOf<std::complex<A>> {
  using type = A;
};
template <typename A>
using real_of = typename RealOf<A>::type;

/// Complex numbers are added as pairs of real ones.
template <typename A>
struct VectorOf {
  static constexpr int64_t lanes = 32 / sizeof(A);
  typedef A type __attribute__((vector_size(32)));
};

/// What the elements are added in.
template <typename T>
struct SumType {
  using type = compute_t<T>;
};
template <typename T>
requires std::is_integral_v<T>
struct SumType<T> {
  using type = int64_t;
};

template <typename T, bool SkipNan>
struct SumOf {
  using Acc = typename SumType<T>::type;
  static constexpr bool skips_nan = SkipNan;
  explicit SumOf(const Scalar*) {}
  static Acc nothing() { return Acc(0); }
  static Acc value(compute_t<T> x) {
    if constexpr (SkipNan && std::is_floating_point_v<Acc>) return x == x ? x : Acc(0);
    return static_cast<Acc>(x);
  }
  static Acc step(Acc acc, compute_t<T> x) { return acc + value(x); }
  static Acc merge(Acc a, Acc b) { return a + b; }
};

/// Reads one accumulator's worth of elements: one, or one a lane.
template <typename Op, typename T, typename V>
V read(const char* at) {
  using Acc = typename Op::Acc;
  if constexpr (std::is_same_v<V, Acc>) {
    return Op::value(load<T>(at));
  } else {
    V v;
    if constexpr (std::is_same_v<T, Acc>) {
      std::memcpy(&v, at, sizeof v);
#if defined(__F16C__)
    } else if constexpr (std::is_same_v<T, Half>) {
      v = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
#endif
    } else {
      for (int64_t l = 0; l < VectorOf<Acc>::lanes; ++l)
        v[l] = load<T>(at + l * static_cast<int64_t>(sizeof(T)));
    }
    if constexpr (Op::skips_nan) v = v == v ? v : V{};
    return v;
  }
}

constexpr int kLevels = 4;

/// How many sums of one level go into one of the next, as a power of two.
int level_power(int64_t n) {
  const int bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(n, 1) - 1)));
  return std::max(4, bits / kLevels);
}

/// Sums of R sequences at once: element i of sequence k stands at in + i · step + k · across.
template <typename Op, typename T, typename V, int R>
void cascade(const char* in, int64_t step, int64_t across, int64_t n, V (&sum)[R]) {
  const int power = level_power(n);
  const int64_t whole = int64_t{1} << power;
  V level[kLevels][R] = {};
  int64_t i = 0;
  while (i + whole <= n) {
    for (const int64_t end = i + whole; i < end; ++i) {
      for (int k = 0; k < R; ++k) level[0][k] += read<Op, T, V>(in + i * step + k * across);
    }
    for (int l = 1; l < kLevels; ++l) {
      for (int k = 0; k < R; ++k) {
        level[l][k] += level[l - 1][k];
        level[l - 1][k] = V{};
      }
      if ((i & ((whole - 1) << (l * power))) != 0) break;
    }
  }
  for (; i < n; ++i) {
    for (int k = 0; k < R; ++k) level[0][k] += read<Op, T, V>(in + i * step + k * across);
  }
  for (int k = 0; k < R; ++k) {
    for (int l = 1; l < kLevels; ++l) level[0][k] += level[l][k];
    sum[k] = level[0][k];
  }
}

/// The same for up to kColumns neighbouring columns, reading whole rows.
template <typename Op, typename T>
struct Columns {
  using Acc = typename Op::Acc;
  static constexpr int64_t kColumns = 8192 / sizeof(Acc);  // rows of one level stay in the first cache
  Acc level[kLevels][kColumns];

  void add_rows(const char* in, int64_t step, int64_t rows, int64_t width) {
    Acc* __restrict acc = level[0];
    const auto at = [&](const char* row, int64_t k) {
      return Op::value(load<T>(row + k * static_cast<int64_t>(sizeof(T))));
    };
    for (; rows >= 4; rows -= 4, in += 4 * step) {
      for (int64_t k = 0; k < width; ++k) {
        acc[k] = (((acc[k] + at(in, k)) + at(in + step, k)) + at(in + 2 * step, k)) + at(in + 3 * step, k);
      }
    }
    for (; rows > 0; --rows, in += step) {
      for (int64_t k = 0; k < width; ++k) acc[k] += at(in, k);
    }
  }

  void sum(const char* in, int64_t step, int64_t n, int64_t width, Acc* into) {
    const int power = level_power(n);
    const int64_t whole = int64_t{1} << power;
    for (auto& one : level) std::fill_n(one, width, Acc(0));
    int64_t i = 0;
    while (i + whole <= n) {
      add_rows(in + i * step, step, whole, width);
      i += whole;
      for (int l = 1; l < kLevels; ++l) {
        for (int64_t k = 0; k < width; ++k) level[l][k] += level[l - 1][k];
        std::fill_n(level[l - 1], width, Acc(0));
        if ((i & ((whole - 1) << (l * power))) != 0) break;
      }
    }
    add_rows(in + i * step, step, n - i, width);
    for (int l = 1; l < kLevels; ++l) {
      for (int64_t k = 0; k < width; ++k) level[0][k] += level[l][k];
    }
    for (int64_t k = 0; k < width; ++k) into[k] += level[0][k];
  }
};

/// One sequence, as four interleaved ones.
template <typename Op, typename T, typename V>
V sum_sequence(const char* in, int64_t step, int64_t n) {
  if (n < 4) {
    V total{};
    for (int64_t i = 0; i < n; ++i) total += read<Op, T, V>(in + i * step);
    return total;
  }
  V part[4];
  cascade<Op, T>(in, 4 * step, step, n / 4, part);
  for (int64_t i = n / 4 * 4; i < n; ++i) part[0] += read<Op, T, V>(in + i * step);
  return ((part[0] + part[1]) + part[2]) + part[3];
}

template <template <typename> class OpOf, typename T>
struct SumLoops {
  using Op = OpOf<T>;
  using Acc = typename Op::Acc;
  using Vector = typename VectorOf<real_of<Acc>>::type;
  static constexpr int64_t kLanes = 32 / sizeof(Acc);
  static constexpr int64_t kItem = sizeof(T);

  static std::array<Acc, kLanes> lanes_of(const Vector& v) {
    std::array<Acc, kLanes> lanes;
    std::memcpy(static_cast<void*>(lanes.data()), &v, sizeof v);
    return lanes;
  }

  /// Elements that stand one after the other.
  static Acc dense_row(const char* in, int64_t n) {
    const int64_t vectors = n / kLanes;
    Vector v{};
    if (vectors < 4) {  // what sum_sequence() comes to
      for (int64_t i = 0; i < vectors; ++i) v += read<Op, T, Vector>(in + i * kLanes * kItem);
    } else {
      v = sum_sequence<Op, T, Vector>(in, kLanes * kItem, vectors);
    }
    Acc total = 0;
    for (int64_t i = vectors * kLanes; i < n; ++i) total += read<Op, T, Acc>(in + i * kItem);
    for (const Acc lane : lanes_of(v)) total += lane;
    return total;
  }

  /// Neighbouring results from neighbouring elements.
  static void columns(const ReduceBlock& b, Acc* into) {
    constexpr int64_t kLong =
        1024;  // rows above which a second pass over the memory would cost more than it gives
    using All = Columns<Op, T>;
    const int64_t group = 4 * kLanes;
    const int64_t together = b.reduce > kLong ? b.keep : b.keep / group * group;
    int64_t k = 0;
    if (together > 0) {
      All all;
      for (; k < together; k += All::kColumns) {
        all.sum(b.in + k * kItem, b.reduce_stride, b.reduce, std::min(All::kColumns, together - k), into + k);
      }
      k = together;
    }
    for (; k + kLanes <= b.keep; k += kLanes) {
      const Vector v = sum_sequence<Op, T, Vector>(b.in + k * kItem, b.reduce_stride, b.reduce);
      const auto lanes = lanes_of(v);
      for (int64_t l = 0; l < kLanes; ++l) into[k + l] += lanes[l];
    }
    for (; k < b.keep; ++k) into[k] += sum_sequence<Op, T, Acc>(b.in + k * kItem, b.reduce_stride, b.reduce);
  }

  static void add(const ReduceBlock& b, const Scalar* params) {
    Acc* into = reinterpret_cast<Acc*>(b.into);
    if constexpr (std::is_integral_v<Acc>) {
      FoldLoops<OpOf, T>::add(b, params);
      return;
    } else {
      if (b.reduce_stride == kItem && b.reduce >= kLanes) {
        for (int64_t k = 0; k < b.keep; ++k) into[k] += dense_row(b.in + k * b.keep_stride, b.reduce);
        return;
      }
      if (b.keep_stride == kItem && b.keep >= kLanes) return columns(b, into);
    }
    int64_t k = 0;
    if (b.reduce_stride >= b.keep_stride) {
      for (; k + 4 <= b.keep; k += 4) {
        Acc sums[4];
        cascade<Op, T>(b.in + k * b.keep_stride, b.reduce_stride, b.keep_stride, b.reduce, sums);
        for (int i = 0; i < 4; ++i) into[k + i] += sums[i];
      }
    }
    for (; k < b.keep; ++k)
      into[k] += sum_sequence<Op, T, Acc>(b.in + k * b.keep_stride, b.reduce_stride, b.reduce);
  }
};

/// 16-bit floats are summed in float, so the sum is rounded once.
template <typename T, bool SkipNan>
struct RoundedSum : SumOf<T, SkipNan> {
  using SumOf<T, SkipNan>::SumOf;
  static void finish(float acc, char* const* out, int64_t at) { put<T>(out[0], at, acc); }
};
template <typename T, bool SkipNan>
using SumOp = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>,
                                 RoundedSum<T, SkipNan>, SumOf<T, SkipNan>>;

template <typename T>
struct Sum : SumOp<T, false> {
  using SumOp<T, false>::SumOp;
};
const Fold<Sum, All, SumLoops, true> sum("sum_cpu");

template <typename T>
struct NanSum : SumOp<T, true> {
  using SumOp<T, true>::SumOp;
};
const Fold<NanSum, Real, SumLoops> nansum("nansum_cpu");

/// The sum divided by a number; params: that number.
template <typename T>
struct Mean : SumOf<T, false> {
  using Acc = typename SumOf<T, false>::Acc;
  explicit Mean(const Scalar* params) : SumOf<T, false>(params), divisor(params[0].to<Acc>()) {}
  void finish(Acc acc, char* const* out, int64_t at) const { put<T>(out[0], at, acc / divisor); }
  Acc divisor;
};
const Fold<Mean, FloatsAndComplex, SumLoops, true> mean("mean_cpu");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
