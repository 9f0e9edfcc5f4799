// SPDX-License-Identifier: Apache-2.0
#include "tests/support/places.hpp"

namespace pliant {

std::string source_folder() { return PLIANT_SOURCE_DIR; }
std::string build_folder() { return PLIANT_BINARY_DIR; }

}  // namespace pliant
