// SPDX-License-Identifier: Apache-2.0
// Binary messages as a page reads them: refused with a reason, or blocks that lie within the message.
#include "pliant/view/wire.hpp"
#include "tests/fuzz/check_mesh.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace pliant::view;
  std::string why;
  const auto message = wire::read({data, size}, why);
  pliant::demand(message.has_value() == why.empty());
  if (!message) return 0;
  for (const wire::Block& block : message->blocks) {
    const auto* begin = block.payload.data();
    pliant::demand(block.payload.empty() || (begin >= data && begin + block.payload.size() <= data + size));
    pliant::demand(block.payload.size() >= block.count * wire::element_bytes(block.format));
    pliant::demand(block.numbers().empty() || block.integers().empty());
    pliant::demand(message->find(block.body, block.channel) != nullptr);
  }
  return 0;
}
