#include "kernels/reduce.h"

#include <memory>

#include "core/parallel.h"
#include "kernels/registry.h"

namespace onetape {
namespace {

constexpr int64_t kGrain = 32768;    // elements worth a thread
constexpr int64_t kTogether = 2048;  // results worked on at a time: rows of memory are read in long runs

int64_t product(IntSpan sizes) {
  int64_t n = 1;
  for (const int64_t size : sizes) n *= size;
  return n;
}

/// Goes through an index space, last dimension fastest, with the byte offset at hand.
class Walk {
 public:
  Walk(IntSpan sizes, IntSpan strides, int64_t flat = 0)
      : sizes_(sizes), strides_(strides), index_(sizes.size(), 0) {
    for (size_t d = sizes.size(); d-- > 0 && flat > 0;) {
      index_[d] = flat % sizes[d];
      flat /= sizes[d];
      offset_ += index_[d] * strides[d];
    }
  }
  int64_t offset() const { return offset_; }
  void next() {
    for (size_t d = sizes_.size(); d-- > 0;) {
      offset_ += strides_[d];
      if (++index_[d] < sizes_[d]) return;
      offset_ -= sizes_[d] * strides_[d];
      index_[d] = 0;
    }
  }

 private:
  IntSpan sizes_;
  IntSpan strides_;
  Ints index_;
  int64_t offset_ = 0;
};

/// Appends a dimension that lies inside those appended before, merging where the two are one run of memory.
void append(Ints& sizes, Ints& strides, int64_t size, int64_t stride) {
  if (!sizes.empty() && strides.back() == size * stride) {
    sizes[sizes.size() - 1] *= size;
    strides[strides.size() - 1] = stride;
    return;
  }
  sizes.push_back(size);
  strides.push_back(stride);
}

/// A short innermost loop makes many small blocks: the longest dimension takes its place.
void lengthen_blocks(ReduceShape& shape) {
  constexpr int64_t kShort = 16;
  constexpr int64_t kSmall = 4096;
  const size_t last = shape.reduce.size() - 1;
  if (shape.reduce.size() < 2 || shape.reduce[last] >= kShort || product(shape.reduce) < kSmall) return;
  size_t longest = last;
  for (size_t d = 0; d < last; ++d) {
    if (shape.reduce[d] > shape.reduce[longest]) longest = d;
  }
  std::swap(shape.reduce[longest], shape.reduce[last]);
  std::swap(shape.reduce_strides[longest], shape.reduce_strides[last]);
}

/// Memory for accumulators, on the stack if they are few.
class Scratch {
 public:
  explicit Scratch(int64_t bytes) {
    if (bytes > static_cast<int64_t>(sizeof few_))
      many_ = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(bytes));
  }
  char* data() { return many_ ? many_.get() : few_; }

 private:
  alignas(64) char few_[2048];
  std::unique_ptr<char[]> many_;
};

struct Job {
  const Reduction& reduction;
  const ReduceShape& shape;
  const Scalar* params;
  char* const* out;
};

/// Results [begin, end) from the given dimensions. Accumulators are left at `into`, or finished if that is
/// null.
void run_part(const Job& job, IntSpan reduce, const char* in, int64_t first, char* into, int64_t begin,
              int64_t end) {
  const Reduction& r = job.reduction;
  const ReduceShape& shape = job.shape;
  const size_t outer = shape.keep.size() - 1;
  const int64_t width = shape.keep.back();
  const IntSpan outer_reduce = reduce.first(reduce.size() - 1);
  const int64_t blocks = product(reduce) == 0 ? 0 : product(outer_reduce);
  const bool finishing = !into && r.finish;
  const int64_t fits = std::min(finishing || blocks > 1 ? kTogether : width, end - begin);
  Scratch scratch(finishing ? std::min(fits, width) * r.accumulator_size : 0);

  Walk rows(IntSpan(shape.keep).first(outer), IntSpan(shape.keep_strides).first(outer), begin / width);
  int64_t column = begin % width;
  for (int64_t at = begin; at < end;) {
    const int64_t run = std::min({end - at, width - column, fits});
    char* acc = into        ? into + (at - begin) * r.accumulator_size
                : finishing ? scratch.data()
                            : job.out[0] + at * r.accumulator_size;
    r.start(acc, run);
    Walk walk(outer_reduce, IntSpan(shape.reduce_strides).first(outer_reduce.size()));
    const char* from = in + rows.offset() + column * shape.keep_strides.back();
    for (int64_t i = 0; i < blocks; ++i, walk.next()) {
      r.add({acc, from + walk.offset(), reduce.back(), run, shape.reduce_strides.back(),
             shape.keep_strides.back(), first},
            job.params);
    }
    if (finishing) r.finish(acc, run, job.out, at, job.params);
    at += run;
    column += run;
    if (column == width) {
      column = 0;
      rows.next();
    }
  }
}

/// Few results of many elements: each thread takes a part of the longest reduced dimension.
void split_reduced(const Job& job, const char* in, int64_t results, int64_t parts) {
  const Reduction& r = job.reduction;
  const Ints& sizes = job.shape.reduce;
  size_t longest = sizes.size() - 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] > sizes[longest]) longest = d;
  }
  const int64_t step = (sizes[longest] + parts - 1) / parts;
  parts = (sizes[longest] + step - 1) / step;
  const int64_t bytes =
      (results * r.accumulator_size + 63) / 64 * 64;  // threads write to cache lines of their own
  const auto memory = std::make_unique_for_overwrite<char[]>(bytes * parts + 64);
  char* acc = memory.get() + (64 - reinterpret_cast<uintptr_t>(memory.get()) % 64) % 64;
  parallel_for(parts, 1, [&](int64_t from, int64_t to) {
    for (int64_t part = from; part < to; ++part) {
      const int64_t begin = part * step;
      Ints mine = sizes;
      mine[longest] = std::min(step, sizes[longest] - begin);
      const int64_t first = longest == sizes.size() - 1 ? begin : 0;
      run_part(job, mine, in + begin * job.shape.reduce_strides[longest], first, acc + part * bytes, 0,
               results);
    }
  });
  for (int64_t part = 1; part < parts; ++part) r.merge(acc, acc + part * bytes, results, job.params);
  if (r.finish) {
    r.finish(acc, results, job.out, 0, job.params);
  } else {
    std::memcpy(job.out[0], acc, static_cast<size_t>(results * r.accumulator_size));
  }
}

