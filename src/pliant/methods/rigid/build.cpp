// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/rigid/build.hpp"

#include "pliant/methods/rigid/body.hpp"

namespace pliant::rigid {

Result<std::unique_ptr<Method>> build(const Shape& shape, double density, const Damping& damping,
                                      const Options& options) {
  Result<Model> model = make_model(shape, density, options);
  if (!model) return model.error();
  Skin skin{shape.embedding, shape.contact};
  return std::unique_ptr<Method>(std::make_unique<Body>(std::move(*model), std::move(skin), damping));
}

}  // namespace pliant::rigid
