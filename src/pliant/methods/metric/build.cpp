// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/build.hpp"

#include "pliant/methods/metric/body.hpp"

namespace pliant::metric {

Result<std::unique_ptr<Method>> build(const Shape& shape, double density, const Damping& damping,
                                      const Options& options) {
  Result<Model> model = make_model(shape.graph, density, options);
  if (!model) return model.error();
  if (options.preconditioner == Preconditioning::multigrid && !multigrid_possible(*model, matrix_of(options)))
    return Error{{},
                 {{"metric.preconditioner", "multigrid",
                   "a lattice; not integrator paper, nor accurate with the original model",
                   "set metric.preconditioner to automatic"}}};
  return std::unique_ptr<Method>(
      std::make_unique<Body>(std::move(*model), Skin{shape.embedding, shape.contact}, damping, options));
}

}  // namespace pliant::metric
