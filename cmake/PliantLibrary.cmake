# SPDX-License-Identifier: Apache-2.0
# Every source under src/pliant is part of the library: no file can fall out of the build.
file(GLOB_RECURSE PLIANT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/pliant/*.cpp)
set(PLIANT_RENDER_SOURCES ${PLIANT_SOURCES})
list(FILTER PLIANT_RENDER_SOURCES INCLUDE REGEX "/src/pliant/render/")
list(FILTER PLIANT_SOURCES EXCLUDE REGEX "/src/pliant/render/")
set(PLIANT_VIEW_SOURCES ${PLIANT_SOURCES})
list(FILTER PLIANT_VIEW_SOURCES INCLUDE REGEX "/src/pliant/view/")
list(FILTER PLIANT_SOURCES EXCLUDE REGEX "/src/pliant/view/")

pliant_kernel_flags(${PLIANT_SOURCES})
# The only source with CGAL's headers (GPL), with CGAL's flags for itself alone.
if(PLIANT_GPL)
  find_package(CGAL REQUIRED)
  list(FILTER PLIANT_SOURCES EXCLUDE REGEX "/mean_curvature.cpp$")
  add_library(pliant_gpl OBJECT ${PROJECT_SOURCE_DIR}/src/pliant/geometry/mean_curvature.cpp)
  target_compile_definitions(pliant_gpl PRIVATE PLIANT_GPL CGAL_EIGEN3_ENABLED)
  target_include_directories(pliant_gpl PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(pliant_gpl PRIVATE CGAL::CGAL Eigen3::Eigen)
  list(APPEND PLIANT_SOURCES $<TARGET_OBJECTS:pliant_gpl>)
endif()
set(PLIANT_LINKAGE STATIC)
if(PLIANT_SHARED)
  set(PLIANT_LINKAGE SHARED)
endif()
add_library(pliant ${PLIANT_LINKAGE} ${PLIANT_SOURCES})
# Before 1.0 each minor version has an ABI of its own (docs/api.md).
set_target_properties(pliant PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
pliant_warnings_end_the_build(pliant)
pliant_batches(pliant)
pliant_common_headers(pliant <Eigen/Core> <Eigen/Geometry> <Eigen/LU> <fmt/format.h> <algorithm> <array> <cmath> <functional> <memory>
  <optional> <span> <string> <variant> <vector>)
add_library(pliant::pliant ALIAS pliant)
target_compile_features(pliant PUBLIC cxx_std_20)
# Other processors have no header of x86, and their compilers join products and sums where x86-64 has none: results would
# differ.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  target_include_directories(pliant PRIVATE ${PROJECT_SOURCE_DIR}/src/other_processors)
  target_compile_options(pliant PRIVATE -ffp-contract=off)
endif()
target_include_directories(pliant PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
# Public headers are for users: a project that has pliant as a folder of its own. Our sources include inner headers.
if(NOT PROJECT_IS_TOP_LEVEL)
  target_include_directories(pliant INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
endif()
target_link_libraries(pliant
  PUBLIC Eigen3::Eigen Threads::Threads
  PRIVATE fmt::fmt $<BUILD_INTERFACE:nlohmann_json::nlohmann_json> $<BUILD_INTERFACE:pliant_flags>
          $<BUILD_INTERFACE:pliant::metis> $<BUILD_INTERFACE:pliant::openblas>)
if(PLIANT_GPL)
  target_link_libraries(pliant PRIVATE gmp mpfr)  # CGAL's exact numbers
endif()
