// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/entry.hpp"

#include <fmt/format.h>

#include "pliant/base/layout.hpp"
#include "pliant/geometry/inside.hpp"
#include "pliant/methods/cage/body.hpp"
#include "pliant/methods/cage/build.hpp"
#include "pliant/methods/cage/note_bending.hpp"
#include "pliant/methods/cage/note_dents.hpp"
#include "pliant/methods/cage/prepare.hpp"

namespace pliant {

template <>
const Layout<cage::Plasticity>& layout_of() {
  static const auto layout = make_layout<cage::Plasticity>(
      "cage plasticity", "when the body keeps a new shape, and how much of it", cage::plasticity_table());
  return layout;
}

template <>
const Layout<cage::Options>& layout_of() {
  using S = cage::Options;
  static const auto layout = make_layout<S>(
      "cage",
      "settings of the cage method: at most one of file, budget and cells says which cage; none: automatic",
      cage::option_table(),
      {optional_field("plasticity", &S::plasticity,
                      "dents and bends that stay; none = always springs back")});
  return layout;
}

namespace cage {
namespace {

Controls controls(const Options& options, const Method& method) {
  Controls out;
  const auto* body = dynamic_cast<const Body*>(&method);
  if (!body) return out;
  const Model& model = body->model();
  out.cage = {&model.cage, {}, Index(model.nodes.size()), options.hold * options.stiffness};
  const Columns& now = body->cage_vertices();
  for (Eigen::Index i = 0; i < now.cols(); ++i) out.cage->vertices.emplace_back(now.col(i));
  return out;
}

}  // namespace

const MethodEntry& entry() {
  static const MethodEntry entry = make_entry<Options>(
      "cage", "settings of the cage method", any_layout<Options>(),
      {.check = check,
       .prepare = prepare,
       .build = [](const Options& options,
                   const BodyPlan& plan) { return build(plan.shape, plan.density, plan.damping, options); },
       .set_live = set_live_of<Body, Options>,
       .notes =
           [](const Options& options, const BodyPlan& plan, const Method& method, const StepPlan& steps) {
             std::vector<std::string> out;
             if (const auto* body = dynamic_cast<const Body*>(&method); body && steps.colliders)
               if (auto note = note_coarse_surface(plan.shape.surface, body->model().cage))
                 out.push_back(std::move(*note));
             if (auto note = note_bending(options, plan)) out.push_back(std::move(*note));
             if (steps.colliders) out.push_back(note_dents(options.poisson));
             return out;
           },
       .abilities = {Ability::contact, Ability::live, Ability::plasticity, Ability::cage, Ability::elastic},
       .controls = controls,
       .stiffness = [](const Options& options) { return options.stiffness; },
       .remedies =
           [](const Options& options) {
             return Remedies{.collapse = fmt::format("cage.stiffness ({:.3g} Pa)", options.stiffness),
                             .contact = fmt::format(" or more cage.iterations ({})", options.iterations)};
           },
       .verdict =
           [](const Options&, const Solidity& solidity) {
             return solidity.any_solid ? Verdict{"yes, in a cage made for it", true}
                                       : Verdict{"no, a cage moves what is inside it", false};
           },
       // The size of the cage is worth seeing beside the other settings.
       .suggest =
           [](const Options& options, bool) {
             std::vector<std::pair<std::string, OptionValue>> out;
             if (options.file.empty() && options.budget == 0 && options.cells[0] == 0)
               out.emplace_back("budget", OptionValue(default_budget));
             return out;
           }});
  return entry;
}

}  // namespace cage
}  // namespace pliant
