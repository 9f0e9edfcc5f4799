// SPDX-License-Identifier: Apache-2.0
// A command as its handler gets it, with what many handlers read.
#pragma once

#include "pliant/view/arguments.hpp"
#include "pliant/view/world.hpp"

namespace pliant::view {

struct Request {
  World& world;
  const Call& call;
  Arguments args;

  /// Refuses a command that means an older model.
  void check_epoch() const;
  int body_index(const char* name = "body") const;
  Body& body(int index) const { return world.body(index); }
  const std::string& body_name(int index) const { return world.body(index).name(); }
  /// `target`, not too far from the body, m.
  Vec3 target(int body) const;
  /// A quaternion; none: no turn.
  Eigen::Quaterniond rotation(const char* name) const;

  /// A change of the scene by this command.
  SceneChange change(std::string label) const;
  Action plan(SceneChange change) const;
};

Action done(Json result = Json::object());

/// `face` (of World::faces) and `bary`, as they were given.
SurfacePoint read_point(const Arguments& args, const std::vector<Triangle>& faces);
/// The same; weights are shares of one.
SurfacePoint read_clean_point(const Arguments& args, const std::vector<Triangle>& faces);

// ---- holds.cpp, for grabs that leave a pin or a handle
void set_pins(const Request& request, int body, const std::vector<int>& vertices, bool on,
              const std::string& gesture);
/// Returns its number.
int add_handle(const Request& request, int body, const Json& select, const std::string& label,
               const std::string& gesture = "");
void move_handle(const Request& request, int id, const HandlePlace& place, const std::string& label,
                 const std::string& gesture);

}  // namespace pliant::view
