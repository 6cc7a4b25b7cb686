#include <array>
#include <cmath>
#include <mutex>

#include "kernels/random.h"
#include "ops.h"
#include "ops/composed.h"
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

void check_share(double p) {
  check(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
}

/// One element for each channel of each sample, with sizes of 1 for the other dimensions.
Tensor channels_of(const Tensor& input) {
  check(input.dim() >= 2, "Feature dropout requires at least 2 dimensions in the input");
  Ints sizes(static_cast<size_t>(input.dim()), 1);
  sizes[0] = input.sizes()[0];
  sizes[1] = input.sizes()[1];
  return empty(sizes, Options{.dtype = to_real(input.dtype())});
}

/// input where it is kept, else the smallest value of selu; all moved so that mean and variance stay.
Tensor alpha_dropped(const Tensor& input, const Tensor& kept, double p, Generator* generator) {
  constexpr double kLeast = 1.7580993408473766;  // of selu: -scale * alpha
  const double scale = 1 / std::sqrt((kLeast * kLeast * p + 1) * (1 - p));
  bernoulli_(kept, 1 - p, generator);
  const Tensor shift = add_(mul_(add(kept, Scalar(-1)), Scalar(kLeast * scale)), Scalar(kLeast * scale * p));
  return add(mul(input, mul_(kept, Scalar(scale))), shift);
}

}  // namespace

// ---- bernoulli ----
Tensor bernoulli(Body, const Tensor& self, Generator* generator) {
  const Tensor probabilities = dense(self);
  Tensor result = Tensor::empty(self.sizes(), self.dtype());
  redraw(result, "", generator, [&](Generator& source) { draw_each(result, probabilities, source); });
  if (!recording(self)) return result;
  return record(std::move(result), "BernoulliBackward0", {self},
                [](Backward& g) { g.set(0, zeros_like(g.grad())); });
}

Tensor bernoulli(Body, const Tensor& self, double p, Generator* generator) {
  return bernoulli_(Tensor::empty(self.sizes(), self.dtype()), p, generator);
}

// ---- bernoulli_ ----
Tensor bernoulli_(Body, const Tensor& self, double p, Generator* generator) {
  check_probability(p);
  return redraw(self, "BernoulliBackward2", generator,
                [&](Generator& source) { fill_bernoulli(self, p, source); });
}

Tensor bernoulli_(Body, const Tensor& self, const Tensor& p, Generator* generator) {
  const Tensor probabilities = dense(expand(detach(p), self.sizes()));
  return redraw(self, "BernoulliBackward1", generator,
                [&](Generator& source) { draw_each(self, probabilities, source); });
}

// ---- dropout ----
Tensor dropout(Body, const Tensor& input, double p, bool train, Generator* generator) {
  check_share(p);
  if (p == 0 || !train || input.numel() == 0) return input;
  if (p == 1) return mul(input, zeros_like(input));
  const Options real{.dtype = to_real(input.dtype())};  // a complex number is kept or dropped whole
  const Tensor kept = bernoulli_(empty_like(input, real), 1 - p, generator);
  div_(kept, Scalar(1 - p));
  return mul(input, kept);
}

// ---- alpha_dropout ----
Tensor alpha_dropout(Body, const Tensor& input, double p, bool train, Generator* generator) {
  check_share(p);
  if (p == 0 || !train || input.numel() == 0) return input;
  if (p == 1) return mul(input, zeros_like(input));
  return alpha_dropped(input, empty_like(input, Options{.dtype = to_real(input.dtype())}), p, generator);
}

// ---- feature_dropout ----
Tensor feature_dropout(Body, const Tensor& input, double p, bool train, Generator* generator) {
  check_share(p);
  if (p == 0 || !train || input.numel() == 0) return input;
  if (p == 1) return mul(input, zeros_like(input));
  const Tensor kept = bernoulli_(channels_of(input), 1 - p, generator);
  return mul(input, div_(kept, Scalar(1 - p)));
}

// ---- feature_alpha_dropout ----
Tensor feature_alpha_dropout(Body, const Tensor& input, double p, bool train, Generator* generator) {
  check_share(p);
  if (p == 0 || !train || input.numel() == 0) return input;
  if (p == 1) return mul(input, zeros_like(input));
  return alpha_dropped(input, channels_of(input), p, generator);
}

// ---- rrelu ----
Tensor rrelu(Body, const Tensor& self, const Scalar& lower, const Scalar& upper, bool training,
             Generator* generator) {
  check(lower.to<double>() <= upper.to<double>(),
        "Lower bound should be less than or equal to the upper bound");
  visit_floating(training ? "rrelu_with_noise_out_cpu" : "leaky_relu_cpu", self.dtype(), [](auto) {});
  Tensor slopes;
  if (training) {
    const GradModeGuard off(false);
    const Tensor below = le(self, Scalar(0));
    const Tensor total = sum(below);
    note_read(total, kForItself);
    const int64_t count = total.has_data() ? *total.data<int64_t>() : self.numel();
    const Tensor drawn = uniform_(empty(Ints{count}, Options{.dtype = DType::F64}), lower.to<double>(),
                                  upper.to<double>(), generator);
    slopes = masked_scatter(ones_like(self), below, to_dtype(drawn, self.dtype()));
  } else {
    slopes = full({}, Scalar((lower.to<double>() + upper.to<double>()) / 2), Options{.dtype = self.dtype()});
  }
  const auto parts = [training](std::span<const Tensor> in) {
    return training ? mul(in[0], in[1]) : where(gt(in[0], Scalar(0)), in[0], mul(in[0], in[1]));
  };
  return composed("RreluWithNoiseBackward0", std::array{self, slopes}, parts);
}

// ---- gumbel_softmax ----
Tensor gumbel_softmax(Body, const Tensor& logits, double tau, bool hard, double /*eps*/, int64_t dim) {
  const Tensor noise = neg(log(exponential_(empty(logits.sizes(), Options{.dtype = logits.dtype()}))));
  Tensor soft = softmax(div(add(logits, noise), Scalar(tau)), dim);
  if (!hard) return soft;
  const Tensor chosen = std::get<1>(max(soft, dim, true));
  const Tensor one = scatter(zeros(logits.sizes(), Options{.dtype = logits.dtype()}), dim, chosen, Scalar(1));
  return add(sub(one, detach(soft)), soft);
}

}  // namespace onetape::ops
