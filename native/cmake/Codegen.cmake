# Code made from the operator tables. What the generator writes is asked of it here, so that the build system knows every
# file; a changed or added table or generator file makes the build configure itself again.

set(ONETAPE_GENERATED_DIR ${CMAKE_BINARY_DIR}/generated)
file(GLOB ops_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/native/ops/*.ops ${CMAKE_SOURCE_DIR}/native/ops/*.opt)
file(GLOB_RECURSE codegen_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/native/codegen/*)
list(FILTER codegen_files EXCLUDE REGEX "__pycache__|/\\.")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ops_files} ${codegen_files})

set(codegen_command ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 ${Python_EXECUTABLE} -m native.codegen
                    --ops native/ops --out ${ONETAPE_GENERATED_DIR})
execute_process(
  COMMAND ${codegen_command} --list
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  OUTPUT_VARIABLE generated OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "The operator tables in native/ops are not valid; see above")
endif()
string(REPLACE "\n" ";" generated "${generated}")
list(TRANSFORM generated PREPEND ${ONETAPE_GENERATED_DIR}/ OUTPUT_VARIABLE ONETAPE_GENERATED)

# What came from tables that are gone must not be compiled (Gradle takes whole folders).
file(GLOB_RECURSE stale ${ONETAPE_GENERATED_DIR}/*)
list(REMOVE_ITEM stale ${ONETAPE_GENERATED} ${ONETAPE_GENERATED_DIR}/stamp)
if(stale)
  file(REMOVE ${stale})
endif()

# The stamp is the output: the generator leaves files alone whose content stays, so that only what changed is compiled.
add_custom_command(
  OUTPUT ${ONETAPE_GENERATED_DIR}/stamp
  BYPRODUCTS ${ONETAPE_GENERATED}
  COMMAND ${codegen_command}
  COMMAND ${CMAKE_COMMAND} -E touch ${ONETAPE_GENERATED_DIR}/stamp
  DEPENDS ${ops_files} ${codegen_files}
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  COMMENT "Generating code from the operator tables"
  VERBATIM)
add_custom_target(onetape_codegen DEPENDS ${ONETAPE_GENERATED_DIR}/stamp)

# onetape_generated(<variable> <regex>): the generated files whose path below the generated directory matches.
function(onetape_generated variable regex)
  set(files ${generated})
  list(FILTER files INCLUDE REGEX ${regex})
  list(TRANSFORM files PREPEND ${ONETAPE_GENERATED_DIR}/)
  set(${variable} ${files} PARENT_SCOPE)
endfunction()
