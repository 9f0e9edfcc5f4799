// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/tense_stars.hpp"

#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/geometric/energy.hpp"

namespace pliant::geometric {

Mat3 tense_slew(const Mat3& slew, const Mat3& inertia) {
  constexpr double least = 0.5;
  const Spectrum3 at_rest = spectrum(slew);
  const Mat3 root = at_rest.with(at_rest.values.cwiseMax(0).cwiseSqrt());
  const Spectrum3 now = spectrum(root * inertia * root);
  return root * now.with(now.values.cwiseMax(least).cwiseInverse()) * root;
}

TenseStars::TenseStars(Equation& e, std::span<const Vec3> x) : e_(e), at_rest_(e.sweeps().slews()) {
  const Model& model = e.model;
  const RestVectors d = e.state.rest_vectors;
  std::vector<Mat3>& slews = e.scratch.slews;
  slews.resize(model.rest.size());
  for_blocks(e.context.pool, model.nodes(), 256, [&](int begin, int end) {
    for (Index k = begin; k < end; ++k) {
      const Index i = e.cache.arrangement.node[k];
      float q[4];
      e.sweeps().quaternion(k, q);
      const Mat3 r = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
      const Mat3 b = r.transpose() * covariance(model, x, i, d), s = (b + b.transpose()) / 2;
      const Mat3 slew = d.empty() ? model.stars[i].slew : star_of(model, i, d).slew;
      slews[std::size_t(i)] = tense_slew(slew, s.trace() * Mat3::Identity() - s);
      e.sweeps().set_slew(k, slews[std::size_t(i)]);
    }
  });
}

TenseStars::~TenseStars() {
  e_.sweeps().slews() = at_rest_;
  e_.scratch.slews.clear();
}

}  // namespace pliant::geometric
