// SPDX-License-Identifier: Apache-2.0
#include "pliant/base/version.hpp"

namespace pliant {

#define PLIANT_TEXT_OF(x) #x
#define PLIANT_TEXT(x) PLIANT_TEXT_OF(x)

const char* version() {
  return PLIANT_TEXT(PLIANT_VERSION_MAJOR) "." PLIANT_TEXT(PLIANT_VERSION_MINOR) "." PLIANT_TEXT(
      PLIANT_VERSION_PATCH);
}

int version_number() { return PLIANT_VERSION_NUMBER; }

}  // namespace pliant
