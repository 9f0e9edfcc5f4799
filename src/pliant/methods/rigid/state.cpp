// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/rigid/state.hpp"

#include <Eigen/LU>

#include "pliant/math/polar.hpp"
#include "pliant/physics/momentum.hpp"

namespace pliant::rigid {
namespace {

constexpr int nodes_at_once = 4096;

template <class Visit>
void each_number(Motion& motion, Visit&& visit) {
  for (Vec3* v : {&motion.centre, &motion.velocity, &motion.spin})
    for (int c = 0; c < 3; ++c) visit((*v)[c]);
  for (int c = 0; c < 4; ++c) visit(motion.turn.coeffs()[c]);
}

Vec3 mean(std::span<const Vec3> points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : points) sum += p;
  return sum / double(points.size());
}

}  // namespace

Vec3 Motion::turning(const Model& model) const {
  const Mat3 r = rotation();
  return r * (model.inertia.inverse() * (r.transpose() * spin));
}

void move_nodes(const Model& model, const Motion& motion, Points& x, Points& v, Pool& pool) {
  const Mat3 r = motion.rotation();
  const Vec3 w = motion.turning(model);
  for_blocks(pool, model.nodes(), nodes_at_once, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const Vec3 arm = r * model.arm[std::size_t(i)];
      x[std::size_t(i)] = motion.centre + arm;
      v[std::size_t(i)] = motion.velocity + w.cross(arm);
    }
  });
}

void move_mass(const Model& model, const Motion& motion, NodeState::MassPoints& mass) {
  const Mat3 r = motion.rotation();
  const Vec3 w = motion.turning(model);
  for (std::size_t k = 0; k < mass_points; ++k) {
    const Vec3 arm = r * model.mass_arm[k];
    mass.x[k] = motion.centre + arm;
    mass.v[k] = motion.velocity + w.cross(arm);
  }
}

Motion nearest_motion(const Model& model, std::span<const Vec3> x, std::span<const Vec3> v) {
  const Vec3 middle = mean(model.arm), place = mean(x), velocity = mean(v);
  Mat3 turned = Mat3::Zero();
  for (std::size_t i = 0; i < x.size(); ++i) turned += (x[i] - place) * (model.arm[i] - middle).transpose();
  Motion motion;
  motion.turn = polar_rotation(turned, Eigen::Quaterniond::Identity());
  const Mat3 r = motion.rotation();
  motion.centre = place - r * middle;
  Mat3 second = Mat3::Zero();
  Vec3 moment = Vec3::Zero();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3 arm = r * (model.arm[i] - middle);
    second += arm * arm.transpose();
    moment += arm.cross(v[i] - velocity);
  }
  const Vec3 w = rotation_rate(second, moment);
  motion.velocity = velocity - w.cross(r * middle);
  motion.spin = motion.inertia(model) * w;
  return motion;
}

State state_at_rest(const Model& model) {
  const std::size_t n = model.rest.size();
  State state;
  state.motion.centre = model.centre;
  state.nodes = {model.rest, Points(n, Vec3::Zero()), std::vector<double>(n, 0)};
  state.nodes.within = {Points(mass_points), Points(mass_points),
                        std::vector<double>(mass_points, model.mass / mass_points)};
  move_mass(model, state.motion, state.nodes.within);
  return state;
}

void save(const State& state, Writer& writer) {
  Motion motion = state.motion;
  each_number(motion, [&](double number) { writer.value(number); });
  for (const Points* points : {&state.nodes.x, &state.nodes.v, &state.nodes.within.x, &state.nodes.within.v})
    writer.array(*points);
  writer.array(state.contact.memories), writer.array(state.contact.sides),
      writer.array(state.contact.impacts);
}

bool load(Reader& reader, State& state) {
  State next = state;
  each_number(next.motion, [&](double& number) { reader.value(number); });
  for (Points* points : {&next.nodes.x, &next.nodes.v, &next.nodes.within.x, &next.nodes.within.v})
    reader.array(*points);
  reader.list(next.contact.memories), reader.list(next.contact.sides), reader.list(next.contact.impacts);
  if (!reader.ok()) return false;
  state = std::move(next);
  return true;
}

}  // namespace pliant::rigid
