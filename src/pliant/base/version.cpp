// SPDX-License-Identifier: Apache-2.0
#include "pliant/base/version.hpp"

namespace pliant {

const char* version() { return PLIANT_VERSION; }

}  // namespace pliant
