// SPDX-License-Identifier: Apache-2.0
// What the entry of a method (methods/entry.hpp) says of a body in a document.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "pliant/scene/spec.hpp"

namespace pliant::view {

using Json = nlohmann::json;

/// The method of a scene's body.
std::string method_of(const Json& body);
/// Whether live options, pins and handles change without building the body again.
bool changes_in_place(const Json& body);
bool changes_in_place(const BodySpec& body);
/// Whether a deformation can stay.
bool is_plastic(const BodySpec& body);

/// With its default settings.
bool meets_colliders(const std::string& method);
/// The same of a body of a scene, with its settings.
bool meets_colliders(const Json& body);

/// The first method whose bodies have skeletons.
const std::string& skeleton_method();
/// The skeleton in the JSON of a body that has one.
Json& skeleton_entry(Json& body);

// ---- edits of a scene's body
/// Another method. stiffness: for a method that gives way and was not told one, Pa; 0: its own.
void switch_method(Json& body, const std::string& method, double stiffness);
/// What a body made from an uploaded mesh needs besides its shape.
void add_needs(Json& body, const std::string& method);

}  // namespace pliant::view
