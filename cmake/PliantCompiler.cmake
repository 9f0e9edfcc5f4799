# SPDX-License-Identifier: Apache-2.0
# Language, warnings, sanitizers, and the flags of the kernels that exist once per instruction set.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
# g++ collects its garbage often to stay small: 6 % of the time of a large source. A larger heap, kB, saves most of that.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options("SHELL:--param ggc-min-heapsize=1000000")
endif()

# ccache takes sources with a precompiled header only when told that macros and time stamps in it do not matter.
find_program(PLIANT_CCACHE ccache)
if(PLIANT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${PLIANT_CCACHE})
endif()

option(PLIANT_WERROR "Warnings in the library and the command are errors" OFF)
function(pliant_warnings_end_the_build)
  if(PLIANT_WERROR)
    set_target_properties(${ARGN} PROPERTIES COMPILE_WARNING_AS_ERROR ON)
  endif()
endfunction()

set(PLIANT_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize= (address,undefined or thread)")
add_library(pliant_flags INTERFACE)
# Of a name in another source of the same batch (PLIANT_BATCHES) clang says that it is hidden, g++ does not.
set(shadow -Wshadow)
if(PLIANT_BATCHES AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
  set(shadow "")
endif()
target_compile_options(pliant_flags INTERFACE -Wall -Wextra -Wpedantic ${shadow} -Wnon-virtual-dtor
  -Woverloaded-virtual)
if(PLIANT_SANITIZE)
  target_compile_options(pliant_flags INTERFACE -fsanitize=${PLIANT_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(pliant_flags INTERFACE -fsanitize=${PLIANT_SANITIZE})
endif()

# base/simd.hpp tells how a kernel family is written; the suffix of the file decides the flags. On other processors than
# x86-64 all of a family are portable.
function(pliant_kernel_flags)
  foreach(file ${ARGN})
    if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
      if(file MATCHES "_(portable|avx2|avx512)\\.cpp$")
        set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "-O3;-Wno-psabi")
      endif()
    elseif(file MATCHES "_avx512\\.cpp$")
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS
        "-O3;-mavx512f;-mavx512vl;-mavx512dq;-mavx512bw;-mfma;-mprefer-vector-width=512")
    elseif(file MATCHES "_avx2\\.cpp$")
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "-O3;-mavx2;-mfma")
    elseif(file MATCHES "_portable\\.cpp$")
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "-O3;-Wno-psabi")
    endif()
  endforeach()
endfunction()

# Sources of one folder are compiled together, eight at a time or as many as the second argument says: most of the time of a
# build goes into headers. Two of them must not give the same name to different things in their unnamed namespaces. The
# presets for development compile each source alone.
option(PLIANT_BATCHES "Compile sources in batches: a faster build from nothing" OFF)
function(pliant_batches target)
  if(NOT PLIANT_BATCHES)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A private struct with members from its source's unnamed namespace is fine: no other source sees it.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)  # clang does not know it, which -Werror forbids
  endif()
  set(size 8)
  if(ARGC GREATER 1)
    set(size ${ARGV1})
  endif()
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  foreach(source ${sources})
    if(NOT source MATCHES "\\.cpp$" OR source MATCHES "_(portable|avx2|avx512)\\.cpp$")
      continue()  # kernels have flags of their own
    endif()
    get_filename_component(folder ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER "${folder}" key)
    if(NOT DEFINED count_${key})
      set(count_${key} 0)
    endif()
    math(EXPR batch "${count_${key}} / ${size}")
    math(EXPR count_${key} "${count_${key}} + 1")
    get_filename_component(name ${folder} NAME)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${name}_${batch}")
  endforeach()
endfunction()

# Headers that most sources of a target read, parsed once. Only with PLIANT_BATCHES: the presets for development see to it that
# every source names what it needs.
function(pliant_common_headers target)
  if(NOT PLIANT_BATCHES)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # for ccache
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    if(source MATCHES "_(portable|avx2|avx512)\\.cpp$")
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)  # other flags than the header's
    endif()
  endforeach()
endfunction()

# The same headers as those of another target with the same flags, precompiled there.
function(pliant_share_headers target owner)
  if(NOT PLIANT_BATCHES)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # for ccache
  endif()
endfunction()
