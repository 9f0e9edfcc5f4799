// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/energy.hpp"

#include <algorithm>

#include "pliant/base/check.hpp"
#include "pliant/math/polar.hpp"

namespace pliant::fem {

Eigen::Quaterniond rotation(const Model& model, Index e, const Mat3& f,
                            const Eigen::Quaterniond& warm_start) {
  if (model.is_given(e)) return warm_start;
  return model.corotational ? polar_rotation(f, warm_start) : Eigen::Quaterniond::Identity();
}

double energy(const Model& model, std::span<const Vec3> x, const Rotations& warm_starts) {
  PLIANT_CHECK(warm_starts.size() == model.weight.size());
  double sum = 0;
  for (Index e = 0; e < model.elements(); ++e) {
    const Element element = model.element(e);
    const Mat3 f = deformation_gradient(element, x);
    const Mat3 r = rotation(model, e, f, warm_starts[e]).toRotationMatrix();
    const Mat3 strain = symmetric(r.transpose() * f) - Mat3::Identity();
    sum += element.weight *
           (model.mu * strain.squaredNorm() + 0.5 * model.lambda * strain.trace() * strain.trace());
  }
  return sum;
}

void gradient(const Model& model, std::span<const Vec3> x, const Rotations& warm_starts,
              std::span<Vec3> out) {
  PLIANT_CHECK(warm_starts.size() == model.weight.size());
  std::fill(out.begin(), out.end(), Vec3::Zero());
  for (Index e = 0; e < model.elements(); ++e) {
    const Element element = model.element(e);
    const Mat3 f = deformation_gradient(element, x);
    const Mat3 r = rotation(model, e, f, warm_starts[e]).toRotationMatrix();
    const Mat3 p = element.weight * r * stress(model, symmetric(r.transpose() * f) - Mat3::Identity());
    for (std::size_t a = 0; a < element.node.size(); ++a) out[element.node[a]] += p * element.gradient[a];
  }
}

}  // namespace pliant::fem
