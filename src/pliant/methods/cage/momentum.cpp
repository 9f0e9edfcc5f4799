// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/momentum.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/cage/step.hpp"
#include "pliant/methods/cage/surface.hpp"
#include "pliant/physics/free_turn.hpp"
#include "pliant/physics/momentum.hpp"

namespace pliant::cage {
namespace {

/// v with v . w = sum over a, b of w . (e_a x e_b) m_ab.
Vec3 axial(const Mat3& m) { return {m(1, 2) - m(2, 1), m(2, 0) - m(0, 2), m(0, 1) - m(1, 0)}; }

/// (tr S 1 - S)^-1 v; along an axis without extent nothing turns.
Vec3 over_inertia(const Mat3& second, const Vec3& v) {
  const Mat3 inertia = second.trace() * Mat3::Identity() - second;
  const Spectrum3 axes = spectrum(inertia);
  Vec3 along = axes.vectors.transpose() * v;
  for (int k = 0; k < 3; ++k)
    along[k] = axes.values[k] > 1e-12 * second.trace() ? along[k] / axes.values[k] : 0;
  return axes.vectors * along;
}

}  // namespace

Flight Flight::at(const Vec3& c, const Mat3& axes) {
  Flight out;
  out.c = out.c1 = c;
  out.r0 = out.r1 = axes;
  return out;
}

Flight fly(const Step& step, bool split) {
  const State& state = step.state;
  const StepInput& input = step.input;
  const Index n = Index(state.x.cols());
  Flight out;
  out.split = split;
  out.c = out.c1 = mean_of(state.x);
  out.r0 = out.r1 = state.axes().normalized().toRotationMatrix();
  if (!out.split) return out;
  const Vec3 before = mean_of(state.velocity.leftCols(n));
  const double slower = 1 / (1 + input.h * step.scheme.mass);
  out.velocity = slower * (before + input.h * input.gravity);
  out.c1 = out.c + input.h / 2 * (before + out.velocity);
  // The spin is that of the body, not of the vertices: what is left turns nothing.
  Columns& z = step.scratch.new_z;
  z.leftCols(n) = state.x.colwise() - out.c;
  scaled_normals(step.model.faces, state.x, z.rightCols(step.model.t()));
  Mat3 spread;
  const Vec3 angular = whole_about(step.model, z, out.c, state.velocity, &spread).spin;
  out.spin = over_inertia(spread, angular);
  const Mat3 inertia = spread.trace() * Mat3::Identity() - spread;
  const Mat3 turn = free_turn(inertia, angular, input.h);
  out.r1 = turn * out.r0;
  out.omega = over_inertia(turn * spread * turn.transpose(), angular);
  out.spin_change = (out.omega - out.spin) / input.h;
  out.omega *= slower;
  return out;
}

Mat3 coast(const Step& step, Columns& start, Columns& hat) {
  const State& state = step.state;
  const Index n = step.model.n();
  const double h = step.input.h, slower = 1 / (1 + h * step.scheme.mass);
  Columns& z = step.scratch.new_z;
  const Vec3 c = mean_of(state.x);
  z = start;
  z.leftCols(n).colwise() -= c;
  Mat3 spread;
  const Whole whole = whole_about(step.model, z, c, state.velocity, &spread);
  const Mat3 inertia = spread.trace() * Mat3::Identity() - spread;
  const Mat3 turn = free_turn(inertia, slower * whole.spin, h);
  const Vec3 speed = whole.momentum / step.model.total_mass, omega = over_inertia(spread, whole.spin),
             omega1 = over_inertia(turn * spread * turn.transpose(), slower * whole.spin);
  for (Index r = 0; r < step.model.rows(); ++r) {
    const bool vertex = r < n;
    const Vec3 arm = vertex ? Vec3(start.col(r) - whole.centre) : Vec3(start.col(r)),
               along = vertex ? speed : Vec3(Vec3::Zero()),
               loose = turn * (Vec3(state.velocity.col(r)) - along - omega.cross(arm));
    const Vec3 turned = turn * arm, end = turned + h * slower * loose,
               moved = vertex ? Vec3(whole.centre + turned) : turned;
    start.col(r) = moved - h * omega1.cross(end);
    hat.col(r) = moved + h * slower * (along + loose);
    if (vertex) step.scratch.undeformed.col(r) = moved;
  }
  return turn;
}

std::optional<Swing> swing(const Step& step, double time) {
  RigidFreedom freedom(step.model.size);
  for (const Vec3& target : step.input.targets) freedom.hold(target);
  if (freedom.turns() == 0 || (freedom.shifts() && !step.input.grabs.empty())) return std::nullopt;
  const State& state = step.state;
  const Vec3 c = mean_of(state.x);
  Columns& z = step.scratch.new_z;
  z.leftCols(step.model.n()) = state.x.colwise() - c;
  scaled_normals(step.model.faces, state.x, z.rightCols(step.model.t()));
  Mat3 second;
  const Whole whole = whole_about(step.model, z, c, state.velocity, &second);
  if (freedom.shifts())
    return Swing{whole.centre, time / step.model.total_mass * whole.momentum,
                 free_turn(second.trace() * Mat3::Identity() - second, whole.spin, time)};
  // Pins and handles carry it along; the spin is its own, whatever they do.
  Vec3 w = over_inertia(second, whole.spin);
  if (freedom.turns() == 1) w = freedom.axis() * freedom.axis().dot(w);
  if (!w.allFinite()) return std::nullopt;
  const Vec3 shift = step.cache.holds.lack(z, c);
  return Swing{freedom.pivot() - shift, shift, rotation_by(time * w)};
}

Whole whole_about(const Model& model, const Columns& z, const Vec3& c, const Columns& velocity,
                  Mat3* second) {
  const Index rows = model.rows();
  const CageKernels<double>& kernel = kernels<double>();
  Whole out;
  Vec3 arm = Vec3::Zero();
  Mat3 across = Mat3::Zero(), spread = Mat3::Zero();  // V M Z^T, Z M Z^T
  alignas(64) double product[6 * lanes];
  for (Index b = 0; b * lanes < rows; ++b) {
    const double* mass = model.mass_blocks.data() + std::size_t(b) * std::size_t(rows) * lanes;
    if (second)
      kernel.gather_two(mass, int(rows), velocity.data(), z.data(), product);
    else
      kernel.gather(mass, int(rows), velocity.data(), product);
    for (Index r = b * lanes; r < std::min((b + 1) * lanes, rows); ++r) {
      const auto at = [&](int k) { return product[k * lanes + r % lanes]; };
      const Vec3 place = z.col(r), moving(at(0), at(1), at(2));
      out.kinetic += moving.dot(velocity.col(r)) / 2;
      across += moving * place.transpose();
      if (second) spread += Vec3(at(3), at(4), at(5)) * place.transpose();
      arm += model.mass_sum[r] / model.total_mass * place;
      out.momentum += model.mass_sum[r] * velocity.col(r);
    }
  }
  out.centre = c + arm;
  out.spin = -axial(across) - arm.cross(out.momentum);
  if (second) *second = spread - model.total_mass * arm * arm.transpose();
  return out;
}

Whole whole_of(const Model& model, const Columns& x, const Columns& velocity, Columns& z) {
  const Vec3 c = mean_of(x);
  z.leftCols(model.n()) = x.colwise() - c;
  scaled_normals(model.faces, x, z.rightCols(model.t()));
  return whole_about(model, z, c, velocity, nullptr);
}

void follow(const Model& model, const std::vector<FaceJacobian>& jacobians, const Columns& v,
            Columns& velocity) {
  const Index n = model.n();
  velocity.leftCols(n) = v;
  for (Index j = 0; j < model.t(); ++j) {
    const Triangle& t = model.faces[std::size_t(j)].corner;
    const FaceJacobian& dy = jacobians[std::size_t(j)];
    velocity.col(n + j) = dy[0] * v.col(t[0]) + dy[1] * v.col(t[1]) + dy[2] * v.col(t[2]);
  }
}

void turn_back(const Step& step, const Mat3& r1, const Columns& start) {
  const Model& model = step.model;
  Scratch& s = step.scratch;
  Columns& moved = s.to_hat;
  moved.noalias() = -r1 * start;
  moved += s.new_z;
  Mat3 second;
  const Whole way = whole_about(model, s.new_z, Vec3::Zero(), moved, &second);
  const Mat3 back = rotation_by(-over_inertia(second, way.spin));
  const Vec3 c = mean_of(s.new_x);
  for (Index r = 0; r < model.rows(); ++r) s.new_z.col(r) = Vec3(back * s.new_z.col(r));
  s.new_x = s.new_z.leftCols(model.n()).colwise() + c;
  s.new_y = s.new_z.rightCols(model.t());
}

void slow_deformation(const Step& step, double kinetic, Whole& whole) {
  const Model& model = step.model;
  Scratch& s = step.scratch;
  const Vec3 c = mean_of(s.new_x);
  Mat3 second;
  whole_about(model, s.new_z, c, s.new_velocity, &second);
  const Vec3 velocity = whole.momentum / model.total_mass, omega = over_inertia(second, whole.spin);
  const double rigid = (velocity.dot(whole.momentum) + omega.dot(whole.spin)) / 2,
               loose = whole.kinetic - rigid;
  if (!(loose > 0)) return;
  const double share = std::sqrt(std::clamp((kinetic - rigid) / loose, 0.0, 1.0));
  for (Index r = 0; r < model.rows(); ++r) {
    const Vec3 arm = s.new_z.col(r);
    const Vec3 moved =
        r < model.n() ? Vec3(velocity + omega.cross(c + arm - whole.centre)) : omega.cross(arm);
    s.new_velocity.col(r) = moved + share * (Vec3(s.new_velocity.col(r)) - moved);
  }
  whole.kinetic = rigid + share * share * loose;
}

Whole keep_momentum(const Step& step) {
  const Model& model = step.model;
  const State& state = step.state;
  const StepInput& input = step.input;
  Scratch& s = step.scratch;
  const double h = input.h, slower = 1 / (1 + h * step.scheme.mass);
  Vec3 push = h * model.total_mass * input.gravity, turn = Vec3::Zero();
  if (!input.forces.empty()) {
    const Points& at = nodes_of(model, state, step.cache).x;
    for (std::size_t i = 0; i < at.size(); ++i) {
      push += h * input.forces[i];
      turn += h * (at[i] - state.whole.centre).cross(input.forces[i]);
    }
  }
  const Vec3 momentum = slower * (state.whole.momentum + push), spin = slower * (state.whole.spin + turn);
  Mat3 second;
  Whole now = whole_about(model, s.new_z, mean_of(s.new_x), s.new_velocity, &second);
  const Vec3 centre = state.whole.centre + h / (2 * model.total_mass) * (state.whole.momentum + momentum);
  const Vec3 missing = (momentum - now.momentum) / model.total_mass,
             omega = over_inertia(second, spin - now.spin);
  for (Index i = 0; i < model.n(); ++i)
    s.new_v.col(i) += missing + omega.cross(Vec3(s.new_x.col(i)) - now.centre);
  const Vec3 shift = centre - now.centre;
  s.new_x.colwise() += shift;
  for (Index at = model.n(); at < model.rows(); ++at)
    s.new_velocity.col(at) += omega.cross(Vec3(s.new_z.col(at)));
  s.new_velocity.leftCols(model.n()) = s.new_v;
  const Vec3 spun = second.trace() * omega - second * omega;
  now.kinetic += missing.dot(now.momentum + model.total_mass / 2 * missing) + omega.dot(now.spin + spun / 2);
  now.momentum += model.total_mass * missing;
  now.spin += spun;
  now.centre = centre;
  return now;
}

void complete_momentum(const Model& model, const Columns& z, const Vec3& c, const Vec3& momentum,
                       const Vec3& spin, Columns& velocity, double h, Columns* x) {
  Mat3 second;
  const Whole now = whole_about(model, z, c, velocity, &second);
  const Vec3 missing = (momentum - now.momentum) / model.total_mass,
             omega = over_inertia(second, spin - now.spin), arm = c - now.centre;
  for (Index r = 0; r < model.rows(); ++r) {
    const bool vertex = r < model.n();
    const Vec3 at = z.col(r), change = vertex ? Vec3(missing + omega.cross(at + arm)) : omega.cross(at);
    velocity.col(r) += change;
    if (vertex && x) x->col(r) += h * change;
  }
}

}  // namespace pliant::cage
