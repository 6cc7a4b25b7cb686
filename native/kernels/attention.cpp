#include "kernels/attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "core/parallel.h"
#include "kernels/float_or_double.h"
#include "kernels/gemm.h"
#include "kernels/random.h"
#include "kernels/registry.h"

namespace onetape {
namespace {

constexpr int64_t kQueries = 128;  // rows and columns of a block of scores
constexpr int64_t kKeys = 256;

using Loop = void (*)(const ScoreBlock&);

// ---- dropout ----

constexpr int64_t kStateWords = 625;  // of the generator, and where it is in them

int64_t query_blocks(const AttentionShape& shape) { return (shape.queries + kQueries - 1) / kQueries; }

/// Which weights of a block of queries stay.
class Kept {
 public:
  Kept(const AttentionShape& shape, const AttentionDropout& dropout)
      : shape_(shape),
        dropout_(dropout),
        factor_(dropout.p < 1 ? 1 / (1 - dropout.p) : 0),
        bytes_(dropout.p > 0 ? static_cast<size_t>(std::min(kQueries, shape.queries) * shape.keys) : 0) {}

  /// Draws for the queries from number i of a head, the heads of all samples counted through.
  void draw(int64_t head, int64_t i, int64_t rows) {
    if (!dropout_.states) return;
    const uint32_t* words = dropout_.states + (head * query_blocks(shape_) + i / kQueries) * kStateWords;
    Generator::State state{};
    std::copy_n(words, state.words.size(), state.words.begin());
    state.left = static_cast<int32_t>(words[kStateWords - 1]);
    state.next = static_cast<uint32_t>(kStateWords - state.left);
    generator_.set_state(state);
    const double stays = 1 - dropout_.p;
    for (int64_t n = 0; n < rows * shape_.keys; ++n)
      bytes_[static_cast<size_t>(n)] = uniform_double(generator_) < stays ? 1 : 0;
  }
  /// From a key on, for the first of the queries; null if all stay.
  const uint8_t* from(int64_t key) const { return bytes_.empty() ? nullptr : bytes_.data() + key; }
  double factor() const { return factor_; }

 private:
  const AttentionShape& shape_;
  const AttentionDropout& dropout_;
  double factor_;
  std::vector<uint8_t> bytes_;
  Generator generator_;
};

/// The work on one head of one sample.
template <typename T>
class Head {
 public:
  Head(DType dtype, const AttentionShape& shape, const AttentionInputs& in, int64_t number)
      : dtype_(dtype), shape_(shape), number_(number), mask_(in.mask), kept_(shape, in.dropout) {
    const int64_t sample = number / shape.heads;
    const int64_t head = number % shape.heads;
    const int64_t shared = head / (shape.heads / shape.key_heads);
    query_ = matrix(in.query, sample, head, shape.queries, shape.size);
    key_ = matrix(in.key, sample, shared, shape.keys, shape.size);
    value_ = matrix(in.value, sample, shared, shape.keys, shape.value_size);
    if (mask_.data) mask_.data += (sample * mask_.sample_stride + head * mask_.head_stride) * kItem;
  }

  /// out, lse: those of all heads
  void forward(Loop loop, T* out, T* lse) {
    out += number_ * shape_.queries * shape_.value_size;
    lse += number_ * shape_.queries;
    const std::unique_ptr<T[]> scores = scratch();
    std::vector<T> sums(kQueries);
    for (int64_t i = 0; i < shape_.queries; i += kQueries) {
      const int64_t rows = begin_rows(i);
      T* block_out = out + i * shape_.value_size;
      std::fill_n(block_out, rows * shape_.value_size, T(0));
      std::fill_n(lse + i, rows, -std::numeric_limits<T>::infinity());
      std::fill_n(sums.data(), rows, T(0));
      for (int64_t j = 0; j < seen_keys(i, rows); j += kKeys) {
        ScoreBlock b = block(i, j, rows, scores.get());
        b.top = bytes(lse + i);
        b.sum = bytes(sums.data());
        b.out = bytes(block_out);
        multiply(part(query_, i, rows), part(key_, j, b.columns).transposed(),
                 view(scores.get(), rows, b.columns, b.ld));
        loop(b);
        multiply(view(scores.get(), rows, b.columns, b.ld), part(value_, j, b.columns),
                 view(block_out, rows, shape_.value_size, shape_.value_size), 1);
      }
      for (int64_t r = 0; r < rows; ++r)
        finish_row(block_out + r * shape_.value_size, sums[static_cast<size_t>(r)], lse[i + r]);
    }
  }

