#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/scalar.h"
#include "core/tensor.h"

namespace onetape {

/// How tensors are written; the names, defaults and meanings of torch.set_printoptions.
struct PrintOptions {
  int precision = 4;        ///< digits after the point
  double threshold = 1000;  ///< more elements than this are summarised
  int edgeitems = 3;        ///< elements shown at each end of a summarised dimension
  int linewidth = 80;
  std::optional<bool> sci_mode = std::nullopt;  ///< scientific notation: always, never, or where it helps
};

ONETAPE_API PrintOptions print_options();
ONETAPE_API void set_print_options(const PrintOptions& options);

/// The full form: `tensor([1., 2.], dtype=torch.float64, grad_fn=<MulBackward0>)`. `name` stands for
/// `tensor`, which a subclass replaces by its own name. The undefined tensor is `None`.
ONETAPE_API std::string repr(const Tensor& self, const PrintOptions& options = print_options(),
                             std::string_view name = "tensor");

/// The form for messages: the bare number of a 0-dim tensor, else repr() without what autograd knows, and
/// without the dtype where it is float32, float64, int64 or bool.
ONETAPE_API std::string format(const Tensor& self, const PrintOptions& options = print_options());

/// The shortest text that reads back as the number, written as Python writes it: `7.0`, `1e-05`, `(1+2j)`,
/// `True`.
ONETAPE_API std::string format_number(const Scalar& value);

}  // namespace onetape
