#include "autograd/graph_export.h"
#include "graph_page_files.h"

namespace onetape {
namespace {

std::string filled(const std::string& title, const std::string& data) {
  return filled_page(page_files::kPage, [&](std::string_view word) -> std::string {
    if (word == "title") return escaped_xml(title);
    if (word == "data") return data;
    if (word == "style") return std::string(page_files::kStyle);
    std::string scripts;
    for (const std::string_view script : page_files::kScripts) scripts += script;
    return scripts;
  });
}

}  // namespace

std::string filled_page(std::string_view page, const std::function<std::string(std::string_view)>& of) {
  std::string out;
  for (size_t at = page.find("{{"); at != std::string_view::npos; at = page.find("{{")) {
    const size_t end = page.find("}}", at);
    out += page.substr(0, at);
    out += of(page.substr(at + 2, end - at - 2));
    page.remove_prefix(end + 2);
  }
  out += page;
  return out;
}

std::string GraphPicture::html(const std::string& title) const { return filled(title, json(title)); }

std::string live_graph_page(const std::string& title) { return filled(title, "null"); }

}  // namespace onetape
