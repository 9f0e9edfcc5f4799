// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/build_fibres.hpp"

#include <fmt/format.h>

#include "pliant/io/read_file.hpp"
#include "pliant/io/text_scan.hpp"

namespace pliant {

Points read_directions(const std::filesystem::path& file, std::size_t nodes, const std::string& place,
                       Problems& problems) {
  const Result<std::string> text = read_file(file);
  if (!text) {
    for (Problem problem : text.error().problems) {
      problem.place = fmt::format("{}: {}", place, file.string());
      problems.push_back(std::move(problem));
    }
    return {};
  }
  Points out;
  out.reserve(nodes);
  LineScan lines(without_mark(*text));
  while (lines.next()) {
    std::string_view rest = lines.line();
    std::string_view word = take_word(rest);
    if (word.empty()) continue;
    Vec3 direction = Vec3::Zero();
    for (int c = 0; c < 3; ++c) {
      if (!to_finite(word, direction[c])) {
        problems.push_back({fmt::format("{}: {}: {}", place, file.string(), lines.place(word)),
                            found_word(word),
                            "three numbers x y z",
                            {}});
        return {};
      }
      word = take_word(rest);
    }
    if (!word.empty()) {
      problems.push_back({fmt::format("{}: {}: {}", place, file.string(), lines.place(word)),
                          found_word(word),
                          "the end of the line after x y z",
                          {}});
      return {};
    }
    out.push_back(direction);
  }
  if (out.size() != nodes) {
    problems.push_back({fmt::format("{}: {}", place, file.string()),
                        fmt::format("{} directions", out.size()),
                        fmt::format("{}, one for every node of the body", nodes),
                        {}});
    return {};
  }
  return out;
}

}  // namespace pliant
