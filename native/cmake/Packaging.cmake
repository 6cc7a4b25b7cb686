# What `pip install` takes from the build: the staged package, which is laid out as it is to be installed.

if(NOT ONETAPE_IN_PLACE)
  install(DIRECTORY ${ONETAPE_PACKAGE_DIR}/ DESTINATION onetape USE_SOURCE_PERMISSIONS)
endif()
