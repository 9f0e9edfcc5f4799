// SPDX-License-Identifier: Apache-2.0
// Removes the grain of sampled light. What is filtered is not colour but how much of each light arrives (0 ..
// 1), so that texture and silhouettes stay untouched; neighbours count when they lie on the same smooth
// surface.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "pliant/base/parallel.hpp"

namespace pliant {

struct LightPixel {
  float key = 1, sky = 1;  ///< share of the key light and of the sky that arrives
  Eigen::Vector3f normal = Eigen::Vector3f::Zero();
  Eigen::Vector3f point = Eigen::Vector3f::Zero();
  float footprint = 0;   ///< size of the pixel on the surface, m
  bool settled = false;  ///< key and sky are exact: left alone, but neighbours may use them
  int surface = -1;      ///< the surface all samples of the pixel lie on; -1: several or none, left alone
};

void filter_light(std::vector<LightPixel>& pixels, int width, int height, Pool& pool);

}  // namespace pliant
