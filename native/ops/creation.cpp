#include "ops/creation.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/backend.h"
#include "ops.h"
#include "ops/copy.h"

namespace onetape {

Tensor with_requires_grad(Tensor t, const Options& options) {
  if (!options.requires_grad) return t;
  check(is_differentiable(t.dtype()),
        "Only Tensors of floating point and complex dtype can require gradients");
  set_requires_grad(t, true);
  return t;
}

namespace {

/// The name of a C++ type, as PyTorch's texts have it.
const char* type_name(DType dtype) {
  static constexpr const char* kNames[kDTypes] = {"bool",
                                                  "uint8_t",
                                                  "int8_t",
                                                  "int16_t",
                                                  "int",
                                                  "int64_t",
                                                  "c10::Half",
                                                  "c10::BFloat16",
                                                  "float",
                                                  "double",
                                                  "c10::complex<float>",
                                                  "c10::complex<double>"};
  return kNames[static_cast<size_t>(dtype)];
}

/// Is a real number outside of what T holds? Negative numbers may wrap around in uint8, and infinity is a
/// float.
template <typename T>
bool overflows(double value, int64_t integer, bool is_integer) {
  if constexpr (std::is_same_v<T, bool>) {
    return false;
  } else if constexpr (std::is_same_v<T, uint8_t>) {
    return is_integer ? integer < -255 || integer > 255 : !(value >= 0 && value < 256);
  } else if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    if (is_integer) return integer < Limits::min() || integer > Limits::max();
    return !(value >= static_cast<double>(Limits::min()) && value < -static_cast<double>(Limits::min()));
  } else {
    if (std::isinf(value) || std::isnan(value)) return false;
    if constexpr (std::is_same_v<T, Half>) return std::abs(value) > 65504;
    if constexpr (std::is_same_v<T, BFloat16>) return std::abs(value) > 0x1.fep127;
    if constexpr (std::is_same_v<T, float>) return std::abs(value) > std::numeric_limits<float>::max();
    return false;
  }
}

bool fits(const Scalar& value, DType dtype) {
  if (dtype == DType::Bool) return true;
  if (value.is_beyond_int64() && is_integral(dtype)) return false;
  const auto number = value.to<complex128>();
  const bool is_integer = value.is_integral();
  const int64_t integer = is_integer ? value.to<int64_t>() : 0;
  if (is_complex(dtype)) {
    return dtype == DType::C128 || !(overflows<float>(number.real(), 0, is_integer) ||
                                     overflows<float>(number.imag(), 0, is_integer));
  }
  if (value.kind() == DTypeKind::Complex && number.imag() != 0) return false;
  return visit_real("fill", dtype, [&](auto tag) {
    return !overflows<typename decltype(tag)::type>(number.real(), integer, is_integer);
  });
}

}  // namespace

void check_convertible(const Scalar& value, DType dtype) {
  check(fits(value, dtype), "value cannot be converted to type ", type_name(dtype), " without overflow");
}

Tensor checked_scalar_tensor(const Scalar& value, DType dtype) {
  check_convertible(value, dtype);
  return scalar_tensor(value, dtype);
}

DeviceType device_for(const Options& options) {
  if (!options.device) return thread_modes.device;
  check_available(*options.device);
  return options.device->type;
}

Tensor make_tensor(IntSpan size, const Options& options, DType otherwise) {
  const DeviceScope scope(device_for(options));
  return with_requires_grad(Tensor::empty(size, options.dtype_or(otherwise)), options);
}

Tensor make_like(const Tensor& self, const Options& options) {
  const DeviceScope scope(device_for(options));
  return with_requires_grad(empty_laid_out_as(self, options.dtype_or(self.dtype())), options);
}

