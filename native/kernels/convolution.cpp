#include "kernels/convolution.h"

#include <optional>
#include <vector>

#include "core/parallel.h"
#include "kernels/convolution_few.h"
#include "kernels/convolution_loops.h"
#include "kernels/convolution_parts.h"
#include "kernels/registry.h"

namespace onetape {
namespace {

using namespace convolution;

/// One correlation of a convolution: all of it, or, for a transposed one, the results whose indices leave one
/// remainder modulo the strides.
struct Pass {
  std::vector<int64_t> offsets;  // of the taps from a position; channel by channel
  Tensor weights;                // of all groups
  int64_t weights_step = 0;      // from one group to the next, in bytes
  Sizes count{};                 // positions
  int64_t out_start = 0;
};

/// What all passes share.
struct Plan {
  int64_t batch;
  int64_t groups;
  int64_t in_channels;
  int64_t in_plane;
  int64_t rows;
  int64_t out_plane;
  Sizes out_steps;  // from one position to the next
  std::vector<Pass> passes;
};

/// Lays the weights out as the loops read them: `of(group, row, tap)` finds them.
template <typename T, typename F>
void pack_weights(Pass& pass, const Plan& plan, F of) {
  const auto taps = static_cast<int64_t>(pass.offsets.size());
  const int64_t panels = (plan.rows + kPanel - 1) / kPanel;
  const int64_t step = panels * kPanel * taps;
  const Buffer<T> packed(plan.groups, step, 0);
  T* to = packed.data();
  for (int64_t g = 0; g < plan.groups; ++g) {
    for (int64_t panel = 0; panel < panels; ++panel) {
      for (int64_t k = 0; k < taps; ++k) {
        for (int64_t row = panel * kPanel; row < (panel + 1) * kPanel; ++row)
          *to++ = row < plan.rows ? of(g, row, k) : T(0);
      }
    }
  }
  pass.weights = packed.memory;
  pass.weights_step = step * static_cast<int64_t>(sizeof(T));
}

/// Runs a plan over tensors of T.
template <typename T>
class Runner {
 public:
  Runner(const Plan& plan, const ConvolutionGrid& grid, const char* in, const char* bias, char* out)
      : plan_(plan),
        grid_(grid),
        loop_(find_function<CorrelationLoop>("correlation", dtype_of<T>)),
        in_(reinterpret_cast<const T*>(in)),
        bias_(reinterpret_cast<const T*>(bias)),
        out_(reinterpret_cast<T*>(out)) {}

  void run() const {
    const int64_t items = plan_.batch * plan_.groups;
    double work = 0;
    for (const Pass& pass : plan_.passes) {
      work += times(ConvolutionShape::product(pass.count), static_cast<int64_t>(pass.offsets.size()));
    }
    work *= static_cast<double>(plan_.rows);
    if (items >= num_threads()) {
      const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(kWorth / std::max(work, 1.0)));
      parallel_for(items, grain, [&](int64_t begin, int64_t end) {
        Channels channels(*this);
        for (int64_t i = begin; i < end; ++i) {
          const T* in = channels.prepare(i);
          for (const Pass& pass : plan_.passes) correlate(pass, i, in, 0, units(pass));
        }
      });
      return;
    }
    Channels channels(*this);
    for (int64_t i = 0; i < items; ++i) {
      const T* in = channels.prepare(i);
      for (const Pass& pass : plan_.passes) {
        const double unit = work / static_cast<double>(std::max<int64_t>(units(pass), 1));
        const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(kWorth / std::max(unit, 1.0)));
        parallel_for(units(pass), grain,
                     [&](int64_t begin, int64_t end) { correlate(pass, i, in, begin, end); });
      }
    }
  }

 private:
  static constexpr int64_t kUnit = 384;  // positions that one thread takes at a time

  /// Memory for the channels of one group of one sample, in their grids.
  class Channels {
   public:
    explicit Channels(const Runner& runner) : runner_(runner) {}

    const T* prepare(int64_t item) {
      const Plan& plan = runner_.plan_;
      const int64_t size = plan.in_channels * plan.in_plane;
      const T* from = runner_.in_ + item * size;
      const int64_t after = (plan.batch * plan.groups - item - 1) * size;
      if (runner_.grid_.trivial() && after >= kSlack) return from;
      const int64_t plane = runner_.grid_.plane();
      if (!memory_) {
        memory_.emplace(plan.in_channels, plane, runner_.grid_.line() + kSlack);
        memory_->clear();
      }
      for (int64_t c = 0; c < plan.in_channels; ++c)
        runner_.grid_.fill(from + c * plan.in_plane, memory_->data() + c * plane);
      return memory_->data();
    }

