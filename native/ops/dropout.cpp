#include <array>
#include <mutex>

#include "kernels/random.h"
#include "ops.h"
#include "ops/copy.h"

namespace onetape::ops {
namespace {

void check_probability(double p) {
  check(p >= 0 && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p);
}

/// Fills self; what it was no longer counts.
template <typename F>
Tensor redraw(const Tensor& self, const char* node, Generator* generator, F fill) {
  const bool recorded = is_differentiable(self.dtype()) && recording(self);
  check_inplace(self);
  check_no_internal_overlap(self);
  {
    Generator& source = generator ? *generator : default_generator();
    const std::lock_guard guard(source.mutex);
    fill(source);
  }
  bump_version(self);
  if (!recorded) return self;
  rebase_history(self, make_function(node, std::span<const Tensor>(&self, 1), std::array<SavedTensor, 0>{},
                                     [](Backward& g) { g.set(0, zeros_like(g.grad())); }));
  return self;
}

/// Draws into self, in row-major order, with a probability for each element.
void draw_each(const Tensor& self, const Tensor& probabilities, Generator& source) {
  if (self.numel() == 0) return;
  const Tensor drawn = self.is_contiguous() ? self : Tensor::empty(self.sizes(), self.dtype());
  fill_bernoulli(drawn, probabilities, source);
  if (!drawn.is(self)) copy_elements(self, drawn);
}

}  // namespace

// ---- bernoulli ----
Tensor bernoulli(const Tensor& self, Generator* generator) {
  const Tensor probabilities = dense(self);
  Tensor result = Tensor::empty(self.sizes(), self.dtype());
  redraw(result, "", generator, [&](Generator& source) { draw_each(result, probabilities, source); });
  if (!recording(self)) return result;
  return record(std::move(result), "BernoulliBackward0", {self},
                [](Backward& g) { g.set(0, zeros_like(g.grad())); });
}

Tensor bernoulli(const Tensor& self, double p, Generator* generator) {
  return bernoulli_(Tensor::empty(self.sizes(), self.dtype()), p, generator);
}

// ---- bernoulli_ ----
Tensor bernoulli_(const Tensor& self, double p, Generator* generator) {
  check_probability(p);
  return redraw(self, "BernoulliBackward2", generator,
                [&](Generator& source) { fill_bernoulli(self, p, source); });
}

Tensor bernoulli_(const Tensor& self, const Tensor& p, Generator* generator) {
  const Tensor probabilities = dense(expand(detach(p), self.sizes()));
  return redraw(self, "BernoulliBackward1", generator,
                [&](Generator& source) { draw_each(self, probabilities, source); });
}

// ---- dropout ----
Tensor dropout(const Tensor& input, double p, bool train, Generator* generator) {
  check(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
  if (p == 0 || !train || input.numel() == 0) return input;
  if (p == 1) return mul(input, zeros_like(input));
  const Options real{.dtype = to_real(input.dtype())};  // a complex number is kept or dropped whole
  const Tensor kept = bernoulli_(empty_like(input, real), 1 - p, generator);
  div_(kept, Scalar(1 - p));
  return mul(input, kept);
}

}  // namespace onetape::ops
