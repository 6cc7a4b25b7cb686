# The extension module onetape._C, with its type stubs beside it.

find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(
  COMMAND ${Python_EXECUTABLE} -m pybind11 --cmakedir
  OUTPUT_VARIABLE pybind11_DIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(PYBIND11_FINDPYTHON ON)
find_package(pybind11 CONFIG REQUIRED)

file(GLOB python_sources CONFIGURE_DEPENDS native/python/*.cpp)
onetape_generated(generated_python "^cpp/(.*/)?python_[^/]*\\.cpp$")

pybind11_add_module(_C MODULE NO_EXTRAS ${python_sources} ${generated_python})
add_dependencies(_C onetape_codegen)
target_link_libraries(_C PRIVATE onetape)
target_compile_definitions(_C PRIVATE ONETAPE_VERSION="${PROJECT_VERSION}")
set_target_properties(
  _C PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${ONETAPE_PACKAGE_DIR}
                BUILD_WITH_INSTALL_RPATH ON
                INSTALL_RPATH "$ORIGIN/lib")

# What the generator writes for the package itself: stubs and other Python files, laid out as in the package.
onetape_generated(generated_package "^python/")
set(copies "")
foreach(file IN LISTS generated_package)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${ONETAPE_GENERATED_DIR}/python OUTPUT_VARIABLE relative)
  string(REGEX REPLACE "^onetape/" "" relative ${relative})
  set(copy ${ONETAPE_PACKAGE_DIR}/${relative})
  cmake_path(GET copy PARENT_PATH copy_dir)
  add_custom_command(
    OUTPUT ${copy}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${copy_dir}
    COMMAND ${CMAKE_COMMAND} -E copy ${file} ${copy}
    DEPENDS ${file}
    VERBATIM)
  list(APPEND copies ${copy})
endforeach()
add_custom_target(onetape_stubs ALL DEPENDS ${copies})
add_dependencies(onetape_stubs onetape_codegen)
