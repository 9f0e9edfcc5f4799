// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/commands/request.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pliant::view {

void Request::check_epoch() const {
  if (!args.has("epoch")) return;
  const double epoch = args.number("epoch", 0, 4294967295.0);
  if (epoch != double(world.epoch()))
    refuse("stale_epoch", fmt::format("the model is {} now, the command is about {}", world.epoch(), epoch),
           "send it again with indices of the new model");
}

int Request::body_index(const char* name) const {
  if (world.empty()) refuse("bad_argument", "the scene has no body", "add one first", name);
  return args.whole(name, 0, world.bodies() - 1);
}

Vec3 Request::target(int index) const {
  const Vec3 target = args.vector("target");
  if (!((target - body(index).rest_surface().front()).norm() <= 1e4 * world.piece(index).size))
    refuse("out_of_range", "the target is more than 10 000 sizes away", {}, "target");
  return target;
}

Eigen::Quaterniond Request::rotation(const char* name) const {
  if (!args.has(name)) return Eigen::Quaterniond::Identity();
  const Json& json = args.at(name);
  if (!json.is_array() || json.size() != 4)
    refuse("bad_argument", fmt::format("{} must be a quaternion x, y, z, w", name), {}, name);
  Eigen::Vector4d q;
  for (int c = 0; c < 4; ++c) {
    if (!json[std::size_t(c)].is_number())
      refuse("bad_argument", fmt::format("{} must be four numbers", name), {}, name);
    q[c] = json[std::size_t(c)].get<double>();
  }
  if (!(q.norm() > 1e-6) || !q.allFinite())
    refuse("bad_argument", fmt::format("{} has no length", name), {}, name);
  return Eigen::Quaterniond(q[3], q[0], q[1], q[2]).normalized();
}

SceneChange Request::change(std::string label) const {
  SceneChange out;
  out.call = call;
  out.label = std::move(label);
  return out;
}

Action Request::plan(SceneChange change) const {
  Outcome<Rebuild> rebuild = world.plan(std::move(change));
  if (!rebuild) throw Refused{rebuild.refusal};
  return {.rebuild = std::move(*rebuild.value)};
}

Action done(Json result) { return {.done = std::move(result)}; }

SurfacePoint read_point(const Arguments& args, const std::vector<Triangle>& faces) {
  SurfacePoint out;
  out.corners = faces[std::size_t(args.whole("face", 0, int(faces.size()) - 1))];
  out.weights = args.vector("bary");
  if (out.weights.minCoeff() < -1e-3 || std::abs(out.weights.sum() - 1) > 1e-2)
    refuse("bad_argument", "bary must be three shares that sum to 1", {}, "bary");
  return out;
}

SurfacePoint read_clean_point(const Arguments& args, const std::vector<Triangle>& faces) {
  SurfacePoint out = read_point(args, faces);
  out.weights = out.weights.cwiseMax(0).eval();
  out.weights /= out.weights.sum();
  return out;
}

}  // namespace pliant::view
