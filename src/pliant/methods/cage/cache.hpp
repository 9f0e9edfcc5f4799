// SPDX-License-Identifier: Apache-2.0
// What follows from model, state and input and is kept because it is dear to make. Dropping it changes no
// result.
#pragma once

#include "pliant/methods/cage/holds.hpp"
#include "pliant/methods/cage/kept_factor.hpp"
#include "pliant/physics/node_state.hpp"

namespace pliant::cage {

/// What depends on the precision of the step.
template <class T>
struct PreciseCache {
  KeptFactor<T> at_rest;     ///< follows from model, time step, damping and holds
  AlignedVector<T> plastic;  ///< State::plastic as the kernels read it: [batch][6][16]; empty = elastic

  /// `plastic` of a state.
  void set_plastic(const Model& model, const std::vector<double>& strain);
};

struct Cache {
  Holds holds;  ///< follows from model and input
  PreciseCache<float> single;
  PreciseCache<double> twice;
  NodeState nodes;  ///< of the state, when `shown`
  bool shown = false;

  template <class T>
  PreciseCache<T>& precise();
};

template <>
inline PreciseCache<float>& Cache::precise() {
  return single;
}
template <>
inline PreciseCache<double>& Cache::precise() {
  return twice;
}

template <class T>
void PreciseCache<T>::set_plastic(const Model& model, const std::vector<double>& strain) {
  if (strain.empty()) return;
  plastic.resize(std::size_t(model.batches()) * 6 * lanes, T(0));
  for (std::size_t q = 0; 6 * q < strain.size(); ++q)
    for (std::size_t k = 0; k < 6; ++k)
      plastic[(q / lanes * 6 + k) * lanes + q % lanes] = T(strain[6 * q + k]);
}

}  // namespace pliant::cage
