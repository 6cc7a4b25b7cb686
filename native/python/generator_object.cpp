#include "python/generator_object.h"

#include <pybind11/pybind11.h>

#include "core/dtype.h"
#include "ops.h"
#include "python/arguments.h"

namespace onetape::python {
namespace {

namespace py = pybind11;

/// What Python holds.
struct GeneratorObject {
  Ref<Generator> generator;
};

PyTypeObject* g_type = nullptr;

/// The state as a tensor of bytes, as PyTorch hands it out.
py::object state_of(const GeneratorObject& self) {
  Generator& generator = *self.generator;
  const std::lock_guard guard(generator.mutex);
  const int64_t bytes = Generator::kStateBytes;
  Tensor t = Tensor::empty(IntSpan(&bytes, 1), DType::U8);
  generator.write_state(t.bytes());
  return py::reinterpret_steal<py::object>(wrap(std::move(t)));
}

void set_state(const GeneratorObject& self, const py::object& object) {
  Generator& generator = *self.generator;
  if (!is_tensor(object.ptr())) throw py::type_error("expected a torch.ByteTensor");
  const Tensor& t = tensor_of(object.ptr());
  check_type(t.dtype() == DType::U8 && t.is_contiguous(), "RNG state must be a torch.ByteTensor");
  check(t.numel() == Generator::kStateBytes, "RNG state is wrong size");
  const std::lock_guard guard(generator.mutex);
  generator.read_state(t.bytes());
}

uint64_t seed_from(const py::object& seed) {
  int overflow = 0;
  if (!PyIndex_Check(seed.ptr())) {
    throw std::runtime_error(std::string("manual_seed expected a long, but got ") +
                             Py_TYPE(seed.ptr())->tp_name);
  }
  const py::object number = py::reinterpret_steal<py::object>(PyNumber_Index(seed.ptr()));
  if (!number) throw py::error_already_set();
  const int64_t small = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow == 0) return static_cast<uint64_t>(small);
  const uint64_t large = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    throw py::value_error("Overflow when unpacking long long");
  }
  return large;
}

}  // namespace

bool is_generator(PyObject* object) { return PyObject_TypeCheck(object, g_type); }

Generator* to_generator(PyObject* object) {
  return py::handle(object).cast<GeneratorObject&>().generator.get();
}

void add_generator(PyObject* module) {
  py::module_ m = py::reinterpret_borrow<py::module_>(module);
  auto type =
      py::class_<GeneratorObject>(m, "Generator", "A source of random numbers, with a state of its own.");
  type.def(py::init([](const py::object& device) {
             if (!device.is_none()) {
               const Device where = to_device(device.ptr());
               check(where.type != DeviceType::Meta, "META device type not an accelerator.");
               check_available(where);
             }
             return GeneratorObject{Ref<Generator>::adopt(new Generator)};
           }),
           py::arg("device") = py::none())
      .def(
          "manual_seed",
          [](py::object self, const py::object& seed) {
            Generator& generator = *self.cast<GeneratorObject&>().generator;
            const std::lock_guard guard(generator.mutex);
            generator.set_seed(seed_from(seed));
            return self;
          },
          py::arg("seed"), "Sets the seed; returns the generator.")
      .def(
          "seed",
          [](const GeneratorObject& self) {
            const std::lock_guard guard(self.generator->mutex);
            return self.generator->reseed();
          },
          "Sets a seed from the system's entropy and returns it.")
      .def(
          "initial_seed", [](const GeneratorObject& self) { return self.generator->seed(); },
          "The seed that was last set.")
      .def("get_state", state_of, "The state as a tensor of bytes.")
      .def("set_state", set_state, py::arg("new_state"), "Sets a state that get_state() gave.")
      .def_property_readonly("device", [](const GeneratorObject&) {
        return py::reinterpret_steal<py::object>(device_object({}));
      });
  g_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  m.attr("default_generator") = py::cast(GeneratorObject{Ref<Generator>::share(&default_generator())});
}

}  // namespace onetape::python
