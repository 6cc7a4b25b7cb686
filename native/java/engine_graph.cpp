// Nodes of the graph: a part of internal/Engine.java.

#include "autograd/graph_export.h"
#include "autograd/meta.h"
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

jstring graph_text(JNIEnv* env, jclass, jobjectArray tensors, jobjectArray names, jobjectArray named,
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
    const GraphPicture picture = picture_of(roots, pairs);
    const std::string wanted = text(env, form, "form");
    return string(env, wanted == "dot"   ? picture.dot()
                       : wanted == "svg" ? picture.svg()
                                         : picture.html(text(env, title, "title")));
  });
}

const JNINativeMethod kNatives[] = {
    native("gradFn", "(Ljava/lang/Object;)J", node_of_tensor),
    native("nodeName", "(Ljava/lang/Object;)Ljava/lang/String;", name_of_node),
    native("nodeIdentity", "(Ljava/lang/Object;)J", identity_of_node),
    native("nodeInputs", "(Ljava/lang/Object;)I", inputs_of_node),
    native("nodeEdges", "(Ljava/lang/Object;[I)[J", edges_of_node),
    native("graphText",
           "([Ljava/lang/Object;[Ljava/lang/String;[Ljava/lang/Object;Ljava/lang/String;Ljava/lang/String;)"
           "Ljava/lang/String;",
           graph_text),
};
const NativeGroup kGroup = natives("internal/Engine", kNatives);

}  // namespace
}  // namespace onetape::java