   private:
    const Runner& runner_;
    std::optional<Buffer<T>> memory_;
  };

  /// Positions of a slice, with those between the lines.
  int64_t positions(const Pass& pass) const {
    return pass.count[1] == 0 || pass.count[2] == 0 ? 0 : (pass.count[1] - 1) * grid_.line() + pass.count[2];
  }
  int64_t units_of_slice(const Pass& pass) const { return (positions(pass) + kUnit - 1) / kUnit; }
  int64_t units(const Pass& pass) const { return pass.count[0] * units_of_slice(pass); }

  void correlate(const Pass& pass, int64_t item, const T* in, int64_t begin, int64_t end) const {
    const int64_t group = item % plan_.groups;
    const int64_t each = units_of_slice(pass);
    Correlation what{};
    what.offsets = pass.offsets.data();
    what.taps = static_cast<int64_t>(pass.offsets.size());
    what.weights = pass.weights.bytes() + group * pass.weights_step;
    what.bias = bias_ ? reinterpret_cast<const char*>(bias_ + group * plan_.rows) : nullptr;
    what.rows = plan_.rows;
    what.pitch = grid_.line();
    what.columns = pass.count[2];
    what.out_row = plan_.out_plane;
    what.out_line = plan_.out_steps[1];
    what.out_step = plan_.out_steps[2];
    T* const out = out_ + item * plan_.rows * plan_.out_plane + pass.out_start;
    for (int64_t unit = begin; unit < end;) {
      const int64_t slice = unit / each;
      const int64_t last = std::min(end, (slice + 1) * each);
      what.in = reinterpret_cast<const char*>(in + slice * grid_.slice());
      what.out = reinterpret_cast<char*>(out + slice * plan_.out_steps[0]);
      loop_(what, (unit - slice * each) * kUnit, std::min((last - slice * each) * kUnit, positions(pass)));
      unit = last;
    }
  }

  const Plan& plan_;
  const ConvolutionGrid& grid_;
  CorrelationLoop loop_;
  const T* in_;
  const T* bias_;
  T* out_;
};

Sizes steps_of(const Sizes& sizes, const Sizes& stride) {
  return {sizes[1] * sizes[2] * stride[0], sizes[2] * stride[1], stride[2]};
}

template <typename T>
void convolve_as(const ConvolutionShape& s, const char* in, const char* weight, const char* bias, char* out) {
  const ConvolutionGrid grid = input_grid(s);
  Plan plan{s.batch,        s.groups,         s.in_channels,          s.product(s.in),
            s.out_channels, s.product(s.out), steps_of(s.out, kOnes), {}};
  Pass pass;
  pass.offsets = tap_offsets(s, grid);
  pass.count = s.out;
  const auto taps = static_cast<int64_t>(pass.offsets.size());
  const T* weights = reinterpret_cast<const T*>(weight);
  pack_weights<T>(pass, plan, [&](int64_t g, int64_t row, int64_t k) {
    return weights[(g * s.out_channels + row) * taps + k];
  });
  plan.passes.push_back(std::move(pass));
  Runner<T>(plan, grid, in, bias, out).run();
}

// ---- transposed ----

/// The results along one dimension whose index, counted with the padding, leaves a remainder modulo the
/// stride.
struct Phase {
  int64_t first = 0;          // quotient of the first one
  int64_t count = 0;          // of results
  int64_t start = 0;          // index of the first one among all results
  std::vector<int64_t> taps;  // that reach them
  std::vector<int64_t> back;  // how far before the quotient each tap reads
};

std::vector<Phase> phases_of(const ConvolutionShape& s, size_t d) {
  std::vector<Phase> phases;
  const int64_t stride = s.stride[d];
  for (int64_t start = 0; start < std::min(stride, s.in[d]); ++start) {
    const int64_t remainder = (start + s.padding[d]) % stride;
    Phase phase;
    phase.start = start;
    phase.first = (start + s.padding[d]) / stride;
    phase.count = (s.in[d] - start + stride - 1) / stride;
    for (int64_t k = 0; k < s.kernel[d]; ++k) {
      if (k * s.dilation[d] % stride != remainder) continue;
      phase.taps.push_back(k);
      phase.back.push_back((k * s.dilation[d] - remainder) / stride);
    }
    phases.push_back(std::move(phase));
  }
  return phases;
}

