// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/build.hpp"

#include <algorithm>

#include "pliant/base/refuse.hpp"
#include "pliant/methods/fem/body.hpp"

namespace pliant::fem {
namespace {

/// Median length of the edges of all elements: what bones take for the distance of nodes.
double spacing_of(const Model& model) {
  std::vector<double> lengths;
  for (Index e = 0; e < model.elements(); ++e) {
    const Element element = model.element(e);
    for (std::size_t a = 0; a < element.node.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        lengths.push_back(
            (model.rest[std::size_t(element.node[a])] - model.rest[std::size_t(element.node[b])]).norm());
  }
  std::nth_element(lengths.begin(), lengths.begin() + long(lengths.size() / 2), lengths.end());
  return lengths[lengths.size() / 2];
}

}  // namespace

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
  if (options.bones && (options.bones->elastic || options.bones->loaded))
    return refuse("fem.skeleton.elastic", "an elastic skeleton", "false",
                  "only the meshless method has rods for bones");
  Result<Model> model = make_model(shape, density, options);
  if (!model) return model.error();
  Rig rig;
  if (options.bones) {
    Pool pool(0);
    rig = Rig(options.bones->skeleton, bone_setting(*options.bones, shape, spacing_of(*model)), *model,
              diffused, pool);
    if (diffused) model->given_rotation = rig.reached(*model);
  }
  return std::unique_ptr<Method>(
      std::make_unique<Body>(std::move(*model), std::move(rig), shape.embedding, damping, options));
}

}  // namespace pliant::fem
