#include "autograd/graph_export.h"
#include "graph_page_files.h"

namespace onetape {
namespace {

/// The page with each {{word}} replaced; what is put in is not looked at again.
std::string filled(const std::string& title, std::string_view data) {
  std::string out;
  std::string_view rest = page_files::kPage;
  for (size_t at = rest.find("{{"); at != std::string_view::npos; at = rest.find("{{")) {
    const size_t end = rest.find("}}", at);
    const std::string_view word = rest.substr(at + 2, end - at - 2);
    out += rest.substr(0, at);
    rest.remove_prefix(end + 2);
    if (word == "title") {
      out += escaped_xml(title);
    } else if (word == "data") {
      out += data;
    } else if (word == "style") {
      out += page_files::kStyle;
    } else {
      for (const std::string_view script : page_files::kScripts) out += script;
    }
  }
  out += rest;
  return out;
}

}  // namespace

std::string GraphPicture::html(const std::string& title) const { return filled(title, json(title)); }

std::string live_graph_page(const std::string& title) { return filled(title, "null"); }

}  // namespace onetape
