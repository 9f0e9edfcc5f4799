// SPDX-License-Identifier: Apache-2.0
// Pins and handles (view/holds.hpp).
#include <fmt/format.h>

#include "pliant/physics/selection.hpp"
#include "pliant/view/commands/handlers.hpp"
#include "pliant/view/commands/request.hpp"

namespace pliant::view {
namespace {

constexpr std::size_t most_vertices = 8000;

void check_holds_change(const Request& request, int body) {
  if (!request.world.can_pose(body))
    refuse("not_supported", "the space of a reduced body is made for its own pins and handles",
           "take away its reduction, or edit the scene");
}

struct HandleAt {
  int body = 0;
  std::size_t handle = 0;  ///< among those of the body
};

HandleAt find_handle(const Request& request, int id) {
  const HandleAt at{id / handles_a_body, std::size_t(id % handles_a_body)};
  if (at.body >= request.world.bodies() || at.handle >= request.world.holds(at.body).handles())
    refuse("bad_argument", "there is no such handle", {}, "handle");
  return at;
}

/// The nodes of a selection that a scene would say.
std::vector<Index> selected(const Request& request, int body, const Json& select) {
  Json document = request.world.document();
  document["bodies"][std::size_t(body)]["handles"].push_back(
      {{"select", select}, {"motion", Json::array({{{"time", 0}}})}});
  const ParsedScene scene = parse(document, request.world.file());
  if (!scene.problems.empty()) throw Refused{refusal_of({"", scene.problems}, "bad_argument")};
  return select_nodes(scene.spec.bodies[std::size_t(body)].handles.back().select,
                      *request.world.piece(body).shape);
}

}  // namespace

void set_pins(const Request& request, int body, const std::vector<int>& vertices, bool on,
              const std::string& gesture) {
  check_holds_change(request, body);
  const Shape& shape = *request.world.piece(body).shape;
  request.world.edit_holds(body, fmt::format("{} {}", on ? "Pin on" : "Unpin of", request.body_name(body)),
                           gesture, [&](BodyHolds& holds) {
                             if (on)
                               holds.pin(vertices, request.body(body), shape);
                             else
                               holds.unpin(vertices, shape);
                           });
}

int add_handle(const Request& request, int body, const Json& select, const std::string& label,
               const std::string& gesture) {
  check_holds_change(request, body);
  const std::size_t count = request.world.holds(body).handles();
  if (count + 1 >= handles_a_body) refuse("too_many", "a body has at most 255 handles");
  request.world.edit_holds(body, label, gesture, [&](BodyHolds& holds) {
    holds.add_handle(select, selected(request, body, select), request.body(body));
  });
  request.world.structure_changed();
  return handle_id(body, count);
}

void move_handle(const Request& request, int id, const HandlePlace& place, const std::string& label,
                 const std::string& gesture) {
  const HandleAt at = find_handle(request, id);
  request.world.edit_holds(at.body, label, gesture,
                           [&](BodyHolds& holds) { holds.move_handle(at.handle, place); });
}

Action pin_set(Request& request) {
  request.check_epoch();
  const int body = request.body_index();
  const std::vector<int> vertices =
      request.args.indices("vertices", int(request.body(body).rest_surface().size()), most_vertices);
  if (vertices.empty()) refuse("bad_argument", "vertices is empty", {}, "vertices");
  set_pins(request, body, vertices, request.args.yes_or("on", true), "");
  return done();
}

Action pin_brush(Request& request) {
  request.check_epoch();
  const int body = request.body_index();
  const SurfacePoint point = read_clean_point(request.args, request.world.faces(body));
  const double radius = request.args.number_or("radius", 0, 0, 1e9);
  const Points& surface = request.body(body).surface();
  const Vec3 p = point.on(surface);
  std::vector<int> vertices;
  for (std::size_t i = 0; i < surface.size() && vertices.size() < most_vertices; ++i)
    if ((surface[i] - p).norm() <= radius) vertices.push_back(int(i));
  if (vertices.empty()) {
    Eigen::Index nearest = 0;
    point.weights.maxCoeff(&nearest);
    vertices.push_back(int(point.corners[std::size_t(nearest)]));
  }
  const std::string gesture =
      request.args.has("stroke")
          ? fmt::format("brush {} {}", request.call.client, request.args.whole("stroke", 0, 1 << 30))
          : "";
  set_pins(request, body, vertices, request.args.yes_or("on", true), gesture);
  return done({{"vertices", vertices.size()}});
}

Action pin_clear(Request& request) {
  request.check_epoch();
  const int body = request.body_index();
  check_holds_change(request, body);
  if (request.world.holds(body).pins() == 0) return done();
  request.world.edit_holds(body, fmt::format("All pins off {}", request.body_name(body)), "",
                           [](BodyHolds& holds) { holds.clear_pins(); });
  return done();
}

Action handle_add(Request& request) {
  request.check_epoch();
  const int body = request.body_index();
  const int id = add_handle(request, body, request.args.at("select"),
                            fmt::format("Handle on {}", request.body_name(body)));
  return done({{"handle", id}});
}

Action handle_move(Request& request) {
  const Arguments& args = request.args;
  const int id = args.whole("handle", 0, 1 << 24);
  const HandleAt at = find_handle(request, id);
  HandlePlace place;
  if (args.has("scale")) {
    place.scale = args.at("scale").is_number() ? Vec3(Vec3::Constant(args.number("scale", 0.01, 100)))
                                               : args.vector("scale");
    if (!(place.scale.minCoeff() >= 0.01 && place.scale.maxCoeff() <= 100))
      refuse("out_of_range", "scale must be 0.01 to 100", {}, "scale");
  }
  if (args.has("translate")) place.translate = args.vector("translate");
  place.rotate = request.rotation("rotate");
  const bool last = args.yes_or("final", false);
  move_handle(request, id, place, fmt::format("Move of a handle of {}", request.body_name(at.body)),
              fmt::format("handle {} {}", request.call.client, id));
  if (last) request.world.close_gesture();
  return done();
}

Action handle_remove(Request& request) {
  const HandleAt at = find_handle(request, request.args.whole("handle", 0, 1 << 24));
  check_holds_change(request, at.body);
  request.world.edit_holds(at.body, fmt::format("Handle off {}", request.body_name(at.body)), "",
                           [&](BodyHolds& holds) { holds.remove_handle(at.handle); });
  request.world.grabs().end_posed();  // the numbers of handles moved
  request.world.structure_changed();
  return done();
}

}  // namespace pliant::view
