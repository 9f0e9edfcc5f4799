// SPDX-License-Identifier: Apache-2.0
// Everything that the view knows of single methods. No other file of the view names one.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "pliant/geometry/skeleton.hpp"
#include "pliant/geometry/tri_mesh.hpp"
#include "pliant/scene/spec.hpp"

namespace pliant::view {

using Json = nlohmann::json;

/// The method of a scene's body.
std::string method_of(const Json& body);
/// Whether the body is simulated in a reduced space, which is made for its own pins, handles and options.
bool is_reduced(const Json& body);
bool is_reduced(const BodySpec& body);

double modulus(const BodySpec& body);  ///< Pa
/// Whether a deformation can stay.
bool is_plastic(const BodySpec& body);

// ---- cages
const TriMesh* cage_of(const Method& method);  ///< at rest; null: the body has none
Points cage_now(const Method& method);         ///< m; the body has a cage
/// Vertices of the cage follow the nodes in the numbering of grabs: that of the first.
Index first_cage_node(const Method& method);
/// Stiffness of a hold, Pa.
double cage_hold(const BodySpec& body);

// ---- skeletons
const Skeleton* skeleton_of(const Method& method);  ///< null: the body has none
/// A joint leaves its keys. Returns why it cannot, or nothing. The body has a skeleton.
std::string drive_joint(Method& method, Index joint, const Vec3& turn, const Vec3& move);
/// Whether a joint left its keys.
bool joints_were_driven(const Method& method);
/// The skeleton in the JSON of a body.
Json& skeleton_entry(Json& body);
/// The method whose bodies have skeletons.
const std::string& skeleton_method();

// ---- edits of a scene's body
/// Another method. stiffness: for a method that was not told one, Pa; cells: for a method that needs them.
void switch_method(Json& body, const std::string& method, double stiffness, const Json& cells);
/// What a body made from an uploaded mesh needs besides its shape.
void add_needs(Json& body, const std::string& method);

}  // namespace pliant::view
