// SPDX-License-Identifier: Apache-2.0
// Permanent strain e of every quadrature point: with the elastic strain d = sym(R^T F) - 1 - e, where the
// norm of its deviator is above yield, e += kappa dev d (physics/plasticity.hpp), |e| at most the cap. Volume
// does not flow: det(1 + e) = 1.
#include <cmath>

#include "pliant/methods/cage/step.hpp"
#include "pliant/physics/without_volume.hpp"

namespace pliant::cage {

template <class T>
void flow(const Step& step) {
  const Plasticity& law = *step.options.plasticity;
  State& state = step.state;
  Look<T>& look = state.look<T>();
  step.report.yields = 0;
  constexpr int row[6] = {0, 1, 2, 1, 0, 0}, column[6] = {0, 1, 2, 2, 2, 1};
  for (Index q = 0; q < step.model.count(); ++q) {
    const PointBatch<T>& batch = look.batches[std::size_t(q / lanes)];
    Mat3 strain = matrix_of_lane(batch.r, q % lanes).transpose() * matrix_of_lane(batch.a, q % lanes);
    strain = ((strain + strain.transpose()) / 2).eval() - Mat3::Identity();
    double* e = state.plastic.data() + 6 * std::size_t(q);
    Mat3 kept;
    for (int k = 0; k < 6; ++k) kept(row[k], column[k]) = kept(column[k], row[k]) = e[k];
    strain -= kept;
    strain.diagonal().array() -= strain.trace() / 3;
    const double kappa = flow_share(law, strain.norm(), step.input.h);
    if (!(kappa > 0)) continue;
    ++step.report.yields;
    kept += kappa * strain;
    if (kept.norm() > law.cap) kept *= law.cap / kept.norm();
    kept = without_volume(kept);
    for (int k = 0; k < 6; ++k) e[k] = kept(row[k], column[k]);
  }
  if (step.report.yields == 0) return;
  step.cache.precise<T>().set_plastic(step.model, state.plastic);
  look.energy = step.equation<T>().stress(look, step.pool);
}

template void flow<float>(const Step&);
template void flow<double>(const Step&);

}  // namespace pliant::cage
