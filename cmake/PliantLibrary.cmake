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
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/pliant/base/version.cpp PROPERTIES
  COMPILE_DEFINITIONS PLIANT_VERSION="${PROJECT_VERSION}")
add_library(pliant STATIC ${PLIANT_SOURCES})
add_library(pliant::pliant ALIAS pliant)
target_compile_features(pliant PUBLIC cxx_std_20)
target_include_directories(pliant PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
target_link_libraries(pliant
  PUBLIC Eigen3::Eigen Threads::Threads
  PRIVATE fmt::fmt $<BUILD_INTERFACE:nlohmann_json::nlohmann_json> $<BUILD_INTERFACE:pliant_flags>
          $<BUILD_INTERFACE:pliant::metis> $<BUILD_INTERFACE:pliant::openblas>)
