// SPDX-License-Identifier: Apache-2.0
// What a page may send: the texts of its socket and the targets of its requests.
#include <cmath>

#include "pliant/view/address.hpp"
#include "pliant/view/page_message.hpp"
#include "tests/fuzz/check_mesh.hpp"

namespace {

using namespace pliant::view;

struct Check {
  void operator()(const Hello& hello) const { wish(hello.wish); }
  void operator()(const Ack&) const {}
  void operator()(const ViewChange& change) const {
    PageWish changed;
    change.apply(changed);
    wish(changed);
  }
  void operator()(const PageCommand& command) const {
    pliant::demand(command.args.is_object());  // that ids rise from 1 is the server's to see
  }
  void operator()(const BadMessage& bad) const { pliant::demand(!bad.code.empty() && !bad.message.empty()); }
  static void wish(const PageWish& wish) { pliant::demand(wish.max_rate >= 0 && wish.max_rate <= 240); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text = pliant::as_text(data, size);
  std::visit(Check{}, read_page_message(text));
  static const std::string token = "abcdefghijklmnopqrstuv";
  if (const auto path = below_token(text, token)) pliant::demand(text.find(token) != text.npos);
  if (own_host(text, 8080)) pliant::demand(text == "127.0.0.1:8080" || text == "localhost:8080");
  return 0;
}
