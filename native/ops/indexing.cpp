#include "ops/indexing.h"

#include <vector>

#include "ops.h"
#include "ops/creation.h"

namespace onetape {
namespace {

/// What is left of an index expression after its views are taken: the view, and the tensors among the items,
/// one a dimension of the view (undefined where there is none).
struct Selection {
  Tensor view;
  std::vector<Tensor> tensors;  // masks as they are: one entry for all their dimensions
};

int64_t dims_taken(const IndexItem& item) {
  switch (item.kind) {
    case IndexItem::Kind::Int:
    case IndexItem::Kind::Slice:
      return 1;
    case IndexItem::Kind::Tensor: {
      const bool mask = item.tensor.dtype() == DType::Bool || item.tensor.dtype() == DType::U8;
      return mask ? item.tensor.dim() : 1;
    }
    default:
      return 0;
  }
}

Tensor select_item(const Tensor& view, int64_t dim, int64_t index, int64_t shown_dim) {
  check_index(view.dim() > 0,
              "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ "
              "to convert a 0-dim "
              "tensor to a number");
  const int64_t size = view.sizes()[dim];
  check_index(index >= -size && index < size, "index ", index, " is out of bounds for dimension ", shown_dim,
              " with size ", size);
  return ops::select(view, dim, index);
}

bool takes_all(const IndexItem& item, int64_t size) {
  const bool from_start = item.start.value_or(0) == 0;
  return from_start && item.stop.value_or(size) >= size && item.step.value_or(1) == 1;
}

Tensor slice_item(const Tensor& view, int64_t dim, const IndexItem& item) {
  check_value(item.step.value_or(1) > 0, "step must be greater than zero");
  check_index(view.dim() > 0, "slice() cannot be applied to a 0-dim tensor.");
  return ops::slice(view, dim, item.start, item.stop, item.step.value_or(1));
}

/// A bool as an index of a new dimension of size 1: takes its one element or none.
Tensor bool_index(bool value) {
  const std::array<int64_t, 1> one = {value ? 1 : 0};
  return ops::zeros(one, Options{.dtype = DType::I64});
}

/// Takes the items from left to right, as views.
class Selector {
 public:
  Selector(const Tensor& self, std::span<const IndexItem> items) : self_(self), items_(items) {
    result_.view = self;
    for (const IndexItem& item : items) taken_ += dims_taken(item);
  }

  Selection run() {
    if (items_.size() == 1 &&
        (items_[0].kind == IndexItem::Kind::Int || items_[0].kind == IndexItem::Kind::Slice)) {
      const IndexItem& item = items_[0];
      result_.view = item.kind == IndexItem::Kind::Int ? select_item(self_, 0, item.integer, 0)
                                                       : slice_item(self_, 0, item);
      return std::move(result_);
    }
    check_index(taken_ <= self_.dim(), "too many indices for tensor of dimension ", self_.dim());
    for (const IndexItem& item : items_) take(item);
    return std::move(result_);
  }

 private:
  void take(const IndexItem& item) {
    switch (item.kind) {
      case IndexItem::Kind::None:
        result_.view = ops::unsqueeze(result_.view, dim_++);
        break;
      case IndexItem::Kind::Ellipsis:
        dim_ += self_.dim() - taken_;
        source_dim_ += self_.dim() - taken_;
        break;
      case IndexItem::Kind::Int:
        result_.view = select_item(result_.view, dim_, item.integer, source_dim_++);
        break;
      case IndexItem::Kind::Slice:
        check_value(item.step.value_or(1) > 0, "step must be greater than zero");
        if (!takes_all(item, result_.view.sizes()[dim_])) result_.view = slice_item(result_.view, dim_, item);
        ++dim_;
        ++source_dim_;
        break;
      case IndexItem::Kind::Bool:
        take_bool(item.integer != 0);
        break;
      case IndexItem::Kind::Tensor:
        take_tensor(item.tensor);
        break;
    }
  }

  void take_bool(bool value) {
    result_.view = ops::unsqueeze(result_.view, dim_);
    note(bool_index(value), 1);
  }

  void take_tensor(const Tensor& t) {
    const bool mask = t.dtype() == DType::Bool || t.dtype() == DType::U8;
    if (t.dim() == 0 && mask) {
      take_bool(item(t).to<bool>());
    } else if (t.dim() == 0 && is_integral(t.dtype())) {
      result_.view = select_item(result_.view, dim_, item(t).to<int64_t>(), source_dim_++);
    } else {
      const int64_t dims = mask ? t.dim() : 1;
      source_dim_ += dims;
      note(t, dims);
    }
  }

  /// Notes a tensor for the dimension reached; a mask covers as many dimensions as it has.
  void note(const Tensor& index, int64_t dims) {
    for (; noted_ < dim_; ++noted_) result_.tensors.emplace_back();
    result_.tensors.push_back(index);
    dim_ += dims;
    noted_ = dim_;
  }

  const Tensor& self_;
  std::span<const IndexItem> items_;
  Selection result_;
  int64_t taken_ = 0;
  int64_t dim_ = 0;
  int64_t noted_ = 0;
  int64_t source_dim_ = 0;
};

/// A tensor without its leading dimensions of size 1.
Tensor without_leading_ones(const Tensor& t) {
  size_t ones = 0;
  while (ones < t.sizes().size() && t.sizes()[ones] == 1) ++ones;
  return ones == 0 ? t : ops::view(t, t.sizes().subspan(ones));
}

void assign(const Tensor& to, const Tensor& value) {
  if (value.dim() == 0) {
    ops::fill_(to, value);
  } else if (same(value.sizes(), to.sizes())) {
    ops::copy_(to, value);
  } else {
    ops::copy_(to, ops::expand(without_leading_ones(value), to.sizes()));
  }
}

}  // namespace

Tensor get_item(const Tensor& self, std::span<const IndexItem> items) {
  Selection chosen = Selector(self, items).run();
  if (!chosen.tensors.empty()) return ops::index(chosen.view, chosen.tensors);
  return chosen.view.is(self) ? ops::alias(self) : chosen.view;
}

void set_item(const Tensor& self, std::span<const IndexItem> items, const Tensor& value) {
  if (items.size() == 1 && items[0].kind == IndexItem::Kind::Bool && items[0].integer == 0) return;
  const bool number = value.impl()->wrapped_number();
  const Tensor from = number ? checked_scalar_tensor(item(value), self.dtype()) : value;
  if (items.size() == 1 && items[0].kind == IndexItem::Kind::Bool) {
    assign(ops::unsqueeze(self, 0), from);
    return;
  }
  const Selection chosen = Selector(self, items).run();
  if (chosen.tensors.empty()) {
    assign(chosen.view, from);
  } else {
    ops::index_put_(chosen.view, chosen.tensors, without_leading_ones(from));
  }
}

}  // namespace onetape