  /// Adds to the dense gradients of this head's key and value, and writes those of its query.
  void backward(Loop loop, const AttentionResults& of, T* query_grad, T* key_grad, T* value_grad) {
    Gradients g(*this, loop, of);
    std::fill_n(query_grad, shape_.queries * shape_.size, T(0));
    for (int64_t i = 0; i < shape_.queries; i += kQueries) {
      g.begin(i);
      for (int64_t j = 0; j < seen_keys(i, g.rows); j += kKeys) {
        const int64_t columns = g.find(j);
        multiply(g.weights.transposed(), g.grad_rows,
                 view(value_grad + j * shape_.value_size, columns, shape_.value_size, shape_.value_size), 1);
        multiply(g.score_grads, part(key_, j, columns),
                 view(query_grad + i * shape_.size, g.rows, shape_.size, shape_.size), 1, shape_.scale);
        multiply(g.score_grads.transposed(), part(query_, i, g.rows),
                 view(key_grad + j * shape_.size, columns, shape_.size, shape_.size), 1, shape_.scale);
      }
    }
  }

  /// Adds the gradients of the scores of queries begin to end to those of this head's mask.
  void mask_backward(Loop loop, const AttentionResults& of, int64_t begin, int64_t end, const MaskView& to) {
    Gradients g(*this, loop, of);
    T* const first = reinterpret_cast<T*>(const_cast<char*>(to.data)) +
                     number_ / shape_.heads * to.sample_stride + number_ % shape_.heads * to.head_stride;
    for (int64_t i = begin; i < end; i += kQueries) {
      g.begin(i);
      for (int64_t j = 0; j < shape_.keys; j += kKeys) {
        const int64_t columns = g.find(j);
        const T* grads = reinterpret_cast<const T*>(g.score_grads.data);
        for (int64_t r = 0; r < g.rows; ++r) {
          T* at = first + (i + r) * to.row_stride + j * to.column_stride;
          for (int64_t c = 0; c < columns; ++c) at[c * to.column_stride] += grads[r * columns + c];
        }
      }
    }
  }

 private:
  static constexpr int64_t kItem = sizeof(T);

  /// The weights of one block after another, and the gradients of its scores.
  class Gradients {
   public:
    Gradients(Head& head, Loop loop, const AttentionResults& of)
        : head_(head),
          loop_(loop),
          out_(reinterpret_cast<const T*>(of.out) + head.results()),
          grad_(reinterpret_cast<const T*>(of.grad) + head.results()),
          lse_(reinterpret_cast<const T*>(of.lse) + head.number_ * head.shape_.queries),
          scores_(head.scratch()),
          grads_(head.scratch()),
          corrections_(kQueries) {}

    void begin(int64_t i) {
      i_ = i;
      rows = head_.begin_rows(i);
      const int64_t size = head_.shape_.value_size;
      for (int64_t r = i; r < i + rows; ++r)
        corrections_[static_cast<size_t>(r - i)] = head_.product(out_ + r * size, grad_ + r * size);
      grad_rows = view(grad_ + i * size, rows, size, size);
    }
    /// Of the keys from number j; how many they are.
    int64_t find(int64_t j) {
      ScoreBlock b = head_.block(i_, j, rows, scores_.get());
      b.lse = bytes(lse_ + i_);
      b.correction = bytes(corrections_.data());
      b.grad = bytes(grads_.get());
      weights = view(scores_.get(), rows, b.columns, b.ld);
      score_grads = view(grads_.get(), rows, b.columns, b.ld);
      head_.multiply(part(head_.query_, i_, rows), part(head_.key_, j, b.columns).transposed(), weights);
      head_.multiply(grad_rows, part(head_.value_, j, b.columns).transposed(), score_grads);
      loop_(b);
      return b.columns;
    }

    int64_t rows = 0;
    MatrixView grad_rows{};
    MatrixView weights{};
    MatrixView score_grads{};

   private:
    Head& head_;
    Loop loop_;
    const T* out_;
    const T* grad_;
    const T* lse_;
    int64_t i_ = 0;
    std::unique_ptr<T[]> scores_;
    std::unique_ptr<T[]> grads_;
    std::vector<T> corrections_;
  };

