// SPDX-License-Identifier: Apache-2.0
#include "pliant/base/result.hpp"

namespace pliant {

std::string Error::text() const {
  std::string all;
  for (const Problem& p : problems) {
    std::string line = file;
    if (!p.place.empty()) line += (line.empty() ? "" : ": ") + p.place;
    if (!p.found.empty()) line += ": found " + p.found;
    if (!p.expected.empty()) line += (p.found.empty() ? ": expected " : ", expected ") + p.expected;
    if (!p.hint.empty()) line += " (" + p.hint + ")";
    // Names come from files: a zero byte would cut the message, an escape could paint over it.
    for (char& c : line)
      if (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') c = '?';
    all += line + "\n";
  }
  return all;
}

}  // namespace pliant
