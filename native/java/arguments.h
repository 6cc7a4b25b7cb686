#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <jni.h>

#include "core/generator.h"
#include "core/ints.h"
#include "core/options.h"
#include "core/scalar.h"
#include "core/tensor.h"
#include "java/errors.h"
#include "java/handles.h"
#include "java/jvm.h"

namespace onetape::java {

/// What kind of number comes with its bits; the same codes as in internal/Args.java.
enum class NumberKind : jint { None, Double, Long, Bool };

ONETAPE_API Scalar number(jlong bits, jint kind);

/// Says that there is no tensor to pin: null, undefined or closed.
[[noreturn]] ONETAPE_API void fail_unpinned(JNIEnv* env, jobject tensor, const char* name);

/// The slot of an argument's tensor, which the caller unpins; an error that names the argument where there is
/// none.
inline TensorHandles::Slot* pinned_tensor(JNIEnv* env, jobject tensor, const char* name) {
  const int64_t handle = tensor ? env->GetLongField(tensor, classes().tensor_cell) : 0;
  TensorHandles::Slot* slot = handle != 0 ? TensorHandles::pin(handle) : nullptr;
  if (!slot) [[unlikely]]
    fail_unpinned(env, tensor, name);
  return slot;
}

/// A tensor argument: pinned, so that a close() elsewhere waits for the end of the call.
class ONETAPE_API TensorArg {
 public:
  TensorArg(JNIEnv* env, jobject tensor, const char* name) : slot_(pinned_tensor(env, tensor, name)) {}
  ~TensorArg() { TensorHandles::unpin(slot_); }
  TensorArg(const TensorArg&) = delete;
  TensorArg& operator=(const TensorArg&) = delete;
  operator const Tensor&() const { return slot_->object; }  // NOLINT(google-explicit-constructor)
  const Tensor& get() const { return slot_->object; }

 private:
  TensorHandles::Slot* slot_;
};

/// An operand that is a tensor, or null and a number.
class ONETAPE_API OperandArg {
 public:
  OperandArg(JNIEnv* env, jobject tensor, jlong bits, jint kind, const char* name) {
    if (kind == static_cast<jint>(NumberKind::None)) [[likely]] {
      slot_ = pinned_tensor(env, tensor, name);
    } else {
      number_ = wrapped_number(number(bits, kind));
    }
  }
  ~OperandArg() {
    if (slot_) TensorHandles::unpin(slot_);
  }
  OperandArg(const OperandArg&) = delete;
  OperandArg& operator=(const OperandArg&) = delete;
  operator const Tensor&() const {
    return slot_ ? slot_->object : number_;
  }  // NOLINT(google-explicit-constructor)

 private:
  TensorHandles::Slot* slot_ = nullptr;
  Tensor number_;
};

/// The tensor of a Java object; undefined for null and for the undefined tensor.
ONETAPE_API Tensor optional_tensor(JNIEnv* env, jobject tensor);
/// The tensor of a Java object; an error that names the argument where there is none.
ONETAPE_API Tensor required_tensor(JNIEnv* env, jobject tensor, const char* name);
/// Tensors of an array; elements must be there.
ONETAPE_API std::vector<Tensor> tensor_list(JNIEnv* env, jobjectArray tensors, const char* name);
/// Tensors of an array that may be null, as may its elements.
ONETAPE_API std::vector<Tensor> optional_tensor_list(JNIEnv* env, jobjectArray tensors);

ONETAPE_API Ref<Node> node_of(JNIEnv* env, jobject node);

ONETAPE_API Ints ints(JNIEnv* env, jlongArray values, const char* name);
ONETAPE_API std::optional<Ints> optional_ints(JNIEnv* env, jlongArray values);
ONETAPE_API std::string text(JNIEnv* env, jstring value, const char* name);
ONETAPE_API std::optional<std::string> optional_text(JNIEnv* env, jstring value);

inline std::optional<Scalar> optional_number(jlong bits, jint kind) {
  return kind == static_cast<jint>(NumberKind::None) ? std::nullopt
                                                     : std::optional<Scalar>(number(bits, kind));
}
inline std::optional<bool> optional_bool(jint value) {
  return value < 0 ? std::nullopt : std::optional<bool>(value != 0);
}
template <typename T, typename J>
std::optional<T> optional(J value, jboolean given) {
  return given ? std::optional<T>(static_cast<T>(value)) : std::nullopt;
}

/// Element types as Java's ScalarType codes.
ONETAPE_API DType dtype(jint code);
ONETAPE_API std::optional<DType> optional_dtype(jint code);
ONETAPE_API jint code_of(DType dtype);
ONETAPE_API std::optional<Device> optional_device(jint code);
ONETAPE_API Options options(jint dtype, jint device, jboolean requires_grad);

/// The generator of a Java object; null for null.
ONETAPE_API Ref<Generator> generator(JNIEnv* env, jobject generator);

ONETAPE_API jlong result(Tensor tensor);
ONETAPE_API jlongArray results(JNIEnv* env, std::vector<Tensor> tensors);
ONETAPE_API jlongArray long_array(JNIEnv* env, IntSpan values);
ONETAPE_API jstring string(JNIEnv* env, std::string_view text);
template <typename... Tensors>
jlongArray results(JNIEnv* env, std::tuple<Tensors...> tensors) {
  return std::apply([env](auto&... each) { return results(env, std::vector<Tensor>{std::move(each)...}); },
                    tensors);
}
/// A number as Java takes it: {bits, kind}.
ONETAPE_API jlongArray number_result(JNIEnv* env, const Scalar& value);

}  // namespace onetape::java
