# libonetape_gloo: the process groups' way to Gloo, in a library of its own beside libonetape, which loads it when a group is
# made. So nothing else needs Gloo and what Gloo needs, neither to be built nor to be started.

option(ONETAPE_GLOO "Build process groups over Gloo where it is installed" ON)

set(ONETAPE_GLOO_FOUND OFF)
if(ONETAPE_GLOO)
  find_path(GLOO_INCLUDE_DIR gloo/allreduce.h)
  find_library(GLOO_LIBRARY gloo)
  if(GLOO_INCLUDE_DIR AND GLOO_LIBRARY)
    set(ONETAPE_GLOO_FOUND ON)
  else()
    message(STATUS "Gloo was not found: no process groups (on Debian and Ubuntu: apt-get install libgloo-dev)")
  endif()
endif()

# Gloo, and what Debian's build of it is linked with besides the C and C++ libraries. Paths are looked up by name.
function(onetape_bundle_linked name soname package)
  find_library(ONETAPE_${name}_LIBRARY NAMES ${soname} REQUIRED)
  set(license /usr/share/doc/${package}/copyright)
  if(NOT EXISTS ${license})
    message(FATAL_ERROR "There is no ${license}, the licence to go with ${soname}")
  endif()
  onetape_bundle(${name} ${ONETAPE_${name}_LIBRARY} ${soname} ${license})
  set(ONETAPE_BUNDLED ${ONETAPE_BUNDLED} PARENT_SCOPE)
  set(ONETAPE_BUNDLED_LICENSES ${ONETAPE_BUNDLED_LICENSES} PARENT_SCOPE)
endfunction()

if(ONETAPE_GLOO_FOUND)
  onetape_bundle_linked(Gloo libgloo.so.0 libgloo0)
  execute_process(
    COMMAND ldd ${GLOO_LIBRARY}
    OUTPUT_VARIABLE linked COMMAND_ERROR_IS_FATAL ANY)
  foreach(dependency "hiredis:libhiredis" "ibverbs:libibverbs" "libnl:libnl-3" "libnl-route:libnl-route-3")
    string(REPLACE ":" ";" dependency ${dependency})
    list(GET dependency 0 name)
    list(GET dependency 1 stem)
    if(linked MATCHES "(${stem}\\.so[.0-9]*) => ([^ ]+)")
      set(soname ${CMAKE_MATCH_1})
      string(REGEX REPLACE "^${stem}\\.so\\.?(.*)$" "\\1" version ${soname})
      string(REPLACE "." "" none "${version}")
      set(package ${stem})
      if(name MATCHES "libnl")
        string(APPEND package -${version})
      else()
        string(APPEND package ${version})
      endif()
      onetape_bundle_linked(${name} ${soname} ${package})
    endif()
  endforeach()
endif()

add_custom_target(onetape_bundle ALL DEPENDS ${ONETAPE_BUNDLED} ${ONETAPE_BUNDLED_LICENSES})

function(onetape_add_gloo)
  if(NOT ONETAPE_GLOO_FOUND)
    file(REMOVE ${ONETAPE_PACKAGE_DIR}/lib/libonetape_gloo.so) # of an earlier build
    return()
  endif()
  file(GLOB gloo_sources CONFIGURE_DEPENDS native/distributed/gloo/*.cpp)
  add_library(onetape_gloo MODULE ${gloo_sources})
  target_include_directories(onetape_gloo SYSTEM PRIVATE ${GLOO_INCLUDE_DIR})
  target_link_libraries(onetape_gloo PRIVATE onetape_options onetape ${GLOO_LIBRARY})
  add_dependencies(onetape_gloo onetape_bundle)
  # An RPATH of the old kind also serves Gloo for finding its own libraries.
  target_link_options(onetape_gloo PRIVATE -Wl,--disable-new-dtags)
  set_target_properties(
    onetape_gloo PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${ONETAPE_PACKAGE_DIR}/lib
                            BUILD_WITH_INSTALL_RPATH ON
                            INSTALL_RPATH "$ORIGIN")
endfunction()
