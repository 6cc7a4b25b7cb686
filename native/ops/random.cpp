#include "kernels/random.h"

#include <cmath>
#include <limits>

#include "kernels/multinomial.h"
#include "ops.h"
#include "ops/copy.h"
#include "ops/creation.h"
#include "ops/random_checks.h"

namespace onetape::ops {
namespace {

Generator& given_or_default(Generator* generator) { return generator ? *generator : default_generator(); }

/// Draws with the generator's lock held.
template <typename F>
void draw(Generator* generator, F fill) {
  Generator& source = given_or_default(generator);
  const std::lock_guard guard(source.mutex);
  fill(source);
}

/// A fresh tensor filled by `fill_in`; the gradient flag comes last.
template <typename F>
Tensor drawn(Tensor out, Generator* generator, const Options& options, F fill_in) {
  draw(generator, [&](Generator& source) { fill_in(out, source); });
  return with_requires_grad(std::move(out), options);
}

/// The options without the gradient flag.
Options plain(const Options& options) { return {.dtype = options.dtype, .device = options.device}; }

/// Fills a tensor in place: its old value no longer counts.
template <typename F>
Tensor refill(const Tensor& self, const char* node, Generator* generator, F fill_in) {
  const bool is_recording = is_differentiable(self.dtype()) && recording(self);
  check_inplace(self);
  check_no_internal_overlap(self);
  draw(generator, [&](Generator& source) { fill_in(self, source); });
  bump_version(self);
  if (!is_recording) return self;
  rebase_history(self, make_function(node, std::span<const Tensor>(&self, 1), std::array<SavedTensor, 0>{},
                                     [](Backward& g) { g.set(0, zeros_like(g.grad())); }));
  return self;
}

void fill_unit(const Tensor& out, Generator& source) { fill_uniform(out, 0, 1, source); }
void fill_standard_normal(const Tensor& out, Generator& source) { fill_normal(out, 0, 1, source); }

Tensor drawn_integers(Tensor out, int64_t low, int64_t high, Generator* generator, const Options& options) {
  check_random_bounds(low, high, out.dtype());
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  return drawn(std::move(out), generator, options,
               [&](const Tensor& to, Generator& source) { fill_integers(to, range, low, source); });
}

}  // namespace

// ---- rand ----
Tensor rand(Body, IntSpan size, Generator* generator, const Options& options) {
  check_uniform_dtype(options.dtype_or(default_dtype()));
  return drawn(make_tensor(size, plain(options), default_dtype()), generator, options, fill_unit);
}

// ---- randn ----
Tensor randn(Body, IntSpan size, Generator* generator, const Options& options) {
  check_normal_dtype(options.dtype_or(default_dtype()));
  return drawn(make_tensor(size, plain(options), default_dtype()), generator, options, fill_standard_normal);
}

// ---- rand_like ----
Tensor rand_like(Body, const Tensor& self, Generator* generator, const Options& options) {
  check_uniform_dtype(options.dtype_or(self.dtype()));
  return drawn(make_like(self, plain(options)), generator, options, fill_unit);
}

// ---- randn_like ----
Tensor randn_like(Body, const Tensor& self, Generator* generator, const Options& options) {
  check_normal_dtype(options.dtype_or(self.dtype()));
  return drawn(make_like(self, plain(options)), generator, options, fill_standard_normal);
}

// ---- randint ----
Tensor randint(Body, int64_t high, IntSpan size, Generator* generator, const Options& options) {
  return randint(0, high, size, generator, options);
}

Tensor randint(Body, int64_t low, int64_t high, IntSpan size, Generator* generator, const Options& options) {
  return drawn_integers(make_tensor(size, plain(options), DType::I64), low, high, generator, options);
}

// ---- randint_like ----
Tensor randint_like(Body, const Tensor& self, int64_t high, Generator* generator, const Options& options) {
  return randint_like(self, 0, high, generator, options);
}

Tensor randint_like(Body, const Tensor& self, int64_t low, int64_t high, Generator* generator,
                    const Options& options) {
  return drawn_integers(make_like(self, plain(options)), low, high, generator, options);
}

// ---- randperm ----
Tensor randperm(Body, int64_t n, Generator* generator, const Options& options) {
  const DType dtype = options.dtype_or(DType::I64);
  if (dtype == DType::Bool) fail(ErrorKind::NotImplemented, "\"randperm\" not implemented for 'Bool'");
  check_permutation(n, dtype);
  return drawn(make_tensor(Ints{n}, plain(options), DType::I64), generator, options, fill_permutation);
}

// ---- normal ----
Tensor normal(Body, const Tensor& mean, const Tensor& std, Generator* generator) {
  check_deviations(std);
  check_normal_dtype(mean.dtype());
  const Tensor standard = Tensor::empty(broadcast_shapes(mean.sizes(), std.sizes()), mean.dtype());
  draw(generator, [&](Generator& source) { fill_normal(standard, 0, 1, source); });
  const GradModeGuard no_grad(false);
  return add_(mul_(standard, std), mean);
}

Tensor normal(Body, const Tensor& mean, double std, Generator* generator) {
  check_normal_dtype(mean.dtype());
  check_deviation(std);
  const Tensor result = Tensor::empty(mean.sizes(), mean.dtype());
  draw(generator, [&](Generator& source) { fill_normal(result, 0, std, source); });
  const GradModeGuard no_grad(false);
  return add_(result, mean);
}

Tensor normal(Body, double mean, const Tensor& std, Generator* generator) {
  check_normal_dtype(std.dtype());
  check_deviations(std);
  const Tensor result = Tensor::empty(std.sizes(), std.dtype());
  draw(generator, [&](Generator& source) { fill_normal(result, 0, 1, source); });
  const GradModeGuard no_grad(false);
  return add_(mul_(result, std), Scalar(mean));
}

Tensor normal(Body, double mean, double std, IntSpan size, Generator* generator, const Options& options) {
  check_normal_dtype(options.dtype_or(default_dtype()));
  check_deviation(std);
  return drawn(make_tensor(size, plain(options), default_dtype()), generator, options,
               [&](const Tensor& out, Generator& source) { fill_normal(out, mean, std, source); });
}

// ---- multinomial ----
Tensor multinomial(Body, const Tensor& self, int64_t num_samples, bool replacement, Generator* generator) {
  check_multinomial(self, num_samples, replacement);
  const Tensor weights = dense(self);
  Ints shape = self.shape();
  shape[shape.size() - 1] = num_samples;
  const Tensor result = Tensor::empty(shape, DType::I64);
  if (replacement && num_samples > 1) {
    draw(generator, [&](Generator& source) { draw_with_replacement(result, weights, source); });
    return result;
  }
  check_weights(weights);
  // The largest ratios of weight to an exponential variable are a draw without replacement.
  const Tensor ratios = Tensor::empty(self.sizes(), self.dtype());
  draw(generator, [&](Generator& source) { fill_exponential(ratios, 1, source); });
  take_largest_ratios(result, weights, ratios);
  return result;
}

// ---- poisson ----
Tensor poisson(Body, const Tensor& self, Generator* generator) {
  check_rates(self);
  const Tensor rate = dense(self);
  const Tensor result = Tensor::empty(self.sizes(), self.dtype());
  draw(generator, [&](Generator& source) { fill_poisson(result, rate, source); });
  return result;
}

// ---- uniform_ ----
Tensor uniform_(Body, const Tensor& self, double from, double to, Generator* generator) {
  check_uniform_dtype(self.dtype());
  check_uniform_bounds(from, to, self.dtype());
  return refill(self, "UniformBackward0", generator,
                [&](const Tensor& out, Generator& source) { fill_uniform(out, from, to, source); });
}

// ---- normal_ ----
Tensor normal_(Body, const Tensor& self, double mean, double std, Generator* generator) {
  check_deviation(std);
  check_normal_dtype(self.dtype());
  return refill(self, "NormalBackward0", generator,
                [&](const Tensor& out, Generator& source) { fill_normal(out, mean, std, source); });
}

// ---- random_ ----
Tensor random_(Body, const Tensor& self, Generator* generator) {
  check_random_dtype("random_kernel_cpu", self.dtype());
  return refill(self, "RandomBackward2", generator, fill_any_integers);
}

Tensor random_(Body, const Tensor& self, int64_t to, Generator* generator) {
  check_random_bounds(0, to, self.dtype());
  return refill(self, "RandomBackward1", generator, [&](const Tensor& out, Generator& source) {
    fill_integers(out, static_cast<uint64_t>(to), 0, source);
  });
}

Tensor random_(Body, const Tensor& self, int64_t from, std::optional<int64_t> to, Generator* generator) {
  if (to) {
    check_random_bounds(from, *to, self.dtype());
  } else {
    check_random_from(from, self.dtype());
  }
  const int64_t last = to ? *to - 1 : largest_integer(self.dtype());
  const uint64_t range = static_cast<uint64_t>(last) - static_cast<uint64_t>(from) + 1;
  return refill(self, "RandomBackward0", generator,
                [&](const Tensor& out, Generator& source) { fill_integers(out, range, from, source); });
}

// ---- exponential_ ----
Tensor exponential_(Body, const Tensor& self, double lambd, Generator* generator) {
  check(is_floating(self.dtype()),
        "Exponential distribution is a continuous probability distribution. dtype must be a floating point "
        "but you specified ",
        scalar_type_name(self.dtype()));
  check(lambd > 0, "exponential_ expects lambda > 0.0, but found lambda=", lambd);
  return refill(self, "ExponentialBackward0", generator,
                [&](const Tensor& out, Generator& source) { fill_exponential(out, lambd, source); });
}

}  // namespace onetape::ops
