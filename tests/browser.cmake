# SPDX-License-Identifier: Apache-2.0
# The page: its own parts by vitest (view.page), and in a real browser against the real simulation (view.browser).
if(NOT PLIANT_PAGE)
  return()
endif()
set(vitest ${PLIANT_NODE} ${PLIANT_WEB_DIR}/node_modules/vitest/vitest.mjs run)
add_test(NAME view.types COMMAND ${PLIANT_NODE} ${PLIANT_WEB_DIR}/node_modules/typescript/bin/tsc --noEmit
  WORKING_DIRECTORY ${PLIANT_WEB_DIR})
add_test(NAME view.page COMMAND ${vitest} tests/page WORKING_DIRECTORY ${PLIANT_WEB_DIR})
add_test(NAME view.browser COMMAND ${vitest} tests/browser WORKING_DIRECTORY ${PLIANT_WEB_DIR})
find_program(PLIANT_CHROMIUM NAMES chromium chromium-browser google-chrome)
set(browser ${PLIANT_CHROMIUM})
if(NOT browser)
  set(browser missing)
endif()
# Two processors: software drawing and the simulation. Pictures are kept to be looked at.
set_tests_properties(view.browser PROPERTIES PROCESSORS 2 COST 200 SKIP_REGULAR_EXPRESSION "skipped: no chromium"
  ENVIRONMENT "PLIANT=$<TARGET_FILE:pliant_cli>;CHROMIUM=${browser};ARTEFACTS=${PROJECT_BINARY_DIR}/artefacts")
set_tests_properties(view.types view.page view.browser PROPERTIES LABELS view TIMEOUT 600)
