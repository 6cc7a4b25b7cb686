// Functions that are written in Java: a node of the graph whose backward part is a call into Java.

#include "autograd/meta.h"
#include "autograd/mode.h"
#include "autograd/node.h"
#include "autograd/record.h"
#include "autograd/saved_tensor.h"
#include "java/arguments.h"
#include "java/keeper.h"
#include "ops.h"

namespace onetape::java {
namespace {

/// What is known of a tensor that went in or came out: enough to check its gradient or to make one of zeros.
struct Outline {
  Ints sizes;
  DType dtype = DType::F32;
  bool differentiable = false;
  explicit Outline(const Tensor& t)
      : sizes(t.sizes()), dtype(t.dtype()), differentiable(is_differentiable(t.dtype())) {}
};

/// Can a tensor of the sizes `from` be summed to one of the sizes `to`?
bool reduces_to(IntSpan from, IntSpan to) {
  if (from.size() < to.size()) return false;
  const IntSpan last = from.last(to.size());
  for (size_t i = 0; i < to.size(); ++i) {
    if (last[i] != to[i] && to[i] != 1) return false;
  }
  return true;
}

enum class Mark : jint { None, Dirty, NonDifferentiable };

struct CallParts {
  std::string name;
  std::vector<Outline> inputs;
  std::vector<Outline> outputs;
  bool materialize = true;
};

class JavaFunctionNode final : public Node {
 public:
  explicit JavaFunctionNode(CallParts parts)
      : Node(static_cast<uint32_t>(parts.outputs.size()), next_sequence()),
        parts_(std::make_unique<CallParts>(std::move(parts))) {}

  std::string name() const override { return parts_->name; }
  TensorList apply(TensorList&& grads) override;
  void release_saved() override {
    saved_.clear();
    drop_keeper(*this);
    released_ = true;
  }
  std::vector<Tensor> saved() const override {
    std::vector<Tensor> all;
    for (const SavedTensor& one : saved_) {
      if (!one.packed()) all.push_back(one.raw());
    }
    return all;
  }
  void visit_saved(const std::function<void(const SavedTensor&)>& visit) const override {
    for (const SavedTensor& one : saved_) visit(one);
  }
  void save(std::vector<SavedTensor> saved) { saved_ = std::move(saved); }

 private:
  std::vector<int64_t> gradient_handles(TensorList& grads) const;
  std::vector<int64_t> saved_handles();
  Tensor checked(Tensor gradient, size_t input) const;

