// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/build.hpp"

#include "pliant/methods/fem/body.hpp"

namespace pliant::fem {

Result<std::unique_ptr<Method>> build(const Shape& shape, double density, const Damping& damping,
                                      const Options& options) {
  Result<Model> model = make_model(shape, density, options);
  if (!model) return model.error();
  return std::unique_ptr<Method>(
      std::make_unique<Body>(std::move(*model), shape.embedding, damping, options));
}

}  // namespace pliant::fem
