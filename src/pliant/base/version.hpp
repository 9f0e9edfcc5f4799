// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pliant {

/// "0.2.0": the version of the build, set once in the top CMakeLists.txt.
const char* version();

}  // namespace pliant
