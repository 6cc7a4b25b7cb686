#include "java/arguments.h"

#include <array>
#include <bit>

#include "core/error.h"
#include "java/unicode.h"

namespace onetape::java {
namespace {

// By the code of Java's ScalarType; -1: not supported.
constexpr std::array<int8_t, 16> kDTypes = {static_cast<int8_t>(DType::U8),
                                            static_cast<int8_t>(DType::I8),
                                            static_cast<int8_t>(DType::I16),
                                            static_cast<int8_t>(DType::I32),
                                            static_cast<int8_t>(DType::I64),
                                            static_cast<int8_t>(DType::F16),
                                            static_cast<int8_t>(DType::F32),
                                            static_cast<int8_t>(DType::F64),
                                            -1,
                                            static_cast<int8_t>(DType::C64),
                                            static_cast<int8_t>(DType::C128),
                                            static_cast<int8_t>(DType::Bool),
                                            -1,
                                            -1,
                                            -1,
                                            static_cast<int8_t>(DType::BF16)};

Tensor tensor_in(TensorHandles::Slot* slot) {
  Tensor tensor = slot->object;
  TensorHandles::unpin(slot);
  return tensor;
}

}  // namespace

void fail_unpinned(JNIEnv* env, jobject tensor, const char* name) {
  if (!tensor) fail(ErrorKind::NullPointer, "argument '", name, "' is null");
  if (env->GetLongField(tensor, classes().tensor_cell) == 0)
    fail(ErrorKind::Runtime, "argument '", name, "' is an undefined tensor");
  fail_closed(env, tensor);
}

Tensor optional_tensor(JNIEnv* env, jobject tensor) {
  const int64_t handle = tensor ? env->GetLongField(tensor, classes().tensor_cell) : 0;
  if (handle == 0) return Tensor();
  TensorHandles::Slot* slot = TensorHandles::pin(handle);
  if (!slot) fail_closed(env, tensor);
  return tensor_in(slot);
}

Tensor required_tensor(JNIEnv* env, jobject tensor, const char* name) {
  return tensor_in(pinned_tensor(env, tensor, name));
}

std::vector<Tensor> tensor_list(JNIEnv* env, jobjectArray tensors, const char* name) {
  if (!tensors) fail(ErrorKind::NullPointer, "argument '", name, "' is null");
  const jsize count = env->GetArrayLength(tensors);
  std::vector<Tensor> list;
  list.reserve(static_cast<size_t>(count));
  for (jsize i = 0; i < count; ++i) {
    const jobject element = env->GetObjectArrayElement(tensors, i);
    const int64_t handle = element ? env->GetLongField(element, classes().tensor_cell) : 0;
    TensorHandles::Slot* slot = handle != 0 ? TensorHandles::pin(handle) : nullptr;
    if (!slot) [[unlikely]] {
      const std::string place = std::string(name) + "[" + std::to_string(i) + "]";
      fail_unpinned(env, element, place.c_str());
    }
    list.push_back(tensor_in(slot));
    env->DeleteLocalRef(element);
  }
  return list;
}

std::vector<Tensor> optional_tensor_list(JNIEnv* env, jobjectArray tensors) {
  std::vector<Tensor> list;
  const jsize count = tensors ? env->GetArrayLength(tensors) : 0;
  for (jsize i = 0; i < count; ++i) {
    const jobject element = env->GetObjectArrayElement(tensors, i);
    list.push_back(optional_tensor(env, element));
    env->DeleteLocalRef(element);
  }
  return list;
}

Ref<Node> node_of(JNIEnv* env, jobject node) {
  if (!node) fail(ErrorKind::NullPointer, "argument 'node' is null");
  const jlong handle = env->GetLongField(node, classes().node_cell);
  if (handle == 0) fail(ErrorKind::NullPointer, "the node is undefined: no operator made its tensor");
  NodeHandles::Slot* slot = NodeHandles::pin(handle);
  if (!slot) fail_closed(env, node);
  Ref<Node> ref = slot->object;
  NodeHandles::unpin(slot);
  return ref;
}

Ints ints(JNIEnv* env, jlongArray values, const char* name) {
  if (!values) fail(ErrorKind::NullPointer, "argument '", name, "' is null");
  Ints list;
  list.resize(static_cast<size_t>(env->GetArrayLength(values)));
  static_assert(sizeof(jlong) == sizeof(int64_t));
  env->GetLongArrayRegion(values, 0, static_cast<jsize>(list.size()), reinterpret_cast<jlong*>(list.data()));
  return list;
}

std::string text(JNIEnv* env, jstring value, const char* name) {
  if (!value) fail(ErrorKind::NullPointer, "argument '", name, "' is null");
  std::u16string wide(static_cast<size_t>(env->GetStringLength(value)), u'\0');
  env->GetStringRegion(value, 0, static_cast<jsize>(wide.size()), reinterpret_cast<jchar*>(wide.data()));
  return utf8_of(wide);
}

std::optional<Ints> optional_ints(JNIEnv* env, jlongArray values) {
  return values ? std::optional<Ints>(ints(env, values, "")) : std::nullopt;
}

std::optional<std::string> optional_text(JNIEnv* env, jstring value) {
  return value ? std::optional<std::string>(text(env, value, "")) : std::nullopt;
}

Scalar number(jlong bits, jint kind) {
  switch (static_cast<NumberKind>(kind)) {
    case NumberKind::Double:
      return Scalar(std::bit_cast<double>(bits));
    case NumberKind::Bool:
      return Scalar(bits != 0);
    default:
      return Scalar(static_cast<int64_t>(bits));
  }
}

DType dtype(jint code) {
  const bool known =
      code >= 0 && static_cast<size_t>(code) < kDTypes.size() && kDTypes[static_cast<size_t>(code)] >= 0;
  check_type(known, "this element type is not supported (code ", code, ")");
  return static_cast<DType>(kDTypes[static_cast<size_t>(code)]);
}

std::optional<DType> optional_dtype(jint code) {
  return code < 0 ? std::nullopt : std::optional<DType>(dtype(code));
}

jint code_of(DType dtype) {
  for (size_t code = 0; code < kDTypes.size(); ++code) {
    if (kDTypes[code] == static_cast<int8_t>(dtype)) return static_cast<jint>(code);
  }
  return -1;
}

std::optional<Device> optional_device(jint code) {
  if (code < 0) return std::nullopt;
  Device device;
  device.index = static_cast<int8_t>(code & 0xff);
  const jint type = code >> 8;
  check(type < static_cast<jint>(kDeviceTypes), "this type of device is not supported (code ", type, ")");
  device.type = static_cast<DeviceType>(type);
  return device;
}

Options options(jint dtype, jint device, jboolean requires_grad) {
  Options options;
  options.dtype = optional_dtype(dtype);
  options.device = optional_device(device);
  options.requires_grad = requires_grad != JNI_FALSE;
  return options;
}

Ref<Generator> generator(JNIEnv* env, jobject generator) {
  if (!generator) return nullptr;
  GeneratorHandles::Slot* slot =
      GeneratorHandles::pin(env->GetLongField(generator, classes().generator_cell));
  if (!slot) fail_closed(env, generator);
  Ref<Generator> ref = slot->object;
  GeneratorHandles::unpin(slot);
  return ref;
}

jlong result(Tensor tensor) { return new_handle(std::move(tensor)); }

jlongArray results(JNIEnv* env, std::vector<Tensor> tensors) {
  std::vector<int64_t> handles;
  handles.reserve(tensors.size());
  for (Tensor& tensor : tensors) handles.push_back(new_handle(std::move(tensor)));
  const jlongArray array = long_array(env, handles);
  if (!array) {
    for (const int64_t handle : handles) close_handle(handle);
  }
  return array;
}

jlongArray long_array(JNIEnv* env, IntSpan values) {
  const jlongArray array = env->NewLongArray(static_cast<jsize>(values.size()));
  if (array) {
    env->SetLongArrayRegion(array, 0, static_cast<jsize>(values.size()),
                            reinterpret_cast<const jlong*>(values.data()));
  }
  return array;
}

jstring string(JNIEnv* env, std::string_view text) {
  const std::u16string wide = utf16_of(text);
  return env->NewString(reinterpret_cast<const jchar*>(wide.data()), static_cast<jsize>(wide.size()));
}

jlongArray number_result(JNIEnv* env, const Scalar& value) {
  NumberKind kind = NumberKind::Double;
  int64_t bits = 0;
  if (value.is_integral()) {
    kind = value.kind() == DTypeKind::Bool ? NumberKind::Bool : NumberKind::Long;
    bits = value.to<int64_t>();
  } else {
    check_type(value.kind() != DTypeKind::Complex, "a complex number has no counterpart in Java yet");
    bits = std::bit_cast<int64_t>(value.to<double>());
  }
  const std::array<int64_t, 2> pair = {bits, static_cast<int64_t>(kind)};
  return long_array(env, pair);
}

}  // namespace onetape::java
