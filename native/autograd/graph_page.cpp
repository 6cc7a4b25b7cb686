#include <sstream>

#include "autograd/graph_export.h"

namespace onetape {
namespace {

std::string escaped(const std::string& text) {
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
        out += c;
    }
  }
  return out;
}

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

constexpr const char* kPageStyle = R"(
  body { margin: 0; height: 100vh; display: flex; flex-direction: column; overflow: hidden;
    font: 14px system-ui, sans-serif; color: #111827 }
  header { padding: 8px 16px; border-bottom: 1px solid #e5e7eb }
  header h1 { display: inline; font-size: 16px; margin-right: 16px }
  #find { width: 16em; padding: 2px 6px }
  #view { flex: 1; min-height: 0; width: 100vw; cursor: grab }
  #more { position: fixed; right: 16px; bottom: 16px; max-width: 28em; padding: 12px 16px; background: #ffffffe6;
    border: 1px solid #e5e7eb; border-radius: 6px; white-space: pre-line }
  #more:empty { display: none }
  .faded { opacity: 0.2 }
  .found rect { stroke-width: 3 }
)";

/// Drag to move, wheel to zoom, click to see what a box depends on and what depends on it.
constexpr const char* kScript = R"(
const svg = document.querySelector('svg');
const find = document.getElementById('find');
const more = document.getElementById('more');
const boxes = [...document.querySelectorAll('.box')];
const arrows = [...document.querySelectorAll('.arrow')];
const whole = svg.viewBox.baseVal;
let view = { x: whole.x, y: whole.y, w: whole.width, h: whole.height };
const show = () => svg.setAttribute('viewBox', `${view.x} ${view.y} ${view.w} ${view.h}`);
const scale = () => Math.max(view.w / svg.clientWidth, view.h / svg.clientHeight);
svg.addEventListener('wheel', event => {
  event.preventDefault();
  const factor = Math.exp(event.deltaY / 500);
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  view = { x: point.x - (point.x - view.x) * factor, y: point.y - (point.y - view.y) * factor,
    w: view.w * factor, h: view.h * factor };
  show();
}, { passive: false });
let dragging = false;
svg.addEventListener('pointerdown', () => { dragging = true; });
addEventListener('pointerup', () => { dragging = false; });
addEventListener('pointermove', event => {
  if (!dragging) return;
  view.x -= event.movementX * scale();
  view.y -= event.movementY * scale();
  show();
});
const reach = (start, from, to) => {
  const seen = new Set([start]);
  const open = [start];
  while (open.length) {
    const at = open.pop();
    for (const arrow of arrows) {
      if (arrow.dataset[from] === at && !seen.has(arrow.dataset[to])) {
        seen.add(arrow.dataset[to]);
        open.push(arrow.dataset[to]);
      }
    }
  }
  return seen;
};
const select = box => {
  const id = box && box.dataset.id;
  const keep = box && new Set([...reach(id, 'to', 'from'), ...reach(id, 'from', 'to')]);
  for (const each of boxes) each.classList.toggle('faded', Boolean(keep) && !keep.has(each.dataset.id));
  for (const each of arrows) {
    each.classList.toggle('faded', Boolean(keep) && !(keep.has(each.dataset.from) && keep.has(each.dataset.to)));
  }
  more.textContent = box ? box.querySelector('title').textContent : '';
};
svg.addEventListener('click', event => select(event.target.closest('.box')));
find.addEventListener('input', () => {
  const word = find.value.toLowerCase();
  for (const box of boxes) box.classList.toggle('found', word !== '' && box.textContent.toLowerCase().includes(word));
});
)";

void write_box(std::ostream& out, const GraphBox& box, size_t id) {
  const double left = box.x - box.width / 2;
  const double top = box.y - box.height / 2;
  out << "  <g class=\"box " << class_of(box.kind) << "\" data-id=\"" << id << "\">\n    <title>"
      << escaped(box.title);
  if (!box.subtitle.empty()) out << "\n" << escaped(box.subtitle);
  for (const std::string& line : box.details) out << "\n" << escaped(line);
  out << "</title>\n    <rect x=\"" << left << "\" y=\"" << top << "\" width=\"" << box.width
      << "\" height=\"" << box.height << "\" rx=\"" << (box.kind == GraphBox::Kind::Operation ? 10 : 2)
      << "\"/>\n";
  const double first = box.subtitle.empty() ? box.y + 4 : box.y - 4;
  out << "    <text x=\"" << box.x << "\" y=\"" << first << "\">" << escaped(box.title) << "</text>\n";
  if (!box.subtitle.empty()) {
    out << "    <text class=\"small\" x=\"" << box.x << "\" y=\"" << box.y + 12 << "\">"
        << escaped(box.subtitle) << "</text>\n";
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

void write_svg(std::ostream& out, const GraphPicture& picture, const char* size) {
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" " << size << "viewBox=\"0 0 " << picture.width << ' '
      << picture.height << "\">\n  <style>" << kSvgStyle << "  </style>\n"
      << "  <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" "
         "markerHeight=\"7\" "
         "orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#6b7280\"/></marker></defs>\n";
  for (const GraphArrow& arrow : picture.arrows) write_arrow(out, arrow);
  for (size_t i = 0; i < picture.boxes.size(); ++i) write_box(out, picture.boxes[i], i);
  out << "</svg>\n";
}

}  // namespace

std::string GraphPicture::svg() const {
  std::ostringstream size;
  size << "width=\"" << width << "\" height=\"" << height << "\" ";
  std::ostringstream out;
  write_svg(out, *this, size.str().c_str());
  return out.str();
}

std::string GraphPicture::html(const std::string& title) const {
  std::ostringstream out;
  out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" << escaped(title)
      << "</title>\n<style>" << kPageStyle << "</style>\n</head>\n<body>\n<header><h1>" << escaped(title)
      << "</h1><input id=\"find\" type=\"search\" placeholder=\"find a box\"></header>\n";
  write_svg(out, *this, "id=\"view\" ");
  out << "<div id=\"more\"></div>\n<script>" << kScript << "</script>\n</body>\n</html>\n";
  return out.str();
}

}  // namespace onetape
