#pragma once

#include <memory>
#include <string>

#include <jni.h>

#include "core/backend.h"
#include "core/export.h"
#include "core/geometry_lock.h"

namespace onetape::java {

/// What native code asks of the Java classes: found once, when the library is loaded.
struct Classes {
  jfieldID tensor_cell = nullptr;
  jfieldID node_cell = nullptr;
  jfieldID generator_cell = nullptr;
  jclass engine = nullptr;
  jmethodID closed = nullptr;
  jclass collector = nullptr;
  jmethodID relieve = nullptr;
  jclass upcalls = nullptr;
  jmethodID hook = nullptr;
  jmethodID accumulate_hook = nullptr;
  jfieldID call_others = nullptr;
  jmethodID node_hook = nullptr;
  jmethodID node_pre_hook = nullptr;
  jmethodID pack = nullptr;
  jmethodID unpack = nullptr;
  jmethodID checkpoint_again = nullptr;
  jmethodID calls = nullptr;
  jmethodID place = nullptr;
  jmethodID explain = nullptr;
  jmethodID function_backward = nullptr;
  jmethodID simple_backward = nullptr;
  jclass handover = nullptr;
  jmethodID leave_error = nullptr;
  jmethodID take_error = nullptr;
  jclass object = nullptr;  // java.lang.Object
  jmethodID to_string = nullptr;
};
ONETAPE_API const Classes& classes();

/// The package of the classes as `org/onetape/`, which a build tool may have changed.
const std::string& package();

/// Finds a class of the library by its name below the package; the reference is global.
jclass find_class(JNIEnv* env, const char* name);

/// The calling thread as the JVM knows it; attached for the lifetime of the object if it was not.
class ONETAPE_API AttachedThread {
 public:
  AttachedThread();
  ~AttachedThread();
  AttachedThread(const AttachedThread&) = delete;
  AttachedThread& operator=(const AttachedThread&) = delete;
  /// Null when there is no JVM, or none any more.
  JNIEnv* env() const { return env_; }
  /// Did this object make it known?
  bool attached_here() const { return attached_; }

 private:
  JNIEnv* env_ = nullptr;
  bool attached_ = false;
};

/// Calls a program's code from inside an operator. What is passed is made before; tensors that the code makes
/// are the program's own.
template <typename F>
auto upcall(F&& call) {
  const ReadingPaused pause;
  const DeviceScope device(DeviceType::CPU);
  return call();
}

/// A Java object kept alive. Copies share it; it may be let go of on any thread, also after the JVM has gone.
class ONETAPE_API GlobalRef {
 public:
  GlobalRef() = default;
  GlobalRef(JNIEnv* env, jobject object);
  jobject get() const { return object_.get(); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  std::shared_ptr<_jobject> object_;
};

/// A local reference, deleted at the end of a scope.
template <typename T = jobject>
class LocalRef {
 public:
  LocalRef(JNIEnv* env, T object) : env_(env), object_(object) {}
  ~LocalRef() {
    if (object_) env_->DeleteLocalRef(object_);
  }
  LocalRef(const LocalRef&) = delete;
  LocalRef& operator=(const LocalRef&) = delete;
  T get() const { return object_; }

 private:
  JNIEnv* env_;
  T object_;
};

/// Deletes all local references at the end of a scope; for loops, where they would pile up.
class LocalFrame {
 public:
  LocalFrame(JNIEnv* env, jint capacity) : env_(env) { env->PushLocalFrame(capacity); }
  ~LocalFrame() { env_->PopLocalFrame(nullptr); }
  LocalFrame(const LocalFrame&) = delete;
  LocalFrame& operator=(const LocalFrame&) = delete;

 private:
  JNIEnv* env_;
};

/// Natives of one class, told at static initialisation; JNI_OnLoad binds them.
struct NativeGroup {
  NativeGroup(const char* class_name, const JNINativeMethod* methods, int count);
  const char* class_name;
  const JNINativeMethod* methods;
  int count;
  const NativeGroup* next;
};

template <int N>
NativeGroup natives(const char* class_name, const JNINativeMethod (&methods)[N]) {
  return NativeGroup(class_name, methods, N);
}

/// An entry of a table of natives.
template <typename F>
JNINativeMethod native(const char* name, const char* signature, F* function) {
  return {const_cast<char*>(name), const_cast<char*>(signature), reinterpret_cast<void*>(function)};
}

}  // namespace onetape::java
