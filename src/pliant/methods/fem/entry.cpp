// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/entry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pliant/base/layout.hpp"
#include "pliant/geometry/inside.hpp"
#include "pliant/methods/bones_layout.hpp"
#include "pliant/methods/fem/body.hpp"
#include "pliant/methods/fem/build.hpp"

namespace pliant {

template <>
const Layout<fem::Options>& layout_of() {
  static const auto layout = make_layout<fem::Options>(
      "fem", "settings of the finite-element baseline", fem::option_table(),
      {optional_field("skeleton", &fem::Options::bones,
                      "bones that hold and move the nodes around them; none: no bones")});
  return layout;
}

namespace fem {
namespace {

std::vector<Problem> prepare(Options& options, Shape& shape, Making& making) {
  return options.bones ? find_skeleton(*options.bones, "fem.skeleton", shape, making)
                       : std::vector<Problem>{};
}

std::vector<std::string> notes(const Options&, const BodyPlan&, const Method& method, const StepPlan&) {
  const auto* body = dynamic_cast<const Body*>(&method);
  if (!body) return {};
  const std::vector<unsigned char>& given = body->model().given_rotation;
  const auto count = std::count(given.begin(), given.end(), 0);
  if (count == 0) return {};
  return {fmt::format(
      "{} elements lie in parts without a bone and have polar rotations: give each part a bone", count)};
}

Controls controls(const Options&, const Method& method) {
  Controls out;
  const auto* body = dynamic_cast<const Body*>(&method);
  if (body && !body->rig().empty()) out.skeleton = &body->rig().bones().skeleton();
  return out;
}

}  // namespace

const MethodEntry& entry() {
  static const MethodEntry entry = make_entry<Options>(
      "fem", "settings of the finite-element baseline", any_layout<Options>(),
      {.placement = [](const Options&) { return NodePlacement::cells; },
       .prepare = prepare,
       .build = [](const Options& options,
                   const BodyPlan& plan) { return build(plan.shape, plan.density, plan.damping, options); },
       .set_live = set_live_of<Body, Options>,
       .notes = notes,
       .abilities = {Ability::contact, Ability::live, Ability::elastic},
       .controls = controls,
       .drive_joint =
           [](const Options&, Method&, Index, const Vec3&, const Vec3&) {
             return std::string("bones of finite elements follow their keys only");
           },
       .stiffness = [](const Options& options) { return options.stiffness; },
       .verdict =
           [](const Options&, const Solidity& solidity) {
             if (solidity.any_solid) return Verdict{"yes, as a solid filled with tetrahedra", true};
             return Verdict{"no, it needs a solid: \"solid\": true fills a sheet nevertheless", false};
           },
       // A surface on coarse cells: ten tetrahedra a cell lock where one hexahedron does not.
       .suggest =
           [](const Options&, bool cells) {
             std::vector<std::pair<std::string, OptionValue>> out;
             if (cells) out.emplace_back("element", OptionValue(std::string("hexahedron")));
             return out;
           }});
  return entry;
}

}  // namespace fem
}  // namespace pliant
