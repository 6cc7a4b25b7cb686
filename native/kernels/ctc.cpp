#include "kernels/ctc.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/error.h"
#include "kernels/float_or_double.h"

namespace onetape {
namespace {

template <typename T>
constexpr T kNever = -std::numeric_limits<T>::infinity();

/// log(exp(a) + exp(b) + exp(c))
template <typename T>
T log_sum(T a, T b, T c) {
  const T most = std::max({a, b, c});
  if (most == kNever<T>) return most;
  return std::log(std::exp(a - most) + std::exp(b - most) + std::exp(c - most)) + most;
}

/// One sample: its labels with a blank before, between and behind them.
template <typename T>
struct Sequence {
  const Ctc& ctc;
  const T* log_probs;
  int64_t sample;

  int64_t steps() const { return ctc.input_lengths[sample]; }
  int64_t places() const { return 2 * ctc.target_lengths[sample] + 1; }
  int64_t label(int64_t place) const {
    return place % 2 == 0 ? ctc.blank : ctc.targets[ctc.starts[sample] + place / 2];
  }
  /// May a way leave out the blank between this place and the one two before?
  bool may_skip(int64_t place) const {
    return place >= 2 && place % 2 == 1 && label(place) != label(place - 2);
  }
  T log_prob(int64_t step, int64_t of_class) const {
    return log_probs[(step * ctc.samples + sample) * ctc.classes + of_class];
  }
  T* row(T* table, int64_t step) const { return table + (sample * ctc.steps + step) * (2 * ctc.longest + 1); }
};

template <typename T>
T forward_of(const Sequence<T>& s, T* alpha) {
  const int64_t places = s.places();
  if (s.steps() == 0) return places == 1 ? T(0) : std::numeric_limits<T>::infinity();
  T* first = s.row(alpha, 0);
  for (int64_t p = 0; p < std::min<int64_t>(2, places); ++p) first[p] = s.log_prob(0, s.label(p));
  for (int64_t step = 1; step < s.steps(); ++step) {
    const T* before = s.row(alpha, step - 1);
    T* now = s.row(alpha, step);
    for (int64_t p = 0; p < places; ++p) {
      const T from_one = p >= 1 ? before[p - 1] : kNever<T>;
      const T from_two = s.may_skip(p) ? before[p - 2] : kNever<T>;
      now[p] = log_sum(before[p], from_one, from_two) + s.log_prob(step, s.label(p));
    }
  }
  const T* last = s.row(alpha, s.steps() - 1);
  return -log_sum(last[places - 1], places > 1 ? last[places - 2] : kNever<T>, kNever<T>);
}

template <typename T>
void backward_of(const Sequence<T>& s, const T* alpha, T loss, T grad, T* out) {
  const int64_t places = s.places();
  const int64_t classes = s.ctc.classes;
  std::vector<T> after(static_cast<size_t>(places), kNever<T>);
  std::vector<T> now(after);
  std::vector<T> by_class(static_cast<size_t>(classes));
  for (int64_t step = s.steps(); step-- > 0;) {
    for (int64_t p = 0; p < places; ++p) {
      const T here = s.log_prob(step, s.label(p));
      if (step == s.steps() - 1) {
        now[static_cast<size_t>(p)] = p >= places - 2 ? here : kNever<T>;
        continue;
      }
      const T to_one = p + 1 < places ? after[static_cast<size_t>(p) + 1] : kNever<T>;
      const bool skips = p + 2 < places && s.may_skip(p + 2);
      const T to_two = skips ? after[static_cast<size_t>(p) + 2] : kNever<T>;
      now[static_cast<size_t>(p)] = log_sum(after[static_cast<size_t>(p)], to_one, to_two) + here;
    }
    std::ranges::fill(by_class, kNever<T>);
    const T* ways = s.row(const_cast<T*>(alpha), step);
    for (int64_t p = 0; p < places; ++p) {
      T& sum = by_class[static_cast<size_t>(s.label(p))];
      sum = log_sum(sum, ways[p] + now[static_cast<size_t>(p)], kNever<T>);
    }
    T* to = out + (step * s.ctc.samples + s.sample) * classes;
    for (int64_t c = 0; c < classes; ++c) {
      const T lp = s.log_prob(step, c);
      to[c] = (std::exp(lp) - std::exp(by_class[static_cast<size_t>(c)] + loss - lp)) * grad;
    }
    std::swap(after, now);
  }
}

template <typename F>
void visit(DType dtype, const F& f) {
  if (dtype != DType::F32 && dtype != DType::F64)
    fail(ErrorKind::NotImplemented, "\"ctc_loss_cpu\" not implemented for '", scalar_type_name(dtype), "'");
  visit_float_or_double(dtype, f);
}

}  // namespace

void ctc_forward(DType dtype, const Ctc& ctc, const void* log_probs, void* losses, void* alpha) {
  visit(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(static_cast<T*>(alpha), ctc.samples * ctc.steps * (2 * ctc.longest + 1), kNever<T>);
    for (int64_t b = 0; b < ctc.samples; ++b) {
      const Sequence<T> one{ctc, static_cast<const T*>(log_probs), b};
      static_cast<T*>(losses)[b] = forward_of(one, static_cast<T*>(alpha));
    }
  });
}

void ctc_backward(DType dtype, const Ctc& ctc, const void* log_probs, const void* losses, const void* alpha,
                  const void* grad, bool zero_infinity, void* out) {
  visit(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(static_cast<T*>(out), ctc.steps * ctc.samples * ctc.classes, T(0));
    for (int64_t b = 0; b < ctc.samples; ++b) {
      const T loss = static_cast<const T*>(losses)[b];
      if (zero_infinity && loss == std::numeric_limits<T>::infinity()) continue;
      const Sequence<T> one{ctc, static_cast<const T*>(log_probs), b};
      backward_of(one, static_cast<const T*>(alpha), loss, static_cast<const T*>(grad)[b],
                  static_cast<T*>(out));
    }
  });
}

}  // namespace onetape
