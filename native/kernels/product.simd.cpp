#include <algorithm>

#include "kernels/product_loops.h"

#ifdef __FMA__
#include <immintrin.h>
#endif

#include "kernels/pointwise_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

#ifdef __FMA__

#ifdef __AVX512F__
using Vector = __m512;
constexpr int kRows = 14;    // of a tile: with two vectors a row, its sums fill the registers
constexpr int kStride = 16;  // from one column of a packed panel to the next
inline Vector load(const float* from) { return _mm512_loadu_ps(from); }
inline void store(float* to, Vector v) { _mm512_storeu_ps(to, v); }
inline Vector all_of(float value) { return _mm512_set1_ps(value); }
inline Vector fused(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
inline __mmask16 first(int64_t count) {
  return static_cast<__mmask16>((1U << std::min<int64_t>(count, 16)) - 1);
}
/// The first `count` elements, then zeros.
inline Vector load_some(const float* from, int64_t count) {
  return _mm512_maskz_loadu_ps(first(count), from);
}
inline void store_some(float* to, int64_t count, Vector v) { _mm512_mask_storeu_ps(to, first(count), v); }
#else
using Vector = __m256;
constexpr int kRows = 6;
constexpr int kStride = 8;
inline Vector load(const float* from) { return _mm256_loadu_ps(from); }
inline void store(float* to, Vector v) { _mm256_storeu_ps(to, v); }
inline Vector all_of(float value) { return _mm256_set1_ps(value); }
inline Vector fused(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
inline __m256i first(int64_t count) {
  const __m256i places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i wanted = _mm256_set1_epi32(static_cast<int>(std::min<int64_t>(count, 8)));
  return _mm256_cmpgt_epi32(wanted, places);
}
inline Vector load_some(const float* from, int64_t count) { return _mm256_maskload_ps(from, first(count)); }
inline void store_some(float* to, int64_t count, Vector v) { _mm256_maskstore_ps(to, first(count), v); }
#endif
static_assert(kRows <= kTileRows && kStride <= kMostRows);
constexpr int kLanes = sizeof(Vector) / sizeof(float);
constexpr int64_t kWidth = 2 * kLanes;  // columns of a panel of the right factor; the last may have half

// ---- packing ----

constexpr int64_t kAhead = 4;  // lines that are fetched ahead
constexpr int64_t kLine = 16;  // elements that a cache holds together
/// Lines are packed faster than the CPU itself sees where it will read next.
inline void fetch(const float* data) { __builtin_prefetch(data, 0, 2); }

/// Puts 8 × 8 elements the other way round; where there are fewer rows, the last one counts again.
inline void transpose(const float* from, int64_t row, int64_t rows, float* to, int64_t to_row) {
  __m256 a[8];
  __m256 b[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) a[i] = _mm256_loadu_ps(from + std::min<int64_t>(i, rows - 1) * row);
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    b[i] = _mm256_unpacklo_ps(a[i], a[i + 1]);
    b[i + 1] = _mm256_unpackhi_ps(a[i], a[i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    a[i] = _mm256_shuffle_ps(b[i], b[i + 2], 0x44);
    a[i + 1] = _mm256_shuffle_ps(b[i], b[i + 2], 0xEE);
    a[i + 2] = _mm256_shuffle_ps(b[i + 1], b[i + 3], 0x44);
    a[i + 3] = _mm256_shuffle_ps(b[i + 1], b[i + 3], 0xEE);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_ps(to + i * to_row, _mm256_permute2f128_ps(a[i], a[i + 4], 0x20));
    _mm256_storeu_ps(to + (i + 4) * to_row, _mm256_permute2f128_ps(a[i], a[i + 4], 0x31));
  }
}

/// A panel of a packed factor: at to[p · stride + i] the element p of line i, for `count` lines of which the
/// elements stand `step` apart. Places of missing lines hold anything, but nothing uninitialised. `more`: as
/// many lines follow that are packed next.
void pack_lines(const float* from, int64_t line, int64_t step, int64_t count, int64_t k, float* to,
                int64_t stride, bool more) {
  const int64_t blocks = step == 1 ? k / 8 * 8 : 0;
  if (step == 1 && more) {
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t p = 0; p < k; p += kLine) fetch(from + (count + i) * line + p);
    }
  }
  for (int64_t i = 0; i < stride; i += 8) {
    const int64_t first = std::min(i, count - 1);
    for (int64_t p = 0; p < blocks; p += 8)
      transpose(from + first * line + p, line, count - first, to + p * stride + i, stride);
  }
  for (int64_t i = 0; i < stride; ++i) {
    const float* data = from + std::min(i, count - 1) * line;
    for (int64_t p = blocks; p < k; ++p) to[p * stride + i] = data[p * step];
  }
}

/// The panels of the left factor share its rows evenly.
struct Panels {
  explicit Panels(int64_t m) : count((m + kRows - 1) / kRows), low(m / count), more(m % count) {}
  int64_t rows(int64_t panel) const { return low + (panel < more ? 1 : 0); }

  int64_t count;
  int64_t low;
  int64_t more;
};

void pack_left(const Factor& from, int64_t m, int64_t k, float* to) {
  const Panels panels(m);
  if (from.row == 1) {  // line by line, as they stand in memory
    for (int64_t p = 0; p < k; ++p) {
      const float* data = from.data + p * from.column;
      for (int64_t i = 0; p + kAhead < k && i < m; i += kLine) fetch(data + kAhead * from.column + i);
      for (int64_t panel = 0; panel < panels.count; ++panel) {
        store(to + (panel * k + p) * kStride, load_some(data, panels.rows(panel)));
        data += panels.rows(panel);
      }
    }
    return;
  }
  const float* data = from.data;
  for (int64_t panel = 0; panel < panels.count; ++panel, to += k * kStride) {
    const int64_t rows = panels.rows(panel);
    const bool more = panel + 1 < panels.count && panels.rows(panel + 1) == rows;
    pack_lines(data, from.row, from.column, rows, k, to, kStride, more);
    data += rows * from.row;
  }
}

void pack_right(const Factor& from, int64_t k, int64_t n, float* to) {
  if (from.column == 1) {
    for (int64_t p = 0; p < k; ++p) {
      const float* data = from.data + p * from.row;
      for (int64_t j = 0; j < n; j += kLanes) {
        const int64_t panel = j / kWidth * kWidth;
        const int64_t stride = n - panel > kLanes ? kWidth : kLanes;
        store(to + panel * k + p * stride + j - panel, load_some(data + j, n - j));
      }
    }
    return;
  }
  for (int64_t j = 0; j < n; j += kWidth) {
    const int64_t count = std::min(kWidth, n - j);
    const int64_t stride = count > kLanes ? kWidth : kLanes;
    pack_lines(from.data + j * from.column, from.column, from.row, count, k, to, stride, j + 2 * kWidth <= n);
    to += k * stride;
  }
}

// ---- product ----

/// Where a tile's sums go, and what they are added to.
struct Place {
  float* c;
  int64_t row;
  int64_t columns;
  float alpha;
  float beta;
  const float* add;
  int64_t add_row;
};

/// Scales the sums of a tile, adds and stores them. All loops are unrolled, so that the sums stay in
/// registers; `to` is a copy, as stores might else change it.
template <bool Whole, int R, int V>
inline void finish(Vector (&sums)[R][V], const Place to) {
  const int64_t last = Whole ? kLanes : to.columns - (V - 1) * kLanes;
  const auto get = [&](const float* from, int v) {
    return Whole || v + 1 < V ? load(from) : load_some(from, last);
  };
#pragma GCC unroll 14
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) sums[r][v] *= all_of(to.alpha);
  }
  if (to.beta != 0) {
#pragma GCC unroll 14
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v)
        sums[r][v] += all_of(to.beta) * get(to.add + r * to.add_row + v * kLanes, v);
    }
  }
