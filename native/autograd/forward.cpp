#include "autograd/forward.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "autograd/jvp.h"
#include "autograd/meta.h"
#include "autograd/mode.h"
#include "autograd/record.h"
#include "ops.h"
#include "ops/target.h"
#include "ops/view.h"

namespace onetape {

ONETAPE_HOT_TLS bool t_dual_active = false;

namespace {

/// The open level of a thread. It owns no tangent: a slot dies with the last tensor that has it.
struct Level {
  uint64_t id = 0;  // 0: none is open
  bool enabled = true;
  std::vector<std::weak_ptr<TangentSlot>> slots;
  size_t tidy_at = 1024;

  std::shared_ptr<TangentSlot> make_slot(Tensor value, bool apart) {
    if (slots.size() >= tidy_at) {
      std::erase_if(slots, [](const auto& slot) { return slot.expired(); });
      tidy_at = std::max<size_t>(1024, 2 * slots.size());
    }
    auto slot = std::make_shared<TangentSlot>(TangentSlot{id, std::move(value), apart});
    slots.push_back(slot);
    return slot;
  }
};

thread_local Level t_level;
std::atomic<uint64_t> last_level{0};

void refresh_active() { t_dual_active = t_level.id != 0 && t_level.enabled; }

std::shared_ptr<TangentSlot> own_slot(const Tensor& t) {
  AutogradMeta* m = meta_or_null(t);
  if (!m || !m->has_extra.load(std::memory_order_acquire)) return nullptr;
  const std::lock_guard guard(m->lock);
  const auto& slot = m->extra->tangent;
  return slot && slot->level == t_level.id ? slot : nullptr;
}

void put_slot(const Tensor& t, std::shared_ptr<TangentSlot> slot) {
  AutogradMeta& m = meta(t);
  const std::lock_guard guard(m.lock);
  m.make_extra().tangent.swap(slot);  // the old one dies after the lock is free
}

/// Where forward mode finds the tangent of a view that has none of its own.
Tensor forward_base(const Tensor& t) {
  const AutogradMeta* m = meta_or_null(t);
  if (!m || !m->view || m->view->own_tangent) return {};
  return m->view->forward_base.defined() ? m->view->forward_base : m->view->base;
}

bool has_overlap(const Tensor& t) {
  for (size_t d = 0; d < t.sizes().size(); ++d) {
    if (t.strides()[d] == 0 && t.sizes()[d] > 1) return true;
  }
  return false;
}

bool same_layout(const Tensor& a, const Tensor& b) {
  return same(a.sizes(), b.sizes()) && same(a.strides(), b.strides());
}

/// The part of `tangent`, laid out like `whole`, where `view` lies in `whole`; undefined if it lies outside.
Tensor same_part(const Tensor& tangent, const Tensor& whole, const Tensor& view) {
  if (!same_layout(tangent, whole) || view.dtype() != whole.dtype()) return {};
  const int64_t offset = tangent.storage_offset() + view.storage_offset() - whole.storage_offset();
  if (offset < 0 || !within_storage(tangent.storage(), view.sizes(), view.strides(), offset, tangent.dtype()))
    return {};
  return ops::as_strided(tangent, view.sizes(), view.strides(), offset);
}

/// A tangent laid out like its tensor, in memory of its own, so that changes in place reach all views of it.
Tensor laid_out(const Tensor& tangent, const Tensor& like, bool copy) {
  if ((same_layout(tangent, like) && !copy) || has_overlap(like)) return tangent;
  const Tensor memory = ops::empty_strided(like.sizes(), like.strides(), Options{.dtype = tangent.dtype()});
  return ops::copy_(memory, tangent);
}

std::shared_ptr<TangentSlot> slot_of(const Tensor& t) {
  if (auto slot = own_slot(t)) return slot;
  const Tensor base = forward_base(t);
  if (!base.defined()) return nullptr;
  const auto slot = slot_of(base);
  if (!slot || !slot->value.defined()) return nullptr;
  const ForwardModeGuard off(false);
  Tensor part = same_part(slot->value, base, t);
  check(part.defined(),
        "forward mode: the base of a view was changed in place and got a tangent that this view cannot show");
  auto made = t_level.make_slot(std::move(part), false);
  put_slot(t, made);
  return made;
}

void check_sizes(const Tensor& t, const Tensor& tangent) {
  check(
      same(t.sizes(), tangent.sizes()),
      "Trying to set a forward gradient that has a different size than that of the original Tensor, this is "
      "not supported. Tensor is of size ",
      t.shape(), " while the given forward gradient is of size ", tangent.shape(), ".");
}

void check_level(int64_t level, const char* caller) {
  check(level == dual_level() && level >= 0, "Invalid level given to ", caller);
}

/// Another name for a tensor, whose tangent is a matter of its own.
Tensor shown_apart(const Tensor& t, const char* node) {
  Tensor view =
      view_op(t, t.sizes(), t.strides(), t.storage_offset(), node, [](Backward& g) { g.set(0, g.grad()); });
  meta(view).view->own_tangent = true;
  return view;
}

/// A tangent for a tensor that had none before it was changed in place; a base's, if it is a view.
void begin_tangent(const Tensor& t, const Tensor& tangent) {
  const Tensor base = forward_base(t);
  if (!base.defined()) {
    put_slot(t, t_level.make_slot(laid_out(tangent, t, true), false));
    return;
  }
  check(!has_overlap(base),
        "forward mode: a view of a tensor whose elements overlap in memory was changed in place");
  const Tensor whole =
      ops::zero_(ops::empty_strided(base.sizes(), base.strides(), Options{.dtype = tangent.dtype()}));
  Tensor part = same_part(whole, base, t);
  check(part.defined(),
        "forward mode: a view that reaches beyond its base, or is of another dtype, was changed in place");
  ops::copy_(part, tangent);
  put_slot(base, t_level.make_slot(whole, false));
  put_slot(t, t_level.make_slot(std::move(part), false));
}

}  // namespace

int64_t enter_dual_level() {
  check(t_level.id == 0, "Nested forward mode AD is not supported at the moment");
  t_level.id = last_level.fetch_add(1) + 1;
  refresh_active();
  return 0;
}

void exit_dual_level(int64_t level) {
  check(level >= 0, "Dual level must be a positive number.");
  check(
      level == dual_level(),
      "Trying to exit a forward AD level that was not the last one that was created. This is not supported.");
  t_level.id = 0;
  refresh_active();
  // Tangents can hold graphs that hold tensors with tangents: the level's end breaks the circle.
  const auto slots = std::exchange(t_level.slots, {});
  for (const auto& weak : slots) {
    if (const auto slot = weak.lock()) const Tensor dropped = std::exchange(slot->value, {});
  }
}

int64_t dual_level() { return t_level.id == 0 ? -1 : 0; }
bool forward_enabled() { return t_level.enabled; }
void set_forward_enabled(bool enabled) {
  t_level.enabled = enabled;
  refresh_active();
}

Tensor tangent_of(const Tensor& t) {
  if (t_level.id == 0) return {};
  const auto slot = slot_of(t);
  return slot ? slot->value : Tensor();
}

Tensor make_dual(const Tensor& primal, const Tensor& tangent, int64_t level) {
  check_level(level, "_make_dual");
  check(!tangent_of(primal).defined(),
        "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level ",
        level, " is not supported.");
  check(!tangent_of(tangent).defined(),
        "Setting a forward grad that itself has a forward gradient at the same level", level,
        " is not supported.");
  check_sizes(primal, tangent);
  check(is_complex(primal.dtype()) || !is_complex(tangent.dtype()),
        "make_dual: the tangent of a real tensor cannot be complex; got a primal of dtype ", primal.dtype(),
        " and a tangent of dtype ", tangent.dtype());
  const ForwardModeGuard off(false);
  const Tensor typed = is_complex(primal.dtype()) != is_complex(tangent.dtype())
                           ? ops::to_dtype(tangent, primal.dtype())
                           : tangent;
  Tensor kept = laid_out(typed, primal, false);
  Tensor dual = shown_apart(primal, "ViewBackward0");
  put_slot(dual, t_level.make_slot(std::move(kept), false));
  return dual;
}

std::pair<Tensor, Tensor> unpack_dual(const Tensor& dual, int64_t level) {
  if (level < 0 || level != dual_level()) return {dual, Tensor()};
  Tensor tangent = tangent_of(dual);
  const ForwardModeGuard off(false);
  return {shown_apart(dual, "Identity"), std::move(tangent)};
}

void set_tangent(const Tensor& t, const Tensor& tangent) {
  const auto slot = slot_of(t);
  const bool has_one = slot && slot->value.defined();
  const ForwardModeGuard off(false);
  if (tangent.defined()) check_sizes(t, tangent);
  if (!has_one) {
    if (tangent.defined()) begin_tangent(t, tangent);
  } else if (tangent.defined()) {
    ops::copy_(slot->value, tangent);
  } else {
    ops::zero_(slot->value);
  }
}

void check_tangent_in_place(const Tensor& t) {
  const auto slot = slot_of(t);
  check(!slot || !slot->apart,
        "forward mode: a view whose tangent is not the same view of its base's cannot be changed in place; "
        "clone() it first");
}

void give_tangent(const Tensor& t, const Tensor& tangent) {
  check_sizes(t, tangent);
  const ForwardModeGuard off(false);
  if (is_view(t)) meta(t).view->own_tangent = true;
  put_slot(t, t_level.make_slot(laid_out(tangent, t, false), false));
}

void share_tangent(const Tensor& t, const std::vector<Tensor>& kept) {
  const auto slot = own_slot(t);
  if (!slot) return;
  for (const Tensor& one : kept) {
    if (one.defined() && !one.is(t) && one.address() == t.address() && one.dtype() == t.dtype() &&
        same_layout(one, t))
      put_slot(one, slot);
  }
}

void pass_tangent(const Tensor& kept, const Tensor& again) {
  if (auto slot = own_slot(kept)) put_slot(again, std::move(slot));
}

// ---- recording ----
namespace {

/// Marks the edge of an input that has a tangent, between its making and the recording of the first result.
class DualNode final : public Node {
 public:
  explicit DualNode(std::shared_ptr<TangentSlot> tangent)
      : Node(1, next_sequence()), slot(std::move(tangent)) {}
  std::string name() const override { return "DualNode"; }
  TensorList apply(TensorList&& grads) override { return {std::move(grads[0])}; }

