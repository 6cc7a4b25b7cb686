#include "tape/guards.h"

#include <algorithm>
#include <sstream>

#include "autograd/mode.h"
#include "autograd/record.h"

namespace onetape::tape {
namespace {

template <typename... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream all;
  (all << ... << parts);
  return all.str();
}

bool same_form(const Slot& slot, const Tensor& t) {
  return t.defined() && t.dtype() == slot.dtype && same(t.sizes(), slot.sizes) &&
         (same(t.strides(), slot.strides) || t.numel() == 0);
}

std::string difference(const std::string& what, const Slot& slot, const Tensor& t) {
  if (!t.defined()) return text(what, " is an undefined tensor");
  if (t.dtype() != slot.dtype)
    return text(what, " is ", t.dtype(), " but was ", slot.dtype, " when recorded");
  if (!same(t.sizes(), slot.sizes))
    return text(what, " has shape ", t.shape(), " but had ", slot.sizes, " when recorded");
  if (!same_form(slot, t))
    return text(what, " has strides ", Ints(t.strides()), " but had ", slot.strides, " when recorded");
  return text(
      what, slot.requires_grad ? " does not require a gradient but did" : " requires a gradient but did not",
      " when recorded");
}

}  // namespace

Guards::Guards(const Program& program) : program_(program) {
  for (size_t i = 0; i < program.slots.size(); ++i) {
    if (program.slots[i].origin == Origin::Captured) captured_.push_back(static_cast<SlotNumber>(i));
  }
}

bool Guards::wants_gradient(std::span<const Tensor> inputs) const {
  if (!recording_enabled()) return false;
  const auto is_tracked = [this](SlotNumber number) { return tracked(slot(number).held); };
  return std::ranges::any_of(inputs, [](const Tensor& t) { return tracked(t); }) ||
         std::ranges::any_of(captured_, is_tracked);
}

const Tensor& Guards::tensor(SlotNumber number, std::span<const Tensor> inputs) const {
  if (slot(number).origin != Origin::Input) return slot(number).held;
  return inputs[static_cast<size_t>(std::ranges::find(program_.inputs, number) - program_.inputs.begin())];
}

/// Is `.grad` of the leaves what backward began with?
bool Guards::starts_fit(std::span<const Tensor> inputs) const {
  return program_.clears || std::ranges::all_of(program_.starts, [&](const GradientNote& start) {
           const Tensor now = grad(tensor(start.leaf, inputs));
           return start.gradient == kNoSlot ? !now.defined() : now.is(slot(start.gradient).held);
         });
}

bool Guards::fits(std::span<const Tensor> inputs) const {
  if (inputs.size() != program_.inputs.size() || default_dtype() != program_.default_dtype) return false;
  const bool gradients = program_.ran_backward || grad_enabled();
  const auto fit = [&](const Slot& form, const Tensor& t) {
    return same_form(form, t) && (!gradients || t.requires_grad() == form.requires_grad);
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!fit(slot(program_.inputs[i]), inputs[i])) return false;
  }
  for (const SlotNumber number : captured_) {
    if (!fit(slot(number), slot(number).held)) return false;
  }
  if (program_.ran_backward) return grad_enabled() == program_.grad_mode && starts_fit(inputs);
  return program_.grad_mode || !wants_gradient(inputs);
}

std::string Guards::explain(std::span<const Tensor> inputs) const {
  if (inputs.size() != program_.inputs.size())
    return text("it is given ", inputs.size(), " tensors but was recorded with ", program_.inputs.size());
  if (default_dtype() != program_.default_dtype)
    return text("the default dtype is ", default_dtype(), " but was ", program_.default_dtype,
                " when recorded");
  const bool gradients = program_.ran_backward || grad_enabled();
  const auto fit = [&](const Slot& form, const Tensor& t) {
    return same_form(form, t) && (!gradients || t.requires_grad() == form.requires_grad);
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!fit(slot(program_.inputs[i]), inputs[i]))
      return difference(text("input ", i), slot(program_.inputs[i]), inputs[i]);
  }
  for (size_t i = 0; i < captured_.size(); ++i) {
    const Slot& form = slot(captured_[i]);
    if (!fit(form, form.held)) return difference(text("captured tensor ", i), form, form.held);
  }
  if (program_.ran_backward && !starts_fit(inputs))
    return "the .grad of a tensor that backward reaches is not what it was when recorded";
  return text("grad mode is ", grad_enabled() ? "on" : "off", " but was not when recorded");
}

std::optional<std::string> Guards::mismatch(std::span<const Tensor> inputs) const {
  if (fits(inputs)) [[likely]]
    return std::nullopt;
  return explain(inputs);
}

}  // namespace onetape::tape
