// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/entry.hpp"

#include <fmt/format.h>

#include "pliant/base/layout.hpp"
#include "pliant/geometry/inside.hpp"
#include "pliant/methods/metric/body.hpp"
#include "pliant/methods/metric/build.hpp"
#include "pliant/methods/metric/cell_volume.hpp"

namespace pliant {

template <>
const Layout<metric::StrengthKey>& layout_of() {
  static const auto layout = make_layout<metric::StrengthKey>(
      "strength key", "how strong the metric method's tensors are at a time", metric::key_table());
  return layout;
}

template <>
const Layout<PlasticLaw>& layout_of() {
  static const auto layout = make_layout<PlasticLaw>(
      "rest metric", "when constraints keep a new length, and how much of it", metric::plasticity_table());
  return layout;
}

template <>
const Layout<metric::Options>& layout_of() {
  using S = metric::Options;
  static const auto layout =
      make_layout<S>("metric", "settings of the metric method", metric::option_table(),
                     {list_field("keys", &S::keys, "factors on all strengths over time: inflation; none = 1"),
                      optional_field("plasticity", &S::plasticity,
                                     "dents and bends that stay; none = always springs back")});
  return layout;
}

namespace metric {
namespace {

Remedies remedies(const Options& options) {
  return {.collapse = options.strength < not_given
                          ? fmt::format("metric.strength ({:g} J)", options.strength)
                          : fmt::format("metric.stiffness ({:g} Pa)", options.stiffness),
          .sheets = "set metric.lattice to mesh"};
}

}  // namespace

Inside inside(const Method& method) {
  const auto* body = dynamic_cast<const Body*>(&method);
  if (!body) return {};
  const Points& x = body->nodes().x;
  std::vector<std::array<Vec3, 8>> inverted;
  for (const std::array<Index, 8>& cell : body->model().cells) {
    if (signed_volume(cell, x) > 0) continue;
    for (std::size_t c = 0; Vec3 & corner : inverted.emplace_back()) corner = x[std::size_t(cell[c++])];
  }
  return {.inverted = std::move(inverted)};
}

const MethodEntry& entry() {
  static const MethodEntry entry = make_entry<Options>(
      "metric", "settings of the metric method", any_layout<Options>(),
      {.placement =
           [](const Options& options) {
             return options.lattice == Lattice::grid ? NodePlacement::lattice : NodePlacement::inside;
           },
       .build = [](const Options& options,
                   const BodyPlan& plan) { return build(plan.shape, plan.density, plan.damping, options); },
       .set_live = set_live_of<Body, Options>,
       .abilities = {Ability::contact, Ability::live, Ability::plasticity, Ability::elastic},
       .stiffness = [](const Options& options) { return options.stiffness; },
       .fixed_poisson = [](const Options&) { return std::optional(0.25); },  // docs/methods/metric.md, Limits
       .remedies = remedies,
       .verdict =
           [](const Options&, const Solidity& solidity) {
             return solidity.any_solid
                        ? Verdict{"yes, on a lattice", true}
                        : Verdict{"with metric.lattice mesh only: a lattice fills solids", false};
           }});
  return entry;
}

}  // namespace metric
}  // namespace pliant
