// SPDX-License-Identifier: Apache-2.0
// Strain of the cells that stays, by the law that all methods share (physics/plasticity.hpp). The strain that
// counts is the deviatoric part of the elastic one, sym(R^T F) - I - E_p, by its Frobenius norm: flesh flows
// in shape, not in volume. Of it the share kappa joins E_p, whose norm is capped.
#include <cmath>

#include "pliant/methods/meshless/body.hpp"

namespace pliant::meshless {

int Body::flow(double h) {
  int yields = 0;
  const PlasticLaw& law = *options_.plasticity;
  for (Index c = 0; c < packed_.cells(); ++c) {
    double* at = state_.flow.data() + std::size_t(c) / lanes * 6 * lanes + std::size_t(c) % lanes;
    Mat3 kept;
    kept << at[0], at[5 * lanes], at[4 * lanes], at[5 * lanes], at[lanes], at[3 * lanes], at[4 * lanes],
        at[3 * lanes], at[2 * lanes];
    const Mat3 r = options_.warping == Warping::none ? Mat3(Mat3::Identity())
                                                     : quaternion(state_.turned, c).toRotationMatrix();
    const Mat3 g = r.transpose() * deformation_gradient(model_.cells, c, state_.nodes.x);
    Mat3 strain = 0.5 * (g + g.transpose()) - Mat3::Identity() - kept;
    strain -= strain.trace() / 3 * Mat3::Identity();
    const double share = flow_share(law, strain.norm(), h);
    if (!(share > 0)) continue;
    ++yields;
    kept += share * strain;
    if (kept.norm() > law.cap) kept *= law.cap / kept.norm();
    at[0] = kept(0, 0), at[lanes] = kept(1, 1), at[2 * lanes] = kept(2, 2);
    at[3 * lanes] = kept(1, 2), at[4 * lanes] = kept(2, 0), at[5 * lanes] = kept(0, 1);
  }
  return yields;
}

}  // namespace pliant::meshless
