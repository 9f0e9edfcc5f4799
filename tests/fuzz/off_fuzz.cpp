// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/off.hpp"
#include "tests/fuzz/check_mesh.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  pliant::check_mesh(pliant::parse_off(pliant::as_text(data, size), "fuzz.off"));
  return 0;
}
