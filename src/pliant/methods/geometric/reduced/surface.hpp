// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/methods/geometric/reduced/model.hpp"
#include "pliant/methods/geometric/skin.hpp"

namespace pliant::geometric {

/// The surface straight from the coordinates: W x = W X + (W Phi) Z.
struct ReducedSurface {
  Skin skin;
  Basis::Columns columns;  ///< W Phi
  Points rest;             ///< W X, m

  ReducedSurface(Skin skin, const ReducedModel& model);
};

}  // namespace pliant::geometric
