#include <algorithm>
#include <array>
#include <string>

#include "ops.h"
#include "ops/reduction.h"

namespace onetape::ops {
namespace {

/// Letters of one operand or of the result; kDots stands for '...'.
using Labels = std::vector<int>;
constexpr int kDots = 52;

int label_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  return c >= 'a' && c <= 'z' ? c - 'a' + 26 : -1;
}

char letter_of(int label) { return static_cast<char>(label < 26 ? 'A' + label : 'a' + label - 26); }

bool has(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// A parsed equation. After layout() every label, and every dimension behind '...', has a place in one common
/// order of dimensions: first those of the result, then those that are summed over.
struct Equation {
  std::vector<Labels> operands;
  Labels result;
  bool has_result = false;

  Equation(std::string_view text, size_t count);
  void read(std::string_view part, std::string_view where, Labels& into, size_t offset) const;
};

void Equation::read(std::string_view part, std::string_view where, Labels& into, size_t offset) const {
  for (size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    if (c == ' ') continue;
    if (c == '.') {
      check(!has(into, kDots) && part.substr(i, 3) == "...", "einsum(): found '.' for ", where,
            " that is not part of any ellipsis");
      into.push_back(kDots);
      i += 2;
      continue;
    }
    check(label_of(c) >= 0, "einsum(): invalid subscript given at index ", offset + i,
          " in the equation string, subscripts must be in [a-zA-Z]");
    into.push_back(label_of(c));
  }
}

Equation::Equation(std::string_view text, size_t count) {
  const size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  for (size_t at = 0;;) {
    const size_t comma = left.find(',', at);
    check(operands.size() < count, "einsum(): more operands were provided than specified in the equation");
    operands.emplace_back();
    read(left.substr(at, comma == std::string_view::npos ? comma : comma - at),
         "operand " + std::to_string(operands.size() - 1), operands.back(), at);
    if (comma == std::string_view::npos) break;
    at = comma + 1;
    check(operands.size() < count, "einsum(): fewer operands were provided than specified in the equation");
  }
  check(operands.size() == count, "einsum(): more operands were provided than specified in the equation");
  has_result = arrow != std::string_view::npos;
  if (has_result) read(text.substr(arrow + 2), "the output", result, arrow + 2);
}

/// The result where none is written: '...' and the letters that occur once, in order.
Labels implied_result(const Equation& equation) {
  std::array<int, kDots + 1> times{};
  for (const Labels& labels : equation.operands) {
    for (const int label : labels) ++times[label];
  }
  Labels result;
  if (times[kDots] > 0) result.push_back(kDots);
  for (int label = 0; label < kDots; ++label) {
    if (times[label] == 1) result.push_back(label);
  }
  return result;
}

void check_result(const Equation& equation, const Labels& result) {
  for (size_t i = 0; i < result.size(); ++i) {
    if (result[i] == kDots) continue;
    const bool again = std::find(result.begin(), result.begin() + i, result[i]) != result.begin() + i;
    check(!again, "einsum(): output subscript ", letter_of(result[i]),
          " appears more than once in the output");
    const bool known = std::any_of(equation.operands.begin(), equation.operands.end(),
                                   [&](const Labels& l) { return has(l, result[i]); });
    check(known, "einsum(): output subscript ", letter_of(result[i]),
          " does not appear in the equation for any input operand");
  }
}

/// Operands brought to the common order of dimensions; what an operand does not have is of size 1 there.
struct Aligned {
  std::vector<Tensor> operands;
  std::vector<int64_t> last_use;  // of each common dimension: the last operand that has it
  int64_t kept = 0;               // so many dimensions, the first ones, are the result's
};

/// Where labels stand in the common order: one place a letter, `dots` places for '...'.
std::array<int64_t, kDots + 1> places_of(const Equation& equation, const Labels& result, int64_t dots,
                                         Aligned& aligned) {
  std::array<int64_t, kDots + 1> place;
  place.fill(-1);
  int64_t next = 0;
  const auto put = [&](int label) {
    if (place[label] >= 0) return;
    place[label] = next;
    next += label == kDots ? dots : 1;
  };
  for (const int label : result) put(label);
  aligned.kept = next;
  for (const Labels& labels : equation.operands) {
    for (const int label : labels) put(label);
  }
  aligned.last_use.assign(static_cast<size_t>(next), 0);
  return place;
}

/// One operand: repeated letters become a diagonal, dimensions move to their places.
Tensor align(const Tensor& operand, const Labels& labels, size_t number,
             const std::array<int64_t, kDots + 1>& place, int64_t dots, Aligned& aligned) {
  const auto dims = static_cast<int64_t>(labels.size());
  const bool ellipsis = has(labels, kDots);
  check(
      ellipsis ? operand.dim() >= dims - 1 : operand.dim() == dims,
      "einsum(): the number of subscripts in the equation (", ellipsis ? dims - 1 : dims,
      ellipsis ? ") is more than the number of dimensions (" : ") does not match the number of dimensions (",
      operand.dim(), ") for operand ", number, ellipsis ? "" : " and no ellipsis was given");
  Tensor t = operand;
  Ints at;  // common place of each dimension of t
  const int64_t own_dots = operand.dim() - (dims - 1);
  for (const int label : labels) {
    if (label == kDots) {
      for (int64_t i = 0; i < own_dots; ++i) at.push_back(place[kDots] + dots - own_dots + i);
      continue;
    }
    const auto* again = std::find(at.begin(), at.end(), place[label]);
    if (again == at.end()) {
      at.push_back(place[label]);
      continue;
    }
    const auto first = static_cast<int64_t>(again - at.begin());
    const auto second = static_cast<int64_t>(at.size());
    check(t.sizes()[first] == t.sizes()[second], "einsum(): subscript ", letter_of(label),
          " is repeated for operand ", number, " but the sizes don't match, ", t.sizes()[second],
          " != ", t.sizes()[first]);
    t = movedim(diagonal(t, 0, first, second), std::array<int64_t, 1>{-1}, std::array<int64_t, 1>{first});
  }
  const size_t all = aligned.last_use.size();
  Ints order;
  Ints shape(all, 1);
  for (size_t p = 0; p < all; ++p) {
    const auto* found = std::find(at.begin(), at.end(), static_cast<int64_t>(p));
    if (found == at.end()) continue;
    order.push_back(found - at.begin());
    shape[p] = t.sizes()[found - at.begin()];
    aligned.last_use[p] = static_cast<int64_t>(number);
  }
  t = permute(t, order);
  return same(t.sizes(), shape) ? t : reshape(t, shape);
}

/// Sum over the dimensions in `summed` of a · b; both have all common dimensions, and so has the result.
Tensor contract(Tensor a, Tensor b, const Ints& summed) {
  Ints alone_a;
  Ints alone_b;
  Ints both;
  for (const int64_t d : summed) {
    const bool in_a = a.sizes()[d] != 1;
    const bool in_b = b.sizes()[d] != 1;
    (in_a == in_b ? both : in_a ? alone_a : alone_b).push_back(d);
  }
  if (!alone_a.empty()) a = sum(a, IntSpan(alone_a), true, a.dtype());
  if (!alone_b.empty()) b = sum(b, IntSpan(alone_b), true, b.dtype());
  if (both.empty()) return mul(a, b);
  Ints batch;
  Ints rows;
  Ints columns;
  for (int64_t d = 0; d < a.dim(); ++d) {
    if (std::find(both.begin(), both.end(), d) != both.end()) continue;
    const bool in_a = a.sizes()[d] != 1;
    const bool in_b = b.sizes()[d] != 1;
    (in_a == in_b ? batch : in_a ? rows : columns).push_back(d);
  }
  const auto size_of = [](const Tensor& t, const Ints& dims) {
    int64_t n = 1;
    for (const int64_t d : dims) n *= t.sizes()[d];
    return n;
  };
  const auto arranged = [](const Tensor& t, std::initializer_list<const Ints*> groups,
                           std::array<int64_t, 3> shape) {
    Ints order;
    for (const Ints* dims : groups) {
      for (const int64_t d : *dims) order.push_back(d);
    }
    return reshape(permute(t, order), shape);
  };
  const std::array<int64_t, 4> n = {size_of(a, batch), size_of(a, rows), size_of(a, both),
                                    size_of(b, columns)};
  const Tensor product = bmm(arranged(a, {&batch, &rows, &both, &columns}, {n[0], n[1], n[2]}),
                             arranged(b, {&batch, &both, &columns, &rows}, {n[0], n[2], n[3]}));
  Ints order;
  Ints shape;
  for (const Ints* dims : {&batch, &rows, &columns, &both}) {
    for (const int64_t d : *dims) {
      order.push_back(d);
      shape.push_back(dims == &both ? 1 : dims == &columns ? b.sizes()[d] : a.sizes()[d]);
    }
  }
  Ints back(order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) back[order[i]] = static_cast<int64_t>(i);
  return permute(reshape(product, shape), back);
}

void check_sizes(const Aligned& aligned, const Equation& equation,
                 const std::array<int64_t, kDots + 1>& place) {
  for (size_t p = 0; p < aligned.last_use.size(); ++p) {
    int64_t seen = 1;
    for (size_t i = 0; i < aligned.operands.size(); ++i) {
      const int64_t size = aligned.operands[i].sizes()[p];
      int label = kDots;
      for (const int one : equation.operands[i]) {
        if (one != kDots && place[one] == static_cast<int64_t>(p)) label = one;
      }
      const std::string name = label == kDots ? "..." : std::string(1, letter_of(label));
      check(size == 1 || seen == 1 || size == seen, "einsum(): subscript ", name, " has size ", size,
            " for operand ", i, " which does not broadcast with previously seen size ", seen);
      if (size != 1) seen = size;
    }
  }
}

}  // namespace

// ---- einsum ----
Tensor einsum(Body, std::string_view equation, std::span<const Tensor> operands) {
  check(!operands.empty(), "einsum(): must provide at least one operand");
  const Equation parsed(equation, operands.size());
  const Labels result = parsed.has_result ? parsed.result : implied_result(parsed);
  check_result(parsed, result);
  int64_t dots = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (has(parsed.operands[i], kDots))
      dots = std::max(dots, operands[i].dim() - static_cast<int64_t>(parsed.operands[i].size()) + 1);
  }
  Aligned aligned;
  const auto place = places_of(parsed, result, dots, aligned);
  for (size_t i = 0; i < operands.size(); ++i)
    aligned.operands.push_back(align(operands[i], parsed.operands[i], i, place, dots, aligned));
  check_sizes(aligned, parsed, place);
  const auto summed_with = [&](int64_t operand) {
    Ints dims;
    for (size_t p = static_cast<size_t>(aligned.kept); p < aligned.last_use.size(); ++p) {
      if (aligned.last_use[p] == operand) dims.push_back(static_cast<int64_t>(p));
    }
    return dims;
  };
  Tensor total = aligned.operands[0];
  const Ints first = summed_with(0);
  if (!first.empty())
    total =
        operands.size() > 1 ? sum(total, IntSpan(first), true, total.dtype()) : sum(total, IntSpan(first));
  for (size_t i = 1; i < operands.size(); ++i)
    total = contract(total, aligned.operands[i], summed_with(static_cast<int64_t>(i)));
  if (aligned.kept == total.dim()) return total;
  return reshape(total, total.sizes().first(static_cast<size_t>(aligned.kept)));
}

