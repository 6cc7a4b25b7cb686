#include <algorithm>

#include "ops.h"
#include "ops/copy.h"
#include "ops/view.h"

namespace onetape {
namespace {

/// A raw view that shows dimensions backwards. No other code may see its negative strides.
Tensor backwards(const Tensor& t, const std::vector<bool>& turned) {
  Ints strides(t.strides());
  int64_t offset = t.storage_offset();
  for (size_t d = 0; d < strides.size(); ++d) {
    if (!turned[d]) continue;
    offset += (t.sizes()[d] - 1) * strides[d];
    strides[d] = -strides[d];
  }
  return Tensor(TensorImpl::view(t.storage(), t.sizes(), strides, offset, t.dtype()));
}

/// A raw view of `length` elements along dim from `start` on.
Tensor part(const Tensor& t, int64_t dim, int64_t start, int64_t length) {
  Ints sizes = t.shape();
  sizes[dim] = length;
  return Tensor(TensorImpl::view(t.storage(), sizes, t.strides(),
                                 t.storage_offset() + start * t.strides()[dim], t.dtype()));
}

/// A copy with what stands before `cut` moved behind the rest, along one dimension.
Tensor rolled(const Tensor& t, int64_t dim, int64_t shift) {
  const int64_t size = t.sizes()[dim];
  const Tensor out = Tensor::empty(t.sizes(), t.dtype());
  if (t.numel() == 0) return out;
  shift = (shift % size + size) % size;
  if (shift > 0) copy_elements(part(out, dim, 0, shift), part(t, dim, size - shift, shift));
  copy_elements(part(out, dim, shift, size - shift), part(t, dim, 0, size - shift));
  return out;
}

/// Sets the elements of each matrix to zero that a triangle leaves out.
void clear_outside(const Tensor& t, int64_t diagonal, bool lower) {
  const int64_t rows = t.size(-2);
  const int64_t columns = t.size(-1);
  if (t.numel() == 0) return;
  diagonal = std::clamp(diagonal, -rows - 1, columns + 1);
  const int64_t dim = t.dim() - 2;
  const Tensor zero = scalar_tensor(0, t.dtype());
  for (int64_t r = 0; r < rows; ++r) {
    // tril keeps columns up to r + diagonal, triu those from there on.
    const int64_t cut = std::clamp<int64_t>(r + diagonal + (lower ? 1 : 0), 0, columns);
    const int64_t start = lower ? cut : 0;
    const int64_t length = lower ? columns - cut : cut;
    if (length > 0) copy_elements(part(part(t, dim, r, 1), dim + 1, start, length), zero);
  }
}

Tensor triangle(Target to, const Tensor& self, int64_t diagonal, bool lower) {
  check(self.dim() >= 2, lower ? "tril" : "triu", ": input tensor must have at least 2 dimensions");
  const bool is_recording = recording(self);
  to.check_recording(is_recording);
  auto edges = edges_of(is_recording, {self});
  Tensor result = to.edit(self);
  clear_outside(result, diagonal, lower);
  to.written(result);
  if (!is_recording) return result;
  return to.attach(
      result, make_function(lower ? "TrilBackward0" : "TriuBackward0", std::move(edges),
                            std::array<SavedTensor, 0>{}, [diagonal, lower](Backward& g) {
                              g.set(0, lower ? ops::tril(g.grad(), diagonal) : ops::triu(g.grad(), diagonal));
                            }));
}

Ints negated(IntSpan values) {
  Ints result(values);
  for (int64_t& value : result) value = -value;
  return result;
}

}  // namespace

namespace impl {

// ---- triu, tril ----
Tensor triu(Target to, const Tensor& self, int64_t diagonal) { return triangle(to, self, diagonal, false); }

Tensor tril(Target to, const Tensor& self, int64_t diagonal) { return triangle(to, self, diagonal, true); }

}  // namespace impl

namespace ops {

// ---- flip ----
Tensor flip(Body, const Tensor& self, IntSpan dims) {
  std::vector<bool> turned(std::max<size_t>(self.sizes().size(), 1));
  Ints wrapped;
  for (const int64_t d : dims) {
    wrapped.push_back(wrap_dim(d, self.dim()));
    check(!turned[wrapped.back()], "dim ", wrapped.back(), " appears multiple times in the list of dims");
    turned[wrapped.back()] = true;
  }
  Tensor result = Tensor::empty(self.sizes(), self.dtype());
  if (self.numel() > 0) copy_elements(result, backwards(self, turned));
  if (!recording(self)) return result;
  return record(result, "FlipBackward0", {self},
                [wrapped](Backward& g) { g.set(0, flip(g.grad(), wrapped)); });
}

// ---- fliplr, flipud ----
Tensor fliplr(Body, const Tensor& self) {
  check(self.dim() >= 2, "Input must be >= 2-d.");
  return flip(self, Ints{1});
}

Tensor flipud(Body, const Tensor& self) {
  check(self.dim() >= 1, "Input must be >= 1-d.");
  return flip(self, Ints{0});
}

// ---- rot90 ----
Tensor rot90(Body, const Tensor& self, int64_t k, std::optional<IntSpan> dims) {
  const Ints plane = dims ? Ints(*dims) : Ints{0, 1};
  check(plane.size() == 2, "expected total rotation dims == 2, but got dims = ", plane.size());
  check(self.dim() >= 2, "expected total dims >= 2, but got total dims = ", self.dim());
  const int64_t a = wrap_dim(plane[0], self.dim());
  const int64_t b = wrap_dim(plane[1], self.dim());
  check(a != b, "expected rotation dims to be different, but got dim0 = ", plane[0],
        " and dim1 = ", plane[1]);
  const int64_t turns = (k % 4 + 4) % 4;
  Tensor result;
  {
    const GradModeGuard no_grad(false);
    switch (turns) {
      case 1:
        result = contiguous(transpose(flip(self, Ints{b}), a, b));
        break;
      case 2:
        result = flip(self, Ints{a, b});
        break;
      case 3:
        result = contiguous(transpose(flip(self, Ints{a}), a, b));
        break;
      default:
        result = clone(self);
    }
  }
  result = detach(result);  // perhaps a view of a tensor that nobody else has
  if (!recording(self)) return result;
  return record(result, "Rot90Backward0", {self}, [turns, a, b](Backward& g) {
    g.set(0, rot90(g.grad(), -turns, Ints{a, b}));
  });
}

// ---- roll ----
Tensor roll(Body, const Tensor& self, IntSpan shifts, IntSpan dims) {
  check(!shifts.empty(), "`shifts` required");
  Tensor result;
  if (dims.empty() && shifts.size() == 1) {
    const Tensor flat(TensorImpl::view(dense(self).storage(), Ints{self.numel()}, Ints{1},
                                       self.is_contiguous() ? self.storage_offset() : 0, self.dtype()));
    result = rolled(flat, 0, shifts[0]);
    result = Tensor(
        TensorImpl::view(result.storage(), self.sizes(), contiguous_strides(self.sizes()), 0, self.dtype()));
  } else {
    check(shifts.size() == dims.size(), "shifts and dimensions must align. shifts: ", shifts.size(),
          ", dims:", dims.size());
    result = self;
    for (size_t i = 0; i < dims.size(); ++i) {
      const int64_t at = wrap_dim(dims[i], self.dim());
      check_index(self.dim() > 0, "Dimension specified as ", dims[i], " but tensor has no dimensions");
      result = rolled(result, at, shifts[i]);
    }
  }
  if (!recording(self)) return result;
  return record(result, "RollBackward0", {self}, [back = negated(shifts), along = Ints(dims)](Backward& g) {
    g.set(0, roll(g.grad(), back, along));
  });
}

// ---- repeat ----
Tensor repeat(Body, const Tensor& self, IntSpan repeats) {
  check(repeats.size() >= self.sizes().size(),
        "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
  const size_t lead = repeats.size() - self.sizes().size();
  Ints shape;        // of the result
  Ints interleaved;  // every repeat beside the size it repeats
  Ints source;       // self as it broadcasts to that
  Ints source_strides;
  Ints summed;  // the dimensions of the repeats
  for (size_t d = 0; d < repeats.size(); ++d) {
    const int64_t size = d < lead ? 1 : self.sizes()[d - lead];
    int64_t together = 0;
    check(!__builtin_mul_overflow(size, repeats[d], &together), "repeat: the result is too large, repeats ",
          Ints(repeats), " of shape ", self.shape());
    shape.push_back(together);
    summed.push_back(static_cast<int64_t>(interleaved.size()));
    interleaved.append(Ints{repeats[d], size});
    source.append(Ints{1, size});
    source_strides.append(Ints{0, d < lead ? 0 : self.strides()[d - lead]});
  }
  Tensor result = Tensor::empty(shape, self.dtype());
  if (result.numel() > 0) {
    const Tensor to(
        TensorImpl::view(result.storage(), interleaved, contiguous_strides(interleaved), 0, self.dtype()));
    copy_elements(to, Tensor(TensorImpl::view(self.storage(), source, source_strides, self.storage_offset(),
                                              self.dtype())));
  }
  if (!recording(self)) return result;
  return record(result, "RepeatBackward0", {self}, [interleaved, summed, from = self.shape()](Backward& g) {
    const Tensor parts = reshape(g.grad(), interleaved);
    g.set(0, reshape(summed.empty() ? parts : sum(parts, IntSpan(summed)), from));
  });
}

// ---- tile ----
Tensor tile(Body, const Tensor& self, IntSpan dims) {
  Ints repeats;
  for (size_t d = dims.size(); d < self.sizes().size(); ++d) repeats.push_back(1);
  repeats.append(dims);
  return repeat(self, repeats);
}

// ---- repeat_interleave ----
Tensor repeat_interleave(Body, const Tensor& self, int64_t repeats, std::optional<int64_t> dim,
                         std::optional<int64_t> /*output_size*/) {
  const Tensor in = dim ? self : flatten(self);
  const int64_t at = wrap_dim(dim.value_or(0), self.dim());
  check(repeats >= 0, "Repeats must be non-negative");
  if (in.dim() == 0) return repeat_interleave(reshape(in, Ints{1}), repeats, 0);
  Ints wide = in.shape();
  wide.insert(static_cast<size_t>(at) + 1, repeats);
  const Tensor repeated = expand(unsqueeze(in, at + 1), wide);
  const Tensor copy = contiguous(repeated);
  return flatten(copy.is(repeated) ? clone(repeated) : copy, at, at + 1);
}

Tensor repeat_interleave(Body, const Tensor& self, const Tensor& repeats, std::optional<int64_t> dim,
                         std::optional<int64_t> /*output_size*/) {
  const Tensor in = dim && self.dim() > 0 ? self : flatten(self);
  const int64_t at = wrap_dim(dim.value_or(0), in.dim());
  check(repeats.dim() <= 1, "repeats must be 0-dim or 1-dim tensor");
  if (repeats.dtype() != DType::I64 && repeats.dtype() != DType::I32) {
    fail(ErrorKind::NotImplemented, "\"repeat_interleave_cpu\" not implemented for '",
         scalar_type_name(repeats.dtype()), "'");
  }
  const int64_t size = in.sizes()[at];
  check(repeats.numel() == 1 || repeats.numel() == size,
        "repeats must have the same size as input along dim, but got "
        "repeats.size(0) = ",
        repeats.numel(), " and input.size(0) = ", size);
  const Tensor counts = dense_own(to_dtype(repeats, DType::I64));
  const int64_t* count = counts.data<int64_t>();
  int64_t total = 0;
  for (int64_t i = 0; i < size; ++i) {
    const int64_t times = count[repeats.numel() == 1 ? 0 : i];
    check(times >= 0, "repeats can not be negative");
    check(!__builtin_add_overflow(total, times, &total), "repeat_interleave: the result is too large");
  }
  const Tensor index = Tensor::empty(Ints{total}, DType::I64);
  int64_t* to = index.data<int64_t>();
  for (int64_t i = 0; i < size; ++i) to = std::fill_n(to, count[repeats.numel() == 1 ? 0 : i], i);
  return index_select(in, at, index);
}

// ---- diag ----
Tensor diag(Body, const Tensor& self, int64_t diagonal) {
  check(self.dim() == 1 || self.dim() == 2, "diag(): Supports 1D or 2D tensors. Got ", self.dim(), "D");
  if (self.dim() == 1) return diag_embed(self, diagonal);
  Tensor result;
  {
    const GradModeGuard no_grad(false);
    const Tensor view = ops::diagonal(self, diagonal);
    result = Tensor::empty(view.sizes(), self.dtype());
    copy_elements(result, view);
  }
  if (!recording(self)) return result;
  return record(result, "DiagonalBackward0_copy", {self}, [from = self.shape(), diagonal](Backward& g) {
    const Tensor whole = zeros(from, Options{.dtype = g.grad().dtype()});
    copy_(ops::diagonal(whole, diagonal), g.grad());
    g.set(0, whole);
  });
}

// ---- diag_embed ----
Tensor diag_embed(Body, const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  const int64_t n = self.dim() + 1;
  const int64_t a = wrap_dim(dim1, n);
  const int64_t b = wrap_dim(dim2, n);
  check(a != b, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  check_index(self.dim() > 0, "Dimension out of range (expected to be in range of [-1, 0], but got -2)");
  int64_t side = 0;
  const bool fits = offset > INT64_MIN && !__builtin_add_overflow(self.size(-1), std::abs(offset), &side);
  check(fits, "diag_embed: offset ", offset, " is too large");
  Ints shape(self.sizes().first(self.sizes().size() - 1));
  shape.insert(static_cast<size_t>(std::min(a, b)), side);
  shape.insert(static_cast<size_t>(std::max(a, b)), side);
  Tensor result = zeros(shape, Options{.dtype = self.dtype()});
  {
    const GradModeGuard no_grad(false);
    copy_elements(diagonal(result, offset, a, b), self);
  }
  if (!recording(self)) return result;
  return record(result, "DiagEmbedBackward0", {self},
                [offset, a, b](Backward& g) { g.set(0, diagonal(g.grad(), offset, a, b)); });
}

// ---- diagflat ----
Tensor diagflat(Body, const Tensor& self, int64_t offset) {
  return diag_embed(reshape(self, Ints{-1}), offset);
}

}  // namespace ops
}  // namespace onetape
