#include "python/graph_picture.h"

#include "autograd/graph_export.h"
#include "python/generated.h"

namespace onetape::python {
namespace {

constexpr Parameter parameters[] = {
    {"tensors", Kind::Tensors}, {"names", Kind::Anything}, {"named", Kind::Tensors},
    {"form", Kind::Text},       {"title", Kind::Text},
};
constexpr Signature signatures[] = {{parameters}};
constexpr Parser parser = {"_graph_text", signatures};

PyObject* graph_call(const Arguments& call) {
  const std::vector<Tensor> roots = call.tensors(0);
  const std::vector<Tensor> tensors = call.tensors(2);
  std::vector<std::pair<std::string, Tensor>> names;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Owned name(need(PySequence_GetItem(call.object(1), static_cast<Py_ssize_t>(i))));
    names.emplace_back(to_text(name.get()), tensors[i]);
  }
  const std::string_view form = call.text(3);
  const std::string title(call.text(4));
  const std::string text = run(true, [&] { return graph_text(picture_of(roots, names), form, title); });
  return need(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

PyObject* live_page(PyObject*, PyObject* title) {
  return guarded([&] {
    const std::string text = live_graph_page(std::string(to_text(title)));
    return need(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
  });
}

PyMethodDef functions[] = {
    method_entry("_graph_text", entry<parser, graph_call>,
                 "The graph behind tensors in the form 'dot', 'json', 'svg' or 'html'."),
    {"_graph_live_page", live_page, METH_O,
     "_graph_live_page(title, /)\n--\n\nThe page of onetape.graph.serve()."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_graph_pictures(PyObject* module) { need(PyModule_AddFunctions(module, functions)); }

}  // namespace onetape::python
