#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs the sample of the README against an installed pliant by pkg-config alone, with all warnings as errors.
#   tests/consumer/pkgconfig.sh PREFIX SAMPLE.cpp FOLDER COMPILER...      each compiler that is installed; FLAGS are added
set -euo pipefail
prefix=$1 sample=$2 folder=$3
shift 3
file=$(find "$prefix" -name pliant.pc | head -n 1)
[ -n "$file" ] || { echo "pkgconfig: no pliant.pc in $prefix" >&2; exit 1; }
PKG_CONFIG_PATH=$(dirname "$file")
export PKG_CONFIG_PATH
mkdir -p "$folder"
# -isystem for Eigen: its warnings are its own.
cflags=$(pkg-config --cflags pliant | sed 's|-I\([^ ]*eigen3\)|-isystem \1|')
for compiler in "$@"; do
  command -v "$compiler" >/dev/null || { echo "pkgconfig: no $compiler on this machine"; continue; }
  # shellcheck disable=SC2086
  "$compiler" -std=c++20 -O1 -Wall -Wextra -Wconversion -Wpedantic -Wshadow -Werror ${FLAGS-} $cflags "$sample" \
    -o "$folder/sample-$compiler" $(pkg-config --libs pliant) -Wl,-rpath,"$(pkg-config --variable=libdir pliant)"
  "$folder/sample-$compiler"
  echo "pkgconfig: $compiler: no warning"
done