  int64_t results() const { return number_ * shape_.queries * shape_.value_size; }
  /// Room for a block of scores, which are written before they are read.
  std::unique_ptr<T[]> scratch() const {
    return std::make_unique_for_overwrite<T[]>(static_cast<size_t>(kQueries * std::min(kKeys, shape_.keys)));
  }
  /// How many queries the block from number i has; draws for them.
  int64_t begin_rows(int64_t i) {
    const int64_t rows = std::min(kQueries, shape_.queries - i);
    kept_.draw(number_, i, rows);
    return rows;
  }

  static MatrixView matrix(const HeadsView& v, int64_t sample, int64_t head, int64_t rows, int64_t columns) {
    return {v.data + (sample * v.sample_stride + head * v.head_stride) * kItem, rows, columns, v.row_stride,
            1};
  }
  static MatrixView part(const MatrixView& m, int64_t row, int64_t rows) {
    return {m.data + row * m.row_stride * kItem, rows, m.columns, m.row_stride, m.column_stride};
  }
  static MatrixView view(const T* data, int64_t rows, int64_t columns, int64_t ld) {
    return {bytes(data), rows, columns, std::max<int64_t>(ld, 1), 1};
  }
  static char* bytes(const T* data) { return const_cast<char*>(reinterpret_cast<const char*>(data)); }

  void multiply(const MatrixView& a, const MatrixView& b, const MatrixView& c, int beta = 0,
                double alpha = 1) const {
    gemm("bmm", dtype_, a, b, c, Scalar(alpha), Scalar(beta));
  }
  T product(const T* a, const T* b) const {
    constexpr int64_t kLanes = 8;  // sums that do not wait for each other
    std::array<T, kLanes> sums{};
    const int64_t whole = shape_.value_size / kLanes * kLanes;
    for (int64_t j = 0; j < whole; j += kLanes) {
      for (int64_t k = 0; k < kLanes; ++k) sums[static_cast<size_t>(k)] += a[j + k] * b[j + k];
    }
    for (int64_t j = whole; j < shape_.value_size; ++j) sums[0] += a[j] * b[j];
    return std::accumulate(sums.begin(), sums.end(), T(0));
  }
  /// Keys that some query of the block sees.
  int64_t seen_keys(int64_t first, int64_t rows) const {
    return shape_.causal ? std::min(shape_.keys, first + rows) : shape_.keys;
  }
  ScoreBlock block(int64_t i, int64_t j, int64_t rows, T* scores) const {
    ScoreBlock b{};
    b.rows = rows;
    b.columns = std::min(kKeys, shape_.keys - j);
    b.ld = b.columns;
    b.value_size = shape_.value_size;
    b.scores = bytes(scores);
    if (mask_.data) b.mask = mask_.data + (i * mask_.row_stride + j * mask_.column_stride) * kItem;
    b.mask_row = mask_.row_stride;
    b.mask_column = mask_.column_stride;
    b.allowed = shape_.causal ? i - j + 1 : b.columns;
    b.scale = shape_.scale;
    b.kept = kept_.from(j);
    b.kept_row = shape_.keys;
    b.kept_factor = kept_.factor();
    return b;
  }
  /// Divides a row by its sum, and makes of its top the logarithm of the sum.
  void finish_row(T* out, T sum, T& top) const {
    if (top == -std::numeric_limits<T>::infinity()) return;
    const T factor = T(1) / sum;
    for (int64_t j = 0; j < shape_.value_size; ++j) out[j] *= factor;
    top += std::log(sum);
  }

