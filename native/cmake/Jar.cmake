# onetape.jar: the Java library's classes together with the native libraries and the licences.

string(TOLOWER ${CMAKE_SYSTEM_NAME} os)
string(REGEX REPLACE "^(amd64|AMD64)$" "x86_64" arch ${CMAKE_SYSTEM_PROCESSOR})
set(jar_dir ${CMAKE_BINARY_DIR}/jar)
set(native_dir org/onetape/native/${os}-${arch})

file(GLOB_RECURSE java_sources CONFIGURE_DEPENDS java/onetape/src/main/java/*.java)
file(GLOB_RECURSE java_resources CONFIGURE_DEPENDS java/onetape/src/main/resources/*)
onetape_generated(generated_java "^java/.*\\.java$")

list(JOIN java_sources "\n" source_list)
list(JOIN generated_java "\n" generated_list)
file(CONFIGURE OUTPUT ${jar_dir}/sources.txt CONTENT "${source_list}\n${generated_list}\n")

# A scope's variable is rarely used in its block (-try). Compilers from 21 on also mind constructors that call methods
# which may be overridden (this-escape); modules and pointers are made that way, as those of JavaCPP.
set(javac_lint -Xlint:all,-try)
execute_process(COMMAND ${ONETAPE_JAVAC} --help-lint OUTPUT_VARIABLE javac_known ERROR_QUIET)
if(javac_known MATCHES this-escape)
  string(APPEND javac_lint ,-this-escape)
endif()
set(javac_options --release 17 -encoding UTF-8 -g -parameters -proc:none ${javac_lint})
if(ONETAPE_WERROR)
  list(APPEND javac_options -Werror)
endif()
add_custom_command(
  OUTPUT ${jar_dir}/classes.stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${jar_dir}/classes
  COMMAND ${CMAKE_COMMAND} -E make_directory ${jar_dir}/classes
  COMMAND ${ONETAPE_JAVAC} ${javac_options} -d ${jar_dir}/classes @${jar_dir}/sources.txt
  COMMAND ${CMAKE_COMMAND} -E touch ${jar_dir}/classes.stamp
  DEPENDS ${java_sources} ${generated_java} ${jar_dir}/sources.txt
  COMMENT "Compiling the Java library"
  VERBATIM)

# The tree of the jar besides the classes: resources, native libraries, licences.
set(jar_tree ${jar_dir}/tree)
set(copy_resources "")
if(java_resources)
  set(copy_resources COMMAND ${CMAKE_COMMAND} -E copy_directory ${CMAKE_SOURCE_DIR}/java/onetape/src/main/resources
                             ${jar_tree})
endif()
file(
  CONFIGURE
  OUTPUT ${jar_dir}/MANIFEST.MF
  CONTENT
    "Implementation-Title: onetape\nImplementation-Version: ${PROJECT_VERSION}\nAutomatic-Module-Name: org.onetape\n")
set(native_libraries $<TARGET_FILE:onetape> ${ONETAPE_BUNDLED})
if(ONETAPE_GLOO_FOUND)
  list(APPEND native_libraries $<TARGET_FILE:onetape_gloo>)
endif()
set(ONETAPE_JAR_FILE ${ONETAPE_PACKAGE_DIR}/onetape.jar)
add_custom_command(
  OUTPUT ${ONETAPE_JAR_FILE}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${jar_tree}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${jar_tree}/${native_dir} ${jar_tree}/META-INF/licenses
  ${copy_resources}
  COMMAND ${CMAKE_COMMAND} -E copy ${native_libraries} ${jar_tree}/${native_dir}
  COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/LICENSE ${jar_tree}/META-INF/LICENSE
  COMMAND ${CMAKE_COMMAND} -E copy ${ONETAPE_BUNDLED_LICENSES} ${jar_tree}/META-INF/licenses
  COMMAND ${ONETAPE_JAR} --create --file ${ONETAPE_JAR_FILE} --manifest ${jar_dir}/MANIFEST.MF -C ${jar_dir}/classes . -C
          ${jar_tree} .
  DEPENDS ${jar_dir}/classes.stamp ${java_resources} ${jar_dir}/MANIFEST.MF ${native_libraries} onetape
          ${CMAKE_SOURCE_DIR}/LICENSE
  COMMENT "Packing onetape.jar"
  VERBATIM)
add_custom_target(onetape_jar ALL DEPENDS ${ONETAPE_JAR_FILE})
add_dependencies(onetape_jar onetape_codegen onetape)
