// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/build.hpp"

#include "pliant/base/refuse.hpp"
#include "pliant/geometry/moving_least_squares.hpp"
#include "pliant/methods/fem/body.hpp"

namespace pliant::fem {

Result<std::unique_ptr<Method>> build(const Shape& shape, double density, const Damping& damping,
                                      const Options& options) {
  const bool diffused = options.rotations == Turning::diffused;
  if (diffused && !options.bones)
    return refuse("fem.rotations", "diffused without a skeleton", "\"polar\", or a skeleton",
                  "rotations are diffused from the bones: give fem.skeleton");
  if (diffused && options.model == Material::linear)
    return refuse("fem.rotations", "diffused with \"model\": \"linear\"", "corotational",
                  "the linear model turns no element");
  if (options.bones && (options.element != ElementKind::tetrahedron || shape.followers.rows() > 0))
    return refuse("fem.skeleton", "bones in hexahedra", "\"element\": \"tetrahedron\"", {});
  Result<Model> model = make_model(shape, density, options);
  if (!model) return model.error();
  Rig rig;
  if (options.bones) {
    Pool pool(0);
    rig = Rig(options.bones->skeleton, bone_setting(*options.bones, shape, median_nearest(model->rest)),
              *model, diffused, pool);
    if (diffused) model->given_rotation = rig.reached(*model);
  }
  return std::unique_ptr<Method>(std::make_unique<Body>(
      std::move(*model), std::move(rig), Skin{shape.embedding, shape.contact}, damping, options));
}

}  // namespace pliant::fem
