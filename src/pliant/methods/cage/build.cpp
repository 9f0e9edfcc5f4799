// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/build.hpp"

#include "pliant/base/clock.hpp"
#include "pliant/geometry/cage.hpp"
#include "pliant/methods/cage/body.hpp"

namespace pliant::cage {

Result<std::unique_ptr<Method>> build(const Shape& shape, TriMesh cage, double density,
                                      const Damping& damping, const Options& options) {
  const auto start = Clock::now();
  Result<Model> model = make_model(shape, std::move(cage), density, options);
  if (!model) return model.error();
  const double ms = milliseconds_since(start);
  return std::unique_ptr<Method>(std::make_unique<Body>(std::move(*model), damping, options, ms));
}

Result<std::unique_ptr<Method>> build(const Shape& shape, double density, const Damping& damping,
                                      const Options& options) {
  if (!options.mesh.vertices.empty()) return build(shape, options.mesh, density, damping, options);
  if (options.cells[0] < 1 || options.cells[1] < 1 || options.cells[2] < 1)
    return Error{{},
                 {{"cage", "no cage", "one of file, budget and cells", "\"cage\": {\"cells\": [2, 2, 6]}"}}};
  return build(shape, box_cage_around(shape.graph.positions, options.cells, options.clearance), density,
               damping, options);
}

}  // namespace pliant::cage
