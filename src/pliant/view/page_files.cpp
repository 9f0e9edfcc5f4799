// SPDX-License-Identifier: Apache-2.0
// The page when none was built: it says so, and how to get it.
#include "pliant/view/page_files.hpp"

namespace pliant {

std::span<const PageFile> page_files() {
  static constexpr PageFile files[] = {
      {"index.html", "text/html; charset=utf-8",
       "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>pliant</title></head><body>"
       "<p>This pliant was built without its page. The simulation runs and answers on the WebSocket beside "
       "this address; build with npm installed to see it here.</p></body></html>\n"}};
  return files;
}

}  // namespace pliant
