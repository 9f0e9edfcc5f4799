# SPDX-License-Identifier: Apache-2.0
# What pliant is built on; `scripts/setup` installs it.
find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)

# METIS (Apache-2.0) and OpenBLAS (BSD) bring no CMake targets on Debian.
function(pliant_plain_library target header library)
  cmake_parse_arguments(ARG "" "" "SUFFIXES" ${ARGN})
  find_path(${target}_INCLUDE ${header} PATH_SUFFIXES ${ARG_SUFFIXES} REQUIRED)
  find_library(${target}_LIBRARY ${library} PATH_SUFFIXES ${ARG_SUFFIXES} REQUIRED)
  add_library(pliant::${target} UNKNOWN IMPORTED)
  set_target_properties(pliant::${target} PROPERTIES
    IMPORTED_LOCATION ${${target}_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${${target}_INCLUDE})
endfunction()
pliant_plain_library(metis metis.h metis)
pliant_plain_library(openblas cblas.h openblas
  SUFFIXES openblas-pthread ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread x86_64-linux-gnu/openblas-pthread)
