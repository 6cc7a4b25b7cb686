#include "kernels/chain.h"

#include <cstring>
#include <utility>

#include "kernels/pointwise_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

constexpr int kBytes = kLevel == CpuLevel::V4 ? 64 : kLevel == CpuLevel::V3 ? 32 : 16;  // of a vector

/// A step and the kind of its operand as one number.
constexpr int code_of(ChainStep step, ChainOperand kind) {
  return static_cast<int>(step) * 4 + static_cast<int>(kind);
}

/// Values of type V, a vector or a number, in as many registers as I has members.
template <typename T, typename V, size_t... I>
struct Tile {
  static constexpr int64_t kElements = sizeof...(I) * (sizeof(V) / sizeof(T));

  static V read(const char* at) {
    V value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  static V spread(const char* at) {
    T number;
    std::memcpy(&number, at, sizeof number);
    return number - V{};  // -0 stays
  }

  /// Runs the chain over the elements that lie `bytes` behind the first ones.
  static void run(const ChainItem* items, size_t count, int64_t bytes) {
    using enum ChainStep;
    using enum ChainOperand;
    V v[sizeof...(I)] = {};
    for (const ChainItem* item = items; item != items + count; ++item) {
      char* const data = item->data;
      const auto elements = [ data, bytes ](auto f) __attribute__((always_inline)) {
        (f(read(data + bytes + I * sizeof(V)), std::integral_constant<size_t, I>()), ...);
      };
      const auto number = [data](auto f) __attribute__((always_inline)) {
        const V o = spread(data);
        (f(o, std::integral_constant<size_t, I>()), ...);
      };
      switch (code_of(item->step, item->kind)) {
        case code_of(Load, Elements):
          elements([&v](V o, auto i) { v[i] = o; });
          break;
        case code_of(Store, Elements):
          (std::memcpy(data + bytes + I * sizeof(V), &v[I], sizeof(V)), ...);
          break;
        case code_of(Add, Elements):
          elements([&v](V o, auto i) { v[i] = v[i] + o; });
          break;
        case code_of(Add, Number):
          number([&v](V o, auto i) { v[i] = v[i] + o; });
          break;
        case code_of(Add, Value):
          ((v[I] = v[I] + v[I]), ...);
          break;
        case code_of(Sub, Elements):
          elements([&v](V o, auto i) { v[i] = v[i] - o; });
          break;
        case code_of(Sub, Number):
          number([&v](V o, auto i) { v[i] = v[i] - o; });
          break;
        case code_of(SubFrom, Elements):
          elements([&v](V o, auto i) { v[i] = o - v[i]; });
          break;
        case code_of(SubFrom, Number):
          number([&v](V o, auto i) { v[i] = o - v[i]; });
          break;
        case code_of(Mul, Elements):
          elements([&v](V o, auto i) { v[i] = v[i] * o; });
          break;
        case code_of(Mul, Number):
          number([&v](V o, auto i) { v[i] = v[i] * o; });
          break;
        case code_of(Mul, Value):
          ((v[I] = v[I] * v[I]), ...);
          break;
        case code_of(Div, Elements):
          elements([&v](V o, auto i) { v[i] = v[i] / o; });
          break;
        case code_of(Div, Number):
          number([&v](V o, auto i) { v[i] = v[i] / o; });
          break;
        case code_of(DivInto, Elements):
          elements([&v](V o, auto i) { v[i] = o / v[i]; });
          break;
        case code_of(DivInto, Number):
          number([&v](V o, auto i) { v[i] = o / v[i]; });
          break;
        case code_of(AtLeast, Number):
          number([&v](V o, auto i) { v[i] = v[i] < o ? o : v[i]; });
          break;
        case code_of(AtMost, Number):
          number([&v](V o, auto i) { v[i] = v[i] > o ? o : v[i]; });
          break;
        case code_of(Negative, Value):
          ((v[I] = -v[I]), ...);
          break;
        default:
          __builtin_unreachable();
      }
    }
  }
};

template <typename T, typename V, size_t... I>
Tile<T, V, I...> tile_of(std::index_sequence<I...>);

template <typename T>
void run_chain(const ChainItem* items, size_t count, int64_t n) {
  using V [[gnu::vector_size(kBytes)]] = T;
  using Wide = decltype(tile_of<T, V>(std::make_index_sequence<8>()));
  using Narrow = decltype(tile_of<T, V>(std::make_index_sequence<1>()));
  using Single = decltype(tile_of<T, T>(std::make_index_sequence<1>()));
  int64_t i = 0;
  for (; i + Wide::kElements <= n; i += Wide::kElements)
    Wide::run(items, count, i * static_cast<int64_t>(sizeof(T)));
  for (; i + Narrow::kElements <= n; i += Narrow::kElements)
    Narrow::run(items, count, i * static_cast<int64_t>(sizeof(T)));
  for (; i < n; ++i) Single::run(items, count, i * static_cast<int64_t>(sizeof(T)));
}

[[maybe_unused]] const bool registered =
    register_loop(kLevel, "chain", DType::F32, as_loop<ChainLoop>(&run_chain<float>)) &&
    register_loop(kLevel, "chain", DType::F64, as_loop<ChainLoop>(&run_chain<double>));

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