  DType dtype_;
  const AttentionShape& shape_;
  int64_t number_;
  MatrixView query_{};
  MatrixView key_{};
  MatrixView value_{};
  MaskView mask_;
  Kept kept_;
};

/// Heads that are worth a thread.
int64_t grain(const AttentionShape& shape) {
  constexpr double kWorth = 1 << 18;
  const double work = static_cast<double>(shape.queries) * static_cast<double>(shape.keys) *
                      static_cast<double>(shape.size + shape.value_size);
  return std::max<int64_t>(1, static_cast<int64_t>(kWorth / std::max(work, 1.0)));
}

}  // namespace

int64_t attention_state_words(const AttentionShape& shape) {
  return shape.samples * shape.heads * query_blocks(shape) * kStateWords;
}

void draw_attention_states(const AttentionShape& shape, Generator& generator, uint32_t* states) {
  for (int64_t head = 0; head < shape.samples * shape.heads; ++head) {
    for (int64_t i = 0; i < shape.queries; i += kQueries) {
      const Generator::State state = generator.state();
      states = std::copy(state.words.begin(), state.words.end(), states);
      *states++ = static_cast<uint32_t>(state.left);
      // Two words a number.
      generator.skip(2 * static_cast<uint64_t>(std::min(kQueries, shape.queries - i) * shape.keys));
    }
  }
}

void attention_kept(DType dtype, const AttentionShape& shape, const AttentionDropout& dropout, char* out) {
  visit_float_or_double(dtype, [&](auto tag) {
    using T = decltype(tag);
    T* to = reinterpret_cast<T*>(out);
    Kept kept(shape, dropout);
    for (int64_t head = 0; head < shape.samples * shape.heads; ++head) {
      for (int64_t i = 0; i < shape.queries; i += kQueries) {
        const int64_t rows = std::min(kQueries, shape.queries - i);
        kept.draw(head, i, rows);
        for (int64_t n = 0; n < rows * shape.keys; ++n)
          *to++ = static_cast<T>(*kept.from(n)) * static_cast<T>(kept.factor());
      }
    }
  });
}

void attention(DType dtype, const AttentionShape& shape, const AttentionInputs& in, char* out, char* lse) {
  const auto loop = find_function<Loop>("attention_scores", dtype);
  visit_float_or_double(dtype, [&](auto tag) {
    using T = decltype(tag);
    parallel_for(shape.samples * shape.heads, grain(shape), [&](int64_t begin, int64_t end) {
      for (int64_t h = begin; h < end; ++h)
        Head<T>(dtype, shape, in, h).forward(loop, reinterpret_cast<T*>(out), reinterpret_cast<T*>(lse));
    });
  });
}

void attention_backward(DType dtype, const AttentionShape& shape, const AttentionInputs& in,
                        const AttentionResults& of, char* query_grad, char* key_grad, char* value_grad) {
  const auto loop = find_function<Loop>("attention_scores_backward", dtype);
  const int64_t group = shape.heads / shape.key_heads;
  visit_float_or_double(dtype, [&](auto tag) {
    using T = decltype(tag);
    // The heads that share a key add to one gradient, so they stay on one thread.
    parallel_for(shape.samples * shape.key_heads, grain(shape), [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        T* of_key = reinterpret_cast<T*>(key_grad) + k * shape.keys * shape.size;
        T* of_value = reinterpret_cast<T*>(value_grad) + k * shape.keys * shape.value_size;
        std::fill_n(of_key, shape.keys * shape.size, T(0));
        std::fill_n(of_value, shape.keys * shape.value_size, T(0));
        for (int64_t h = k * group; h < (k + 1) * group; ++h) {
          T* of_query = reinterpret_cast<T*>(query_grad) + h * shape.queries * shape.size;
          Head<T>(dtype, shape, in, h).backward(loop, of, of_query, of_key, of_value);
        }
      }
    });
  });
}

void attention_mask_backward(DType dtype, const AttentionShape& shape, const AttentionInputs& in,
                             const AttentionResults& of, const MaskView& mask_grad) {
  const auto loop = find_function<Loop>("attention_scores_backward", dtype);
  // What shares a place of the gradient stays on one thread.
  const int64_t samples = mask_grad.sample_stride != 0 ? shape.samples : 1;
  const int64_t heads = mask_grad.head_stride != 0 ? shape.heads : 1;
  const int64_t blocks = mask_grad.row_stride != 0 ? query_blocks(shape) : 1;
  visit_float_or_double(dtype, [&](auto tag) {
    using T = decltype(tag);
    parallel_for(samples * heads * blocks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        const int64_t sample = n / blocks / heads;
        const int64_t head = n / blocks % heads;
        const int64_t from = n % blocks * kQueries;
        const int64_t to = blocks > 1 ? std::min(from + kQueries, shape.queries) : shape.queries;
        for (int64_t s = sample; s < shape.samples; s += samples) {
          for (int64_t h = head; h < shape.heads; h += heads)
            Head<T>(dtype, shape, in, s * shape.heads + h).mask_backward(loop, of, from, to, mask_grad);
        }
      }
    });
  });
}

}  // namespace onetape
