// Anomaly and inference mode, and checkpoints: a part of internal/Engine.java.

#include "autograd/anomaly.h"
#include "autograd/checkpoint.h"
#include "autograd/graph_task.h"
#include "autograd/mode.h"
#include "java/arguments.h"

namespace onetape::java {
namespace {

jboolean in_inference(JNIEnv*, jclass) { return inference_mode(); }
void set_inference(JNIEnv*, jclass, jboolean enabled) { set_inference_mode(enabled != JNI_FALSE); }
jboolean tensor_is_inference(JNIEnv* env, jclass, jobject tensor) {
  return guarded(env,
                 [&] { return static_cast<jboolean>(is_inference(required_tensor(env, tensor, "self"))); });
}

/// The Java calls that the thread is in.
std::string java_calls() {
  const AttachedThread thread;
  JNIEnv* env = thread.env();
  if (!env || thread.attached_here() || env->ExceptionCheck()) return {};
  const LocalFrame frame(env, 4);
  const auto told = static_cast<jstring>(env->CallStaticObjectMethod(classes().upcalls, classes().calls));
  if (env->ExceptionCheck() || !told) {
    env->ExceptionClear();
    return {};
  }
  return text(env, told, "calls");
}

[[maybe_unused]] const bool kTold = [] {
  add_call_teller(java_calls);
  return true;
}();

void set_anomaly(JNIEnv*, jclass, jboolean on, jboolean check_nan) {
  set_anomaly_mode(on != JNI_FALSE, check_nan != JNI_FALSE);
}
jboolean anomaly(JNIEnv*, jclass) { return anomaly_mode(); }
jboolean anomaly_nan(JNIEnv*, jclass) { return anomaly_check_nan(); }

/// Runs `forward` (a Runnable-like object) with what it saves dropped; Upcalls.checkpointAgain does it again.
void run_checkpoint(JNIEnv* env, jclass, jobject again, jobjectArray inputs, jboolean preserve,
                    jboolean early) {
  guarded(env, [&] {
    const std::vector<Tensor> given = tensor_list(env, inputs, "inputs");
    const auto checkpoint = Checkpoint::make(
        given, {.preserve_random_state = preserve != JNI_FALSE, .early_stop = early != JNI_FALSE});
    const auto call = [ref = GlobalRef(env, again)](const std::vector<Tensor>& tensors, bool first) {
      const AttachedThread thread;
      JNIEnv* jni = thread.env();
      check(jni != nullptr, "a checkpoint written in Java was asked for after the JVM had ended");
      const LocalFrame frame(jni, 4);
      std::vector<int64_t> handles;
      for (const Tensor& one : tensors) handles.push_back(new_handle(one));
      const jlongArray passed = first ? nullptr : long_array(jni, handles);
      upcall([&] {
        jni->CallStaticVoidMethod(classes().upcalls, classes().checkpoint_again, ref.get(), passed);
      });
      check_java(jni);
    };
    checkpoint->set_again([call](const std::vector<Tensor>& tensors) { call(tensors, false); });
    checkpoint->run([&] { call({}, true); });
  });
}

jboolean run_is_selective(JNIEnv*, jclass) {
  const GraphTask* task = GraphTask::current();
  return task && task->selective();
}

const JNINativeMethod kNatives[] = {
    native("inferenceMode", "()Z", in_inference),
    native("setInferenceMode", "(Z)V", set_inference),
    native("isInference", "(Ljava/lang/Object;)Z", tensor_is_inference),
    native("setAnomaly", "(ZZ)V", set_anomaly),
    native("anomaly", "()Z", anomaly),
    native("anomalyCheckNan", "()Z", anomaly_nan),
    native("runCheckpoint", "(Ljava/lang/Object;[Ljava/lang/Object;ZZ)V", run_checkpoint),
    native("runIsSelective", "()Z", run_is_selective),
};
const NativeGroup kGroup = natives("internal/Engine", kNatives);

}  // namespace
}  // namespace onetape::java
