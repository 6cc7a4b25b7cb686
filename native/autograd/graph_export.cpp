#include "autograd/graph_export.h"

#include <cmath>
#include <sstream>

#include "core/error.h"

namespace onetape {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20; }

// ---- DOT ----

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += is_control(c) ? ' ' : c;
    }
  }
  return out + '"';
}

const char* dot_style(GraphBox::Kind kind) {
  switch (kind) {
    case GraphBox::Kind::Leaf:
      return "shape=box, style=filled, fillcolor=\"#dbeafe\"";
    case GraphBox::Kind::Result:
      return "shape=box, style=filled, fillcolor=\"#dcfce7\"";
    default:
      return "shape=box, style=\"rounded,filled\", fillcolor=\"#fef3c7\"";
  }
}

/// The boxes of each module, and its modules, as clusters inside each other.
class DotWriter {
 public:
  explicit DotWriter(const GraphPicture& picture)
      : picture_(picture), boxes_(picture.modules.size() + 1), modules_(picture.modules.size() + 1) {
    for (size_t i = 0; i < picture.boxes.size(); ++i) boxes_[place(picture.boxes[i].module)].push_back(i);
    for (size_t i = 0; i < picture.modules.size(); ++i)
      modules_[place(picture.modules[i].parent)].push_back(i);
  }

  std::string write() {
    out_ << "digraph onetape {\n  node [fontname=\"monospace\", fontsize=10];\n";
    // Without recursion: a module is written when it is met, and closed when its own have been.
    std::vector<std::pair<size_t, size_t>> open = {{0, 0}};
    write_boxes(0);
    while (!open.empty()) {
      auto& [at, next] = open.back();
      if (next == modules_[at].size()) {
        if (at) out_ << "  }\n";
        open.pop_back();
        continue;
      }
      const size_t module = modules_[at][next++];
      const GraphModule& m = picture_.modules[module];
      out_ << "  subgraph cluster" << module << " {\n  label=" << quoted(m.name + ": " + m.type)
           << "; fontname=\"monospace\"; fontsize=10; style=rounded; color=\"#9ca3af\";\n";
      write_boxes(module + 1);
      open.emplace_back(module + 1, 0);
    }
    for (const GraphArrow& arrow : picture_.arrows) {
      out_ << "  n" << arrow.from << " -> n" << arrow.to;
      if (arrow.count > 1) out_ << " [label=\"" << arrow.count << "×\"]";
      out_ << ";\n";
    }
    out_ << "}\n";
    return out_.str();
  }

 private:
  static size_t place(const std::optional<size_t>& module) { return module ? *module + 1 : 0; }

  void write_boxes(size_t of) {
    for (const size_t i : boxes_[of]) {
      const GraphBox& box = picture_.boxes[i];
      const std::string label = box.title + (box.subtitle.empty() ? "" : "\n" + box.subtitle);
      out_ << "  n" << i << " [label=" << quoted(label) << ", " << dot_style(box.kind);
      if (!box.places.empty()) out_ << ", tooltip=" << quoted(box.places.back());
      out_ << "];\n";
    }
  }

  const GraphPicture& picture_;
  std::vector<std::vector<size_t>> boxes_;    // of no module, then of each
  std::vector<std::vector<size_t>> modules_;  // the same
  std::ostringstream out_;
};

// ---- JSON ----

std::string json_number(double value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  std::ostringstream text;
  text.precision(9);
  text << value;
  return text.str();
}

void write_list(std::ostream& out, const char* name, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  out << ",\"" << name << "\":[";
  for (size_t i = 0; i < lines.size(); ++i) out << (i ? "," : "") << json_text(lines[i]);
  out << ']';
}

void write_box(std::ostream& out, const GraphBox& box) {
  static constexpr const char* kKinds[] = {"leaf", "operation", "result"};
  out << "{\"kind\":\"" << kKinds[static_cast<size_t>(box.kind)] << "\",\"name\":" << json_text(box.title);
  if (!box.subtitle.empty()) out << ",\"shape\":" << json_text(box.subtitle);
  if (box.module) out << ",\"module\":" << *box.module;
  if (box.saved_bytes) out << ",\"saved_bytes\":" << box.saved_bytes;
  if (box.freed) out << ",\"freed\":true";
  if (box.grad_norm) out << ",\"grad_norm\":" << json_number(*box.grad_norm);
  write_list(out, "places", box.places);
  write_list(out, "details", box.details);
  out << '}';
}

}  // namespace

std::string json_text(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (is_control(c) || c == '<' || c == '>' || c == '&') {
      out += "\\u00";
      out += kDigits[static_cast<unsigned char>(c) >> 4];
      out += kDigits[static_cast<unsigned char>(c) & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string GraphPicture::dot() const { return DotWriter(*this).write(); }

std::string GraphPicture::json(const std::string& title) const {
  std::ostringstream out;
  out << "{\"title\":" << json_text(title) << ",\"kept_bytes\":" << kept_bytes << ",\n\"nodes\":[";
  for (size_t i = 0; i < boxes.size(); ++i) {
    out << (i ? ",\n" : "\n");
    write_box(out, boxes[i]);
  }
  out << "],\n\"edges\":[";
  for (size_t i = 0; i < arrows.size(); ++i) {
    const GraphArrow& arrow = arrows[i];
    out << (i ? "," : "") << '[' << arrow.from << ',' << arrow.to << ',' << arrow.count << ']';
  }
  out << "],\n\"modules\":[";
  for (size_t i = 0; i < modules.size(); ++i) {
    const GraphModule& m = modules[i];
    out << (i ? "," : "") << "{\"name\":" << json_text(m.name) << ",\"type\":" << json_text(m.type);
    if (m.parent) out << ",\"parent\":" << *m.parent;
    out << '}';
  }
  out << "]}";
  return out.str();
}

std::string graph_text(const GraphPicture& picture, std::string_view form, const std::string& title) {
  if (form == "dot") return picture.dot();
  if (form == "json") return picture.json(title);
  if (form == "svg") return picture.svg();
  check_value(form == "html", "a graph has no form ", form);
  return picture.html(title);
}

}  // namespace onetape
