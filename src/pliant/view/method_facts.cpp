// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/method_facts.hpp"

#include "pliant/methods/cage/body.hpp"
#include "pliant/methods/meshless/body.hpp"

namespace pliant::view {
namespace {

constexpr int automatic_budget = 300;  // degrees of freedom of a cage that nobody asked for

const cage::Body& caged(const Method& method) { return dynamic_cast<const cage::Body&>(method); }

const meshless::Body* flesh(const Method& method) { return dynamic_cast<const meshless::Body*>(&method); }

/// null: none. False: it has none now, or is made of cells anyway and has no such key.
bool set_cells(Json& shape, const Json& cells) {
  for (const char* kind : {"mesh", "blobs", "bumpy_bar"}) {
    if (!shape.contains(kind)) continue;
    Json& at = std::string(kind) == "mesh" ? shape : shape[kind];
    if (cells.is_null())
      at.erase("cells");
    else if (!at.contains("cells"))
      at["cells"] = cells;
    return !cells.is_null();
  }
  return false;
}

}  // namespace

std::string method_of(const Json& body) { return body.value("method", "geometric"); }

bool is_reduced(const Json& body) {
  return method_of(body) == "geometric" && body.contains("geometric") &&
         body["geometric"].contains("reduction");
}

bool is_reduced(const BodySpec& body) { return body.method == "geometric" && body.geometric.reduction; }

double modulus(const BodySpec& body) {
  if (body.method == "geometric") return body.geometric.stiffness;
  if (body.method == "metric") return body.metric.stiffness;
  if (body.method == "cage") return body.cage.stiffness;
  if (body.method == "meshless") return body.meshless.stiffness;
  return body.fem.stiffness;
}

bool is_plastic(const BodySpec& body) {
  return (body.method == "geometric" && body.geometric.plasticity) ||
         (body.method == "metric" && body.metric.plasticity) ||
         (body.method == "cage" && body.cage.plasticity) ||
         (body.method == "meshless" && body.meshless.plasticity);
}

const TriMesh* cage_of(const Method& method) {
  const auto* body = dynamic_cast<const cage::Body*>(&method);
  return body ? &body->model().cage : nullptr;
}

Points cage_now(const Method& method) {
  const auto& columns = caged(method).cage_vertices();
  Points out;
  for (Eigen::Index i = 0; i < columns.cols(); ++i) out.emplace_back(columns.col(i));
  return out;
}

Index first_cage_node(const Method& method) { return Index(caged(method).model().nodes.size()); }

double cage_hold(const BodySpec& body) { return body.cage.hold * body.cage.stiffness; }

const Skeleton* skeleton_of(const Method& method) {
  const meshless::Body* body = flesh(method);
  return body && !body->rig().empty() ? &body->rig().bones().skeleton() : nullptr;
}

std::string drive_joint(Method& method, Index joint, const Vec3& turn, const Vec3& move) {
  return dynamic_cast<meshless::Body&>(method).drive_joint({joint, turn, move});
}

bool joints_were_driven(const Method& method) {
  return skeleton_of(method) && !flesh(method)->driven_joints().empty();
}

Json& skeleton_entry(Json& body) { return body["meshless"]["skeleton"]; }

const std::string& skeleton_method() {
  static const std::string name = "meshless";
  return name;
}

void switch_method(Json& body, const std::string& method, double stiffness, const Json& cells) {
  body["method"] = method;
  if (set_cells(body["shape"], method == "fem" ? cells : Json())) body["fem"]["element"] = "hexahedron";
  // the same material, where the new method has not been told another
  if (!body.contains(method) || !body[method].contains("stiffness")) body[method]["stiffness"] = stiffness;
  const bool told =
      body[method].contains("file") || body[method].contains("budget") || body[method].contains("cells");
  if (method == "cage" && !told) body[method]["budget"] = automatic_budget;
}

void add_needs(Json& body, const std::string& method) {
  if (method == "cage") body["cage"] = Json{{"budget", automatic_budget}};
  if (method == "fem") {
    body["shape"]["cells"] = Json::array({16, 16, 16});
    body["fem"]["element"] = "hexahedron";
  }
}

}  // namespace pliant::view
