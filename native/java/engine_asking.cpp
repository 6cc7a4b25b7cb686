// What can be asked of a tensor: a part of internal/Engine.java.

#include <bit>

#include "autograd/meta.h"
#include "java/arguments.h"
#include "ops/format.h"

namespace onetape::java {
namespace {

/// A native that asks one thing of a tensor.
template <auto Ask, typename Result>
Result ask(JNIEnv* env, jclass, jobject tensor) {
  return guarded(env, [&] {
    const TensorArg self(env, tensor, "self");
    return static_cast<Result>(Ask(self.get()));
  });
}

template <auto Ask>
jlongArray ask_list(JNIEnv* env, jclass, jobject tensor) {
  return guarded(env, [&] {
    const TensorArg self(env, tensor, "self");
    return long_array(env, Ask(self.get()));
  });
}

template <auto Ask>
jlong ask_dim(JNIEnv* env, jclass, jobject tensor, jlong dim) {
  return guarded(env, [&] {
    const TensorArg self(env, tensor, "self");
    return static_cast<jlong>(Ask(self.get(), dim));
  });
}

jint type_of(const Tensor& t) { return code_of(t.dtype()); }
jint device_of(const Tensor& t) { return static_cast<jint>(t.device().type); }
int64_t dims_of(const Tensor& t) { return t.dim(); }
int64_t numel_of(const Tensor& t) { return t.numel(); }
int64_t offset_of(const Tensor& t) { return t.storage_offset(); }
int64_t identity_of(const Tensor& t) { return reinterpret_cast<int64_t>(t.impl()); }
bool contiguous(const Tensor& t) { return t.is_contiguous(); }
bool wants_grad(const Tensor& t) { return t.requires_grad(); }
IntSpan sizes_of(const Tensor& t) { return t.sizes(); }
IntSpan strides_of(const Tensor& t) { return t.strides(); }
int64_t size_at(const Tensor& t, int64_t d) {
  check_index(t.dim() > 0, "Dimension specified as ", d, " but tensor has no dimensions");
  return t.size(d);
}
int64_t stride_at(const Tensor& t, int64_t d) {
  check_index(t.dim() > 0, "Dimension specified as ", d, " but tensor has no dimensions");
  return t.stride(d);
}
double double_of(const Tensor& t) { return item(t).to<double>(); }
int64_t long_of(const Tensor& t) { return item(t).to<int64_t>(); }
int64_t bits_of(const Tensor& t) {
  const Scalar value = item(t);
  return value.is_integral() ? value.to<int64_t>() : std::bit_cast<int64_t>(value.to<double>());
}
jint kind_of_item(const Tensor& t) {
  switch (kind_of(t.dtype())) {
    case DTypeKind::Bool:
      return static_cast<jint>(NumberKind::Bool);
    case DTypeKind::Integral:
      return static_cast<jint>(NumberKind::Long);
    case DTypeKind::Floating:
      return static_cast<jint>(NumberKind::Double);
    default:
      fail(ErrorKind::NotImplemented, "a complex number has no counterpart in Java yet");
  }
}

jstring format_tensor(JNIEnv* env, jclass, jobject tensor, jboolean full) {
  return guarded(env, [&] {
    const TensorArg self(env, tensor, "self");
    return string(env, full ? repr(self.get()) : format(self.get()));
  });
}

constexpr const char* kAsk = "(Ljava/lang/Object;)";

const std::string kToInt = std::string(kAsk) + "I";
const std::string kToLong = std::string(kAsk) + "J";
const std::string kToDouble = std::string(kAsk) + "D";
const std::string kToBool = std::string(kAsk) + "Z";
const std::string kToLongs = std::string(kAsk) + "[J";

const JNINativeMethod kNatives[] = {
    native("dtype", kToInt.c_str(), ask<type_of, jint>),
    native("deviceType", kToInt.c_str(), ask<device_of, jint>),
    native("dim", kToLong.c_str(), ask<dims_of, jlong>),
    native("numel", kToLong.c_str(), ask<numel_of, jlong>),
    native("sizes", kToLongs.c_str(), ask_list<sizes_of>),
    native("strides", kToLongs.c_str(), ask_list<strides_of>),
    native("size", "(Ljava/lang/Object;J)J", ask_dim<size_at>),
    native("stride", "(Ljava/lang/Object;J)J", ask_dim<stride_at>),
    native("storageOffset", kToLong.c_str(), ask<offset_of, jlong>),
    native("isContiguous", kToBool.c_str(), ask<contiguous, jboolean>),
    native("requiresGrad", kToBool.c_str(), ask<wants_grad, jboolean>),
    native("isLeaf", kToBool.c_str(), ask<is_leaf, jboolean>),
    native("isView", kToBool.c_str(), ask<is_view, jboolean>),
    native("retainsGrad", kToBool.c_str(), ask<retains_grad, jboolean>),
    native("version", kToLong.c_str(), ask<counted_version, jlong>),
    native("identity", kToLong.c_str(), ask<identity_of, jlong>),
    native("itemBits", kToLong.c_str(), ask<bits_of, jlong>),
    native("itemKind", kToInt.c_str(), ask<kind_of_item, jint>),
    native("itemDouble", kToDouble.c_str(), ask<double_of, jdouble>),
    native("itemLong", kToLong.c_str(), ask<long_of, jlong>),
    native("format", "(Ljava/lang/Object;Z)Ljava/lang/String;", format_tensor),
};
const NativeGroup kGroup = natives("internal/Engine", kNatives);

}  // namespace
}  // namespace onetape::java
