// SPDX-License-Identifier: Apache-2.0
#include "pliant/base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace pliant {

void check_failed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "pliant: internal error: %s does not hold (%s:%d)\n", what, file, line);
  std::abort();
}

}  // namespace pliant
