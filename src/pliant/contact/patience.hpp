// SPDX-License-Identifier: Apache-2.0
// Accelerated projected steps (methods/geometric/accelerated_contact.cpp, island/island_descent.hpp) go by conjugate
// directions where contacts stay open, stuck or sliding as they are.
#pragma once

#include <algorithm>
#include <limits>

namespace pliant {

/// When directions are conjugate: contacts have stayed what they are, for longer each time that the residual grew.
class Patience {
 public:
  /// After each projected step.
  bool conjugate(bool same_contacts, double rho) {
    constexpr double grown = 4;
    calm_ = same_contacts ? calm_ + 1 : 0;
    if (conjugate_ && rho > grown * least_) {
      enough_ *= 2;
      calm_ = 0;
      least_ = rho;
    }
    least_ = std::min(least_, rho);
    return conjugate_ = calm_ >= enough_;
  }

 private:
  int calm_ = 0, enough_ = 1;
  double least_ = std::numeric_limits<double>::infinity();
  bool conjugate_ = false;
};

}  // namespace pliant