namespace ops {
namespace {

/// Fills a tensor that nobody has seen yet.
Tensor filled(Tensor t, const Scalar& value) {
  copy_elements(t, checked_scalar_tensor(value, t.dtype()));
  return t;
}

Tensor zeroed(Tensor t) {
  if (t.numel() > 0 && t.has_data())
    std::memset(t.bytes(), 0, static_cast<size_t>(t.numel()) * t.item_bytes());
  return t;
}

}  // namespace

// ---- empty ----
Tensor empty(Body, IntSpan size, const Options& options) {
  return make_tensor(size, options, default_dtype());
}

// ---- empty_strided ----
Tensor empty_strided(Body, IntSpan size, IntSpan stride, const Options& options) {
  check(size.size() == stride.size(), "mismatch in length of strides and shape");
  int64_t last = 1;
  bool none = false;
  for (size_t d = 0; d < size.size(); ++d) {
    check(size[d] >= 0 && stride[d] >= 0, "empty_strided: sizes and strides must not be negative, got ",
          Ints(size), " and ", Ints(stride));
    none = none || size[d] == 0;
    int64_t reach = 0;
    const bool overflow = __builtin_mul_overflow(std::max<int64_t>(size[d] - 1, 0), stride[d], &reach) ||
                          __builtin_add_overflow(last, reach, &last);
    check(!overflow, "Storage size calculation overflowed with sizes=", Ints(size),
          " and strides=", Ints(stride));
  }
  checked_numel(size, options.dtype_or(default_dtype()));
  const std::array<int64_t, 1> flat = {none ? 0 : last};
  const DeviceScope scope(device_for(options));
  const Tensor memory = Tensor::empty(flat, options.dtype_or(default_dtype()));
  Tensor t(TensorImpl::view(memory.storage(), size, stride, 0, memory.dtype()));
  return with_requires_grad(std::move(t), options);
}

// ---- full ----
Tensor full(Body, IntSpan size, const Scalar& fill_value, const Options& options) {
  return filled(make_tensor(size, options, fill_value.dtype()), fill_value);
}

// ---- zeros ----
Tensor zeros(Body, IntSpan size, const Options& options) {
  for (const int64_t extent : size) check(extent >= 0, "zeros: Dimension size must be non-negative.");
  return zeroed(make_tensor(size, options, default_dtype()));
}

// ---- ones ----
Tensor ones(Body, IntSpan size, const Options& options) {
  return filled(make_tensor(size, options, default_dtype()), 1);
}

// ---- empty_like ----
Tensor empty_like(Body, const Tensor& self, const Options& options) { return make_like(self, options); }

// ---- full_like ----
Tensor full_like(Body, const Tensor& self, const Scalar& fill_value, const Options& options) {
  return filled(make_like(self, options), fill_value);
}

// ---- zeros_like ----
Tensor zeros_like(Body, const Tensor& self, const Options& options) {
  return zeroed(make_like(self, options));
}

// ---- ones_like ----
Tensor ones_like(Body, const Tensor& self, const Options& options) {
  return filled(make_like(self, options), 1);
}

// ---- fill_ ----
Tensor fill_(Body, const Tensor& self, const Tensor& value) {
  check_inplace(self);
  check(value.dim() == 0, "fill_ only supports 0-dimension value tensor but got tensor with ", value.dim(),
        " dimensions.");
  const bool is_recording = is_differentiable(self.dtype()) && recording(self, value);
  const bool is_number = value.impl()->wrapped_number();
  const Tensor from = is_number ? checked_scalar_tensor(item(value), self.dtype()) : value;
  if (!is_number) check_no_internal_overlap(self);  // one number may be written several times
  auto edges = edges_of(is_recording, {self, value});
  copy_elements(self, share_memory(self, from) ? clone(from) : from);
  bump_version(self);
  if (!is_recording) return self;
  const DType dtype = value.dtype();
  rebase_history(self, make_function(is_number ? "FillBackward2" : "FillBackward3", std::move(edges),
                                     std::array<SavedTensor, 0>{}, [dtype](Backward& g) {
                                       if (g.needs(0)) g.set(0, zeros_like(g.grad()));
                                       if (g.needs(1)) g.set(1, to_dtype(sum(g.grad()), dtype));
                                     }));
  return self;
}

// ---- zero_ ----
Tensor zero_(Body, const Tensor& self) {
  const bool is_recording = is_differentiable(self.dtype()) && recording(self);
  check_inplace(self);
  auto edges = edges_of(is_recording, {self});
  copy_elements(self, scalar_tensor(0, self.dtype()));
  bump_version(self);
  if (!is_recording) return self;
  rebase_history(self, make_function("ZeroBackward0", std::move(edges), std::array<SavedTensor, 0>{},
                                     [](Backward& g) { g.set(0, zeros_like(g.grad())); }));
  return self;
}

// ---- scalar_tensor ----
Tensor scalar_tensor(Body, const Scalar& s, const Options& options) {
  const DeviceScope scope(device_for(options));
  return with_requires_grad(checked_scalar_tensor(s, options.dtype_or(default_dtype())), options);
}

// ---- new_empty, new_full, new_zeros, new_ones ----
Tensor new_empty(Body, const Tensor& self, IntSpan size, const Options& options) {
  return make_tensor(size, options, self.dtype());
}

Tensor new_full(Body, const Tensor& self, IntSpan size, const Scalar& fill_value, const Options& options) {
  return filled(make_tensor(size, options, self.dtype()), fill_value);
}

Tensor new_zeros(Body, const Tensor& self, IntSpan size, const Options& options) {
  return zeroed(make_tensor(size, options, self.dtype()));
}

Tensor new_ones(Body, const Tensor& self, IntSpan size, const Options& options) {
  return filled(make_tensor(size, options, self.dtype()), 1);
}

}  // namespace ops
}  // namespace onetape
