#include "kernels/attention.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/parallel.h"
#include "kernels/gemm.h"
#include "kernels/registry.h"

namespace onetape {
namespace {

constexpr int64_t kQueries = 128;  // rows and columns of a block of scores
constexpr int64_t kKeys = 256;

using Loop = void (*)(const ScoreBlock&);

/// The work on one head of one sample.
template <typename T>
class Head {
 public:
  Head(DType dtype, const AttentionShape& shape, const HeadsView& query, const HeadsView& key,
       const HeadsView& value, const MaskView& mask, int64_t sample, int64_t head)
      : dtype_(dtype), shape_(shape), mask_(mask) {
    const int64_t shared = head / (shape.heads / shape.key_heads);
    query_ = matrix(query, sample, head, shape.queries, shape.size);
    key_ = matrix(key, sample, shared, shape.keys, shape.size);
    value_ = matrix(value, sample, shared, shape.keys, shape.value_size);
    if (mask.data) {
      mask_.data += (sample * mask.sample_stride + head * mask.head_stride) * kItem;
    }
  }

  /// out, lse: those of this head
  void forward(Loop loop, T* out, T* lse) {
    std::vector<T> scores(static_cast<size_t>(kQueries * std::min(kKeys, shape_.keys)));
    std::vector<T> sums(kQueries);
    for (int64_t i = 0; i < shape_.queries; i += kQueries) {
      const int64_t rows = std::min(kQueries, shape_.queries - i);
      T* block_out = out + i * shape_.value_size;
      std::fill_n(block_out, rows * shape_.value_size, T(0));
      std::fill_n(lse + i, rows, -std::numeric_limits<T>::infinity());
      std::fill_n(sums.data(), rows, T(0));
      for (int64_t j = 0; j < seen_keys(i, rows); j += kKeys) {
        ScoreBlock b = block(i, j, rows, scores.data());
        b.top = bytes(lse + i);
        b.sum = bytes(sums.data());
        b.out = bytes(block_out);
        multiply(part(query_, i, rows), part(key_, j, b.columns).transposed(),
                 view(scores.data(), rows, b.columns, b.ld));
        loop(b);
        multiply(view(scores.data(), rows, b.columns, b.ld), part(value_, j, b.columns),
                 view(block_out, rows, shape_.value_size, shape_.value_size), 1);
      }
      for (int64_t r = 0; r < rows; ++r)
        finish_row(block_out + r * shape_.value_size, sums[static_cast<size_t>(r)], lse[i + r]);
    }
  }

  /// Adds to the dense gradients of this head's key and value, and writes those of its query.
  void backward(Loop loop, const T* out, const T* lse, const T* grad, T* query_grad, T* key_grad,
                T* value_grad) {
    const size_t area = static_cast<size_t>(kQueries * std::min(kKeys, shape_.keys));
    std::vector<T> scores(area);
    std::vector<T> grads(area);
    std::vector<T> corrections(kQueries);
    std::fill_n(query_grad, shape_.queries * shape_.size, T(0));
    for (int64_t i = 0; i < shape_.queries; i += kQueries) {
      const int64_t rows = std::min(kQueries, shape_.queries - i);
      const int64_t first = i * shape_.value_size;
      for (int64_t r = 0; r < rows; ++r)
        corrections[static_cast<size_t>(r)] =
            product(out + first + r * shape_.value_size, grad + first + r * shape_.value_size);
      const MatrixView grad_rows = view(grad + first, rows, shape_.value_size, shape_.value_size);
      for (int64_t j = 0; j < seen_keys(i, rows); j += kKeys) {
        ScoreBlock b = block(i, j, rows, scores.data());
        b.lse = bytes(lse + i);
        b.correction = bytes(corrections.data());
        b.grad = bytes(grads.data());
        const MatrixView weights = view(scores.data(), rows, b.columns, b.ld);
        const MatrixView weight_grads = view(grads.data(), rows, b.columns, b.ld);
        multiply(part(query_, i, rows), part(key_, j, b.columns).transposed(), weights);
        multiply(grad_rows, part(value_, j, b.columns).transposed(), weight_grads);
        loop(b);
        multiply(weights.transposed(), grad_rows,
                 view(value_grad + j * shape_.value_size, b.columns, shape_.value_size, shape_.value_size),
                 1);
        multiply(weight_grads, part(key_, j, b.columns),
                 view(query_grad + i * shape_.size, rows, shape_.size, shape_.size), 1);
        multiply(weight_grads.transposed(), part(query_, i, rows),
                 view(key_grad + j * shape_.size, b.columns, shape_.size, shape_.size), 1);
      }
    }
  }

