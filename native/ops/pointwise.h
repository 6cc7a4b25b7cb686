#pragma once

#include <array>
#include <string_view>

#include "kernels/registry.h"
#include "ops/promotion.h"
#include "ops/target.h"

namespace onetape {

/// How the result's dtype follows from the promoted dtype of the operands.
enum class Rule : uint8_t {
  Same,     ///< the promoted dtype
  Float,    ///< integers become the default floating dtype first
  Compare,  ///< computed in the promoted dtype, result bool
};

/// Names a tensor that outlives the call it is passed to; a temporary is refused.
class TensorRef {
 public:
  TensorRef(const Tensor& tensor) : tensor_(&tensor) {}  // NOLINT(google-explicit-constructor)
  TensorRef(Tensor&&) = delete;
  const Tensor& get() const { return *tensor_; }

 private:
  const Tensor* tensor_;
};

/// One application of an element-wise operator: promotion, broadcasting, kernel, graph node.
/// While recording, casts and broadcasts of operands that need a gradient are graph nodes of their own, so
/// gradient functions never see either.
class ONETAPE_API PointwiseOp {
 public:
  PointwiseOp(const char* name, const Target& to, std::initializer_list<TensorRef> operands,
              Rule rule = Rule::Same);

  bool recording() const { return recording_; }
  const Tensor& operand(size_t i) const { return *operands_[i]; }
  DType dtype() const { return dtype_; }
  /// Does operand i need a gradient?
  bool needs(size_t i) const { return recording_ && operands_[i]->requires_grad(); }
  /// Says that the kernel may stop at an element (division by zero of integers): an existing tensor then
  /// changes only when all elements are there.
  PointwiseOp& may_fail() {
    apart_ = is_integral(dtype_);
    return *this;
  }
  /// Saves operand i if `condition`.
  SavedTensor keep_if(bool condition, size_t i) const {
    return condition && recording_ ? to_.save_if(true, *operands_[i]) : SavedTensor();
  }

  /// Computes without a gradient (bool results, or an operator whose derivative is zero everywhere it
  /// exists).
  Tensor run(const Kernel& kernel, std::initializer_list<Scalar> params = {});
  /// Computes and records the node.
  template <size_t N, typename F>
  Tensor record(const Kernel& kernel, std::initializer_list<Scalar> params, const char* node,
                std::array<SavedTensor, N> saved, F gradient) {
    Tensor result = compute(kernel, params);
    if (!recording_) return result;
    return to_.attach(std::move(result), make_function(node, edges(), std::move(saved), std::move(gradient)));
  }
  /// The same for a gradient that needs no saved tensor.
  template <typename F>
  Tensor record(const Kernel& kernel, std::initializer_list<Scalar> params, const char* node, F gradient) {
    return record(kernel, params, node, std::array<SavedTensor, 0>{}, std::move(gradient));
  }
  /// The same for a gradient written with the result: it is saved(0).
  template <typename F>
  Tensor record_with_result(const Kernel& kernel, std::initializer_list<Scalar> params, const char* node,
                            F gradient) {
    Tensor result = compute(kernel, params);
    if (!recording_) return result;
    Ref<Node> made = make_function(node, edges(), saving(save_result(result)), std::move(gradient));
    return to_.attach(std::move(result), std::move(made));
  }

 private:
  void adapt_operands(bool uniform, Rule rule);
  void expand_operands();
  InlineVector<Edge, 3> edges() const;
  Tensor compute(const Kernel& kernel, std::initializer_list<Scalar> params);
  void compute_into(const Tensor& out, InnerLoop loop, const Scalar* params) const;

  const Target to_;
  std::array<const Tensor*, kMaxLoopOperands - 1>
      operands_;  // the ones given, or their converted forms in made_
  size_t count_ = 0;
  TensorList made_;
  IntSpan shape_;   // of the result
  Ints broadcast_;  // holds it where it is none of the operands'
  DType dtype_ = DType::F32;
  DType result_dtype_ = DType::F32;
  bool recording_ = false;
  bool apart_ = false;     // computes into memory of its own first
  bool one_shape_ = true;  // no operand is broadcast
};

/// Runs a kernel over tensors that already fit: out[i] = f(in[i]…), with broadcasting but no checks.
ONETAPE_API void run_kernel(const Kernel& kernel, const Tensor& out, std::initializer_list<Tensor> inputs,
                            const Scalar* params = nullptr);

}  // namespace onetape
