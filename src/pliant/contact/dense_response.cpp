// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/dense_response.hpp"

namespace pliant {

void DenseResponse::reset(Index contacts) {
  w_.resize(3 * contacts, 3 * contacts);
  r_.resize(3 * contacts);
  u_.setZero(3 * contacts);
}

void DenseResponse::add(Index c, const Vec3& change) {
  for (int k = 0; k < 3; ++k)
    if (change[k] != 0) u_ += change[k] * w_.col(3 * c + k);
}

}  // namespace pliant