// ---- tensordot ----
Tensor tensordot(Body, const Tensor& self, const Tensor& other, IntSpan dims_self, IntSpan dims_other) {
  check(dims_self.size() == dims_other.size(), "both dimension lists should have same length");
  check(self.dtype() == other.dtype(), "both inputs should have same dtype");
  const ReducedDims mine = dims_self.empty() ? ReducedDims::none() : ReducedDims(self, dims_self);
  const ReducedDims theirs = dims_other.empty() ? ReducedDims::none() : ReducedDims(other, dims_other);
  Ints order_self;
  Ints order_other;
  Ints shape;
  int64_t contracted = 1;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (mine.has(static_cast<size_t>(d))) continue;
    order_self.push_back(d);
    shape.push_back(self.sizes()[d]);
  }
  for (size_t i = 0; i < dims_self.size(); ++i) {
    const int64_t a = self.size(dims_self[i]);
    const int64_t b = other.size(dims_other[i]);
    check(a == b || a == 1 || b == 1, "contracted dimensions need to match, but first has size ", a,
          " in dim ", dims_self[i], " and second has size ", b, " in dim ", dims_other[i]);
    if (a != b) {  // the one that is longer is summed over
      const Tensor left = b == 1 ? sum(self, IntSpan(&dims_self[i], 1), true, self.dtype()) : self;
      const Tensor right = a == 1 ? sum(other, IntSpan(&dims_other[i], 1), true, other.dtype()) : other;
      return tensordot(left, right, dims_self, dims_other);
    }
    order_self.push_back(wrap_dim(dims_self[i], self.dim()));
    order_other.push_back(wrap_dim(dims_other[i], other.dim()));
    contracted *= a;
  }
  for (int64_t d = 0; d < other.dim(); ++d) {
    if (theirs.has(static_cast<size_t>(d))) continue;
    order_other.push_back(d);
    shape.push_back(other.sizes()[d]);
  }
  int64_t rows = 1;
  int64_t columns = 1;
  const size_t free_self = self.sizes().size() - dims_self.size();
  for (size_t i = 0; i < shape.size(); ++i) (i < free_self ? rows : columns) *= shape[i];
  const Tensor a = reshape(permute(self, order_self), std::array<int64_t, 2>{rows, contracted});
  const Tensor b = reshape(permute(other, order_other), std::array<int64_t, 2>{contracted, columns});
  return reshape(mm(a, b), shape);
}

}  // namespace onetape::ops
