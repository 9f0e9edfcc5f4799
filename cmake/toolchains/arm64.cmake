# SPDX-License-Identifier: Apache-2.0
# Cross compilation for arm64 with Debian's g++-aarch64-linux-gnu; tests run under qemu-user. SYSROOT has the libraries of
# arm64: scripts/portability makes one.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PLIANT_SYSROOT)
set(CMAKE_SYSROOT ${PLIANT_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# BLAS and others stand where Debian's alternatives would link them.
set(folders ${PLIANT_SYSROOT}/usr/lib/aarch64-linux-gnu/openblas-pthread)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${PLIANT_SYSROOT} -E LD_LIBRARY_PATH=${folders})
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${folders}")
