#pragma once

#include <vector>

#include "autograd/meta.h"
#include "autograd/mode.h"
#include "core/geometry_lock.h"
#include "distributed/reduce_op.h"
#include "ops.h"
#include "ops/target.h"

namespace onetape::distributed {

/// For operators that are nobody's but a group's: nothing is recorded.
class NoRecord {
 public:
  NoRecord() : no_grad_(false) {}

 private:
  const ReadingGeometry reading_;
  const GradModeGuard no_grad_;
};

/// The same where tensors are written to that were made in inference mode, perhaps. New ones are of that
/// mode, too.
class Unrecorded {
 public:
  Unrecorded() : inference_(inference_mode()) { set_inference_mode(true); }
  ~Unrecorded() { set_inference_mode(inference_); }
  Unrecorded(const Unrecorded&) = delete;
  Unrecorded& operator=(const Unrecorded&) = delete;

 private:
  const ReadingGeometry reading_;
  const bool inference_;
};

/// The elements of a tensor, without a gap and in order: its own memory where that is so.
inline Tensor dense(const Tensor& t) {
  const Tensor plain = detach(t);
  return plain.is_contiguous() ? plain : ops::contiguous(plain);
}

/// A tensor that is about to be written to: its own memory where that is dense, else other memory from which
/// it is filled at the end.
class Written {
 public:
  /// `read` if its elements are wanted, too. RuntimeError if two of them are one place in memory.
  Written(const Tensor& t, bool read) {
    check_no_internal_overlap(t);
    target_ = detach(t);
    if (target_.is_contiguous()) {
      memory_ = target_;
    } else if (read) {
      memory_ = ops::contiguous(target_);
    } else {
      memory_ = Tensor::empty(target_.sizes(), target_.dtype());
    }
    bump_version(t);
  }
  const Tensor& memory() const { return memory_; }
  /// Fills it.
  void finish() const {
    if (!memory_.is(target_)) fill(memory_);
  }
  /// Fills it with other elements, as many.
  void fill(const Tensor& elements) const {
    const Unrecorded scope;
    ops::copy_(target_, ops::view(elements, target_.sizes()));
  }

 private:
  Tensor target_;
  Tensor memory_;
};

/// The places of outputs, which come as one block.
std::vector<Written> written(const std::vector<Tensor>& outputs);
/// Fills each place with its stretch of a block.
void spread(const Tensor& block, const std::vector<Written>& places);
/// A block for the elements of all, one after the other.
Tensor room_for(const std::vector<Tensor>& tensors);
/// Makes a sum over so many processes their mean, if that is what was asked for.
void finish_sum(const Tensor& sum, ReduceOp op, int size);

inline size_t bytes_in(const Tensor& t) { return static_cast<size_t>(t.numel()) * t.item_bytes(); }

}  // namespace onetape::distributed
