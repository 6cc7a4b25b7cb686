// Functions that are written in Java: a node of the graph whose backward part is a call into Java.

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>

#include "autograd/function_gradient.h"
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
  explicit Outline(const Tensor& t) : sizes(t.sizes()), dtype(t.dtype()) {}
};

enum class Mark : jint { None, Dirty, NonDifferentiable };

/// The names of nodes, which classes of functions have: each is kept once and for good, so that a call need
/// only tell its number.
class NodeNames {
 public:
  jint number(std::string name) {
    const std::lock_guard guard(lock_);
    const auto at = std::find(names_.begin(), names_.end(), name);
    if (at != names_.end()) return static_cast<jint>(at - names_.begin());
    names_.push_back(std::move(name));
    return static_cast<jint>(names_.size() - 1);
  }
  const std::string& name(jint number) {
    const std::lock_guard guard(lock_);
    check(number >= 0 && static_cast<size_t>(number) < names_.size(), "there is no such name of a node");
    return names_[static_cast<size_t>(number)];
  }
  static NodeNames& instance() {
    static auto* names = new NodeNames;  // outlives every node
    return *names;
  }

 private:
  SpinLock lock_;
  std::deque<std::string> names_;
};

struct CallTraits {
  const std::string& name;
  bool materialize;
  bool simple;  ///< one tensor in, which is saved, and one out
};

class JavaFunctionNode final : public Node {
 public:
  using SavedList = InlineVector<SavedTensor, 1>;

  JavaFunctionNode(const CallTraits& traits, size_t outputs)
      : Node(static_cast<uint32_t>(outputs), next_sequence()), traits_(traits) {}
  ~JavaFunctionNode() override { drop_keeper(*this); }

  std::string name() const override { return traits_.name; }
  TensorList apply(TensorList&& grads) override;
  void release_saved() override {
    {
      SavedList freed;  // dies after the lock is free
      const std::lock_guard guard(lock_);
      std::swap(freed, saved_);
      released_ = true;
    }
    drop_keeper(*this);
  }
  std::vector<Tensor> saved() const override {
    const std::lock_guard guard(lock_);
    std::vector<Tensor> all;
    for (const SavedTensor& one : saved_) {
      if (!one.packed()) all.push_back(one.raw());
    }
    return all;
  }
  void visit_saved(const std::function<void(const SavedTensor&)>& visit) const override {
    const std::lock_guard guard(lock_);
    for (const SavedTensor& one : saved_) visit(one);
  }
  KeptPlace* own_kept() override { return &kept_; }

  // While it is made.
  void add_input(const Tensor& input) { inputs_.push_back(Outline(input)); }
  void add_output(const Tensor& output) { outputs_.push_back(Outline(output)); }
  void save(SavedTensor saved) { saved_.push_back(std::move(saved)); }

 private:
  TensorList run(JNIEnv* env, jobject call, TensorList& grads, const SavedList& saved);
  TensorList run_simple(JNIEnv* env, jobject call, TensorList& grads, const SavedTensor& saved);
  SavedList held_saved() const;
  Tensor gradient(TensorList& grads, size_t output) const;

  const CallTraits traits_;
  InlineVector<Outline, 1> inputs_;
  InlineVector<Outline, 1> outputs_;
  SavedList saved_;
  KeptPlace kept_;
  mutable SpinLock lock_;
  bool released_ = false;
};

/// What is saved, for one run: another thread may free the node's own meanwhile.
JavaFunctionNode::SavedList JavaFunctionNode::held_saved() const {
  const std::lock_guard guard(lock_);
  if (released_) fail_backward_twice();
  return saved_;
}

/// The gradient of an output as backward is given it.
Tensor JavaFunctionNode::gradient(TensorList& grads, size_t output) const {
  if (output < grads.size() && grads[output].defined()) return known_to_none(std::move(grads[output]));
  if (!traits_.materialize) return Tensor();
  Options options;
  options.dtype = outputs_[output].dtype;
  return ops::zeros(outputs_[output].sizes, options);
}

TensorList JavaFunctionNode::apply(TensorList&& grads) {
  const SavedList held = held_saved();
  const AttachedThread thread;
  JNIEnv* env = thread.env();
  check(env != nullptr, traits_.name, ": the JVM has ended");
  const std::shared_ptr<Keeper> keeper = keeper_of(*this);
  const LocalRef<> call(env, keeper ? static_cast<JavaKeeper&>(*keeper).get(env) : nullptr);
  check(call.get() != nullptr, traits_.name, ": the Java object of this function is gone");
  TensorList result =
      traits_.simple ? run_simple(env, call.get(), grads, held[0]) : run(env, call.get(), grads, held);
  for (size_t i = 0; i < result.size(); ++i) {
    if (!needs(i)) {
      result[i] = Tensor();
    } else if (result[i].defined()) {
      const Outline& input = inputs_[i];
      result[i] = fitting_gradient(traits_.name, i, std::move(result[i]), input.sizes, input.dtype);
    }
  }
  return result;
}

