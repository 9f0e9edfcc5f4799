# SPDX-License-Identifier: Apache-2.0
# The public headers are those of include/pliant. What they include belongs to the package too; all other headers of
# src/pliant are inner ones and are not installed.
#   cmake -P cmake/PublicHeaders.cmake      prints the list (`make docs` reads it)

cmake_policy(VERSION 3.21)

# Headers that the public ones reach, themselves included: paths from `root`, in the order of the includes.
function(pliant_reachable_headers root out)
  file(GLOB waiting RELATIVE ${root} ${root}/include/pliant/*.hpp)
  set(reached ${waiting})
  while(waiting)
    list(POP_FRONT waiting header)
    file(STRINGS ${root}/${header} lines REGEX "^#include \"pliant/")
    foreach(line ${lines})
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" name "${line}")
      set(path src/${name})
      if(EXISTS ${root}/include/${name})
        set(path include/${name})
      endif()
      if(NOT path IN_LIST reached)
        list(APPEND reached ${path})
        list(APPEND waiting ${path})
      endif()
    endforeach()
  endwhile()
  set(${out} ${reached} PARENT_SCOPE)
endfunction()

# To be called at install time: include/pliant/x.hpp and src/pliant/x.hpp both become include/pliant/x.hpp.
function(pliant_install_headers root destination)
  pliant_reachable_headers(${root} headers)
  foreach(header ${headers})
    get_filename_component(folder ${header} DIRECTORY)
    string(REGEX REPLACE "^(include|src)/" "" folder "${folder}")
    file(INSTALL DESTINATION "${destination}/${folder}" TYPE FILE FILES "${root}/${header}")
  endforeach()
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  get_filename_component(root ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
  pliant_reachable_headers(${root} headers)
  foreach(header ${headers})
    execute_process(COMMAND ${CMAKE_COMMAND} -E echo ${header})
  endforeach()
endif()
