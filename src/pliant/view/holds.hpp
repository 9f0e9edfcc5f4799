// SPDX-License-Identifier: Apache-2.0
// The pins and handles of a scene's bodies: what the scene says of each beside what acts. This is the only
// place that edits them. The JSON of a scene gets them by write(), a body by placed().
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pliant/scene/spec.hpp"
#include "pliant/sim/body.hpp"

namespace pliant::view {

using Json = nlohmann::json;

/// A pin or a handle.
struct HeldRegion {
  Json entry;  ///< of "pins" or "handles" in the scene
  PlacedHold placed;
};

/// Where a user puts a handle, from where it was taken.
struct HandlePlace {
  Vec3 translate{0, 0, 0};  ///< m
  Eigen::Quaterniond rotate = Eigen::Quaterniond::Identity();
  Vec3 scale{1, 1, 1};  ///< about its centre, before the turn
};

/// The pins and handles of one body. An edit that cannot be done refuses (view/refusal.hpp); the holds are of
/// no use then.
class BodyHolds {
 public:
  BodyHolds() = default;
  /// The entries of a scene's body, without places yet.
  explicit BodyHolds(const Json& body);

  /// The list of a body: pins, then handles.
  std::vector<PlacedHold> placed() const;
  /// The body's list replaces the places. False: it is a list for other entries, and nothing changed.
  bool take_places(const std::vector<PlacedHold>& placed);
  /// Every region begins where its nodes are now.
  void place_here(const Body& body);
  /// "pins" and "handles" of a body in a scene; a key without entries is absent.
  void write(Json& body) const;
  /// Whether the scene's body has the same entries.
  bool same_entries(const Json& body) const;

  bool empty() const { return pins_.empty() && handles_.empty(); }
  std::size_t pins() const { return pins_.size(); }
  std::size_t handles() const { return handles_.size(); }
  std::size_t bytes() const;  ///< of the places
  HandlePlace handle_place(std::size_t handle) const;

  // ---- edits. Nodes belong to one region at most: those that are held already stay where they are.
  /// Pins given by hand share one entry: the last pin, if it is a list of vertices.
  void pin(const std::vector<int>& vertices, const Body& body, const Shape& shape);
  /// The nodes of the vertices leave whatever holds them; a region without nodes is gone.
  void unpin(const std::vector<int>& vertices, const Shape& shape);
  void clear_pins() { pins_.clear(); }
  /// select: the entry's selection, as a scene says it.
  void add_handle(const Json& select, std::vector<Index> nodes, const Body& body);
  void move_handle(std::size_t handle, const HandlePlace& place);
  void remove_handle(std::size_t handle);

 private:
  std::vector<HeldRegion> pins_, handles_;

  /// Takes away what a region holds already.
  void keep_free(std::vector<Index>& nodes) const;
};

/// Pages know handles by number: that of the body times 256, and the place among its handles.
inline constexpr int handles_a_body = 256;
constexpr int handle_id(int body, std::size_t handle) { return body * handles_a_body + int(handle); }

/// By the name of the body.
using Holds = std::map<std::string, BodyHolds>;

/// Takes pins and handles out of a scene. The places are those of the bodies.
Holds take_holds(Json& scene);
/// Puts them in again.
void write_holds(const Holds& holds, Json& scene);

/// The list of a body that stands where it starts, as its scene says it. Nodes belong to the first region that
/// selects them.
std::vector<PlacedHold> place_holds(const BodySpec& spec, const Body& body, const Shape& shape);

}  // namespace pliant::view
