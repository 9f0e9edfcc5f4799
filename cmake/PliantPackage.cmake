# SPDX-License-Identifier: Apache-2.0
# Install rules, the package that `find_package(pliant)` and `pkg-config pliant` find, and Debian packages (`make deb`).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Whoever links a static library also needs what it calls. cmake/pliantConfig.cmake.in finds these again on the machine of the
# user, so no path of this machine is installed.
set(PLIANT_STATIC_LINKS "")
if(NOT PLIANT_SHARED)
  set(PLIANT_STATIC_LINKS metis openblas)
  target_link_libraries(pliant PRIVATE $<INSTALL_INTERFACE:pliant::metis> $<INSTALL_INTERFACE:pliant::openblas>)
endif()

# Headers of scenes name types of nlohmann's JSON.
target_link_libraries(pliant PUBLIC $<INSTALL_INTERFACE:nlohmann_json::nlohmann_json>)

set(PLIANT_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)
install(TARGETS pliant EXPORT pliantTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(EXPORT pliantTargets NAMESPACE pliant:: DESTINATION ${PLIANT_PACKAGE_DIR} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/pliantConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/pliantConfig.cmake INSTALL_DESTINATION ${PLIANT_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/pliantConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/pliantConfig.cmake ${PROJECT_BINARY_DIR}/package/pliantConfigVersion.cmake
  DESTINATION ${PLIANT_PACKAGE_DIR} COMPONENT development)

# pkg-config: paths relative to the file, so that the folder may be moved.
file(RELATIVE_PATH PLIANT_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" PLIANT_PC_PREFIX "${PLIANT_PC_PREFIX}")
set(PLIANT_PC_LIBS " -lfmt -lmetis -lopenblas -lpthread")
if(PLIANT_GPL)
  string(APPEND PLIANT_PC_LIBS " -lgmp -lmpfr")
endif()
set(PLIANT_PC_PRIVATE_LIBS "")
if(PLIANT_SHARED)
  set(PLIANT_PC_PRIVATE_LIBS ${PLIANT_PC_LIBS})
  set(PLIANT_PC_LIBS "")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/pliant.pc.in ${PROJECT_BINARY_DIR}/package/pliant.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/pliant.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# Public headers and what they include, found when the package is installed.
install(CODE "include(\"${PROJECT_SOURCE_DIR}/cmake/PublicHeaders.cmake\")
  pliant_install_headers(\"${PROJECT_SOURCE_DIR}\" \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")"
  COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libpliant-dev
  COMPONENT development)

set(PLIANT_DOC_DIR ${CMAKE_INSTALL_DATADIR}/doc/pliant)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${PLIANT_DOC_DIR} COMPONENT command)
# Our licence and those of the works inside, in every package.
set(PLIANT_LICENCES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY.md)
install(FILES ${PLIANT_LICENCES} DESTINATION ${PLIANT_DOC_DIR} COMPONENT command)
install(FILES ${PLIANT_LICENCES} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libpliant-dev COMPONENT development)
if(PLIANT_SHARED)
  install(FILES ${PLIANT_LICENCES} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libpliant COMPONENT library)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${PLIANT_DOC_DIR} COMPONENT command FILES_MATCHING PATTERN "*.md")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/pliant COMPONENT command OPTIONAL)
if(TARGET pliant_cli)
  install(TARGETS pliant_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  # Written when the package is made: the command says itself what stands in its pages.
  if(NOT CMAKE_CROSSCOMPILING)
    install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DPLIANT=$<TARGET_FILE:pliant_cli>\"
      \"-DOUT=${PROJECT_BINARY_DIR}/package/man\" -DVERSION=${PROJECT_VERSION}
      -P \"${PROJECT_SOURCE_DIR}/cmake/ManPages.cmake\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT command)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/package/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
  endif()
endif()

# Debian packages: pliant (command, scenes, docs, man pages), libpliant-dev (headers, library, CMake and pkg-config files), of a
# shared library libpliant0.2, and with PLIANT_PYTHON python3-pliant.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pliant)
set(CPACK_PACKAGE_VENDOR pliant)
set(CPACK_PACKAGE_CONTACT "The pliant authors <pliant@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL development)
set(library libpliant${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libpliant-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "Headers, library, CMake and pkg-config files of pliant, a simulator of soft bodies.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libeigen3-dev (>= 3.4), nlohmann-json3-dev")
if(PLIANT_SHARED)
  list(APPEND CPACK_COMPONENTS_ALL library)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library})
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "The shared library: what programs that use pliant, a simulator of soft bodies, run with.")
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", ${library} (= ${PROJECT_VERSION})")
else()
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libfmt-dev, libmetis-dev, libopenblas-dev")
endif()
if(TARGET pliant_cli)
  list(APPEND CPACK_COMPONENTS_ALL command)
  set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME pliant)
  set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "ffmpeg")
  set(CPACK_DEBIAN_COMMAND_DESCRIPTION "Simulates meshes as soft bodies, offline or in the browser, with stiffness in pascals.
 Comes with scenes, documentation and man pages.")
  if(PLIANT_SHARED)
    set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "${library} (= ${PROJECT_VERSION})")
  endif()
endif()
if(TARGET pliant_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-pliant)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "${PLIANT_PYTHON_DEPENDS}, python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "pliant")  # the shipped scenes
  set(CPACK_DEBIAN_PYTHON_DESCRIPTION "Python module of pliant, a simulator of soft bodies: scenes, arrays, steps, records.")
endif()
include(CPack)
