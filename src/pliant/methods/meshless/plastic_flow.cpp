// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/plastic_flow.hpp"

#include <cmath>

#include "pliant/methods/meshless/energy.hpp"
#include "pliant/physics/without_volume.hpp"

namespace pliant::meshless {

int flow(const Model& model, const Options& options, double h, State& state) {
  int yields = 0;
  const PlasticLaw& law = *options.plasticity;
  for (Index c = 0; c < model.cells.count(); ++c) {
    double* at = state.flow.data() + std::size_t(c) / lanes * 6 * lanes + std::size_t(c) % lanes;
    Mat3 kept;
    kept << at[0], at[5 * lanes], at[4 * lanes], at[5 * lanes], at[lanes], at[3 * lanes], at[4 * lanes],
        at[3 * lanes], at[2 * lanes];
    const Mat3 r = options.warping == Warping::none ? Mat3(Mat3::Identity())
                                                    : quaternion(state.turned, c).toRotationMatrix();
    const Mat3 g = r.transpose() * deformation_gradient(model.cells, c, state.nodes.x);
    Mat3 strain = 0.5 * (g + g.transpose()) - Mat3::Identity() - kept;
    strain -= strain.trace() / 3 * Mat3::Identity();
    const double share = flow_share(law, strain.norm(), h);
    if (!(share > 0)) continue;
    ++yields;
    kept += share * strain;
    if (kept.norm() > law.cap) kept *= law.cap / kept.norm();
    kept = without_volume(kept);
    at[0] = kept(0, 0), at[lanes] = kept(1, 1), at[2 * lanes] = kept(2, 2);
    at[3 * lanes] = kept(1, 2), at[4 * lanes] = kept(2, 0), at[5 * lanes] = kept(0, 1);
  }
  return yields;
}

}  // namespace pliant::meshless
