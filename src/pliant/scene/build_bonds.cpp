// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/build_bonds.hpp"

#include <fmt/format.h>

#include <charconv>

#include "pliant/scene/validate.hpp"

namespace pliant {
namespace {

std::string end_name(const Simulation& simulation, const Bond& bond) {
  return bond.other >= 0 ? simulation.bodies()[std::size_t(bond.other)].name()
                         : fmt::format("colliders.{}", bond.collider);
}

}  // namespace

int find_collider(const SceneSpec& scene, const std::string& name) {
  const std::string start = "colliders.";
  if (name.compare(0, start.size(), start) != 0) return -1;
  int number = -1;
  const char *begin = name.data() + start.size(), *end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || rest != end || number >= int(scene.colliders.size())) return -1;
  return number;
}

void check_bonds(const SceneSpec& scene, Problems& problems) {
  for (std::size_t i = 0; i < scene.bonds.size(); ++i) {
    const BondSpec& bond = scene.bonds[i];
    const std::string place = fmt::format("bonds.{}", i);
    const int body = find_body(scene, bond.body);
    if (body < 0)
      problems.push_back({place + ".body", fmt::format("\"{}\"", bond.body), "the name of a body", {}});
    const int other = bond.to.empty() ? -1 : find_body(scene, bond.to);
    if (other < 0 && find_collider(scene, bond.to) < 0)
      problems.push_back({place + ".to",
                          fmt::format("\"{}\"", bond.to),
                          "the name of another body, or \"colliders.N\", N from 0",
                          {}});
    if (other >= 0 && other == body)
      problems.push_back(
          {place + ".to", fmt::format("\"{}\", the body itself", bond.to), "another body", {}});
    if (std::holds_alternative<SelectVertices>(bond.select.is))
      problems.push_back({place + ".select", "vertices", "all, a box, a sphere or a halfspace",
                          "places where the bodies start"});
  }
}

std::vector<Bond> bonds_of(const SceneSpec& scene) {
  std::vector<Bond> out;
  for (const BondSpec& spec : scene.bonds) {
    Bond bond;
    bond.body = find_body(scene, spec.body);
    bond.other = spec.to.empty() ? -1 : find_body(scene, spec.to);
    bond.collider = bond.other >= 0 ? -1 : find_collider(scene, spec.to);
    bond.select = spec.select;
    bond.within = spec.within;
    bond.strength = spec.strength;
    bond.pressure = spec.pressure;
    out.push_back(std::move(bond));
  }
  return out;
}

Problems bond_problems(const SceneSpec& scene, Simulation& simulation) {
  Problems out;
  for (std::size_t i = 0; i < simulation.bonds().size(); ++i) {
    const Bond& bond = simulation.bonds()[i];
    const std::string place = fmt::format("bonds.{}", i);
    bool ready = true;
    for (const Index body : {bond.body, bond.other})
      if (body >= 0 && !simulation.met_others(body)) {
        ready = false;
        out.push_back(
            {place,
             fmt::format("{}, which nothing can be tied to: method {} with these settings does "
                         "not meet other bodies yet",
                         scene.bodies[std::size_t(body)].name, scene.bodies[std::size_t(body)].method),
             "bodies that can meet others", "take another method, or settings with which it meets them"});
      }
    if (ready && simulation.bond_facts()[i].points == 0)
      out.push_back({place,
                     fmt::format("no point of {} that is selected and near enough to {}",
                                 scene.bodies[std::size_t(bond.body)].name, end_name(simulation, bond)),
                     "at least one", "move the bodies together, widen select, or raise within"});
  }
  return out;
}

std::string bond_text(const Simulation& simulation, std::size_t i) {
  const Bond& bond = simulation.bonds()[i];
  const BondFacts& facts = simulation.bond_facts()[i];
  const std::string ends =
      fmt::format("{} - {}", simulation.bodies()[std::size_t(bond.body)].name(), end_name(simulation, bond));
  if (facts.broken == 0) return fmt::format("{}: all {} points hold", ends, facts.points);
  return fmt::format("{}: {} of {} points broke, the first at t = {:.4g} s", ends, facts.broken, facts.points,
                     facts.first_break);
}

}  // namespace pliant
