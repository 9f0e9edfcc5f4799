// SPDX-License-Identifier: Apache-2.0
// Values that no function asked for.
#pragma once

#include <limits>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/base/types.hpp"

namespace pliant {

inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinite = std::numeric_limits<double>::infinity();

inline const std::vector<double>& hostile_numbers() {
  static const std::vector<double> list{not_a_number, infinite, -infinite, -1,    0,     -0.0,
                                        1e-320,       1e-30,    1e30,      1e308, -1e308};
  return list;
}
inline const std::vector<int>& hostile_counts() {
  static const std::vector<int> list{std::numeric_limits<int>::min(), -1, 0, 1, 2, 1 << 30,
                                     std::numeric_limits<int>::max()};
  return list;
}
inline const std::vector<Vec3>& hostile_points() {
  static const std::vector<Vec3> list{
      Vec3::Constant(not_a_number), Vec3(0, infinite, 0), Vec3::Zero(),
      Vec3::Constant(1e308),        Vec3(1e-320, 0, 0),   Vec3(0, -1e30, 1e-30)};
  return list;
}

/// Each problem says what was found or expected.
inline bool are_told(const std::vector<Problem>& problems) {
  for (const Problem& p : problems)
    if (p.found.empty() && p.expected.empty()) return false;
  return !problems.empty();
}

}  // namespace pliant
