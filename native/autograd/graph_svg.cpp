#include <sstream>

#include "autograd/graph_export.h"

namespace onetape {
namespace {

const char* class_of(GraphBox::Kind kind) {
  switch (kind) {
    case GraphBox::Kind::Leaf:
      return "leaf";
    case GraphBox::Kind::Result:
      return "result";
    default:
      return "operation";
  }
}

constexpr const char* kSvgStyle = R"(
    .box rect { stroke-width: 1.2 }
    .leaf rect { fill: #dbeafe; stroke: #2563eb }
    .operation rect { fill: #fef3c7; stroke: #b45309 }
    .result rect { fill: #dcfce7; stroke: #15803d }
    .box text { font: 12px monospace; text-anchor: middle; fill: #111827 }
    .box .small { font-size: 11px; fill: #4b5563 }
    .arrow { fill: none; stroke: #6b7280; stroke-width: 1.2 }
    .count { font: 10px monospace; fill: #6b7280 }
)";

void write_box(std::ostream& out, const GraphBox& box, size_t id) {
  const double left = box.x - box.width / 2;
  const double top = box.y - box.height / 2;
  out << "  <g class=\"box " << class_of(box.kind) << "\" data-id=\"" << id << "\">\n    <title>"
      << escaped_xml(box.title);
  if (!box.subtitle.empty()) out << "\n" << escaped_xml(box.subtitle);
  for (const std::string& line : box.details) out << "\n" << escaped_xml(line);
  for (const std::string& line : box.places) out << "\n" << escaped_xml(line);
  out << "</title>\n    <rect x=\"" << left << "\" y=\"" << top << "\" width=\"" << box.width
      << "\" height=\"" << box.height << "\" rx=\"" << (box.kind == GraphBox::Kind::Operation ? 10 : 2)
      << "\"/>\n";
  const double first = box.subtitle.empty() ? box.y + 4 : box.y - 4;
  out << "    <text x=\"" << box.x << "\" y=\"" << first << "\">" << escaped_xml(box.title) << "</text>\n";
  if (!box.subtitle.empty()) {
    out << "    <text class=\"small\" x=\"" << box.x << "\" y=\"" << box.y + 12 << "\">"
        << escaped_xml(box.subtitle) << "</text>\n";
  }
  out << "  </g>\n";
}

/// A smooth line that is upright at every point of its route.
void write_arrow(std::ostream& out, const GraphArrow& arrow) {
  out << "  <path class=\"arrow\" data-from=\"" << arrow.from << "\" data-to=\"" << arrow.to
      << "\" marker-end=\"url(#tip)\" d=\"M" << arrow.route[0].first << ' ' << arrow.route[0].second;
  for (size_t i = 1; i < arrow.route.size(); ++i) {
    const auto [x0, y0] = arrow.route[i - 1];
    const auto [x1, y1] = arrow.route[i];
    const double half = (y0 + y1) / 2;
    out << " C" << x0 << ' ' << half << ' ' << x1 << ' ' << half << ' ' << x1 << ' ' << y1;
  }
  out << "\"/>\n";
  if (arrow.count > 1) {
    const auto [x, y] = arrow.route.back();
    out << "  <text class=\"count\" x=\"" << x + 6 << "\" y=\"" << y - 8 << "\">" << arrow.count
        << "×</text>\n";
  }
}

void write_svg(std::ostream& out, const GraphPicture& picture) {
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << picture.width << "\" height=\""
      << picture.height << "\" viewBox=\"0 0 " << picture.width << ' ' << picture.height << "\">\n  <style>"
      << kSvgStyle << "  </style>\n"
      << "  <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" "
         "markerHeight=\"7\" "
         "orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#6b7280\"/></marker></defs>\n";
  for (const GraphArrow& arrow : picture.arrows) write_arrow(out, arrow);
  for (size_t i = 0; i < picture.boxes.size(); ++i) write_box(out, picture.boxes[i], i);
  out << "</svg>\n";
}

}  // namespace

std::string escaped_xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // XML knows no other control characters.
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? ' ' : c;
    }
  }
  return out;
}

std::string GraphPicture::svg() const {
  GraphPicture laid_out = *this;
  lay_out(laid_out);
  std::ostringstream out;
  write_svg(out, laid_out);
  return out.str();
}

}  // namespace onetape
