// SPDX-License-Identifier: Apache-2.0
// Plasticity of the rest metric: the same yield and creep law as for other methods (physics/plasticity.hpp),
// on the length of every constraint. With l = |r_b - r_a|/H, rest length l0 = sqrt(g) and the strain
// rho = |l - l0|/l0: the share kappa(rho) of l - l0 becomes rest, g = (l0 + kappa (l - l0))^2, within the
// cap.
#include <algorithm>
#include <cmath>

#include "pliant/methods/metric/body.hpp"

namespace pliant::metric {
namespace {

constexpr double no_change = 1e-9;  // of a rest length

}  // namespace

void Body::flow(double h, StepReport& report) {
  const PlasticLaw& law = *options_.plasticity;
  const Points& x = state_.nodes.x;
  int flowed = 0;
  model_.each_length([&](Index a, Index b, double ih2, double, bool, std::size_t k) {
    const double now = std::sqrt((x[b] - x[a]).squaredNorm() * ih2), rest = std::sqrt(state_.metrics[k]);
    const double share = flow_share(law, std::abs(now - rest) / rest, h);
    if (!(share > 0)) return;
    const double next = capped_length(law, rest + share * (now - rest), 1);
    if (!(std::abs(next - rest) > no_change) || !(next > 0)) return;
    state_.metrics[k] = next * next;
    ++flowed;
  });
  report.yields = std::max(report.yields, 0) + flowed;
}

}  // namespace pliant::metric
