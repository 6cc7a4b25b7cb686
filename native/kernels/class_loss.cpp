#include "kernels/class_loss.h"

namespace onetape {
namespace {

/// Calls body(i, place of the target's score, weight) for every target that counts; not for one that is not a
/// class, which another thread may have written since they were checked.
template <typename T, typename Body>
void for_targets(const ClassLoss& loss, Body body) {
  const auto* weight = static_cast<const T*>(loss.weight);
  for (int64_t i = 0; i < loss.n * loss.inner; ++i) {
    const int64_t t = loss.target[i];
    if (t == loss.ignore || t < 0 || t >= loss.classes) continue;
    const int64_t place = (i / loss.inner * loss.classes + t) * loss.inner + i % loss.inner;
    body(i, place, weight ? static_cast<compute_t<T>>(weight[t]) : compute_t<T>(1));
  }
}

/// What PyTorch calls its loop, in errors about dtypes.
const char* frame_name(const ClassLoss& loss) {
  return loss.inner == 1 ? "nll_loss_out_frame" : "nll_loss2d_forward_out_frame";
}

}  // namespace

void check_targets(const ClassLoss& loss) {
  for (int64_t i = 0; i < loss.n * loss.inner; ++i) {
    const int64_t t = loss.target[i];
    check_index(t == loss.ignore || (t >= 0 && t < loss.classes), "Target ", t, " is out of bounds.");
  }
}

double total_weight(DType dtype, const ClassLoss& loss) {
  return visit_floating(frame_name(loss), dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    compute_t<T> sum = 0;
    for_targets<T>(loss, [&](int64_t, int64_t, compute_t<T> weight) { sum += weight; });
    return static_cast<double>(sum);
  });
}

void nll_pick(DType dtype, const ClassLoss& loss, const void* scores, void* out) {
  visit_floating(frame_name(loss), dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto* to = static_cast<T*>(out);
    for (int64_t i = 0; i < loss.n * loss.inner; ++i) to[i] = T(0);
    const auto* from = static_cast<const T*>(scores);
    for_targets<T>(loss, [&](int64_t i, int64_t place, compute_t<T> weight) {
      to[i] = T(-weight * static_cast<compute_t<T>>(from[place]));
    });
  });
}

void nll_spread(DType dtype, const ClassLoss& loss, const void* grad, void* out) {
  visit_floating("nll_loss_backward_out_frame", dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto* to = static_cast<T*>(out);
    const auto* from = static_cast<const T*>(grad);
    for_targets<T>(loss, [&](int64_t i, int64_t place, compute_t<T> weight) {
      to[place] = T(-weight * static_cast<compute_t<T>>(from[i]));
    });
  });
}

}  // namespace onetape
