// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/rigid/entry.hpp"

#include <fmt/format.h>

#include "pliant/base/layout.hpp"
#include "pliant/geometry/inside.hpp"
#include "pliant/geometry/moments.hpp"
#include "pliant/methods/rigid/body.hpp"
#include "pliant/methods/rigid/build.hpp"

namespace pliant {

template <>
const Layout<rigid::Options>& layout_of() {
  static const auto layout =
      make_layout<rigid::Options>("rigid", "settings of a rigid body", rigid::option_table());
  return layout;
}

namespace rigid {
namespace {

/// The nodes' volumes get the centre of mass: a start with a spin turns about it.
std::vector<Problem> prepare(const Options&, Shape& shape, Making&) {
  std::vector<double>& volumes = shape.graph.volumes;
  Moments wanted = moments_of(shape.graph.positions, volumes);
  if (const auto inside = enclosed_moments(shape); inside && wanted.volume > 0) {
    wanted.centre = inside->centre;
    match_moments(shape.graph.positions, wanted, volumes);
  }
  return {};
}

std::vector<std::string> notes(const Options&, const BodyPlan&, const Method& method, const StepPlan&) {
  const auto* body = dynamic_cast<const Body*>(&method);
  if (!body) return {};
  const Vec3& c = body->model().centre;
  return {fmt::format("{:.6g} kg, centre of mass [{:.4g}, {:.4g}, {:.4g}]", body->model().mass, c.x(), c.y(),
                      c.z())};
}

Verdict verdict(const Options&, const Solidity& solidity) {
  if (solidity.closed) return {"yes, as a rigid solid", true};
  return {"no, it needs a closed surface", false};
}

bool set_live(const Options&, Method& method, const Damping& damping) {
  auto* body = dynamic_cast<Body*>(&method);
  if (body) body->set_damping(damping);
  return body != nullptr;
}

}  // namespace

const MethodEntry& entry() {
  static const MethodEntry entry = make_entry<Options>(
      "rigid", "settings of a rigid body", any_layout<Options>(),
      {.placement = [](const Options&) { return NodePlacement::surface; },
       .prepare = prepare,
       .build = [](const Options& options,
                   const BodyPlan& plan) { return build(plan.shape, plan.density, plan.damping, options); },
       .set_live = set_live,
       .notes = notes,
       .abilities = {Ability::contact, Ability::live},
       .verdict = verdict});
  return entry;
}

}  // namespace rigid
}  // namespace pliant
