# The page that shows a graph, from native/autograd/page, as texts in a header: so it is a part of the library.

set(page_dir ${CMAKE_SOURCE_DIR}/native/autograd/page)
set(page_scripts model layers layout canvas panels main) # in the order in which the page has them

# onetape_text(<variable> <file>): the file as a string literal of C++.
function(onetape_text variable file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_dir}/${file})
  file(READ ${page_dir}/${file} text)
  set(${variable} "R\"page(${text})page\"" PARENT_SCOPE)
endfunction()

onetape_text(page page.html)
onetape_text(style page.css)
set(scripts "")
foreach(script IN LISTS page_scripts)
  onetape_text(text ${script}.js)
  string(APPEND scripts "    ${text},\n")
endforeach()
set(page_header
    "#pragma once\n\n#include <string_view>\n\nnamespace onetape::page_files {\n
inline constexpr std::string_view kPage = ${page};
inline constexpr std::string_view kStyle = ${style};
inline constexpr std::string_view kScripts[] = {
${scripts}};\n
}  // namespace onetape::page_files\n")
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/page/graph_page_files.h CONTENT "${page_header}")
set_source_files_properties(native/autograd/graph_page.cpp PROPERTIES INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/page)