#pragma GCC unroll 14
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      float* const c = to.c + r * to.row + v * kLanes;
      Whole || v + 1 < V ? store(c, sums[r][v]) : store_some(c, last, sums[r][v]);
    }
  }
}

/// How the left factor stands: packed, or rows that are dense, `row` elements apart.
enum class Left { Packed, Rows };

/// R rows and V vectors of columns.
template <int R, int V, Left L>
void tile(const float* left, int64_t row, const float* right, int64_t k, const Place& to) {
  Vector sums[R][V];
#pragma GCC unroll 14
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      sums[r][v] = Vector{};
      __builtin_prefetch(to.c + r * to.row + v * kLanes, 1);
    }
  }
  for (int64_t p = 0; p < k; ++p, left += L == Left::Packed ? kStride : 1, right += V * kLanes) {
    Vector x[V];
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) x[v] = load(right + v * kLanes);
#pragma GCC unroll 14
    for (int r = 0; r < R; ++r) {
      const Vector w = all_of(left[L == Left::Packed ? r : r * row]);
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) sums[r][v] = fused(w, x[v], sums[r][v]);
    }
  }
  if (to.columns == V * kLanes) {
    finish<true>(sums, to);
  } else {
    finish<false>(sums, to);
  }
}

using Tile = void (*)(const float*, int64_t, const float*, int64_t, const Place&);
using Tiles = std::array<Tile, kRows + 1>;
template <int V, Left L, int... R>
constexpr Tiles tiles(std::integer_sequence<int, R...>) {
  return {nullptr, &tile<R + 1, V, L>...};
}
constexpr auto kAllRows = std::make_integer_sequence<int, kRows>();
constexpr std::array<std::array<Tiles, 2>, 2> kTiles = {
    {{tiles<1, Left::Packed>(kAllRows), tiles<2, Left::Packed>(kAllRows)},
     {tiles<1, Left::Rows>(kAllRows), tiles<2, Left::Rows>(kAllRows)}}};

