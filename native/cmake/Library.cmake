# libonetape: the engine and, with a JDK, the JNI glue. The engine's objects are also linked straight into the native
# tests, which so reach what the library hides.

file(GLOB engine_sources CONFIGURE_DEPENDS native/core/*.cpp native/ops/*.cpp native/autograd/*.cpp
     native/distributed/*.cpp native/profiler/*.cpp native/tape/*.cpp)
file(GLOB kernel_sources CONFIGURE_DEPENDS native/kernels/*.cpp)
set(level_sources ${kernel_sources})
list(FILTER kernel_sources EXCLUDE REGEX "\\.simd\\.cpp$")
list(FILTER level_sources INCLUDE REGEX "\\.simd\\.cpp$")
onetape_generated(generated_engine "^cpp/.*\\.cpp$")
list(FILTER generated_engine EXCLUDE REGEX "/(jni|python)_[^/]*$")

add_library(onetape_engine OBJECT ${engine_sources} ${kernel_sources} ${generated_engine})
set_source_files_properties(
  native/tape/capi.cpp PROPERTIES COMPILE_DEFINITIONS ONETAPE_VERSION="${PROJECT_VERSION}")
target_link_libraries(onetape_engine PRIVATE onetape_options openblas TBB::tbb)
set_source_files_properties(${kernel_sources} PROPERTIES COMPILE_OPTIONS "${ONETAPE_KERNEL_FLAGS}")
add_dependencies(onetape_engine onetape_codegen)

set(ONETAPE_ENGINE_OBJECTS $<TARGET_OBJECTS:onetape_engine>)
if(level_sources)
  onetape_add_levels(onetape_kernels ${level_sources})
  foreach(level IN LISTS ONETAPE_CPU_LEVELS)
    list(APPEND ONETAPE_ENGINE_OBJECTS $<TARGET_OBJECTS:onetape_kernels_${level}>)
  endforeach()
endif()

add_library(onetape SHARED ${ONETAPE_ENGINE_OBJECTS})
set_target_properties(onetape PROPERTIES LINKER_LANGUAGE CXX)
if(ONETAPE_WITH_JAVA)
  file(GLOB jni_sources CONFIGURE_DEPENDS native/java/*.cpp)
  onetape_generated(generated_jni "^cpp/(.*/)?jni_[^/]*\\.cpp$")
  target_sources(onetape PRIVATE ${jni_sources} ${generated_jni})
  target_link_libraries(onetape PRIVATE jni)
endif()
add_dependencies(onetape onetape_codegen onetape_bundle)
target_link_libraries(onetape PUBLIC onetape_options PRIVATE openblas TBB::tbb)
target_link_options(onetape PRIVATE -Wl,--no-undefined -Wl,-Bsymbolic-functions)
set_target_properties(
  onetape PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${ONETAPE_PACKAGE_DIR}/lib
                     BUILD_WITH_INSTALL_RPATH ON
                     INSTALL_RPATH "$ORIGIN")

onetape_add_gloo()

# All that goes into the jar besides the classes.
add_custom_target(onetape_native DEPENDS onetape)
if(ONETAPE_GLOO_FOUND)
  add_dependencies(onetape_native onetape_gloo)
endif()
