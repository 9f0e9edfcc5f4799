// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/holds.hpp"

#include <algorithm>
#include <numbers>

#include "pliant/physics/selection.hpp"
#include "pliant/view/arguments.hpp"

namespace pliant::view {
namespace {

std::vector<HeldRegion> entries_of(const Json& body, const char* key) {
  std::vector<HeldRegion> out;
  for (const Json& entry : body.value(key, Json::array())) out.push_back({entry, {}});
  return out;
}

Json list_of(const std::vector<HeldRegion>& regions) {
  Json out = Json::array();
  for (const HeldRegion& region : regions) out.push_back(region.entry);
  return out;
}

/// Surface vertices that are mainly carried by these nodes (ascending), as a selection that a scene can say.
Json vertices_of(const std::vector<Index>& nodes, const Shape& shape) {
  const Gather& w = shape.embedding;
  Json out = Json::array();
  for (Index v = 0; v < w.rows(); ++v) {
    Index heaviest = -1;
    double most = 0;
    for (Index k = w.begin[std::size_t(v)]; k < w.begin[std::size_t(v) + 1]; ++k)
      if (w.weight[std::size_t(k)] > most)
        most = w.weight[std::size_t(k)], heaviest = w.column[std::size_t(k)];
    if (std::binary_search(nodes.begin(), nodes.end(), heaviest)) out.push_back(v);
  }
  return out;
}

PlacedHold without(const PlacedHold& placed, const std::vector<Index>& nodes) {
  PlacedHold rest = placed;
  rest.hold.nodes.clear();
  rest.start.clear();
  for (std::size_t n = 0; n < placed.hold.nodes.size(); ++n)
    if (!std::binary_search(nodes.begin(), nodes.end(), placed.hold.nodes[n])) {
      rest.hold.nodes.push_back(placed.hold.nodes[n]);
      rest.start.push_back(placed.start[n]);
    }
  return rest;
}

/// Takes nodes (ascending) out of all regions. False: none held any of them.
bool take_nodes(std::vector<HeldRegion>& regions, const std::vector<Index>& nodes, const Shape& shape) {
  bool any = false;
  std::vector<HeldRegion> left;
  for (HeldRegion& region : regions) {
    PlacedHold rest = without(region.placed, nodes);
    if (rest.hold.nodes.size() == region.placed.hold.nodes.size()) {
      left.push_back(std::move(region));
      continue;
    }
    any = true;
    std::vector<Index> sorted = rest.hold.nodes;
    std::sort(sorted.begin(), sorted.end());
    const Json vertices = vertices_of(sorted, shape);
    if (vertices.empty()) continue;
    region.entry["select"] = Json{{"vertices", vertices}};
    left.push_back({std::move(region.entry), std::move(rest)});
  }
  regions = std::move(left);
  return any;
}

void erase_held(std::vector<Index>& nodes, const PlacedHold& placed) {
  std::erase_if(nodes, [&](Index n) {
    return std::find(placed.hold.nodes.begin(), placed.hold.nodes.end(), n) != placed.hold.nodes.end();
  });
}

void write_list(const std::vector<HeldRegion>& regions, const char* key, Json& body) {
  if (regions.empty())
    body.erase(key);
  else
    body[key] = list_of(regions);
}

}  // namespace

BodyHolds::BodyHolds(const Json& body)
    : pins_(entries_of(body, "pins")), handles_(entries_of(body, "handles")) {}

std::vector<PlacedHold> BodyHolds::placed() const {
  std::vector<PlacedHold> out;
  for (const auto* regions : {&pins_, &handles_})
    for (const HeldRegion& region : *regions) out.push_back(region.placed);
  return out;
}

bool BodyHolds::take_places(const std::vector<PlacedHold>& placed) {
  if (placed.size() != pins_.size() + handles_.size()) return false;
  auto next = placed.begin();
  for (auto* regions : {&pins_, &handles_})
    for (HeldRegion& region : *regions) region.placed = *next++;
  return true;
}

void BodyHolds::place_here(const Body& body) {
  for (auto* regions : {&pins_, &handles_})
    for (HeldRegion& region : *regions) {
      PlacedHold here = body.hold_here(region.placed.hold.nodes);
      here.hold = std::move(region.placed.hold);
      here.scale = region.placed.scale;
      region.placed = std::move(here);
    }
}

void BodyHolds::write(Json& body) const {
  write_list(pins_, "pins", body);
  write_list(handles_, "handles", body);
}

bool BodyHolds::same_entries(const Json& body) const {
  return list_of(pins_) == body.value("pins", Json::array()) &&
         list_of(handles_) == body.value("handles", Json::array());
}

std::size_t BodyHolds::bytes() const {
  std::size_t sum = 0;
  for (const auto* regions : {&pins_, &handles_})
    for (const HeldRegion& region : *regions)
      sum += region.placed.start.size() * (sizeof(Vec3) + sizeof(Index));
  return sum;
}

void BodyHolds::keep_free(std::vector<Index>& nodes) const {
  for (const auto* regions : {&pins_, &handles_})
    for (const HeldRegion& region : *regions) erase_held(nodes, region.placed);
}

void BodyHolds::pin(const std::vector<int>& vertices, const Body& body, const Shape& shape) {
  std::vector<Index> nodes = select_nodes({SelectVertices{vertices}}, shape);
  keep_free(nodes);
  if (nodes.empty()) refuse("bad_argument", "all these vertices are held already");
  PlacedHold here = body.hold_here(std::move(nodes));
  const bool grow =
      !pins_.empty() && pins_.back().entry.size() == 1 && pins_.back().entry["select"].contains("vertices");
  if (!grow) {
    pins_.push_back({Json{{"select", {{"vertices", vertices}}}}, std::move(here)});
    return;
  }
  Json& list = pins_.back().entry["select"]["vertices"];
  std::vector<int> all = list.get<std::vector<int>>();
  all.insert(all.end(), vertices.begin(), vertices.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  list = all;
  PlacedHold& last = pins_.back().placed;
  last.hold.nodes.insert(last.hold.nodes.end(), here.hold.nodes.begin(), here.hold.nodes.end());
  last.start.insert(last.start.end(), here.start.begin(), here.start.end());
}

void BodyHolds::unpin(const std::vector<int>& vertices, const Shape& shape) {
  const std::vector<Index> nodes = select_nodes({SelectVertices{vertices}}, shape);
  const bool pinned = take_nodes(pins_, nodes, shape), handled = take_nodes(handles_, nodes, shape);
  if (!pinned && !handled) refuse("bad_argument", "nothing holds these vertices");
}

void BodyHolds::add_handle(const Json& select, std::vector<Index> nodes, const Body& body) {
  keep_free(nodes);
  if (nodes.empty())
    refuse("bad_argument", "the selection has no node that nothing holds yet", "unpin them first", "select");
  PlacedHold here = body.hold_here(std::move(nodes));
  here.hold.motion.keys = {MotionKey{}};
  handles_.push_back({Json{{"select", select}, {"motion", Json::array({{{"time", 0}}})}}, std::move(here)});
}

void BodyHolds::move_handle(std::size_t handle, const HandlePlace& place) {
  HeldRegion& region = handles_[handle];
  const Eigen::AngleAxisd turn(place.rotate);
  MotionKey key;
  key.translate = place.translate;
  key.rotate.axis = turn.axis();
  key.rotate.degrees = turn.angle() * 180 / std::numbers::pi;
  region.placed.hold.motion.keys = {key};
  region.placed.scale = place.scale;
  region.entry["motion"] =
      Json::array({{{"time", 0},
                    {"translate", json_of(place.translate)},
                    {"rotate", {{"axis", json_of(turn.axis())}, {"degrees", key.rotate.degrees}}}}});
  region.entry.erase("scale");
  if (place.scale != Vec3(1, 1, 1)) region.entry["scale"] = json_of(place.scale);
}

HandlePlace BodyHolds::handle_place(std::size_t handle) const {
  const PlacedHold& placed = handles_[handle].placed;
  HandlePlace place;
  place.scale = placed.scale;
  // one with a path of its own is where its path begins
  if (placed.hold.motion.keys.empty()) return place;
  const MotionKey& key = placed.hold.motion.keys.front();
  place.translate = key.translate;
  place.rotate = Eigen::AngleAxisd(key.rotate.degrees * std::numbers::pi / 180, key.rotate.axis.normalized());
  return place;
}

void BodyHolds::remove_handle(std::size_t handle) {
  handles_.erase(handles_.begin() + std::ptrdiff_t(handle));
}

Holds take_holds(Json& scene) {
  Holds out;
  if (!scene.contains("bodies")) return out;
  for (Json& body : scene["bodies"]) {
    out[body.value("name", "body")] = BodyHolds(body);
    body.erase("pins");
    body.erase("handles");
  }
  return out;
}

void write_holds(const Holds& holds, Json& scene) {
  if (!scene.contains("bodies")) return;
  for (Json& body : scene["bodies"])
    if (const auto at = holds.find(body.value("name", "body")); at != holds.end()) at->second.write(body);
}

std::vector<PlacedHold> place_holds(const BodySpec& spec, const Body& body, const Shape& shape) {
  std::vector<PlacedHold> out;
  const auto place = [&](const Selector& select) -> PlacedHold& {
    std::vector<Index> nodes = select_nodes(select, shape);
    for (const PlacedHold& other : out) erase_held(nodes, other);
    return out.emplace_back(body.hold_here(std::move(nodes)));
  };
  for (const PinSpec& pin : spec.pins) place(pin.select).hold.release = pin.release;
  for (const HandleSpec& handle : spec.handles) {
    PlacedHold& placed = place(handle.select);
    placed.hold.motion = {handle.motion, handle.ease};
    placed.hold.release = handle.release;
    placed.scale = handle.scale;
  }
  return out;
}

}  // namespace pliant::view
