// SPDX-License-Identifier: Apache-2.0
// The version, once: CMake, the package and the command read it from here. docs/api.md tells which versions go
// together.
#pragma once

#define PLIANT_VERSION_MAJOR 0
#define PLIANT_VERSION_MINOR 2
#define PLIANT_VERSION_PATCH 0

/// A number to compare: #if PLIANT_VERSION_NUMBER >= PLIANT_MAKE_VERSION(0, 2, 0)
#define PLIANT_MAKE_VERSION(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define PLIANT_VERSION_NUMBER \
  PLIANT_MAKE_VERSION(PLIANT_VERSION_MAJOR, PLIANT_VERSION_MINOR, PLIANT_VERSION_PATCH)

namespace pliant {

/// "0.2.0": the version of the library that is linked. The macros are those of the headers.
const char* version();
/// PLIANT_VERSION_NUMBER of the library that is linked. A program built with headers of another minor version
/// does not fit it: the layout of types may differ.
int version_number();

}  // namespace pliant
