// SPDX-License-Identifier: Apache-2.0
// Where the sources and the build are. Functions, so that one small source depends on it and compiled tests can be shared
// between clones by ccache.
#pragma once

#include <string>

namespace pliant {

std::string source_folder();
std::string build_folder();

}  // namespace pliant
