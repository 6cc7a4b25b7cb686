#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "autograd/node.h"
#include "core/tensor.h"
#include "core/tls.h"

namespace onetape {

// Forward mode. Inside a dual level a tensor may carry a tangent; every recorded operator then gives its
// result one, too. The tangent of a result is the derivative of the operator's gradient function, which is
// linear in the gradient it is given, with respect to that gradient. So no operator has a rule of its own for
// forward mode.

/// The tangent of a tensor in one dual level. Views that share it hold the same one; the end of the level
/// empties it.
struct TangentSlot {
  uint64_t level;      // which level of which thread; numbers are never used again
  Tensor value;        // undefined: no tangent
  bool apart = false;  // of a view whose tangent is not the same view of its base's tangent
};

/// Is a dual level open in this thread, and forward mode not switched off?
extern ONETAPE_HOT_TLS bool t_dual_active;
inline bool dual_active() { return t_dual_active; }

/// Opens the dual level of this thread and returns its number, 0; RuntimeError if one is open.
ONETAPE_API int64_t enter_dual_level();
/// Closes it: what had a tangent has none any more.
ONETAPE_API void exit_dual_level(int64_t level);
/// The number of the open level, or -1.
ONETAPE_API int64_t dual_level();
/// Whether operators compute tangents inside a dual level; like grad mode, but true unless switched off.
ONETAPE_API bool forward_enabled();
ONETAPE_API void set_forward_enabled(bool enabled);

/// A view of `primal` with a tangent.
ONETAPE_API Tensor make_dual(const Tensor& primal, const Tensor& tangent, int64_t level);
/// A view of the tensor without a tangent, and the tangent, or an undefined tensor.
ONETAPE_API std::pair<Tensor, Tensor> unpack_dual(const Tensor& dual, int64_t level);

/// Switches forward mode for a scope of C++ code.
class ForwardModeGuard {
 public:
  explicit ForwardModeGuard(bool enabled) : previous_(forward_enabled()) { set_forward_enabled(enabled); }
  ~ForwardModeGuard() { set_forward_enabled(previous_); }
  ForwardModeGuard(const ForwardModeGuard&) = delete;
  ForwardModeGuard& operator=(const ForwardModeGuard&) = delete;

 private:
  bool previous_;
};

/// The tangent of a tensor in the open level, or an undefined tensor.
ONETAPE_API Tensor tangent_of(const Tensor& t);
/// Gives a fresh tensor, or one changed in place, its tangent; an undefined one stands for zero.
ONETAPE_API void set_tangent(const Tensor& t, const Tensor& tangent);
/// Gives a result that may be a view a tangent that is no part of its base's.
ONETAPE_API void give_tangent(const Tensor& t, const Tensor& tangent);
/// The tensors among `kept` that show what `t` shows get its tangent: a node keeps its results without their
/// history.
ONETAPE_API void share_tangent(const Tensor& t, const std::vector<Tensor>& kept);
/// A result kept at a node is shown again by `again`, which gets its tangent.
void pass_tangent(const Tensor& kept, const Tensor& again);

// ---- what recording needs; only called while dual_active() ----
/// The edge of an operator's input, marked with its tangent if it has one.
ONETAPE_API Edge dual_edge(const Tensor& t);
/// Gives a fresh result of `node` its tangent. False if nothing but the tangent is to be recorded.
bool record_tangent(const Tensor& result, Node& node, uint32_t output);
/// Throws unless the tangent of `t` can follow when `t` is changed in place.
void check_tangent_in_place(const Tensor& t);
/// The same as record_tangent() for a tensor that `node` has changed in place.
bool record_tangent_in_place(const Tensor& t, Node& node);

}  // namespace onetape
