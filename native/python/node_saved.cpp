#include "python/node_saved.h"

#include <array>
#include <optional>
#include <string_view>

#include <pybind11/pybind11.h>

#include "autograd/saved_tensor.h"
#include "python/errors.h"
#include "python/generated.h"
#include "python/saved_hooks.h"

namespace onetape::python {
namespace {

namespace py = pybind11;

/// What PyTorch calls the tensors that a node keeps, in the order in which this engine keeps them. Other
/// nodes: the result is `result`, the first operand `self`.
struct SavedNames {
  std::string_view node;
  std::array<std::string_view, 3> names;
};
constexpr SavedNames kNames[] = {
    {"MulBackward0", {"other", "self"}},
    {"DivBackward0", {"self", "other"}},
    {"Atan2Backward0", {"self", "other"}},
    {"HypotBackward0", {"self", "other"}},
    {"MaximumBackward0", {"self", "other"}},
    {"MinimumBackward0", {"self", "other"}},
    {"PowBackward1", {"self", "exponent"}},
    {"MmBackward0", {"self", "mat2"}},
    {"BmmBackward0", {"self", "mat2"}},
    {"MvBackward0", {"self", "vec"}},
    {"DotBackward0", {"self", "tensor"}},
    {"AddmmBackward0", {"mat1", "mat2"}},
    {"WhereBackward0", {"condition"}},
    {"GatherBackward0", {"index"}},
    {"IndexSelectBackward0", {"index"}},
    {"EmbeddingBackward0", {"indices"}},
    {"MseLossBackward0", {"self", "target"}},
    {"BinaryCrossEntropyBackward0", {"self", "target", "weight"}},
    {"NativeLayerNormBackward0", {"input", "weight", "result1"}},
};

std::optional<size_t> index_of(const Ref<Node>& node, std::string_view wanted) {
  const std::string name = node->name();
  for (const SavedNames& entry : kNames) {
    if (entry.node != name) continue;
    for (size_t i = 0; i < entry.names.size(); ++i) {
      if (entry.names[i] == wanted) return i;
    }
  }
  for (size_t i = 0; i < 3; ++i) {
    const SavedTensor one = node->saved_at(i);
    const std::string_view usual = one.is_output() ? "result" : i == 0 ? "self" : "";
    if (one.defined() && usual == wanted) return i;
  }
  return std::nullopt;
}

/// What grad_fn._raw_saved_… is.
class RawSavedTensor {
 public:
  RawSavedTensor(Ref<Node> node, size_t index) : node_(std::move(node)), index_(index) {}

  void register_hooks(const py::object& pack, const py::object& unpack) {
    PythonSavedHooks hooks(pack.ptr(), unpack.ptr());
    SavedTensor saved;
    try {
      saved = node_->saved_at(index_);
    } catch (const Error&) {
      fail(
          ErrorKind::Runtime,
          "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of "
          "the graph "
          "are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to "
          "backward "
          "through the graph a second time or if you need to access saved variables after calling backward.");
    }
    check(saved.defined(), "Calling register_hooks on a saved tensor with value None is forbidden");
    node_->replace_saved(index_, saved.packed_by(hooks, *node_));
  }

 private:
  Ref<Node> node_;
  size_t index_;
};

}  // namespace

PyObject* saved_attribute(const Ref<Node>& node, const char* attribute) {
  constexpr std::string_view kSaved = "_saved_";
  constexpr std::string_view kRaw = "_raw_saved_";
  const std::string_view name = attribute;
  const bool raw = name.starts_with(kRaw);
  if (!raw && !name.starts_with(kSaved)) return nullptr;
  const std::optional<size_t> index = index_of(node, name.substr(raw ? kRaw.size() : kSaved.size()));
  if (!index) return nullptr;
  if (raw) return py::cast(RawSavedTensor(node, *index)).release().ptr();
  const SavedTensor saved = node->saved_at(*index);
  return wrap(saved.defined() ? saved.unpack(*node) : Tensor());
}

void add_saved_attributes(PyObject* module) {
  py::class_<RawSavedTensor>(py::reinterpret_borrow<py::module_>(module), "_SavedTensor",
                             "A tensor that a node keeps for backward.")
      .def("register_hooks", &RawSavedTensor::register_hooks, py::arg("pack_hook"), py::arg("unpack_hook"),
           "Packs the tensor at once; the engine unpacks it when it needs it.");
}

}  // namespace onetape::python
