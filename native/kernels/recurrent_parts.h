#pragma once

// What the runs of recurrent layers reckon with.

#include <cstring>
#include <optional>
#include <vector>

#include "core/parallel.h"
#include "core/tensor.h"
#include "kernels/float_or_double.h"
#include "kernels/gemm.h"
#include "kernels/product.h"
#include "kernels/recurrent.h"

namespace onetape {
namespace recurrent {

/// Room for intermediate values, from the cache of the tensors' memory.
class Memory {
 public:
  Memory() = default;
  Memory(DType dtype, int64_t elements) : tensor_(Tensor::empty(Ints{elements}, dtype)) {}
  char* get() const { return tensor_.defined() ? tensor_.bytes() : nullptr; }
  explicit operator bool() const { return tensor_.defined(); }

 private:
  Tensor tensor_;
};

/// Row-major blocks of rows of one dtype, and products of them.
class Arithmetic {
 public:
  explicit Arithmetic(DType dtype) : dtype_(dtype), item_(static_cast<int64_t>(item_size(dtype))) {}

  Memory memory(int64_t elements) const { return {dtype_, elements}; }
  template <typename C>
  C* at(C* data, int64_t row, int64_t columns) const {
    return data + row * columns * item_;
  }
  void copy(char* to, const char* from, int64_t elements) const {
    if (elements > 0) std::memcpy(to, from, static_cast<size_t>(elements * item_));
  }
  void clear(char* to, int64_t elements) const {
    if (elements > 0) std::memset(to, 0, static_cast<size_t>(elements * item_));
  }
  void copy_or_clear(char* to, const char* from, int64_t elements) const {
    from ? copy(to, from, elements) : clear(to, elements);
  }
  static MatrixView view(const char* data, int64_t rows, int64_t columns) {
    return {const_cast<char*>(data), rows, columns, std::max<int64_t>(columns, 1), 1};
  }
  /// c = a · b + beta · c
  void multiply(const MatrixView& a, const MatrixView& b, const MatrixView& c, double beta = 0) const {
    gemm("addmm_impl_cpu_", dtype_, a, b, c, Scalar(1), Scalar(beta));
  }
  /// out += in, element by element
  void add(char* out, const char* in, int64_t n) const {
    visit_float_or_double(dtype_, [&](auto tag) {
      using T = decltype(tag);
      T* to = reinterpret_cast<T*>(out);
      const T* from = reinterpret_cast<const T*>(in);
      for (int64_t i = 0; i < n; ++i) to[i] += from[i];
    });
  }
  /// The sums of the columns
  void add_rows(const char* in, int64_t rows, int64_t columns, char* out) const {
    visit_float_or_double(dtype_, [&](auto tag) {
      using T = decltype(tag);
      const std::vector<T> ones(static_cast<size_t>(rows), T(1));
      multiply(view(reinterpret_cast<const char*>(ones.data()), 1, rows), view(in, rows, columns),
               view(out, 1, columns));
    });
  }

 private:
  DType dtype_;
  int64_t item_;
};

/// Rows that are worth packing a factor for.
inline constexpr int64_t kFewRows = 16;

/// Are the products with the input made step by step, while what is added to them is in a cache near the CPU?
/// Both weights have to stay there, too, and each step needs rows enough.
inline bool input_by_steps(DType dtype, const RecurrentShape& shape) {
  constexpr int64_t kNear = 3 << 16;  // elements
  return dtype == DType::F32 && has_own_product() &&
         shape.rows() >= kFewRows * std::ssize(shape.batch_sizes) &&
         shape.gates() * (shape.features + shape.projected) <= kNear;
}

/// The weights that every step multiplies with rows; packed once where that pays.
class StepWeight {
 public:
  StepWeight(const Arithmetic& arithmetic, DType dtype, const MatrixView& weight, int64_t rows)
      : arithmetic_(arithmetic), weight_(weight) {
    if (dtype != DType::F32 || rows < kFewRows || !has_own_product()) return;
    if (weight.rows == 0 || weight.columns == 0) return;
    const Factor factor{reinterpret_cast<const float*>(weight.data), weight.row_stride, weight.column_stride};
    packed_.emplace(factor, weight.rows, weight.columns);
  }

  /// Calls body(begin, end) for rows; on several threads where the packed weight serves them all.
  template <typename F>
  void for_rows(int64_t rows, const F& body) const {
    if (!packed_) return body(int64_t{0}, rows);
    constexpr int64_t kWorth = 1 << 19;  // multiplications worth a thread
    const int64_t each = std::max<int64_t>(weight_.rows * weight_.columns, 1);
    parallel_for(rows, std::max<int64_t>(kWorth / each, 1), body);
  }

  /// to = from · weight + beta · to, for rows [begin, end)
  void multiply(const char* from, char* to, int64_t begin, int64_t end, double beta) const {
    from = arithmetic_.at(from, begin, weight_.rows);
    to = arithmetic_.at(to, begin, weight_.columns);
    const int64_t rows = end - begin;
    if (packed_) {
      packed_->multiply({reinterpret_cast<const float*>(from), weight_.rows, 1}, rows,
                        reinterpret_cast<float*>(to), weight_.columns, static_cast<float>(beta));
    } else {
      arithmetic_.multiply(Arithmetic::view(from, rows, weight_.rows), weight_,
                           Arithmetic::view(to, rows, weight_.columns), beta);
    }
  }

 private:
  const Arithmetic& arithmetic_;
  const MatrixView weight_;
  std::optional<PackedFactor> packed_;
};

}  // namespace recurrent
}  // namespace onetape
