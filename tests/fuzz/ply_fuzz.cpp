// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/ply.hpp"
#include "tests/fuzz/check_mesh.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  pliant::check_mesh(pliant::parse_ply(pliant::as_text(data, size), "fuzz.ply"));
  return 0;
}
