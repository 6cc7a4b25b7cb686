#include "distributed/reduce_op.h"

#include "kernels/registry.h"

namespace onetape::distributed {
namespace {

constexpr std::string_view kNames[kReduceOps] = {"SUM", "AVG",  "PRODUCT", "MIN",
                                                 "MAX", "BAND", "BOR",     "BXOR"};

std::string_view kernel_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::Product:
      return "mul";
    case ReduceOp::Min:
      return "minimum_cpu";
    case ReduceOp::Max:
      return "maximum_cpu";
    case ReduceOp::Band:
      return "bitwise_and_cpu";
    case ReduceOp::Bor:
      return "bitwise_or_cpu";
    case ReduceOp::Bxor:
      return "bitwise_xor_cpu";
    default:
      return "add";
  }
}

}  // namespace

std::string_view name_of(ReduceOp op) { return kNames[static_cast<size_t>(op)]; }

Combine combine_function(std::string_view function, ReduceOp op, DType dtype) {
  check_value(!is_complex(dtype) || op == ReduceOp::Sum || op == ReduceOp::Avg, function,
              " does not support RedOpType.", name_of(op), " on complex tensors");
  check(op < ReduceOp::Band || !is_floating(dtype), "Cannot use ReduceOp.", name_of(op),
        " with non-integral dtype");
  check(op != ReduceOp::Avg || is_differentiable(dtype),
        "result type Float can't be cast to the desired output type ", scalar_type_name(dtype));
  const InnerLoop loop = find_kernel(kernel_of(op)).loop(dtype);
  return [loop, step = static_cast<int64_t>(item_size(dtype))](void* out, const void* a, const void* b,
                                                               size_t count) {
    char* const data[3] = {static_cast<char*>(out), const_cast<char*>(static_cast<const char*>(a)),
                           const_cast<char*>(static_cast<const char*>(b))};
    const int64_t strides[3] = {step, step, step};
    const Scalar alpha(int64_t{1});  // what a sum adds its second operand with
    loop(data, strides, static_cast<int64_t>(count), &alpha);
  };
}

}  // namespace onetape::distributed
