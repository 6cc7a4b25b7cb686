#include <algorithm>

#include "python/binding.h"

namespace onetape::python {
namespace {

/// The parameters that a caller may give and texts name.
struct Counts {
  size_t least = 0;             // without a default
  size_t most = 0;              // all
  size_t least_positional = 0;  // of those given by position
  size_t most_positional = 0;
};

Counts count(const Signature& signature, bool method) {
  Counts counts;
  for (size_t i = method ? 1 : 0; i < signature.parameters.size(); ++i) {
    const Parameter& p = signature.parameters[i];
    ++counts.most;
    if (!p.fallback) ++counts.least;
    if (p.keyword_only) continue;
    ++counts.most_positional;
    if (!p.fallback) ++counts.least_positional;
  }
  return counts;
}

const char* type_name(PyObject* object) { return is_tensor(object) ? "Tensor" : Py_TYPE(object)->tp_name; }

std::string describe(const Signature& signature, bool method) {
  std::string text;
  bool star = false;
  for (size_t i = method ? 1 : 0; i < signature.parameters.size(); ++i) {
    const Parameter& p = signature.parameters[i];
    if (p.hidden) continue;
    if (!text.empty()) text += ", ";
    if (p.keyword_only && !star) {
      text += "*, ";
      star = true;
    }
    text += std::string(kind_name(p.kind)) + " " + p.name;
    if (p.fallback) text += std::string(" = ") + p.fallback;
  }
  return "(" + text + ")";
}

std::string missing_text(const Parser& parser, const Signature& signature, const Binding& binding) {
  std::string names;
  int missing = 0;
  for (size_t i = parser.method ? 1 : 0; i < signature.parameters.size(); ++i) {
    const Parameter& p = signature.parameters[i];
    if (p.fallback || binding.seen(i)) continue;
    names += (missing++ ? ", \"" : "\"") + std::string(p.name) + "\"";
  }
  return std::string(parser.name) + "() missing " + std::to_string(missing) +
         " required positional argument" + (missing == 1 ? "s: " : ": ") + names;
}

std::string too_many_text(const Parser& parser, const Signature& signature, int given) {
  const Counts counts = count(signature, parser.method);
  std::string text = std::string(parser.name) + "() takes ";
  if (counts.least_positional < counts.most_positional) {
    text += "from " + std::to_string(counts.least_positional) + " to ";
  }
  text += std::to_string(counts.most_positional) + " positional argument" +
          (counts.most_positional == 1 ? "" : "s");
  return text + " but " + std::to_string(given) + (given == 1 ? " was given" : " were given");
}

/// Where in a list given for ints the first other thing stands; -1 if the mismatch is another one.
Py_ssize_t place_of_no_int(const Mismatch& m) {
  if (m.reason != Mismatch::WrongType) return -1;
  if (m.parameter->kind != Kind::Ints && m.parameter->kind != Kind::IntVarargs) return -1;
  if (!PyTuple_Check(m.object) && !PyList_Check(m.object)) return -1;
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(m.object);
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (!is_int(PySequence_Fast_GET_ITEM(m.object, i))) return i;
  }
  return -1;
}

std::string not_unpacked_text(const Parser& parser, const Mismatch& m, Py_ssize_t place) {
  return std::string(parser.name) + "(): argument '" + m.parameter->name +
         "' failed to unpack the object at pos " + std::to_string(place + 1) +
         " with error \"type must be tuple of ints,but got " +
         type_name(PySequence_Fast_GET_ITEM(m.object, place)) + "\"";
}

/// The text for a call that could only have meant this signature.
std::string text_for(const Parser& parser, const Signature& signature, const Binding& binding) {
  const Mismatch& m = binding.mismatch();
  const std::string name = parser.name;
  switch (m.reason) {
    case Mismatch::WrongType: {
      const std::string where = m.position > 0 ? " (position " + std::to_string(m.position) + ")" : "";
      const Py_ssize_t bad = place_of_no_int(m);
      if (bad > 0) return not_unpacked_text(parser, m, bad);
      if (bad == 0) {
        return name + "(): argument '" + m.parameter->name + "'" + where +
               " must be tuple of ints, but found element of type " +
               type_name(PySequence_Fast_GET_ITEM(m.object, 0)) + " at pos 0";
      }
      return name + "(): argument '" + m.parameter->name + "'" + where + " must be " +
             kind_name(m.parameter->kind) + ", not " + type_name(m.object);
    }
    case Mismatch::TooMany:
      return too_many_text(parser, signature, m.position);
    case Mismatch::UnknownKeyword: {
      std::string missing = missing_text(parser, signature, binding);
      if (missing.find("missing 0") == std::string::npos) return missing;
      return name + "() got an unexpected keyword argument '" + PyUnicode_AsUTF8(m.object) + "'";
    }
    case Mismatch::GivenTwice:
      return name + "() got multiple values for argument '" + PyUnicode_AsUTF8(m.object) + "'";
    default:
      return missing_text(parser, signature, binding);
  }
}

/// The types of what was given, as `(Tensor, dim=str, )`.
std::string given_types(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  std::string text;
  for (Py_ssize_t i = 0; i < nargs; ++i) text += (i ? ", " : "") + std::string(type_name(args[i]));
  const Py_ssize_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t k = 0; k < keywords; ++k) {
    if (k > 0 || nargs > 0) text += ", ";
    text += std::string(PyUnicode_AsUTF8(PyTuple_GET_ITEM(kwnames, k))) + "=" + type_name(args[nargs + k]);
  }
  return "(" + text + (nargs == 0 && keywords > 0 ? ", )" : ")");
}