  const std::shared_ptr<TangentSlot> slot;
};

/// Puts the edges that were marked as they would have been; returns the inputs' tangents.
const std::vector<InputTangent>& unmark(Node& node) {
  const auto edges = node.edges();
  for (size_t i = 0; i < edges.size(); ++i) {
    const auto* mark = dynamic_cast<const DualNode*>(edges[i].node.get());
    if (!mark) continue;
    node.extra().tangents.push_back({static_cast<uint32_t>(i), mark->slot});
    const Edge plain = mark->edges()[0];
    edges[i] = plain;
  }
  static const std::vector<InputTangent> none;
  const NodeExtra* extra = node.extra_or_null();
  return extra ? extra->tangents : none;
}

bool has_edges(const Node& node) {
  return std::any_of(node.edges().begin(), node.edges().end(),
                     [](const Edge& edge) { return bool(edge.node); });
}

bool among_inputs(const Tensor& tangent, const std::vector<InputTangent>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [&](const InputTangent& input) {
    return input.slot->value.defined() && input.slot->value.impl()->storage() == tangent.impl()->storage();
  });
}

bool any_requires_grad(const std::vector<InputTangent>& tangents) {
  return std::any_of(tangents.begin(), tangents.end(), [](const InputTangent& one) {
    return one.slot->value.defined() && one.slot->value.requires_grad();
  });
}

/// The tangents with copies of that of `t`, which is about to change: a record of the change keeps them.
std::vector<InputTangent> tangents_before(const Tensor& t, const std::vector<InputTangent>& tangents) {
  std::vector<InputTangent> before = tangents;
  const Tensor changing = tangent_of(t);
  for (InputTangent& one : before) {
    if (!changing.defined() || !share_memory(one.slot->value, changing)) continue;
    one.slot = std::make_shared<TangentSlot>(TangentSlot{one.slot->level, ops::clone(one.slot->value)});
  }
  return before;
}

}  // namespace