  std::unique_ptr<CallParts> parts_;
  std::vector<SavedTensor> saved_;
  bool released_ = false;
};

std::vector<int64_t> JavaFunctionNode::gradient_handles(TensorList& grads) const {
  std::vector<int64_t> handles;
  for (size_t i = 0; i < parts_->outputs.size(); ++i) {
    Tensor gradient = i < grads.size() ? std::move(grads[i]) : Tensor();
    if (!gradient.defined() && parts_->materialize) {
      Options options;
      options.dtype = parts_->outputs[i].dtype;
      gradient = ops::zeros(parts_->outputs[i].sizes, options);
    }
    handles.push_back(new_handle(std::move(gradient)));
  }
  return handles;
}

std::vector<int64_t> JavaFunctionNode::saved_handles() {
  std::vector<Tensor> tensors;
  for (const SavedTensor& one : saved_) tensors.push_back(one.unpack(*this));
  std::vector<int64_t> handles;
  for (Tensor& tensor : tensors) handles.push_back(new_handle(std::move(tensor)));
  return handles;
}

/// The gradient in the shape and dtype of the input it is for.
Tensor JavaFunctionNode::checked(Tensor gradient, size_t input) const {
  const Outline& wanted = parts_->inputs[input];
  if (!gradient.defined()) return gradient;
  if (!same(gradient.sizes(), wanted.sizes)) {
    check(reduces_to(gradient.sizes(), wanted.sizes), "Function ", parts_->name,
          " returned an invalid gradient at index ", input, " - got ", gradient.shape(),
          " but expected shape compatible with ", wanted.sizes);
    gradient = ops::sum_to_size(gradient, wanted.sizes);
  }
  return ops::to_dtype(gradient, wanted.dtype);
}

TensorList JavaFunctionNode::apply(TensorList&& grads) {
  if (released_) fail_backward_twice();
  const AttachedThread thread;
  JNIEnv* env = thread.env();
  check(env != nullptr, parts_->name, ": the JVM has ended");
  const LocalFrame frame(env, 16);
  const std::shared_ptr<Keeper> keeper = keeper_of(*this);
  const jobject call = keeper ? static_cast<JavaKeeper&>(*keeper).get(env) : nullptr;
  check(call != nullptr, parts_->name, ": the Java object of this function is gone");
  const std::vector<int64_t> saved = saved_handles();
  const std::vector<int64_t> given = gradient_handles(grads);
  const size_t count = edges().size();
  std::vector<jboolean> needed(count);
  for (size_t i = 0; i < count; ++i) needed[i] = needs(i);
  const jbooleanArray flags = env->NewBooleanArray(static_cast<jsize>(count));
  env->SetBooleanArrayRegion(flags, 0, static_cast<jsize>(count), needed.data());
  const auto returned = static_cast<jlongArray>(
      env->CallStaticObjectMethod(classes().upcalls, classes().function_backward, call,
                                  long_array(env, given), long_array(env, saved), flags));
  check_java(env);
  const Ints handles = ints(env, returned, "gradients");
  TensorList result(count);
  for (size_t i = 0; i < count; ++i) result[i] = take_handle(handles[i]);
  for (size_t i = 0; i < count; ++i) result[i] = needs(i) ? checked(std::move(result[i]), i) : Tensor();
  return result;
}

/// One application: hangs the results of a forward part into the graph.
class Application {
 public:
  Application(std::vector<Tensor> inputs, std::vector<Tensor> outputs, std::vector<jint> marks)
      : inputs_(std::move(inputs)), outputs_(std::move(outputs)), marks_(std::move(marks)) {}

  /// Which results are other tensors than forward returned; undefined where it is the same one.
  std::vector<Tensor> record(JNIEnv* env, jobject call, CallParts parts, const std::vector<Tensor>& to_save) {
    const bool recorded = recording(std::span<const Tensor>(inputs_));
    std::vector<Tensor> replaced(outputs_.size());
    for (size_t i = 0; i < outputs_.size(); ++i) replaced[i] = replacement(i, recorded);
    if (!recorded) return replaced;
    Ref<Node> node = make(std::move(parts), replaced, to_save);
    keep_call(env, call, *node, to_save);
    for (size_t i = 0; i < outputs_.size(); ++i) attach(final_output(replaced, i), i, node);
    return replaced;
  }

 private:
  Mark mark(size_t output) const { return static_cast<Mark>(marks_[output]); }
  const Tensor* input_of(size_t output) const {
    for (const Tensor& input : inputs_) {
      if (input.is(outputs_[output])) return &input;
    }
    return nullptr;
  }
  const Tensor& final_output(const std::vector<Tensor>& replaced, size_t i) const {
    return replaced[i].defined() ? replaced[i] : outputs_[i];
  }

  /// A result that is an input, or a view or part of another graph, becomes a tensor of its own.
  Tensor replacement(size_t i, bool recorded) const {
    const Tensor& output = outputs_[i];
    if (mark(i) == Mark::Dirty) {
      check(input_of(i) != nullptr, "a tensor that was marked dirty is not among the inputs");
      check(!(output.requires_grad() && is_leaf(output)),
            "a leaf Variable that requires grad has been used in an in-place operation.");
      bump_version(output);
      return {};
    }
    if (input_of(i)) return recorded ? detach(output) : output;
    if (recorded && (is_view(output) || output.requires_grad())) return detach(output);
    return {};
  }

