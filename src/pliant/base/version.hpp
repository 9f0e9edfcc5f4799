// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pliant {

/// "0.1.0": the version of the build, said once in the top CMakeLists.txt.
const char* version();

}  // namespace pliant
