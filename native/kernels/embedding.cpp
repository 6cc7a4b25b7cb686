#include "kernels/embedding.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "core/parallel.h"

namespace onetape {

bool gather_rows(const char* table, int64_t rows, int64_t row_bytes, const int64_t* indices, int64_t count,
                 char* out) {
  constexpr int64_t kGrainBytes = 1 << 17;
  std::atomic<bool> in_range{true};
  parallel_for(count, std::max<int64_t>(kGrainBytes / std::max<int64_t>(row_bytes, 1), 1),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t row = indices[i];
                   if (row < 0 || row >= rows) [[unlikely]] {
                     in_range.store(false, std::memory_order_relaxed);
                     return;
                   }
                   std::memcpy(out + i * row_bytes, table + row * row_bytes, static_cast<size_t>(row_bytes));
                 }
               });
  return in_range.load(std::memory_order_relaxed);
}

void add_rows(DType dtype, char* table, int64_t rows, int64_t n, const int64_t* indices, int64_t count,
              const char* grad, int64_t skip, bool shares) {
  constexpr int64_t kGrain = 32768;
  std::vector<int64_t> times(shares ? static_cast<size_t>(rows) : 0);
  for (int64_t i = 0; shares && i < count; ++i) {
    if (const int64_t row = indices[i]; row >= 0 && row < rows) ++times[row];
  }
  visit_all(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<T, bool>) {
      // Threads own stretches of the table's rows, so that each row is added to in the order of the indices.
      const int64_t parts = std::clamp<int64_t>(count * n / kGrain, 1, num_threads());
      const int64_t step = (rows + parts - 1) / parts;
      parallel_for(parts, 1, [&](int64_t from, int64_t to) {
        const int64_t low = from * step;
        const int64_t high = to * step;
        for (int64_t i = 0; i < count; ++i) {
          const int64_t row = indices[i];
          if (row < low || row >= high || row == skip) continue;
          T* into = reinterpret_cast<T*>(table) + row * n;
          const T* add = reinterpret_cast<const T*>(grad) + i * n;
          if (shares) {
            const auto share = compute_t<T>(static_cast<T>(static_cast<float>(times[row])));
            for (int64_t k = 0; k < n; ++k) into[k] = static_cast<T>(into[k] + add[k] / share);
          } else {
            for (int64_t k = 0; k < n; ++k) into[k] = static_cast<T>(into[k] + add[k]);
          }
        }
      });
    }
  });
}

}  // namespace onetape
