# OpenBLAS as the Python package scipy-openblas32 ships it (symbols scipy_cblas_*, no Fortran runtime needed).

find_package(Python 3.9 REQUIRED COMPONENTS Interpreter)
execute_process(
  COMMAND ${Python_EXECUTABLE} -c
          "import scipy_openblas32 as b; print(b.get_include_dir(), b.get_lib_dir(), b.get_library(), sep=';')"
  OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${Python_EXECUTABLE} has no package scipy-openblas32; 'make build' installs it into .venv")
endif()
list(GET found 0 openblas_include)
list(GET found 1 openblas_lib)
list(GET found 2 openblas_name)

add_library(openblas SHARED IMPORTED)
set(ONETAPE_OPENBLAS_FILE ${openblas_lib}/${CMAKE_SHARED_LIBRARY_PREFIX}${openblas_name}${CMAKE_SHARED_LIBRARY_SUFFIX})
set_target_properties(
  openblas PROPERTIES IMPORTED_LOCATION ${ONETAPE_OPENBLAS_FILE}
                      INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${openblas_include}
                      INTERFACE_INCLUDE_DIRECTORIES ${openblas_include})
file(GLOB openblas_license ${openblas_lib}/../../scipy_openblas32-*.dist-info/licenses/LICENSE.txt)
