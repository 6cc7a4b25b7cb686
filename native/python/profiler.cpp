// The profiler for Python: what onetape.autograd.profiler calls, and where the thread is in its Python calls.

#include "python/profiler.h"

#include <numeric>
#include <optional>
#include <unordered_map>

#include <pybind11/stl.h>

#include "profiler/session.h"
#include "python/errors.h"
#include "python/gil.h"
#include "python/values.h"

namespace onetape::python {
namespace {

namespace py = pybind11;
using profiler::Event;
using profiler::Input;
using profiler::Profile;
using profiler::Stack;

/// The folders that programs are found in, with a separator at the end: what is below them is named from
/// there.
std::vector<std::string>& program_folders() {
  static auto* const folders = new std::vector<std::string>;
  return *folders;
}

std::string_view short_path(std::string_view path) {
  for (const std::string& folder : program_folders()) {
    if (path.starts_with(folder)) return path.substr(folder.size());
  }
  return path;
}

/// The calls of the profiler itself are not the program's.
bool is_own(std::string_view path) {
  return path.starts_with("onetape/profiler/") || path.starts_with("onetape/autograd/profiler") ||
         path == "contextlib.py";
}

/// Adds `train.py(12): step` for each frame, innermost first.
void add_frames(Stack& calls) {
  Owned frame(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
  while (frame) {
    auto* at = reinterpret_cast<PyFrameObject*>(frame.get());
    const Owned code(reinterpret_cast<PyObject*>(PyFrame_GetCode(at)));
    const Owned file(PyObject_GetAttrString(code.get(), "co_filename"));
    const Owned function(PyObject_GetAttrString(code.get(), "co_name"));
    const char* path = file ? PyUnicode_AsUTF8(file.get()) : nullptr;
    const char* name = path && function ? PyUnicode_AsUTF8(function.get()) : nullptr;
    PyErr_Clear();  // a name that is no UTF-8
    const std::string_view shown = path ? short_path(path) : "?";
    if (!is_own(shown)) {
      calls.push_back(std::string(shown) + "(" + std::to_string(PyFrame_GetLineNumber(at)) +
                      "): " + (name ? name : "?"));
    }
    frame = Owned(reinterpret_cast<PyObject*>(PyFrame_GetBack(at)));
  }
}

/// Python does not know whether it has called Java, which knows the other way round.
int python_frames(Stack& calls) {
  constexpr int kPlace = 1;
  if (!interpreter_alive() || !PyGILState_GetThisThreadState()) return kPlace;
  const HoldGil gil;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  add_frames(calls);
  PyErr_Clear();
  PyErr_Restore(type, value, trace);
  return kPlace;
}

py::str text_object(std::string_view text) {
  return py::reinterpret_steal<py::str>(
      need(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace")));
}

py::list sizes_of(const Input& input) {
  py::list sizes;
  for (const int64_t size : input.sizes) sizes.append(size);
  return sizes;
}
/// A list of tensors counts as no shape here, as in PyTorch.
py::list flat_shapes(const std::vector<Input>& inputs) {
  py::list all;
  for (const Input& input : inputs) all.append(sizes_of(input));
  return all;
}
py::list nested_shapes(const std::vector<Input>& inputs) {
  py::list all;
  for (const Input& input : inputs) {
    all.append(input.kind == Input::Kind::List ? nested_shapes(input.items) : sizes_of(input));
  }
  return all;
}
py::list type_names(const std::vector<Input>& inputs) {
  py::list all;
  for (const Input& input : inputs)
    all.append(input.kind == Input::Kind::Tensor ? text_object(name_of(input.dtype)) : py::str());
  return all;
}

/// A recorded profile, which does not change any more.
class RecordedProfile {
 public:
  explicit RecordedProfile(std::shared_ptr<const Profile> profile) : profile_(std::move(profile)) {}

  double microseconds(int64_t time) const { return static_cast<double>(time - profile_->start) / 1e3; }

  py::list events() const {
    std::unordered_map<const Stack*, py::list> stacks;
    py::list all;
    for (const Event& event : profile_->events) {
      all.append(py::make_tuple(text_object(event.name), static_cast<int>(event.kind), event.thread,
                                event.parent, microseconds(event.start), microseconds(event.end),
                                event.memory, event.sequence, event.forward, flat_shapes(event.inputs),
                                nested_shapes(event.inputs), type_names(event.inputs),
                                calls_of(event, stacks)));
    }
    return all;
  }

  py::list threads() const {
    py::list all;
    for (const profiler::Thread& one : profile_->threads)
      all.append(py::make_tuple(one.id, text_object(one.name)));
    return all;
  }

  py::list averages(const std::optional<std::vector<int64_t>>& events, bool by_inputs,
                    size_t by_calls) const {
    std::vector<int64_t> chosen;
    if (events) {
      chosen = *events;
      for (const int64_t one : chosen) {
        check(one >= 0 && one < static_cast<int64_t>(profile_->events.size()),
              "an event is not of this profile");
      }
    } else {
      chosen.resize(profile_->events.size());
      std::iota(chosen.begin(), chosen.end(), 0);
    }
    py::list all;
    for (const profiler::Average& one : profiler::averages(*profile_, chosen, by_inputs, by_calls)) {
      all.append(py::make_tuple(one.example, one.count, static_cast<double>(one.total) / 1e3,
                                static_cast<double>(one.self) / 1e3, one.memory, one.self_memory));
    }
    return all;
  }

  py::str chrome_trace(const std::string& metadata) const {
    return text_object(profiler::chrome_trace(*profile_, metadata));
  }
  py::str stacks() const { return text_object(profiler::stacks_text(*profile_)); }
  py::str flame_page(const std::string& title) const {
    return text_object(profiler::flame_page(*profile_, title));
  }
  py::str memory_svg(const std::string& title) const {
    return text_object(profiler::memory_svg(*profile_, title));
  }
  py::str memory_json() const { return text_object(profiler::memory_json(*profile_)); }
  double duration() const { return microseconds(profile_->end); }

 private:
  static py::list calls_of(const Event& event, std::unordered_map<const Stack*, py::list>& known) {
    if (!event.calls) return py::list();
    auto [place, fresh] = known.try_emplace(event.calls);
    if (fresh) {
      for (const std::string& call : *event.calls) place->second.append(text_object(call));
    }
    return place->second;
  }

  std::shared_ptr<const Profile> profile_;
};

void start(bool shapes, bool memory, bool stacks, std::vector<std::string> folders) {
  program_folders() = std::move(folders);
  profiler::start({.shapes = shapes, .memory = memory, .stacks = stacks});
}

RecordedProfile stop() {
  const py::gil_scoped_release release;
  return RecordedProfile(profiler::stop());
}

py::object open_span(const std::string& name) {
  if (!profiler::t_spans) return py::none();
  const profiler::OpenSpan span = profiler::open_span(profiler::SpanKind::User, name);
  return py::make_tuple(span.list, span.place);
}
void close_span(uint64_t list, uint32_t place) { profiler::close_span({list, place}); }

py::str table(const py::list& rows, int64_t row_limit, int64_t name_width, int64_t shapes_width,
              int64_t source_width, const std::optional<std::string>& header, bool memory,
              bool top_level_only, const std::string& unit) {
  std::vector<profiler::Row> lines;
  for (const py::handle& item : rows) {
    const auto row = py::reinterpret_borrow<py::tuple>(item);
    lines.push_back({.name = row[0].cast<std::string>(),
                     .self = row[1].cast<double>(),
                     .total = row[2].cast<double>(),
                     .count = row[3].cast<int64_t>(),
                     .memory = row[4].cast<int64_t>(),
                     .self_memory = row[5].cast<int64_t>(),
                     .shapes = row[6].cast<std::string>(),
                     .calls = row[7].cast<Stack>(),
                     .top_level = row[8].cast<bool>()});
  }
  return text_object(profiler::table_text(lines, {.row_limit = row_limit,
                                                  .name_width = name_width,
                                                  .shapes_width = shapes_width,
                                                  .source_width = source_width,
                                                  .header = header.value_or(""),
                                                  .with_header = header.has_value(),
                                                  .with_memory = memory,
                                                  .top_level_only = top_level_only,
                                                  .time_unit = unit}));
}

}  // namespace

void add_profiler(py::module_& m) {
  py::class_<RecordedProfile>(m, "_Profile", "What was seen while a profile was recorded.")
      .def("events", &RecordedProfile::events)
      .def("threads", &RecordedProfile::threads)
      .def("averages", &RecordedProfile::averages)
      .def("chrome_trace", &RecordedProfile::chrome_trace)
      .def("stacks", &RecordedProfile::stacks)
      .def("flame_page", &RecordedProfile::flame_page)
      .def("memory_svg", &RecordedProfile::memory_svg)
      .def("memory_json", &RecordedProfile::memory_json)
      .def("duration", &RecordedProfile::duration);
  m.def("_profiler_start", &start, "Begins to profile the calling thread.");
  m.def("_profiler_stop", &stop, "Ends that and gives what was seen.");
  m.def("_profiler_open", &open_span, "Begins a span of the program's own.");
  m.def("_profiler_close", &close_span, "Ends it.");
  m.def("_profiler_table", &table, "Rows as PyTorch prints them.");
  profiler::add_stack_teller(python_frames);
}

}  // namespace onetape::python
