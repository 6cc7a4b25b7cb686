// Making tensors of Java's arrays, buffers and numbers, and reading them back: a part of
// internal/Engine.java.

#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>

#include <fcntl.h>
#include <unistd.h>

#include "core/mapped_file.h"
#include "java/arguments.h"
#include "ops.h"
#include "ops/copy.h"
#include "ops/creation.h"

namespace onetape::java {
namespace {

/// Copies between the elements of a Java array and memory; T is the type of the array's elements.
template <typename Array, typename T>
struct ArrayCopy {
  void (JNIEnv::*get)(Array, jsize, jsize, T*);
  void (JNIEnv::*set)(Array, jsize, jsize, const T*);
};

/// Calls f with the functions that copy arrays of a type.
template <typename F>
void visit_array(DType type, F&& f) {
  switch (type) {
    case DType::Bool:
      return f(
          ArrayCopy<jbooleanArray, jboolean>{&JNIEnv::GetBooleanArrayRegion, &JNIEnv::SetBooleanArrayRegion});
    case DType::I8:
      return f(ArrayCopy<jbyteArray, jbyte>{&JNIEnv::GetByteArrayRegion, &JNIEnv::SetByteArrayRegion});
    case DType::I16:
      return f(ArrayCopy<jshortArray, jshort>{&JNIEnv::GetShortArrayRegion, &JNIEnv::SetShortArrayRegion});
    case DType::I32:
      return f(ArrayCopy<jintArray, jint>{&JNIEnv::GetIntArrayRegion, &JNIEnv::SetIntArrayRegion});
    case DType::I64:
      return f(ArrayCopy<jlongArray, jlong>{&JNIEnv::GetLongArrayRegion, &JNIEnv::SetLongArrayRegion});
    case DType::F32:
      return f(ArrayCopy<jfloatArray, jfloat>{&JNIEnv::GetFloatArrayRegion, &JNIEnv::SetFloatArrayRegion});
    case DType::F64:
      return f(
          ArrayCopy<jdoubleArray, jdouble>{&JNIEnv::GetDoubleArrayRegion, &JNIEnv::SetDoubleArrayRegion});
    default:
      fail(ErrorKind::Type, "there is no Java array of ", scalar_type_name(type));
  }
}

/// The finished tensor, made of what the program gave: in the type that was asked for, on the device, with
/// requires_grad set.
Tensor finished(const Tensor& t, const Options& options) {
  note_constant(t);
  const Options place = {.dtype = options.dtype_or(t.dtype()), .device = options.device};
  return with_requires_grad(ops::to_place(t, place), options);
}

jlong from_array(JNIEnv* env, jclass, jobject array, jint type, jlongArray sizes, jint to_type, jint device,
                 jboolean requires_grad) {
  return guarded(env, [&]() -> jlong {
    if (!array) fail(ErrorKind::NullPointer, "argument 'values' is null");
    const DType element = dtype(type);
    const Ints shape = ints(env, sizes, "shape");
    const jsize length = env->GetArrayLength(static_cast<jarray>(array));
    check_value(checked_numel(shape, element) == length, "shape '", shape, "' is invalid for input of size ",
                length);
    Tensor t = Tensor::empty(shape, element);
    visit_array(element, [&]<typename Array, typename T>(ArrayCopy<Array, T> copy) {
      (env->*copy.get)(static_cast<Array>(array), 0, length, reinterpret_cast<T*>(t.bytes()));
    });
    return result(finished(t, options(to_type, device, requires_grad)));
  });
}

/// The memory of a direct buffer as a storage that keeps the buffer alive.
Ref<Storage> storage_of(JNIEnv* env, jobject buffer) {
  if (!buffer) fail(ErrorKind::NullPointer, "argument 'memory' is null");
  void* address = env->GetDirectBufferAddress(buffer);
  check_value(address != nullptr, "the buffer is not a direct one");
  const auto bytes = static_cast<size_t>(env->GetDirectBufferCapacity(buffer));
  return Storage::wrap(address, bytes, [owner = GlobalRef(env, buffer)] {});
}

jlong from_memory(JNIEnv* env, jclass, jobject buffer, jlongArray sizes, jlongArray strides, jint memory_type,
                  jint to_type, jint device, jboolean requires_grad, jboolean share) {
  return guarded(env, [&]() -> jlong {
    const DType element = dtype(memory_type);
    const Ints shape = ints(env, sizes, "sizes");
    checked_numel(shape, element);
    const Ints steps = strides ? ints(env, strides, "strides") : contiguous_strides(shape);
    check_value(steps.size() == shape.size(), "from_blob: ", shape.size(), " sizes but ", steps.size(),
                " strides");
    const Ref<Storage> storage = storage_of(env, buffer);
    check_value(within_storage(storage, shape, steps, 0, element), "from_blob: a tensor of shape ", shape,
                ", strides ", steps, " and dtype ", element, " does not fit into ", storage->nbytes(),
                " bytes");
    check_value(reinterpret_cast<uintptr_t>(storage->data()) % item_size(element) == 0,
                "from_blob: the memory is not aligned for ", element);
    Tensor t(TensorImpl::view(storage, shape, steps, 0, element));
    if (!share) t = ops::clone(t);
    return result(finished(t, options(to_type, device, requires_grad)));
  });
}

Tensor bytes_of(const Ref<Storage>& storage) {
  const auto n = static_cast<int64_t>(storage->nbytes());
  const int64_t step = 1;
  return Tensor(TensorImpl::view(storage, IntSpan(&n, 1), IntSpan(&step, 1), 0, DType::U8));
}

jlong map_file(JNIEnv* env, jclass, jstring path, jlong bytes) {
  return guarded(env, [&] {
    const std::string name = text(env, path, "path");
    const int descriptor = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    check(descriptor >= 0, "cannot map the file: ", std::strerror(errno));
    const std::unique_ptr<const int, void (*)(const int*)> closing(&descriptor,
                                                                   [](const int* d) { ::close(*d); });
    return result(bytes_of(onetape::map_file(descriptor, static_cast<size_t>(bytes))));
  });
}

jlong storage_part(JNIEnv* env, jclass, jobject tensor, jlong offset, jlong bytes) {
  return guarded(env, [&] {
    const TensorArg self(env, tensor, "self");
    return result(bytes_of(part_of(self.get().storage(), offset, bytes)));
  });
}

/// A tensor of the storage of another, with a shape of its own and no history.
jlong placed(JNIEnv* env, jclass, jobject tensor, jint type, jlongArray sizes, jlongArray strides,
             jlong offset) {
  return guarded(env, [&] {
    const TensorArg self(env, tensor, "self");
    const DType element = dtype(type);
    const Ints shape = ints(env, sizes, "sizes");
    const Ints steps = ints(env, strides, "strides");
    check(shape.size() == steps.size(), "mismatch in length of strides and shape");
    checked_numel(shape, element);
    check(within_storage(self.get().storage(), shape, steps, offset, element),
          "the view is out of bounds of the storage");
    return result(Tensor(TensorImpl::view(self.get().storage(), shape, steps, offset, element)));
  });
}

jlong storage_bytes(JNIEnv* env, jclass, jobject tensor) {
  return guarded(env, [&] {
    const TensorArg self(env, tensor, "self");
    return static_cast<jlong>(self.get().impl()->storage()->nbytes());
  });
}

jlong storage_address(JNIEnv* env, jclass, jobject tensor) {
  return guarded(env, [&] {
    const TensorArg self(env, tensor, "self");
    return reinterpret_cast<jlong>(self.get().has_data() ? self.get().storage()->data() : nullptr);
  });
}

jlong from_number(JNIEnv* env, jclass, jlong bits, jint kind, jint to_type, jint device,
                  jboolean requires_grad) {
  return guarded(env, [&] {
    const Scalar value = number(bits, kind);
    const Options wanted = options(to_type, device, requires_grad);
    return result(finished(scalar_tensor(value, wanted.dtype_or(value.dtype())), wanted));
  });
}

jlong to(JNIEnv* env, jclass, jobject tensor, jint type, jint device, jboolean copy) {
  return guarded(env, [&] {
    const TensorArg self(env, tensor, "self");
    const Options place = {.dtype = optional_dtype(type), .device = optional_device(device)};
    return result(ops::to_place(self, place, copy != JNI_FALSE));
  });
}

void to_array(JNIEnv* env, jclass, jobject tensor, jobject array, jint type) {
  guarded(env, [&] {
    const TensorArg self(env, tensor, "self");
    const DType element = dtype(type);
    const jsize length = env->GetArrayLength(static_cast<jarray>(array));
    check_value(self.get().numel() == length, "an array of ", length, " elements for a tensor of ",
                self.get().numel());
    note_read(self, "an array of its elements");
    if (!self.get().has_data()) fail(ErrorKind::NotImplemented, "Cannot copy out of meta tensor; no data!");
    const Tensor plain = dense(ops::to_dtype(detach(self), element));
    visit_array(element, [&]<typename Array, typename T>(ArrayCopy<Array, T> copy) {
      (env->*copy.set)(static_cast<Array>(array), 0, length, reinterpret_cast<const T*>(plain.bytes()));
    });
  });
}

jobject memory(JNIEnv* env, jclass, jobject tensor) {
  return guarded(env, [&]() -> jobject {
    const TensorArg self(env, tensor, "self");
    note_read(self, "its memory");
    const Ref<Storage> storage = self.get().storage();
    char* end = static_cast<char*>(storage->data()) + storage->nbytes();
    const int64_t bytes = std::min<int64_t>(end - self.get().bytes(), std::numeric_limits<jint>::max());
    static char nothing = 0;
    char* start = self.get().bytes() ? self.get().bytes() : &nothing;
    const jobject buffer = env->NewDirectByteBuffer(start, std::max<int64_t>(bytes, 0));
    check_java(env);
    return buffer;
  });
}

jlong address(JNIEnv* env, jclass, jobject buffer) {
  return guarded(env, [&] { return reinterpret_cast<jlong>(env->GetDirectBufferAddress(buffer)); });
}

const JNINativeMethod kNatives[] = {
    native("fromArray", "(Ljava/lang/Object;I[JIIZ)J", from_array),
    native("fromMemory", "(Ljava/nio/ByteBuffer;[J[JIIIZZ)J", from_memory),
    native("mapFile", "(Ljava/lang/String;J)J", map_file),
    native("storagePart", "(Ljava/lang/Object;JJ)J", storage_part),
    native("placed", "(Ljava/lang/Object;I[J[JJ)J", placed),
    native("storageBytes", "(Ljava/lang/Object;)J", storage_bytes),
    native("storageAddress", "(Ljava/lang/Object;)J", storage_address),
    native("fromNumber", "(JIIIZ)J", from_number),
    native("to", "(Ljava/lang/Object;IIZ)J", to),
    native("toArray", "(Ljava/lang/Object;Ljava/lang/Object;I)V", to_array),
    native("memory", "(Ljava/lang/Object;)Ljava/nio/ByteBuffer;", memory),
    native("address", "(Ljava/lang/Object;)J", address),
};
const NativeGroup kGroup = natives("internal/Engine", kNatives);

}  // namespace
}  // namespace onetape::java
