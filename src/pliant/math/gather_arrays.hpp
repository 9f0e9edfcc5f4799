// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/math/gather.hpp"
#include "pliant/math/gather_kernels.hpp"

namespace pliant {

inline GatherArrays arrays_of(const Gather& w, std::span<const Vec3> channels, std::span<Vec3> out) {
  return {w.begin.data(), w.column.data(), w.weight.data(), reinterpret_cast<const double*>(channels.data()),
          reinterpret_cast<double*>(out.data())};
}

}  // namespace pliant
