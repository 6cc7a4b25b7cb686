# Language level, warnings and code generation shared by every native target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# Assertions are the engine's own and explicit, so NDEBUG only silences those of the standard library.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# Everything but the CPU level (see CpuLevels.cmake), which most targets take from onetape_options.
add_library(onetape_common INTERFACE)
target_include_directories(
  onetape_common INTERFACE ${CMAKE_SOURCE_DIR}/native ${CMAKE_BINARY_DIR}/generated/cpp)
# No contraction of a*b+c into one rounding behind our back: the result must not depend on the CPU level.
target_compile_options(
  onetape_common INTERFACE -Wall -Wextra -Wno-missing-field-initializers -Wno-psabi -ffp-contract=off)
if(ONETAPE_WERROR)
  target_compile_options(onetape_common INTERFACE -Werror)
endif()
if(ONETAPE_SANITIZE)
  if(ONETAPE_SANITIZE STREQUAL "THREAD")
    set(sanitizers -fsanitize=thread)
  else()
    # vptr would look from the Python module at types that the library does not show.
    set(sanitizers -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined)
  endif()
  target_compile_options(onetape_common INTERFACE ${sanitizers} -g -fno-omit-frame-pointer)
  target_link_options(onetape_common INTERFACE ${sanitizers})
endif()

find_package(Threads REQUIRED)
target_link_libraries(onetape_common INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
