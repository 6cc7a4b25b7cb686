#include "java/jvm.h"

#include <atomic>

namespace onetape::java {
namespace {

std::atomic<JavaVM*> the_vm{nullptr};
Classes the_classes;
std::string the_package;

const NativeGroup*& first_group() {
  static const NativeGroup* first = nullptr;
  return first;
}

/// The system property that the loader sets: the package of its class, `org/onetape/internal`.
std::string package_from_property(JNIEnv* env) {
  const jclass system = env->FindClass("java/lang/System");
  const jmethodID get =
      env->GetStaticMethodID(system, "getProperty", "(Ljava/lang/String;)Ljava/lang/String;");
  const jstring key = env->NewStringUTF("onetape.internal.package");
  const auto value = static_cast<jstring>(env->CallStaticObjectMethod(system, get, key));
  if (env->ExceptionCheck() || !value) return "org/onetape/";
  const char* text = env->GetStringUTFChars(value, nullptr);
  std::string package(text);
  env->ReleaseStringUTFChars(value, text);
  const size_t at = package.rfind("internal");
  return at == std::string::npos ? "org/onetape/" : package.substr(0, at);
}

bool find_ids(JNIEnv* env) {
  Classes& c = the_classes;
  const auto field = [&](const char* name) -> jfieldID {
    const jclass type = find_class(env, name);
    return type ? env->GetFieldID(type, "cell", "J") : nullptr;
  };
  const auto method = [&](jclass type, const char* name, const std::string& signature) -> jmethodID {
    return type ? env->GetStaticMethodID(type, name, signature.c_str()) : nullptr;
  };
  c.tensor_cell = field("Tensor");
  c.node_cell = c.tensor_cell ? field("Node") : nullptr;
  c.generator_cell = c.node_cell ? field("Generator") : nullptr;
  if (!c.generator_cell) return false;
  c.engine = find_class(env, "internal/Engine");
  c.closed = method(c.engine, "closed", "(Ljava/lang/Object;)Ljava/lang/IllegalStateException;");
  if (!c.closed) return false;
  c.collector = find_class(env, "internal/Collector");
  c.relieve = method(c.collector, "relieve", "()V");
  if (!c.relieve) return false;
  c.upcalls = find_class(env, "internal/Upcalls");
  c.hook = method(c.upcalls, "hook", "(Ljava/lang/Object;J)J");
  if (!c.hook) return false;
  c.function_backward = method(c.upcalls, "backward", "(Ljava/lang/Object;[J[J[Z)[J");
  if (!c.function_backward) return false;
  c.simple_backward = method(c.upcalls, "simpleBackward", "(Ljava/lang/Object;JJ)Ljava/lang/Object;");
  if (!c.simple_backward) return false;
  c.handover = find_class(env, "internal/Handover");
  c.leave_error = method(c.handover, "leave", "(Ljava/lang/Throwable;)V");
  if (!c.leave_error) return false;
  c.take_error = method(c.handover, "taken", "()Ljava/lang/Throwable;");
  if (!c.take_error) return false;
  c.accumulate_hook = method(c.upcalls, "accumulateHook", "(Ljava/lang/Object;J)V");
  c.node_hook = c.accumulate_hook ? method(c.upcalls, "nodeHook", "(Ljava/lang/Object;[J[J)[J") : nullptr;
  c.node_pre_hook = c.node_hook ? method(c.upcalls, "nodePreHook", "(Ljava/lang/Object;[J)[J") : nullptr;
  c.pack = c.node_pre_hook ? method(c.upcalls, "pack", "(Ljava/lang/Object;J)Ljava/lang/Object;") : nullptr;
  c.unpack = c.pack ? method(c.upcalls, "unpack", "(Ljava/lang/Object;Ljava/lang/Object;)J") : nullptr;
  c.checkpoint_again = c.unpack ? method(c.upcalls, "checkpointAgain", "(Ljava/lang/Object;[J)V") : nullptr;
  c.calls = c.checkpoint_again ? method(c.upcalls, "calls", "()Ljava/lang/String;") : nullptr;
  c.place = c.calls ? method(c.upcalls, "place", "()[Ljava/lang/String;") : nullptr;
  c.explain = c.place ? method(c.upcalls, "explain", "(Ljava/lang/Throwable;Ljava/lang/String;)V") : nullptr;
  if (!c.explain) return false;
  const jclass call = find_class(env, "internal/Upcalls$AnyCall");
  c.call_others = call ? env->GetFieldID(call, "others", "Ljava/lang/Object;") : nullptr;
  if (!c.call_others) return false;
  const jclass object = env->FindClass("java/lang/Object");
  c.object = object ? static_cast<jclass>(env->NewGlobalRef(object)) : nullptr;
  c.to_string = c.object ? env->GetMethodID(object, "toString", "()Ljava/lang/String;") : nullptr;
  return c.to_string != nullptr;
}

bool register_all(JNIEnv* env) {
  for (const NativeGroup* group = first_group(); group; group = group->next) {
    const jclass type = find_class(env, group->class_name);
    if (!type || env->RegisterNatives(type, group->methods, group->count) != JNI_OK) return false;
    env->DeleteGlobalRef(type);
  }
  return true;
}

}  // namespace

NativeGroup::NativeGroup(const char* class_name, const JNINativeMethod* methods, int count)
    : class_name(class_name), methods(methods), count(count), next(first_group()) {
  first_group() = this;
}

const Classes& classes() { return the_classes; }
const std::string& package() { return the_package; }

jclass find_class(JNIEnv* env, const char* name) {
  const jclass local = env->FindClass((the_package + name).c_str());
  if (!local) return nullptr;
  const auto global = static_cast<jclass>(env->NewGlobalRef(local));
  env->DeleteLocalRef(local);
  return global;
}

AttachedThread::AttachedThread() {
  JavaVM* vm = the_vm.load(std::memory_order_acquire);
  if (!vm) return;
  void* env = nullptr;
  const jint state = vm->GetEnv(&env, JNI_VERSION_1_8);
  if (state == JNI_EDETACHED) {
    if (vm->AttachCurrentThreadAsDaemon(&env, nullptr) != JNI_OK) return;
    attached_ = true;
  } else if (state != JNI_OK) {
    return;
  }
  env_ = static_cast<JNIEnv*>(env);
}

AttachedThread::~AttachedThread() {
  JavaVM* vm = the_vm.load(std::memory_order_acquire);
  if (attached_ && vm) vm->DetachCurrentThread();
}

GlobalRef::GlobalRef(JNIEnv* env, jobject object) {
  if (!object) return;
  object_ = std::shared_ptr<_jobject>(env->NewGlobalRef(object), [](jobject global) {
    const AttachedThread thread;
    if (thread.env()) thread.env()->DeleteGlobalRef(global);
  });
}

}  // namespace onetape::java

extern "C" ONETAPE_API jint JNI_OnLoad(JavaVM* vm, void* /*reserved*/) {
  using namespace onetape::java;
  void* env = nullptr;
  if (vm->GetEnv(&env, JNI_VERSION_1_8) != JNI_OK) return JNI_ERR;
  auto* jni = static_cast<JNIEnv*>(env);
  the_package = package_from_property(jni);
  if (!find_ids(jni) || !register_all(jni)) return JNI_ERR;  // the pending exception tells what is missing
  the_vm.store(vm, std::memory_order_release);
  return JNI_VERSION_1_8;
}

extern "C" ONETAPE_API void JNI_OnUnload(JavaVM* /*vm*/, void* /*reserved*/) {
  onetape::java::the_vm.store(nullptr, std::memory_order_release);
}