TensorList JavaFunctionNode::run(JNIEnv* env, jobject call, TensorList& grads, const SavedList& held) {
  const LocalFrame frame(env, 16);
  TensorList tensors;
  for (const SavedTensor& one : held) tensors.push_back(one.unpack(*this));
  for (size_t i = 0; i < outputs_.size(); ++i) tensors.push_back(gradient(grads, i));
  std::vector<int64_t> handles;
  for (Tensor& tensor : tensors) handles.push_back(new_handle(std::move(tensor)));
  const IntSpan saved = IntSpan(handles).first(held.size());
  const IntSpan given = IntSpan(handles).subspan(held.size());
  const size_t count = edges().size();
  std::vector<jboolean> needed(count);
  for (size_t i = 0; i < count; ++i) needed[i] = needs(i);
  const jbooleanArray flags = env->NewBooleanArray(static_cast<jsize>(count));
  env->SetBooleanArrayRegion(flags, 0, static_cast<jsize>(count), needed.data());
  const jlongArray passed = long_array(env, given);
  const jlongArray kept = long_array(env, saved);
  const auto returned = static_cast<jlongArray>(upcall([&] {
    return env->CallStaticObjectMethod(classes().upcalls, classes().function_backward, call, passed, kept,
                                       flags);
  }));
  check_java(env);
  const Ints made = ints(env, returned, "gradients");
  TensorList result(count);
  for (size_t i = 0; i < count; ++i) result[i] = take_handle(made[i]);
  return result;
}

/// Without arrays.
TensorList JavaFunctionNode::run_simple(JNIEnv* env, jobject call, TensorList& grads,
                                        const SavedTensor& held) {
  Tensor input = held.unpack(*this);
  Tensor given = gradient(grads, 0);
  std::array<jvalue, 3> arguments{};
  arguments[0].l = call;
  arguments[1].j = new_handle(std::move(given));
  arguments[2].j = new_handle(std::move(input));
  const LocalRef<> returned(
      env, env->CallStaticObjectMethodA(classes().upcalls, classes().simple_backward, arguments.data()));
  check_java(env);
  TensorList result(1);
  result[0] = optional_tensor(env, returned.get());
  keep_natively(result[0]);
  return result;
}

/// One application: hangs the results of a forward part into the graph.
class Application {
 public:
  Application(std::span<const Tensor> inputs, std::span<const Tensor> outputs, std::span<const jint> marks)
      : inputs_(inputs), outputs_(outputs), marks_(marks), recorded_(recording(inputs)) {}

