// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/material.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "pliant/scene/spec_layout.hpp"

namespace pliant {
namespace {

bool has_key(const MethodEntry& entry, const std::string& key) {
  for (const Description::Entry& known : entry.layout->description->entries)
    if (known.name == key) return true;
  return false;
}

/// The settings of the method can have any Poisson's ratio.
bool takes_poisson(const BodySpec& body) {
  return has_key(body.entry(), "poisson") && !body.entry().fixed_poisson(body.options());
}

void set_if_absent(Json& object, const char* key, double value) {
  if (object.is_null()) object = Json::object();
  if (object.is_object() && !object.contains(key)) object[key] = value;
}

void fill(const BodySpec& spec, const Material& material, Json& body) {
  set_if_absent(body, "density", material.density);
  set_if_absent(body, "friction", material.friction);
  set_if_absent(body["damping"], "stiffness", material.damping);
  if (has_key(spec.entry(), "stiffness")) set_if_absent(body[spec.method], "stiffness", material.stiffness);
  if (takes_poisson(spec)) set_if_absent(body[spec.method], "poisson", material.poisson);
}

}  // namespace

// Sources and ranges: docs/materials.md.
const std::vector<Material>& materials() {
  static const std::vector<Material> all{
      {"rubber", 930, 1.5e6, 0.45, 1.6e-3, 0.8}, {"silicone", 1070, 7e5, 0.45, 1.6e-3, 0.8},
      {"jelly", 1030, 5e3, 0.45, 1.6e-3, 0.3},   {"foam", 30, 1e5, 0.3, 5e-3, 0.6},
      {"flesh", 1050, 2e4, 0.45, 4e-3, 0.5},     {"muscle", 1060, 3e4, 0.45, 4e-3, 0.5},
      {"fat", 920, 3e3, 0.45, 4e-3, 0.5},        {"cork", 180, 2e7, 0.05, 3e-3, 0.5},
      {"wood", 500, 1e10, 0.35, 1.6e-4, 0.4},    {"steel", 7850, 2.1e11, 0.29, 1.6e-5, 0.6}};
  return all;
}

const Material* find_material(const std::string& name) {
  for (const Material& material : materials())
    if (material.name == name) return &material;
  return nullptr;
}

std::vector<std::string> material_names() {
  std::vector<std::string> names{"none"};
  for (const Material& material : materials()) names.push_back(material.name);
  return names;
}

Json with_materials(Json scene) {
  if (!scene.is_object() || !scene.contains("bodies") || !scene["bodies"].is_array()) return scene;
  SceneSpec spec;
  Problems ignored;  // told when the scene is read for good
  read_object(scene, "", spec, ignored);
  Json& bodies = scene["bodies"];
  for (std::size_t i = 0; i < bodies.size() && i < spec.bodies.size(); ++i)
    if (const Material* material = find_material(spec.bodies[i].material); material && bodies[i].is_object())
      fill(spec.bodies[i], *material, bodies[i]);
  return scene;
}

std::vector<std::string> material_notes(const BodySpec& body) {
  const Material* material = find_material(body.material);
  if (!material || takes_poisson(body) || !body.entry().can(body.options(), Ability::elastic)) return {};
  const std::optional<double> ratio = body.entry().fixed_poisson(body.options());
  if (ratio && std::abs(*ratio - material->poisson) < 0.005) return {};
  return {fmt::format("material {} has Poisson's ratio {:g}; this body has {}", material->name,
                      material->poisson, ratio ? fmt::format("{:.2g}", *ratio) : "its method's own")};
}

}  // namespace pliant
