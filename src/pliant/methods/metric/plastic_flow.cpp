// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/plastic_flow.hpp"

#include <cmath>

namespace pliant::metric {
namespace {

constexpr double no_change = 1e-9;  // of a rest length

}  // namespace

int flow(const Model& model, const PlasticLaw& law, double h, const Points& x, std::vector<double>& metrics) {
  int flowed = 0;
  model.each_length([&](Index a, Index b, double ih2, double, bool, std::size_t k) {
    const double now = std::sqrt((x[b] - x[a]).squaredNorm() * ih2), rest = std::sqrt(metrics[k]);
    const double share = flow_share(law, std::abs(now - rest) / rest, h);
    if (!(share > 0)) return;
    const double next = capped_length(law, rest + share * (now - rest), 1);
    if (!(std::abs(next - rest) > no_change) || !(next > 0)) return;
    metrics[k] = next * next;
    ++flowed;
  });
  return flowed;
}

}  // namespace pliant::metric
