// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same with every standard library.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <random>

#include "pliant/base/types.hpp"

namespace pliant::soak {

class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t number) {
    std::seed_seq all{std::uint32_t(seed), std::uint32_t(seed >> 32), std::uint32_t(number),
                      std::uint32_t(number >> 32)};
    bits_.seed(all);
  }

  double unit() { return double(bits_() >> 11) * 0x1.0p-53; }
  bool chance(double p) { return unit() < p; }
  int below(int n) { return int(unit() * n); }
  int from(int least, int most) { return least + below(most - least + 1); }
  double between(double a, double b) { return a + unit() * (b - a); }
  double log_between(double a, double b) { return a * std::pow(b / a, unit()); }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[below(int(choices.size()))];
  }
  Vec3 in_cube(double half) {
    const double x = between(-half, half), y = between(-half, half), z = between(-half, half);
    return {x, y, z};
  }
  Vec3 direction() {
    for (;;) {
      const Vec3 d = in_cube(1);
      if (d.norm() > 0.1 && d.norm() < 1) return d.normalized();
    }
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace pliant::soak
