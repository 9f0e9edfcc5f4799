// SPDX-License-Identifier: Apache-2.0
// Settings that a program wrote into a struct, held against what their table says (base/option.hpp): a scene file
// is read against it, a struct is not.
#pragma once

#include <string>
#include <vector>

#include "pliant/base/option.hpp"
#include "pliant/base/result.hpp"

namespace pliant {

/// Numbers out of range, that are none, and words of no enumeration are added to the problems, at place.NAME. `initial`
/// has the defaults, which count as given whatever the range says.
void check_options(const std::vector<AnyOption>& options, const void* settings, const void* initial,
                   const std::string& place, std::vector<Problem>& problems);

template <class S>
void check_options(const OptionTable<S>& table, const S& settings, const std::string& place,
                   std::vector<Problem>& problems) {
  const S initial{};
  check_options(table.all(), &settings, &initial, place, problems);
}

}  // namespace pliant