  bool recorded() const { return recorded_; }
  /// Which results are other tensors than forward returned; undefined where it is the same one.
  /// `delivered`: the Java object that has the one result holds the call, and nobody else has the result.
  TensorList record(JNIEnv* env, jobject call, const CallTraits& traits, std::span<const Tensor> to_save,
                    bool delivered) {
    TensorList replaced(outputs_.size());
    for (size_t i = 0; i < outputs_.size(); ++i) replaced[i] = replacement(i);
    if (!recorded_) return replaced;
    const Ref<JavaFunctionNode> made = make(traits, replaced, to_save);
    const Ref<Node> node = Ref<Node>::share(made.get());
    keep_call(env, call, *node, to_save, delivered && !replaced[0].defined());
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
  const Tensor& final_output(const TensorList& replaced, size_t i) const {
    return replaced[i].defined() ? replaced[i] : outputs_[i];
  }

  /// A result that is an input, or a view or part of another graph, becomes a tensor of its own.
  Tensor replacement(size_t i) const {
    const Tensor& output = outputs_[i];
    if (mark(i) == Mark::Dirty) {
      check(input_of(i) != nullptr, "a tensor that was marked dirty is not among the inputs");
      check(!(output.requires_grad() && is_leaf(output)),
            "a leaf Variable that requires grad has been used in an in-place operation.");
      bump_version(output);
      return {};
    }
    if (input_of(i)) return recorded_ ? detach(output) : output;
    if (recorded_ && (is_view(output) || output.requires_grad())) return detach(output);
    return {};
  }

  Ref<JavaFunctionNode> make(const CallTraits& traits, const TensorList& replaced,
                             std::span<const Tensor> to_save) const {
    const auto edge = [&](size_t i, const Edge*) {
      const Tensor& input = inputs_[i];
      return input.defined() && is_differentiable(input.dtype()) ? gradient_edge(input) : Edge();
    };
    Ref<JavaFunctionNode> node =
        make_node_with<JavaFunctionNode>(inputs_.size(), edge, traits, outputs_.size());
    for (const Tensor& input : inputs_) node->add_input(input);
    for (size_t i = 0; i < outputs_.size(); ++i) node->add_output(final_output(replaced, i));
    for (const Tensor& tensor : to_save) node->save(save_one(tensor, replaced));
    return node;
  }

  /// The call holds what the nodes behind it need, and the node needs the call.
  static void keep_call(JNIEnv* env, jobject call, Node& node, std::span<const Tensor> to_save,
                        bool delivered) {
    InlineVector<std::shared_ptr<Keeper>, 2> behind;
    const auto add = [&behind](std::shared_ptr<Keeper> keeper) {
      if (keeper && std::ranges::find(behind, keeper) == behind.end()) behind.push_back(std::move(keeper));
    };
    for (const Edge& edge : node.edges()) {
      if (edge.node && edge.node->is_kept()) add(keeper_of(*edge.node));
    }
    for (const Tensor& tensor : to_save) add(keeper_behind(tensor));
    if (!behind.empty()) {
      const LocalRef<> others(env, together(env, {behind.data(), behind.size()}));
      env->SetObjectField(call, classes().call_others, others.get());
    }
    auto keeper = std::make_shared<JavaKeeper>(env, call);
    if (delivered) {
      set_delivered_keeper(node, std::move(keeper));
    } else {
      set_keeper(node, std::move(keeper));
    }
  }

  SavedTensor save_one(const Tensor& tensor, const TensorList& replaced) const {
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

  std::span<const Tensor> inputs_;
  std::span<const Tensor> outputs_;
  std::span<const jint> marks_;
  bool recorded_;
};

jint node_name(JNIEnv* env, jclass, jstring name) {
  return guarded(env, [&] { return NodeNames::instance().number(text(env, name, "name")); });
}

jlongArray apply_function(JNIEnv* env, jclass, jobject call, jint name, jobjectArray inputs,
                          jobjectArray outputs, jobjectArray saved, jintArray marks, jboolean materialize) {
  return guarded(env, [&] {
    std::vector<jint> marked(static_cast<size_t>(env->GetArrayLength(marks)));
    env->GetIntArrayRegion(marks, 0, static_cast<jsize>(marked.size()), marked.data());
    const std::vector<Tensor> in = tensor_list(env, inputs, "args");
    const std::vector<Tensor> out = tensor_list(env, outputs, "result");
    const std::vector<Tensor> to_save = tensor_list(env, saved, "saved");
    const CallTraits traits{NodeNames::instance().name(name), materialize != JNI_FALSE, false};
    const TensorList replaced = Application(in, out, marked).record(env, call, traits, to_save, false);
    return results(env, std::vector<Tensor>(replaced.begin(), replaced.end()));
  });
}

/// Is in grad mode what forward was not: where `recording` is true. The handle of the result where it is
/// another tensor than forward returned, else whether it now has a history.
jlong apply_simple(JNIEnv* env, jclass, jobject call, jint name, jobject input, jobject output,
                   jboolean recording) {
  return guarded(env, [&]() -> jlong {
    set_grad_enabled(recording != JNI_FALSE);
    const TensorArg in(env, input, "args[0]");
    const TensorArg out(env, output, "result[0]");
    constexpr jint kUnmarked = static_cast<jint>(Mark::None);
    const std::span inputs(&in.get(), 1);
    Application application(inputs, std::span(&out.get(), 1), std::span(&kUnmarked, 1));
    const CallTraits traits{NodeNames::instance().name(name), true, true};
    // Next to another language every tensor may have an owner that the collector does not see.
    const bool only_owner = out.get().impl()->use_count() == 1 && !face_hooks.release;
    TensorList replaced = application.record(env, call, traits, inputs, only_owner);
    if (replaced[0].defined()) return new_handle(std::move(replaced[0]));
    return application.recorded() ? 1 : 0;
  });
}

/// Switches the grad mode off for a forward part: whether it was on (1), and whether there may be tangents
/// (2).
jint enter_forward(JNIEnv*, jclass) {
  const jint modes = (grad_mode() ? 1 : 0) | (dual_active() ? 2 : 0);
  set_grad_enabled(false);
  return modes;
}

const JNINativeMethod kNatives[] = {
    native("functionName", "(Ljava/lang/String;)I", node_name),
    native("enterForward", "()I", enter_forward),
    native("applyFunction",
           "(Ljava/lang/Object;I[Ljava/lang/Object;[Ljava/lang/Object;[Ljava/lang/Object;[IZ)[J",
           apply_function),
    native("applySimple", "(Ljava/lang/Object;ILjava/lang/Object;Ljava/lang/Object;Z)J", apply_simple),
};
const NativeGroup kGroup = natives("internal/Engine", kNatives);

}  // namespace
}  // namespace onetape::java
