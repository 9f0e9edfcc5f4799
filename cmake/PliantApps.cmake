# SPDX-License-Identifier: Apache-2.0
# The pliant command and the renderer only it needs.
find_package(CLI11 REQUIRED)

# Headers of most sources of the command and of the viewer.
set(PLIANT_APP_HEADERS <Eigen/Core> <Eigen/Geometry> <fmt/format.h> <nlohmann/json.hpp> <algorithm> <filesystem> <functional> <memory>
  <optional> <span> <string> <variant> <vector>)
file(GLOB PLIANT_CLI_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/cli/*.cpp)
list(FILTER PLIANT_CLI_SOURCES EXCLUDE REGEX "/main.cpp$")
add_library(pliant_commands STATIC ${PLIANT_CLI_SOURCES})
pliant_batches(pliant_commands)
pliant_common_headers(pliant_commands <CLI/CLI.hpp> ${PLIANT_APP_HEADERS})
target_compile_options(pliant_commands PRIVATE $<$<CONFIG:Release>:-O1>)  # it calls what takes time: a short build counts more
target_link_libraries(pliant_commands PUBLIC pliant pliant_bench CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json
  PRIVATE pliant_flags)
add_executable(pliant_cli ${PROJECT_SOURCE_DIR}/apps/cli/main.cpp)
set_target_properties(pliant_cli PROPERTIES OUTPUT_NAME pliant RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_link_libraries(pliant_cli PRIVATE pliant_commands pliant_flags)
# Where shipped scenes are found when the command runs from a build folder (scene/library.hpp).
set_source_files_properties(${PROJECT_SOURCE_DIR}/apps/cli/scenes.cpp PROPERTIES
  COMPILE_DEFINITIONS PLIANT_SCENES_DIR="${PROJECT_SOURCE_DIR}/scenes")

if(PLIANT_RENDER_SOURCES)
  find_package(embree 3 REQUIRED)
  add_library(pliant_render STATIC ${PLIANT_RENDER_SOURCES})
  pliant_batches(pliant_render)
  target_link_libraries(pliant_render PUBLIC pliant fmt::fmt PRIVATE embree pliant_flags)
  target_link_libraries(pliant_commands PUBLIC pliant_render)
endif()

# The interactive viewer; only here is Boost (headers) needed.
find_package(Boost 1.74 REQUIRED)
include(PliantPage)
list(FILTER PLIANT_VIEW_SOURCES EXCLUDE REGEX "/page_files.cpp$")
add_library(pliant_view STATIC ${PLIANT_VIEW_SOURCES} ${PLIANT_PAGE_SOURCES})
pliant_batches(pliant_view)
pliant_common_headers(pliant_view ${PLIANT_APP_HEADERS})
target_compile_options(pliant_view PRIVATE $<$<CONFIG:Release>:-O1>)  # as the command; Boost's templates are large
target_link_libraries(pliant_view PUBLIC pliant fmt::fmt nlohmann_json::nlohmann_json PRIVATE Boost::headers pliant_flags)
target_link_libraries(pliant_commands PUBLIC pliant_view)
pliant_warnings_end_the_build(pliant_commands pliant_view)
if(TARGET pliant_render)
  pliant_warnings_end_the_build(pliant_render)
endif()
