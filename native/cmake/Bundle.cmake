# Libraries of others that go where libonetape goes: into the package's lib/, where its run path looks, and into the jar.
# ONETAPE_BUNDLED and ONETAPE_BUNDLED_LICENSES list the copies; the target onetape_bundle makes them.

set(ONETAPE_BUNDLED "")
set(ONETAPE_BUNDLED_LICENSES "")

# onetape_bundle(<name> <library> <soname> <license>)
function(onetape_bundle name library soname license)
  set(copy ${ONETAPE_PACKAGE_DIR}/lib/${soname})
  set(license_copy ${ONETAPE_PACKAGE_DIR}/licenses/${name}.txt)
  add_custom_command(
    OUTPUT ${copy} ${license_copy}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${ONETAPE_PACKAGE_DIR}/lib ${ONETAPE_PACKAGE_DIR}/licenses
    COMMAND ${CMAKE_COMMAND} -E copy ${library} ${copy}
    COMMAND ${CMAKE_COMMAND} -E copy ${license} ${license_copy}
    DEPENDS ${library} ${license}
    COMMENT "Copying ${soname}"
    VERBATIM)
  set(ONETAPE_BUNDLED ${ONETAPE_BUNDLED} ${copy} PARENT_SCOPE)
  set(ONETAPE_BUNDLED_LICENSES ${ONETAPE_BUNDLED_LICENSES} ${license_copy} PARENT_SCOPE)
endfunction()

# OpenBLAS as the Python package scipy-openblas32 ships it (symbols scipy_cblas_*, no Fortran runtime needed).
execute_process(
  COMMAND ${Python_EXECUTABLE} -c
          "import scipy_openblas32 as b; print(b.get_include_dir(), b.get_lib_dir(), b.get_library(), sep=';')"
  OUTPUT_VARIABLE openblas OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${Python_EXECUTABLE} has no package scipy-openblas32; `make build` installs it into .venv")
endif()
list(GET openblas 0 openblas_include)
list(GET openblas 1 openblas_lib)
list(GET openblas 2 openblas_name)
set(openblas_soname ${CMAKE_SHARED_LIBRARY_PREFIX}${openblas_name}${CMAKE_SHARED_LIBRARY_SUFFIX})
file(GLOB openblas_license ${openblas_lib}/../../scipy_openblas32-*.dist-info/licenses/LICENSE.txt)

add_library(openblas SHARED IMPORTED)
set_target_properties(openblas PROPERTIES IMPORTED_LOCATION ${openblas_lib}/${openblas_soname})
target_include_directories(openblas SYSTEM INTERFACE ${openblas_include})
onetape_bundle(OpenBLAS ${openblas_lib}/${openblas_soname} ${openblas_soname} ${openblas_license})

# oneTBB, the thread pool.
find_package(TBB QUIET CONFIG)
if(NOT TBB_FOUND)
  message(FATAL_ERROR "oneTBB was not found; on Debian and Ubuntu: apt-get install libtbb-dev")
endif()
# JSON for C++: headers alone.
find_path(ONETAPE_JSON_INCLUDE nlohmann/json.hpp)
if(NOT ONETAPE_JSON_INCLUDE)
  message(FATAL_ERROR "JSON for C++ was not found; on Debian and Ubuntu: apt-get install nlohmann-json3-dev")
endif()
set(tbb_license /usr/share/doc/libtbb12/copyright)
if(NOT EXISTS ${tbb_license})
  set(tbb_license ${CMAKE_SOURCE_DIR}/LICENSE) # the text of its licence is the text of ours
endif()
onetape_bundle(oneTBB $<TARGET_FILE:TBB::tbb> libtbb.so.12 ${tbb_license})