/// The grid from which a transposed convolution reads: zeros before and after as the phases reach beyond.
ConvolutionGrid output_grid(const ConvolutionShape& s, const std::array<std::vector<Phase>, 3>& phases,
                            Sizes* low) {
  Sizes reach{};
  Sizes count{};
  for (size_t d = 0; d < 3; ++d) {
    (*low)[d] = 0;
    for (const Phase& phase : phases[d]) {
      for (const int64_t back : phase.back) (*low)[d] = std::max((*low)[d], back - phase.first);
    }
    for (const Phase& phase : phases[d]) {
      count[d] = std::max(count[d], phase.count);
      for (const int64_t back : phase.back)
        reach[d] = std::max(reach[d], (*low)[d] + phase.first + phase.count - back);
    }
  }
  return {s.out, *low, reach, kOnes, count};
}

template <typename T>
void convolve_transposed_as(const ConvolutionShape& s, const char* out, const char* weight, const char* bias,
                            char* in) {
  const std::array<std::vector<Phase>, 3> phases = {phases_of(s, 0), phases_of(s, 1), phases_of(s, 2)};
  Sizes low{};
  const ConvolutionGrid grid = output_grid(s, phases, &low);
  Plan plan{s.batch,       s.groups,        s.out_channels,           s.product(s.out),
            s.in_channels, s.product(s.in), steps_of(s.in, s.stride), {}};
  const Sizes in_steps = steps_of(s.in, kOnes);
  const T* weights = reinterpret_cast<const T*>(weight);
  const int64_t taps = s.product(s.kernel);
  for_each_index({std::ssize(phases[0]), std::ssize(phases[1]), std::ssize(phases[2])}, [&](const Sizes& at) {
    const std::array<const Phase*, 3> p = {&phases[0][static_cast<size_t>(at[0])],
                                           &phases[1][static_cast<size_t>(at[1])],
                                           &phases[2][static_cast<size_t>(at[2])]};
    Pass pass;
    std::vector<int64_t> kept;  // places of the taps in the kernel
    std::vector<int64_t> cells;
    for_each_index({std::ssize(p[0]->taps), std::ssize(p[1]->taps), std::ssize(p[2]->taps)},
                   [&](const Sizes& k) {
                     Sizes cell{};
                     int64_t place = 0;
                     for (size_t d = 0; d < 3; ++d) {
                       const auto tap = static_cast<size_t>(k[d]);
                       cell[d] = low[d] + p[d]->first - p[d]->back[tap];
                       place = place * s.kernel[d] + p[d]->taps[tap];
                     }
                     kept.push_back(place);
                     cells.push_back(grid.cell(cell));
                   });
    for (int64_t m = 0; m < s.out_channels; ++m) {
      for (const int64_t cell : cells) pass.offsets.push_back(m * grid.plane() + cell);
    }
    for (size_t d = 0; d < 3; ++d) {
      pass.count[d] = p[d]->count;
      pass.out_start += p[d]->start * in_steps[d];
    }
    const auto each = std::ssize(kept);
    pack_weights<T>(pass, plan, [&](int64_t g, int64_t row, int64_t k) {
      const int64_t m = g * s.out_channels + k / each;
      return weights[(m * s.in_channels + row) * taps + kept[static_cast<size_t>(k % each)]];
    });
    plan.passes.push_back(std::move(pass));
  });
  Runner<T>(plan, grid, out, bias, in).run();
}

}  // namespace

void convolve(DType dtype, const ConvolutionShape& shape, const char* in, const char* weight,
              const char* bias, char* out) {
  if (has_few_places(dtype, shape)) return convolve_few(dtype, shape, in, weight, bias, out);
  visit(dtype, [&](auto tag) { convolve_as<typename decltype(tag)::type>(shape, in, weight, bias, out); });
}

void convolve_transposed(DType dtype, const ConvolutionShape& shape, const char* out, const char* weight,
                         const char* bias, char* in) {
  if (has_few_places(dtype, shape)) return convolve_few_transposed(dtype, shape, out, weight, bias, in);
  visit(dtype, [&](auto tag) {
    convolve_transposed_as<typename decltype(tag)::type>(shape, out, weight, bias, in);
  });
}

}  // namespace onetape