 private:
  static constexpr int64_t kItem = sizeof(T);

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

  void multiply(const MatrixView& a, const MatrixView& b, const MatrixView& c, int beta = 0) const {
    gemm("bmm", dtype_, a, b, c, Scalar(1), Scalar(beta));
  }
  T product(const T* a, const T* b) const {
    T sum(0);
    for (int64_t j = 0; j < shape_.value_size; ++j) sum += a[j] * b[j];
    return sum;
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
  MatrixView query_{};
  MatrixView key_{};
  MatrixView value_{};
  MaskView mask_;
};

/// Heads that are worth a thread.
int64_t grain(const AttentionShape& shape) {
  constexpr double kWorth = 1 << 18;
  const double work = static_cast<double>(shape.queries) * static_cast<double>(shape.keys) *
                      static_cast<double>(shape.size + shape.value_size);
  return std::max<int64_t>(1, static_cast<int64_t>(kWorth / std::max(work, 1.0)));
}

template <typename F>
void visit(DType dtype, const F& f) {
  if (dtype == DType::F64) return f(double());
  f(float());
}

}  // namespace

void attention(DType dtype, const AttentionShape& shape, const HeadsView& query, const HeadsView& key,
               const HeadsView& value, const MaskView& mask, char* out, char* lse) {
  const auto loop = find_function<Loop>("attention_scores", dtype);
  visit(dtype, [&](auto tag) {
    using T = decltype(tag);
    parallel_for(shape.samples * shape.heads, grain(shape), [&](int64_t begin, int64_t end) {
      for (int64_t h = begin; h < end; ++h) {
        Head<T> head(dtype, shape, query, key, value, mask, h / shape.heads, h % shape.heads);
        head.forward(loop, reinterpret_cast<T*>(out) + h * shape.queries * shape.value_size,
                     reinterpret_cast<T*>(lse) + h * shape.queries);
      }
    });
  });
}

void attention_backward(DType dtype, const AttentionShape& shape, const HeadsView& query,
                        const HeadsView& key, const HeadsView& value, const MaskView& mask, const char* out,
                        const char* lse, const char* grad, char* query_grad, char* key_grad,
                        char* value_grad) {
  const auto loop = find_function<Loop>("attention_scores_backward", dtype);
  const int64_t group = shape.heads / shape.key_heads;
  visit(dtype, [&](auto tag) {
    using T = decltype(tag);
    // The heads that share a key add to one gradient, so they stay on one thread.
    parallel_for(shape.samples * shape.key_heads, grain(shape), [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        T* of_key = reinterpret_cast<T*>(key_grad) + k * shape.keys * shape.size;
        T* of_value = reinterpret_cast<T*>(value_grad) + k * shape.keys * shape.value_size;
        std::fill_n(of_key, shape.keys * shape.size, T(0));
        std::fill_n(of_value, shape.keys * shape.value_size, T(0));
        for (int64_t h = k * group; h < (k + 1) * group; ++h) {
          const int64_t results = h * shape.queries * shape.value_size;
          Head<T> head(dtype, shape, query, key, value, mask, h / shape.heads, h % shape.heads);
          head.backward(loop, reinterpret_cast<const T*>(out) + results,
                        reinterpret_cast<const T*>(lse) + h * shape.queries,
                        reinterpret_cast<const T*>(grad) + results,
                        reinterpret_cast<T*>(query_grad) + h * shape.queries * shape.size, of_key, of_value);
        }
      }
    });
  });
}

}  // namespace onetape