Edge dual_edge(const Tensor& t) {
  Edge edge = gradient_edge(t);
  auto slot = slot_of(t);
  if (!slot || !slot->value.defined()) return edge;
  check_sizes(t, slot->value);  // either may have been changed since
  auto mark = make_node<DualNode>(std::span<Edge>(&edge, 1), std::move(slot));
  return {Ref<Node>::adopt(mark.take()), 0};
}

bool record_tangent(const Tensor& result, Node& node, uint32_t output) {
  const std::vector<InputTangent>& tangents = unmark(node);
  const bool kept = grad_enabled() && has_edges(node);
  if (tangents.empty()) return kept;
  const Tensor base = forward_base(result);
  const Tensor whole = base.defined() ? tangent_of(base) : Tensor();
  const ForwardModeGuard off(false);
  Tensor tangent = whole.defined() ? same_part(whole, base, result) : Tensor();
  const bool apart = whole.defined() && !tangent.defined();
  if (!tangent.defined()) {
    tangent = jacobian_vector_product(node, tangents, result, output);
    if (!tangent.defined()) tangent = ops::zeros_like(result);
    tangent = laid_out(tangent, result, among_inputs(tangent, tangents));
  }
  put_slot(result, t_level.make_slot(std::move(tangent), apart));
  share_tangent(result, node.saved());
  return kept;
}

bool record_tangent_in_place(const Tensor& t, Node& node) {
  const std::vector<InputTangent>& tangents = unmark(node);
  const bool kept = grad_enabled() && has_edges(node);
  if (tangents.empty()) return kept;
  {
    const ForwardModeGuard off(false);
    const bool recorded = kept || (grad_enabled() && any_requires_grad(tangents));
    const auto before = recorded ? tangents_before(t, tangents) : tangents;
    set_tangent(t, jacobian_vector_product(node, before, t, 0));
  }
  share_tangent(t, node.saved());
  return kept;
}

}  // namespace onetape
