# One GoogleTest program from native/tests; ctest sees each test in it.

find_package(GTest REQUIRED)
include(GoogleTest)

file(GLOB test_sources CONFIGURE_DEPENDS native/tests/*.cpp)
add_executable(onetape_tests EXCLUDE_FROM_ALL ${test_sources} ${ONETAPE_ENGINE_OBJECTS})
add_dependencies(onetape_tests onetape_codegen onetape_bundle)
target_link_libraries(onetape_tests PRIVATE onetape_options openblas TBB::tbb GTest::gtest GTest::gtest_main)
set_target_properties(onetape_tests PROPERTIES BUILD_RPATH ${ONETAPE_PACKAGE_DIR}/lib)
gtest_discover_tests(onetape_tests DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300)
