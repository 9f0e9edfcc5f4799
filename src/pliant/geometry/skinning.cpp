// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/skinning.hpp"

#include "pliant/base/check.hpp"

namespace pliant {

Points skinned(const Skeleton& skeleton, const std::vector<SkinWeights>& weights, const Points& X, double t) {
  PLIANT_CHECK(weights.size() == X.size());
  const std::vector<JointPose> pose = skeleton.pose(t);
  Points out = X;
  for (std::size_t v = 0; v < X.size(); ++v) {
    Vec3 x{0, 0, 0};
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      if (weights[v].joint[i] < 0) continue;
      const std::size_t j = std::size_t(weights[v].joint[i]);
      x +=
          weights[v].weight[i] * (pose[j].position + pose[j].rotation * (X[v] - skeleton.joints[j].position));
      sum += weights[v].weight[i];
    }
    if (sum > 0) out[v] = x / sum;
  }
  return out;
}

}  // namespace pliant
