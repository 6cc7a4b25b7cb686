#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/dtype.h"

namespace onetape {

/// Which elements of a line make each element of its resampled line: up to `taps` of them, and a weight for
/// each.
struct Taps {
  int64_t in;
  int64_t out;
  int64_t taps;
  std::vector<int64_t> places;  // out × taps
  std::vector<double> weights;
  std::vector<int64_t> counts;  // how many of the taps count, where not all do

  int64_t first(int64_t at) const { return at * taps; }
  int64_t last(int64_t at) const {
    return first(at) + (counts.empty() ? taps : counts[static_cast<size_t>(at)]);
  }
};

/// Lines of depth, height and width.
using ResampleShape = std::array<Taps, 3>;

/// out = in resampled, for `planes` dense volumes. `op` stands in the NotImplementedError. With `spread`, the
/// transposed map: `in` has the resampled sizes, and each element goes to the places that made it.
void resample(std::string_view op, DType dtype, const ResampleShape& shape, int64_t planes, bool spread,
              const char* in, char* out);

}  // namespace onetape
