# SPDX-License-Identifier: Apache-2.0
# Tests of the package, as ctest fixtures: install -> configure -> build -> run.
set(prefix ${PROJECT_BINARY_DIR}/consumer/prefix)
set(folder ${PROJECT_BINARY_DIR}/consumer/build)
set(flags "")
if(PLIANT_SANITIZE)
  set(flags -fsanitize=${PLIANT_SANITIZE})  # the library brings calls into the sanitizer's run time
endif()

function(pliant_consumer_test name needs gives)
  add_test(NAME consumer.${name} COMMAND ${ARGN})
  set_tests_properties(consumer.${name} PROPERTIES LABELS consumer TIMEOUT 600
    FIXTURES_REQUIRED "${needs}" FIXTURES_SETUP "${gives}")
endfunction()

pliant_consumer_test(starts_from_nothing "" consumer_clean
  ${CMAKE_COMMAND} -E rm -rf ${PROJECT_BINARY_DIR}/consumer)
pliant_consumer_test(installs consumer_clean consumer_installed
  ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${prefix})
pliant_consumer_test(configures_with_find_package consumer_installed consumer_configured
  ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${folder} -G ${CMAKE_GENERATOR}
  -DCMAKE_PREFIX_PATH=${prefix} -DREPOSITORY=${PROJECT_SOURCE_DIR} -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_CXX_FLAGS=${flags})
# The sample, the examples, and each public header alone.
pliant_consumer_test(builds_against_the_package consumer_configured consumer_built
  ${CMAKE_COMMAND} --build ${folder})
pliant_consumer_test(runs_the_sample_of_the_readme consumer_built "" ${folder}/sample)
foreach(example falling_mesh posed_body checkpoint_in_memory)
  pliant_consumer_test(runs_the_example_${example} consumer_built "" ${folder}/examples/${example})
endforeach()
# pkg-config, without CMake; no warning from a header with either compiler. Debian's OpenBLAS is an alternative that its
# package sets: where it is not set, the linker is told.
get_filename_component(openblas_folder ${openblas_LIBRARY} DIRECTORY)
pliant_consumer_test(builds_with_pkg_config_without_warnings consumer_configured ""
  ${CMAKE_COMMAND} -E env "FLAGS=${flags}" LIBRARY_PATH=${openblas_folder}
  ${CMAKE_CURRENT_LIST_DIR}/pkgconfig.sh ${prefix} ${folder}/sample.cpp ${folder} g++ clang++)
# As a part of another project: configured, and the sample compiled against its headers.
pliant_consumer_test(configures_by_fetch_content consumer_configured consumer_fetched
  ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/fetch -B ${folder}-fetch -G ${CMAKE_GENERATOR}
  -DFETCHCONTENT_SOURCE_DIR_PLIANT=${PROJECT_SOURCE_DIR} -DSAMPLE=${folder}/sample.cpp
  -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_CXX_FLAGS=${flags})
pliant_consumer_test(compiles_as_a_part_of_another_project consumer_fetched ""
  ${CMAKE_COMMAND} --build ${folder}-fetch --target sample_object)
# The package must not know where it was built.
pliant_consumer_test(installs_no_path_of_the_build consumer_installed ""
  ${CMAKE_COMMAND} -DPREFIX=${prefix} -DFORBIDDEN=${PROJECT_SOURCE_DIR} -P ${CMAKE_CURRENT_LIST_DIR}/check_prefix.cmake)
