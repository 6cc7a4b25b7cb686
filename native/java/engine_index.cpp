// Index expressions: a part of internal/Engine.java.

#include "java/arguments.h"
#include "ops/indexing.h"

namespace onetape::java {
namespace {

/// The entries of an index expression as EncodedIndex.java writes them: a kind, three numbers and a tensor
/// each.
std::vector<IndexItem> index_items(JNIEnv* env, jintArray kinds, jlongArray numbers, jobjectArray tensors) {
  std::vector<jint> kind(static_cast<size_t>(env->GetArrayLength(kinds)));
  env->GetIntArrayRegion(kinds, 0, static_cast<jsize>(kind.size()), kind.data());
  const Ints number = ints(env, numbers, "numbers");
  const std::vector<Tensor> tensor = optional_tensor_list(env, tensors);
  std::vector<IndexItem> items;
  for (size_t i = 0; i < kind.size(); ++i) {
    switch (kind[i]) {
      case 0:
        items.push_back(IndexItem::none());
        break;
      case 1:
        items.push_back(IndexItem::ellipsis());
        break;
      case 2:
        items.push_back(IndexItem::of(number[3 * i]));
        break;
      case 3:
        items.push_back(IndexItem::of_bool(number[3 * i] != 0));
        break;
      case 4:
        items.push_back(IndexItem::slice(number[3 * i], number[3 * i + 1], number[3 * i + 2]));
        break;
      default:
        check_value(tensor[i].defined(), "index ", i, " is an undefined tensor");
        items.push_back(IndexItem::of(tensor[i]));
    }
  }
  return items;
}

jlong index(JNIEnv* env, jclass, jobject tensor, jintArray kinds, jlongArray numbers, jobjectArray tensors) {
  return guarded(env, [&] {
    const Tensor self = required_tensor(env, tensor, "self");
    return result(get_item(self, index_items(env, kinds, numbers, tensors)));
  });
}

void index_put(JNIEnv* env, jclass, jobject tensor, jintArray kinds, jlongArray numbers, jobjectArray tensors,
               jobject value, jlong bits, jint kind) {
  guarded(env, [&] {
    const Tensor self = required_tensor(env, tensor, "self");
    const OperandArg values(env, value, bits, kind, "values");
    set_item(self, index_items(env, kinds, numbers, tensors), values);
  });
}

const JNINativeMethod kNatives[] = {
    native("index", "(Ljava/lang/Object;[I[J[Ljava/lang/Object;)J", index),
    native("indexPut", "(Ljava/lang/Object;[I[J[Ljava/lang/Object;Ljava/lang/Object;JI)V", index_put),
};
const NativeGroup kGroup = natives("internal/Engine", kNatives);

}  // namespace
}  // namespace onetape::java
