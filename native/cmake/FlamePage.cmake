# The page with a profile's flame graph, from native/profiler/page, as texts in a header: so it is a part of the library.

set(page_dir ${CMAKE_SOURCE_DIR}/native/profiler/page) # for onetape_text

onetape_text(page page.html)
onetape_text(style page.css)
onetape_text(script flame.js)
set(flame_header
    "#pragma once\n\n#include <string_view>\n\nnamespace onetape::profiler::flame_files {\n
inline constexpr std::string_view kPage = ${page};
inline constexpr std::string_view kStyle = ${style};
inline constexpr std::string_view kScript = ${script};\n
}  // namespace onetape::profiler::flame_files\n")
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/page/flame_page_files.h CONTENT "${flame_header}")
set_source_files_properties(native/profiler/flame.cpp PROPERTIES INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/page)
