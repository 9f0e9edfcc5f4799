// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/build.hpp"

#include <fmt/format.h>

#include "pliant/methods/geometric/reduced/body.hpp"
#include "pliant/methods/geometric/reduced/cubature.hpp"

namespace pliant::geometric {

Result<Model> reducible_model(Rows rows, const Options& options) {
  if (options.covariance == Covariance::paper)
    return Error{{},
                 {{"geometric.covariance", "paper, of a reduced body", "consistent",
                   "the sweep of a reduced body uses one set of numbers for rotations and forces"}}};
  const auto refuse = [](const char* key) {
    return Error{{},
                 {{std::string("geometric.") + key, fmt::format("{} of a reduced body", key), "full space",
                   fmt::format("leave {} or reduction out", key)}}};
  };
  if (options.volume > 0) return refuse("volume");
  if (options.poisson > 0) return refuse("poisson");
  if (options.keep_volume) return refuse("keep_volume");
  if (options.plasticity && rows.laplacian_weight > 0)
    return Error{{},
                 {{"geometric.plasticity", "plasticity with Laplacian rows", "edge rows",
                   "set laplacian to 0: only edge rows flow"}}};
  const int cubature = options.reduction ? options.reduction->cubature : 0;
  const bool few = cubature > 0 && cubature < int(rows.rest.size());
  const auto refuse_few = [](const char* key, const char* why) {
    return Error{{},
                 {{"geometric.reduction.cubature", fmt::format("above 0 with {}", key), "0: every node",
                   fmt::format("{}: set cubature to 0, or leave {} out", why, key)}}};
  };
  if (options.plasticity && few)
    return refuse_few("plasticity",
                      "weights that were trained on the body as built do not fit one that flowed");
  if (options.adaptive && few)
    return refuse_few("adaptive", "rotations are handed from neighbour to neighbour, and most are left out");
  rows.covariance = options.covariance;
  Result<Model> model = make_model(std::move(rows));
  if (model && model->parts.size() > 1)
    return Error{
        {},
        {{"geometric.reduction", fmt::format("a body of {} parts that nothing joins", model->parts.size()),
          "a body in one piece", "`join` links the parts of a mesh"}}};
  return model;
}

std::unique_ptr<Method> build_reduced(Model model, Skin skin, const Damping& damping, const Options& options,
                                      Basis basis, Cubature cubature) {
  const auto begun = Clock::now();
  return std::make_unique<ReducedBody>(
      make_reduced_model(std::move(model), std::move(basis), std::move(cubature)), std::move(skin), damping,
      options, begun);
}

Result<std::unique_ptr<Method>> build_free_reduced(Rows rows, Skin skin, const Damping& damping,
                                                   const Options& options) {
  Result<Model> model = reducible_model(std::move(rows), options);
  if (!model) return model.error();
  const Reduction& reduction = *options.reduction;
  Result<Basis> basis = make_basis(*model, {}, reduction, {});
  if (!basis) return basis.error();
  Cubature cubature = reduction.cubature > 0 && reduction.cubature < model->nodes()
                          ? train_cubature(*model, *basis, reduction.cubature).points
                          : every_node(*model);
  return build_reduced(std::move(*model), std::move(skin), damping, options, std::move(*basis),
                       std::move(cubature));
}

}  // namespace pliant::geometric