/// For a signature of as many parameters as were given: marks the arguments that do not fit.
std::string why_not(const Parser& parser, const Signature& signature, PyObject* const* args, Py_ssize_t nargs,
                    PyObject* kwnames) {
  const size_t first = parser.method ? 1 : 0;
  size_t wanted = std::max<size_t>(signature.parameters.size() - first, 1);
  for (const Parameter& p : signature.parameters) {
    if (p.keyword_only) {  // the star counts, as in PyTorch
      ++wanted;
      break;
    }
  }
  if (kwnames || wanted != static_cast<size_t>(nargs)) return "";
  std::string marks;
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    const size_t at = first + static_cast<size_t>(i);
    const bool fits = at < signature.parameters.size() && accepts(signature.parameters[at].kind, args[i]);
    marks += (i ? ", " : "") +
             (fits ? std::string(type_name(args[i])) : "!" + std::string(type_name(args[i])) + "!");
  }
  return "      didn't match because some of the arguments have invalid types: (" + marks + ")\n";
}

std::string no_signature_text(const Parser& parser, PyObject* const* args, Py_ssize_t nargs,
                              PyObject* kwnames) {
  std::string text = std::string(parser.name) + "() received an invalid combination of arguments - got " +
                     given_types(args, nargs, kwnames) + ", but expected one of:\n";
  for (const Signature& signature : parser.signatures) {
    text +=
        " * " + describe(signature, parser.method) + "\n" + why_not(parser, signature, args, nargs, kwnames);
  }
  return text;
}

}  // namespace

void set_argument_error(const Parser& parser, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                        PyObject* kwnames) {
  const auto given = static_cast<size_t>(nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0));
  const Signature* only = parser.signatures.size() == 1 ? &parser.signatures[0] : nullptr;
  size_t plausible = 0;
  for (const Signature& signature : parser.signatures) {
    const Counts counts = count(signature, parser.method);
    if (given < counts.least || given > counts.most) continue;
    if (++plausible == 1 && parser.signatures.size() > 1) only = &signature;
    if (plausible > 1) only = nullptr;
  }
  std::string text;
  for (const Signature& signature : parser.signatures) {
    Arguments scratch;
    Binding binding(signature, scratch);
    binding.bind(self, args, nargs, kwnames);
    // A list is taken by its first element: what follows is an error of this signature.
    const Py_ssize_t bad = place_of_no_int(binding.mismatch());
    if (bad > 0 && !only) text = not_unpacked_text(parser, binding.mismatch(), bad);
    if (&signature == only) text = text_for(parser, signature, binding);
  }
  if (text.empty()) text = no_signature_text(parser, args, nargs, kwnames);
  PyErr_SetString(PyExc_TypeError, text.c_str());
}

}  // namespace onetape::python