/// Fetches what is read next, a share before each tile.
class Fetching {
 public:
  Fetching(const NextRead& next, int64_t tiles) : next_(next), tiles_(tiles) {}
  void go_on() {
    const int64_t end = next_.lines * ++tile_ / tiles_;
    for (; line_ < end; ++line_) {
      const float* data = next_.data + line_ * next_.step;
      for (int64_t p = 0; p < next_.length; p += kLine) fetch(data + p);
    }
  }

 private:
  const NextRead& next_;
  const int64_t tiles_;
  int64_t tile_ = 0;
  int64_t line_ = 0;
};

void multiply(const PackedProduct& what) {
  const Panels panels(what.m);
  Fetching fetching(what.next, panels.count * ((what.n + kWidth - 1) / kWidth));
  const float* right = what.right;
  const bool in_place = what.left_row != 0;
  const auto& kinds = kTiles[in_place ? 1 : 0];
  for (int64_t j = 0; j < what.n; j += kWidth) {
    const int64_t columns = std::min(kWidth, what.n - j);
    const bool wide = columns > kLanes;
    const float* left = what.left;
    Place to{what.c + j, what.c_row, columns, what.alpha, what.beta, what.add + j, what.add_row};
    for (int64_t panel = 0; panel < panels.count; ++panel) {
      const auto rows = static_cast<size_t>(panels.rows(panel));
      fetching.go_on();
      kinds[wide ? 1 : 0][rows](left, what.left_row, right, what.k, to);
      left += in_place ? static_cast<int64_t>(rows) * what.left_row : what.k * kStride;
      to.c += static_cast<int64_t>(rows) * what.c_row;
      to.add += static_cast<int64_t>(rows) * what.add_row;
    }
    right += what.k * (wide ? kWidth : kLanes);
  }
}

constexpr auto kPackLeft = &pack_left;
constexpr auto kPackRight = &pack_right;
constexpr auto kMultiply = &multiply;

#else  // without fused products OpenBLAS is as fast

constexpr PackLoop kPackLeft = nullptr;
constexpr PackLoop kPackRight = nullptr;
constexpr ProductLoop kMultiply = nullptr;

#endif

template <typename F>
bool add(const char* name, F loop) {
  return register_loop(kLevel, name, DType::F32, as_loop(loop));
}

[[maybe_unused]] const bool registered =
    add("pack_left", kPackLeft) && add("pack_right", kPackRight) && add("packed_product", kMultiply);

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