/// Is it better to share out the reduced dimension than the results?
bool prefers_reduced(const ReduceShape& shape, int64_t item_size, int64_t results, int64_t threads) {
  // Threads that take neighbouring columns would read the same rows of memory.
  const bool columns = shape.keep_strides.back() == item_size && shape.reduce_strides.back() != item_size;
  constexpr int64_t kLong = 8192;  // below, the result shall not depend on the number of threads
  if (columns && results == shape.keep.back())
    return results * item_size < 1024 * threads && product(shape.reduce) >= kLong;
  return results < 4 * threads && results % threads != 0;
}

}  // namespace

ReduceShape reduce_shape(IntSpan sizes, IntSpan strides, int64_t item_size, uint64_t reduced) {
  ReduceShape shape;
  Ints by_stride;  // outermost first; equal strides stay in the order of the dimensions
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    size_t at = by_stride.size();
    while (at > 0 && strides[by_stride[at - 1]] < strides[d]) --at;
    by_stride.insert(at, static_cast<int64_t>(d));
  }
  for (const int64_t d : by_stride) {
    if (reduced >> d & 1) {
      append(shape.reduce, shape.reduce_strides, sizes[d], strides[d] * item_size);
    } else {
      shape.row_major = shape.row_major && (shape.order.empty() || shape.order.back() < d);
      shape.order.push_back(d);
      append(shape.keep, shape.keep_strides, sizes[d], strides[d] * item_size);
    }
  }
  if (shape.keep.empty()) append(shape.keep, shape.keep_strides, 1, 0);
  if (shape.reduce.empty()) append(shape.reduce, shape.reduce_strides, 1, item_size);
  lengthen_blocks(shape);
  return shape;
}

const Reduction& find_reduction(std::string_view name, DType dtype) {
  return find_function<const Reduction& (*)()>(name, dtype)();
}

bool splits_reduced(const ReduceShape& shape, int64_t item_size) {
  const int64_t results = product(shape.keep);
  const int64_t threads = results * product(shape.reduce) <= kGrain ? 1 : num_threads();
  return threads > 1 && prefers_reduced(shape, item_size, results, threads);
}

void run_reduction(const Reduction& reduction, const ReduceShape& shape, int64_t item_size, const char* in,
                   char* const* out, const Scalar* params) {
  const Job job{reduction, shape, params, out};
  const int64_t results = product(shape.keep);
  if (results == 0) return;
  const int64_t elements = results * product(shape.reduce);
  const int64_t threads = elements <= kGrain ? 1 : num_threads();
  if (threads == 1) {
    run_part(job, shape.reduce, in, 0, nullptr, 0, results);
  } else if (splits_reduced(shape, item_size)) {
    split_reduced(job, in, results, std::min(threads, (elements + kGrain - 1) / kGrain));
  } else {
    constexpr int64_t kLine = 32;  // results a thread: whole cache lines and whole groups of vectors
    const int64_t unit = results >= 4 * kLine * threads ? kLine : 1;
    const int64_t units = (results + unit - 1) / unit;
    const int64_t grain = std::max<int64_t>(kGrain * units / std::max<int64_t>(elements, 1), 1);
    parallel_for(units, grain, [&](int64_t begin, int64_t end) {
      run_part(job, shape.reduce, in, 0, nullptr, begin * unit, std::min(end * unit, results));
    });
  }
}

}  // namespace onetape
