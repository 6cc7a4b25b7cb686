# The whole library is compiled for the lowest CPU level. Files named *.simd.cpp are compiled once for each level, with
# ONETAPE_LEVEL set to the level's name, which they use as the name of an inner namespace; the engine picks one at run time.
# Level v4 (AVX-512) has but the kernels named in ONETAPE_WIDE_KERNELS: those that compute more than they read and write.

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(ONETAPE_CPU_LEVELS v2 v3 v4)
  set(ONETAPE_WIDE_KERNELS "chain|product|recurrent|smooth_activation|special|transcendental")
  set(base_flags -march=x86-64-v2)
  set(level_flags_v2 -march=x86-64-v2)
  set(level_flags_v3 -march=x86-64-v3)
  set(level_flags_v4 -march=x86-64-v4)
else()
  set(ONETAPE_CPU_LEVELS base)
  set(base_flags "")
  set(level_flags_base "")
endif()
add_library(onetape_options INTERFACE)
target_link_libraries(onetape_options INTERFACE onetape_common)
target_compile_options(onetape_options INTERFACE ${base_flags})

# Kernels are plain loops: let the compiler vectorise what errno and floating-point traps would forbid.
set(ONETAPE_KERNEL_FLAGS -O3 -fno-math-errno -fno-trapping-math -fwrapv -Wno-psabi)

# onetape_add_levels(<name> <file>...): makes object libraries <name>_<level>, one for each level, from the files.
# Link them in rising order after everything else: where levels share an inline function, the linker keeps the first
# copy, which then runs on every CPU that can run its callers.
function(onetape_add_levels name)
  foreach(level IN LISTS ONETAPE_CPU_LEVELS)
    set(objects ${name}_${level})
    set(files ${ARGN})
    if(level STREQUAL v4)
      list(FILTER files INCLUDE REGEX "/(${ONETAPE_WIDE_KERNELS})\\.simd\\.cpp$")
    endif()
    add_library(${objects} OBJECT ${files})
    target_link_libraries(${objects} PRIVATE onetape_common)
    target_compile_definitions(${objects} PRIVATE ONETAPE_LEVEL=${level})
    target_compile_options(${objects} PRIVATE ${ONETAPE_KERNEL_FLAGS} ${level_flags_${level}})
    add_dependencies(${objects} onetape_codegen)
  endforeach()
endfunction()
