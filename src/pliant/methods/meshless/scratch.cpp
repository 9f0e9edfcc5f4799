// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/scratch.hpp"

namespace pliant::meshless {

Scratch::Scratch(const Model& model, const Options& options) {
  const std::size_t n = model.rest.size();
  for (Points* points : {&hat_x, &hat_v, &acceleration, &x, &v, &r, &elastic, &velocity, &unturned})
    points->assign(n, Vec3::Zero());
  trial_targets.reserve(n);
  none_held.assign(n, 0);
  q_nodes.assign(n, Float4{});
  if (options.warping == Warping::node || options.warping == Warping::row)
    node_rotation.assign(n, Mat3::Identity());
  if (options.warping == Warping::node)
    for (Points* points : {&block_b, &block_z}) points->assign(3 * n, Vec3::Zero());
  for (auto* vector : {&solver.d, &solver.f, &solver.z, &solver.p, &solver.ap}) vector->assign(n, Float4{});
  if (options.warping == Warping::row)
    for (auto* vector : {&solver.s, &solver.t, &solver.shadow}) vector->assign(n, Float4{});
  part_turn.resize(model.parts.size());
}

}  // namespace pliant::meshless