  Ref<Node> make(CallParts parts, const std::vector<Tensor>& replaced,
                 const std::vector<Tensor>& to_save) const {
    std::vector<Edge> edges;
    for (const Tensor& input : inputs_) {
      edges.push_back(input.defined() && is_differentiable(input.dtype()) ? gradient_edge(input) : Edge());
      parts.inputs.emplace_back(input);
    }
    for (size_t i = 0; i < outputs_.size(); ++i) parts.outputs.emplace_back(final_output(replaced, i));
    const Ref<JavaFunctionNode> node =
        make_node<JavaFunctionNode>(std::span<const Edge>(edges), std::move(parts));
    std::vector<SavedTensor> saved;
    for (const Tensor& tensor : to_save) saved.push_back(save_one(tensor, replaced));
    node->save(std::move(saved));
    return Ref<Node>::share(node.get());
  }

  /// The call holds what the nodes behind it need, and the node needs the call.
  static void keep_call(JNIEnv* env, jobject call, Node& node, const std::vector<Tensor>& to_save) {
    const std::shared_ptr<Keeper> behind = keeper_of(node);
    const LocalFrame frame(env, static_cast<jint>(to_save.size()) + 4);
    std::vector<jobject> others;
    if (behind) others.push_back(static_cast<JavaKeeper&>(*behind).get(env));
    for (const Tensor& tensor : to_save) {
      if (const jobject keeper = take_keeper(env, tensor, false)) others.push_back(keeper);
    }
    jobject all = others.empty() ? nullptr : others.front();
    if (others.size() > 1) {
      const auto count = static_cast<jsize>(others.size());
      const jobjectArray array = env->NewObjectArray(count, classes().object, nullptr);
      check_java(env);
      for (jsize i = 0; i < count; ++i) env->SetObjectArrayElement(array, i, others[static_cast<size_t>(i)]);
      all = array;
    }
    env->SetObjectField(call, classes().call_others, all);
    set_keeper(node, std::make_shared<JavaKeeper>(env, call));
  }

  SavedTensor save_one(const Tensor& tensor, const std::vector<Tensor>& replaced) const {
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const bool result = outputs_[i].is(tensor) && (mark(i) == Mark::Dirty || !input_of(i));
      if (result && mark(i) != Mark::NonDifferentiable) {
        return SavedTensor::of_output(final_output(replaced, i), static_cast<uint32_t>(i));
      }
    }
    return SavedTensor(tensor);
  }

  void attach(const Tensor& output, size_t i, const Ref<Node>& node) const {
    if (mark(i) == Mark::NonDifferentiable || !is_differentiable(output.dtype())) return;
    if (mark(i) == Mark::Dirty) pin_firmly(*node);
    if (mark(i) == Mark::Dirty && is_view(output)) {
      check(
          outputs_.size() == 1,
          "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
          "return more than one Tensor.");
      rebase_history(output, node);
    } else {
      set_history(output, node, static_cast<uint32_t>(i));
    }
  }

  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
  std::vector<jint> marks_;
};

jlongArray apply_function(JNIEnv* env, jclass, jobject call, jstring name, jobjectArray inputs,
                          jobjectArray outputs, jobjectArray saved, jintArray marks, jboolean materialize) {
  return guarded(env, [&] {
    std::vector<jint> marked(static_cast<size_t>(env->GetArrayLength(marks)));
    env->GetIntArrayRegion(marks, 0, static_cast<jsize>(marked.size()), marked.data());
    CallParts parts;
    parts.name = text(env, name, "name");
    parts.materialize = materialize != JNI_FALSE;
    Application application(tensor_list(env, inputs, "args"), tensor_list(env, outputs, "result"),
                            std::move(marked));
    return results(env, application.record(env, call, std::move(parts), tensor_list(env, saved, "saved")));
  });
}

const JNINativeMethod kNatives[] = {
    native("applyFunction",
           "(Ljava/lang/Object;Ljava/lang/String;[Ljava/lang/Object;[Ljava/lang/Object;[Ljava/lang/"
           "Object;[IZ)[J",
           apply_function),
};
const NativeGroup kGroup = natives("internal/Engine", kNatives);

}  // namespace
}  // namespace onetape::java
