// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/local_response.hpp"

namespace pliant {

void LocalResponse::reset(std::span<const float> inverse) {
  inverse_ = inverse;
  begin_.assign(1, 0);
  terms_.clear();
  velocity_.assign(inverse.size(), Vec3::Zero());
}

double LocalResponse::entry(Index c, Index d) const {
  double sum = 0;
  for (const Term& a : terms(c))
    for (const Term& b : terms(d))
      if (a.node == b.node) sum += a.weight * b.weight * double(inverse_[std::size_t(a.node)]);
  return sum;
}

}  // namespace pliant
