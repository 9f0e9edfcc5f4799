// SPDX-License-Identifier: Apache-2.0
// Permanent strain e of every quadrature point: with the elastic strain d = sym(R^T F) - 1 - e, where the
// norm of its deviator is above yield, e += kappa dev d (physics/plasticity.hpp), |e| at most the cap. Volume
// does not flow.
#include <cmath>

#include "pliant/methods/cage/step.hpp"

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
    for (int k = 0; k < 6; ++k) {
      strain(row[k], column[k]) -= e[k];
      if (row[k] != column[k]) strain(column[k], row[k]) = strain(row[k], column[k]);
    }
    strain.diagonal().array() -= strain.trace() / 3;
    const double kappa = flow_share(law, strain.norm(), step.input.h);
    if (!(kappa > 0)) continue;
    ++step.report.yields;
    double square = 0;
    for (int k = 0; k < 6; ++k) {
      e[k] += kappa * strain(row[k], column[k]);
      square += (k < 3 ? 1 : 2) * e[k] * e[k];
    }
    if (square > law.cap * law.cap)
      for (int k = 0; k < 6; ++k) e[k] *= law.cap / std::sqrt(square);
  }
  if (step.report.yields == 0) return;
  step.cache.precise<T>().set_plastic(step.model, state.plastic);
  look.energy = step.equation<T>().stress(look, step.pool);
}

template void flow<float>(const Step&);
template void flow<double>(const Step&);

}  // namespace pliant::cage
