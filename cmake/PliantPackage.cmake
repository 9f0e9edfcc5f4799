# SPDX-License-Identifier: Apache-2.0
# Install rules and the package that `find_package(pliant)` finds.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The library is static: whoever links it also needs what it calls. cmake/pliantConfig.cmake.in finds these again
# on the machine of the user, so no path of this machine is installed.
target_link_libraries(pliant PRIVATE $<INSTALL_INTERFACE:pliant::metis> $<INSTALL_INTERFACE:pliant::openblas>)

set(PLIANT_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)
install(TARGETS pliant EXPORT pliantTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT pliantTargets NAMESPACE pliant:: DESTINATION ${PLIANT_PACKAGE_DIR})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/pliantConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/pliantConfig.cmake INSTALL_DESTINATION ${PLIANT_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/pliantConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/pliantConfig.cmake ${PROJECT_BINARY_DIR}/package/pliantConfigVersion.cmake
  DESTINATION ${PLIANT_PACKAGE_DIR})

# Public headers and what they include, found when the package is installed.
install(CODE "include(\"${PROJECT_SOURCE_DIR}/cmake/PublicHeaders.cmake\")
  pliant_install_headers(\"${PROJECT_SOURCE_DIR}\" \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET pliant_cli)
  install(TARGETS pliant_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/pliant OPTIONAL)
