# SPDX-License-Identifier: Apache-2.0
# The page of `pliant view`: built by npm from web/ and embedded in the command. Sets PLIANT_PAGE_SOURCES.
option(PLIANT_VIEW "Build the interactive page into the command (needs node and npm)" ON)

set(PLIANT_WEB_DIR ${PROJECT_SOURCE_DIR}/web)
set(PLIANT_PAGE_SOURCES ${PROJECT_SOURCE_DIR}/src/pliant/view/page_files.cpp)
find_program(PLIANT_NODE NAMES node nodejs)
find_program(PLIANT_NPM NAMES npm)
if(PLIANT_VIEW AND NOT (PLIANT_NODE AND PLIANT_NPM))
  message(WARNING "node and npm were not found: `pliant view` will serve a notice instead of its page. "
    "Install them (scripts/setup build), or say -DPLIANT_VIEW=OFF to build without the page.")
endif()
if(NOT (PLIANT_VIEW AND PLIANT_NODE AND PLIANT_NPM))
  set(PLIANT_PAGE OFF)
  return()
endif()
set(PLIANT_PAGE ON)

file(GLOB_RECURSE PLIANT_WEB_SOURCES CONFIGURE_DEPENDS ${PLIANT_WEB_DIR}/src/*)
set(PLIANT_PAGE_SOURCES ${PROJECT_BINARY_DIR}/page/page_files.cpp)
# npm's own list of what it installed; package.json is newer only when it changed.
set(PLIANT_WEB_MODULES ${PLIANT_WEB_DIR}/node_modules/.package-lock.json)
set(PLIANT_PAGE_SCRIPT ${CMAKE_COMMAND} -DWEB=${PLIANT_WEB_DIR} -DNODE=${PLIANT_NODE} -DNPM=${PLIANT_NPM}
  -DOUT=${PROJECT_BINARY_DIR}/page -P ${CMAKE_CURRENT_LIST_DIR}/BuildPage.cmake)
add_custom_command(OUTPUT ${PLIANT_WEB_MODULES}
  COMMAND ${PLIANT_PAGE_SCRIPT} install
  DEPENDS ${PLIANT_WEB_DIR}/package.json ${PLIANT_WEB_DIR}/package-lock.json
  COMMENT "Installing what the page is built with (npm ci)" VERBATIM)
add_custom_command(OUTPUT ${PLIANT_PAGE_SOURCES}
  COMMAND ${PLIANT_PAGE_SCRIPT} build
  DEPENDS ${PLIANT_WEB_SOURCES} ${PLIANT_WEB_DIR}/index.html ${PLIANT_WEB_DIR}/vite.config.ts
          ${PLIANT_WEB_MODULES} ${CMAKE_CURRENT_LIST_DIR}/BuildPage.cmake
  COMMENT "Building the page" VERBATIM)
