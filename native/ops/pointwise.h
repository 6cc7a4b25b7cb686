#pragma once

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

/// One application of an element-wise operator: promotion, broadcasting, kernel, graph node.
/// While recording, casts and broadcasts of operands that need a gradient are graph nodes of their own, so gradient
/// functions never see either.
class ONETAPE_API PointwiseOp {
 public:
  PointwiseOp(const char* name, const Target& to, std::initializer_list<Tensor> operands, Rule rule = Rule::Same);

  bool recording() const { return recording_; }
  const Tensor& operand(size_t i) const { return operands_[i]; }
  DType dtype() const { return dtype_; }
  /// Does operand i need a gradient?
  bool needs(size_t i) const { return recording_ && operands_[i].requires_grad(); }
  /// Saves operand i if `condition`.
  SavedTensor keep_if(bool condition, size_t i) const { return to_.save_if(condition && recording_, operands_[i]); }

  /// Computes without a gradient (bool results, or an operator whose derivative is zero everywhere it exists).
  Tensor run(const Kernel& kernel, std::initializer_list<Scalar> params = {});
  /// Computes and records the node.
  template <size_t N, typename F>
  Tensor record(const Kernel& kernel, std::initializer_list<Scalar> params, const char* node, std::array<SavedTensor, N> saved,
                F gradient) {
    to_.check_recording(recording_);
    Tensor result = compute(kernel, params);
    if (!recording_) return to_.attach(result, nullptr);
    return to_.attach(result, make_function(node, inputs(), std::move(saved), std::move(gradient)));
  }
  /// The same for a gradient that needs no saved tensor.
  template <typename F>
  Tensor record(const Kernel& kernel, std::initializer_list<Scalar> params, const char* node, F gradient) {
    return record(kernel, params, node, std::array<SavedTensor, 0>{}, std::move(gradient));
  }
  /// The same for a gradient written with the result: it is saved(0).
  template <typename F>
  Tensor record_with_result(const Kernel& kernel, std::initializer_list<Scalar> params, const char* node, F gradient) {
    to_.check_recording(recording_);
    Tensor result = compute(kernel, params);
    if (!recording_) return to_.attach(result, nullptr);
    return to_.attach(result, make_function(node, inputs(), saving(save_result(result)), std::move(gradient)));
  }

 private:
  std::span<const Tensor> inputs() const { return {operands_.data(), operands_.size()}; }
  Tensor compute(const Kernel& kernel, std::initializer_list<Scalar> params);
  void compute_into(const Tensor& out, InnerLoop loop, const Scalar* params) const;

  const Target to_;
  TensorList operands_;
  Ints shape_;
  DType dtype_ = DType::F32;
  DType result_dtype_ = DType::F32;
  bool recording_ = false;
};

/// Runs a kernel over tensors that already fit: out[i] = f(in[i]…), with broadcasting but no checks.
ONETAPE_API void run_kernel(const Kernel& kernel, const Tensor& out, std::initializer_list<Tensor> inputs,
                            const Scalar* params = nullptr);

}  // namespace onetape
