// Nodes of the graph: a part of internal/Engine.java.

#include "autograd/graph_export.h"
#include "autograd/meta.h"
#include "autograd/notes.h"
#include "java/arguments.h"

namespace onetape::java {
namespace {

jlong node_of_tensor(JNIEnv* env, jclass, jobject tensor) {
  return guarded(env, [&] { return new_handle(grad_fn(required_tensor(env, tensor, "self"))); });
}

jstring name_of_node(JNIEnv* env, jclass, jobject node) {
  return guarded(env, [&] { return string(env, node_of(env, node)->name()); });
}

jlong identity_of_node(JNIEnv* env, jclass, jobject node) {
  return guarded(env, [&] { return reinterpret_cast<jlong>(node_of(env, node).get()); });
}

jint inputs_of_node(JNIEnv* env, jclass, jobject node) {
  return guarded(env, [&] { return static_cast<jint>(node_of(env, node)->edges().size()); });
}

jlongArray edges_of_node(JNIEnv* env, jclass, jobject node, jintArray inputs) {
  return guarded(env, [&] {
    const Ref<Node> ref = node_of(env, node);
    std::vector<int64_t> handles;
    jsize place = 0;
    for (const Edge& edge : ref->edges()) {
      handles.push_back(new_handle(edge.node));
      const jint input = static_cast<jint>(edge.input);
      env->SetIntArrayRegion(inputs, place++, 1, &input);
    }
    return long_array(env, handles);
  });
}

jstring text_of_graph(JNIEnv* env, jclass, jobjectArray tensors, jobjectArray names, jobjectArray named,
                      jstring form, jstring title) {
  return guarded(env, [&] {
    const std::vector<Tensor> roots = tensor_list(env, tensors, "tensors");
    const std::vector<Tensor> with_names = tensor_list(env, named, "names");
    std::vector<std::pair<std::string, Tensor>> pairs;
    for (const Tensor& tensor : with_names) {
      const auto name =
          static_cast<jstring>(env->GetObjectArrayElement(names, static_cast<jsize>(pairs.size())));
      pairs.emplace_back(text(env, name, "names"), tensor);
      env->DeleteLocalRef(name);
    }
    const std::string heading = text(env, title, "title");
    return string(env, graph_text(picture_of(roots, pairs), text(env, form, "form"), heading));
  });
}

jstring live_page(JNIEnv* env, jclass, jstring title) {
  return guarded(env, [&] { return string(env, live_graph_page(text(env, title, "title"))); });
}

/// Where the thread is in Java: Upcalls.place() tells it in lines, the call, the path of a module, its
/// classes.
CallPlace java_place() {
  const AttachedThread thread;
  JNIEnv* env = thread.env();
  if (!env || thread.attached_here() || env->ExceptionCheck()) return {};
  const LocalFrame frame(env, 4);
  const auto told =
      static_cast<jobjectArray>(env->CallStaticObjectMethod(classes().upcalls, classes().place));
  if (env->ExceptionCheck() || !told) {
    env->ExceptionClear();
    return {};
  }
  const auto line = [&](jsize i) {
    const auto part = static_cast<jstring>(env->GetObjectArrayElement(told, i));
    return part ? text(env, part, "place") : std::string();
  };
  CallPlace place{.place = line(0)};
  ModulePath path{.names = line(1), .classes = line(2)};
  if (!path.names.empty()) place.module = std::make_shared<const ModulePath>(std::move(path));
  return place;
}

[[maybe_unused]] const bool kTold = [] {
  add_place_teller(java_place);
  return true;
}();

void begin_recording(JNIEnv*, jclass) { start_recording(); }
void end_recording(JNIEnv*, jclass) { stop_recording(); }

const JNINativeMethod kNatives[] = {
    native("gradFn", "(Ljava/lang/Object;)J", node_of_tensor),
    native("nodeName", "(Ljava/lang/Object;)Ljava/lang/String;", name_of_node),
    native("nodeIdentity", "(Ljava/lang/Object;)J", identity_of_node),
    native("nodeInputs", "(Ljava/lang/Object;)I", inputs_of_node),
    native("nodeEdges", "(Ljava/lang/Object;[I)[J", edges_of_node),
    native("graphText",
           "([Ljava/lang/Object;[Ljava/lang/String;[Ljava/lang/Object;Ljava/lang/String;Ljava/lang/String;)"
           "Ljava/lang/String;",
           text_of_graph),
    native("graphLivePage", "(Ljava/lang/String;)Ljava/lang/String;", live_page),
    native("startRecording", "()V", begin_recording),
    native("stopRecording", "()V", end_recording),
};
const NativeGroup kGroup = natives("internal/Engine", kNatives);

}  // namespace
}  // namespace onetape::java
