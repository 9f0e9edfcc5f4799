// SPDX-License-Identifier: Apache-2.0
// One time step, implicit Euler [ZJU06, Eq. 15] in positions. With rotations R given before the solve the
// step is linear: no iteration between rotations and positions. Residual at a guess x, v = (x - x_n)/h,
//   r = f + M g - M ((v - v_n)/h + alpha v) - dE/dx - beta K v + hold rows^T (targets - rows x)
// and the correction D = x_n+1 - x solves
//   [ (1 + h alpha)/h^2 M + (1 + beta/h) K(R) + hold rows^T rows ] D = r
// by conjugate gradients with the constant scalar matrix of scalar_system.hpp. Symbols: M lumped masses, kg;
// K = d^2E/dx^2 at given R (energy.hpp), N/m; rows: points held by bones, pins and handles, from the nodes
// (shape functions do not interpolate, so that fields are held, not parameters); alpha 1/s, beta s.
//
//   1. pose         where the bones are at the end of the step
//   2. rotations    diffused from the bones (one product), or polar from x_n
//   3. matrix       factored anew only when the held set or h changes
//   4. solve        from x_n + h v_n
//   5. refinements  (optional) polar rotations of the new positions, and another solve
//   6. contact      (contact.cpp) with colliders
//   7. flow         (optional) plastic strain of the cells
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/clock.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/math/polar.hpp"
#include "pliant/methods/meshless/body.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::meshless {
namespace {

constexpr float shortest_blend = 0.05f;  // a blend of quaternions that cancels tells no rotation
constexpr int block = 512;

double dot(const AlignedVector<Float4>& a, const AlignedVector<Float4>& b) {
  double x = 0, y = 0, z = 0;  // one sum would wait for its own last addition
  for (std::size_t i = 0; i < a.size(); ++i) {
    x += double(a[i].x) * b[i].x;
    y += double(a[i].y) * b[i].y;
    z += double(a[i].z) * b[i].z;
  }
  return x + y + z;
}

/// a += factor b
void add(AlignedVector<Float4>& a, float factor, const AlignedVector<Float4>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i].x += factor * b[i].x, a[i].y += factor * b[i].y, a[i].z += factor * b[i].z;
}

/// a = b + factor a
void follow(AlignedVector<Float4>& a, float factor, const AlignedVector<Float4>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i].x = b[i].x + factor * a[i].x, a[i].y = b[i].y + factor * a[i].y, a[i].z = b[i].z + factor * a[i].z;
}

Eigen::Quaterniond quaternion_of(const Float4& q) { return Eigen::Quaterniond(q.x, q.y, q.z, q.w); }

}  // namespace

StepReport Body::advance(const StepInput& input) {
  PLIANT_CHECK(input.pool != nullptr);
  const FlushTinyNumbers in_this_step;
  StageWatch watch;
  StepReport report;
  report.trouble = trouble_of(input, model_.nodes());
  if (report.ok() && !input.colliders.empty() && options_.warping == Warping::node)
    report.trouble = "flesh warped at nodes does not meet colliders: set meshless.warping to cell";
  if (!report.ok()) return report;
  const Scheme now = scheme(input.h);
  report.trouble = prepare(input, now, report);
  if (!report.ok()) return report;
  aim(input);
  // Rotations that follow the flesh leave no spin free, and holding it would brake the turning flesh.
  kappa_ = runs_ahead() ? 0 : model_.kappa;
  watch.add_to(&StageTimes::rhs);

  turn(state_.nodes.x, options_.rotations == Rotations::polar, *input.pool);
  if (diffuses()) report.kept_rotations = kept_;
  if (runs_ahead()) run_ahead(input.h);
  watch.add_to(&StageTimes::rotation);
  for (std::size_t i = 0; i < new_x_.size(); ++i) new_x_[i] = state_.nodes.x[i] + input.h * state_.nodes.v[i];
  for (int k = 0; k <= options_.refinements; ++k) {
    if (k > 0) {
      turn(new_x_, true, *input.pool);
      watch.add_to(&StageTimes::rotation);
    }
    residual(input, now, new_x_);
    watch.add_to(&StageTimes::rhs);
    report.iterations +=
        solve(input, now, options_.tolerance, options_.iterations + 2 * int(input.grabs.size()));
    for (std::size_t i = 0; i < new_x_.size(); ++i) new_x_[i] += Vec3(d_[i].x, d_[i].y, d_[i].z);
    keep_momentum(input, now, {});
    watch.add_to(&StageTimes::solve);
  }
  double sum = 0;
  for (const Vec3& x : new_x_) sum += x.cwiseAbs().sum();
  if (!std::isfinite(sum)) {
    report.trouble =
        "the step has no finite answer: forces, grabs or targets are beyond what numbers can hold";
    return report;
  }
  if (input.colliders.empty()) {
    for (std::size_t i = 0; i < new_x_.size(); ++i) new_v_[i] = (new_x_[i] - state_.nodes.x[i]) / input.h;
    state_.contact.clear();
  } else {
    contact(input, now, report);
    watch.add_to(&StageTimes::contact);
  }
  state_.nodes.v.swap(new_v_);
  state_.nodes.x.swap(new_x_);
  if (!state_.flow.empty()) report.yields = flow(input.h);
  report.active_rotations = options_.warping == Warping::none ? 0 : packed_.cells();
  report.ms = watch.total();
  report.bytes = traffic(report);
  return report;
}

Body::Scheme Body::scheme(double h) const {
  Scheme s;
  s.h = h;
  s.drag = damping_.mass;
  s.inner_drag = damping_.stiffness;
  s.mass = (1 + h * s.drag) / (h * h);
  s.stiffness = 1 + s.inner_drag / h;
  return s;
}

/// The points that are held and the matrix, when they are not those of the last solve.
std::string Body::prepare(const StepInput& input, const Scheme& s, StepReport& report) {
  const bool same_held = ready_ && std::equal(input.held.begin(), input.held.end(), arranged_held_.begin(),
                                              arranged_held_.end());
  if (same_held && arranged_.mass == s.mass && arranged_.stiffness == s.stiffness) return {};
  const auto start = Clock::now();
  if (!same_held) {
    arranged_held_.assign(input.held.begin(), input.held.end());
    rows_ = rig_.rows();
    const Gather& at = model_.at_nodes;
    for (const Index i : input.held) {
      for (Index k = at.begin[std::size_t(i)]; k < at.begin[std::size_t(i) + 1]; ++k) {
        rows_.column.push_back(at.column[std::size_t(k)]);
        rows_.weight.push_back(at.weight[std::size_t(k)]);
      }
      rows_.begin.push_back(Index(rows_.column.size()));
    }
    row_weight_.assign(rows_.weight.begin(), rows_.weight.end());
    targets_.resize(std::size_t(rows_.rows()));
  }
  arranged_ = s;
  std::string trouble;
  if (options_.warping == Warping::node) {
    std::vector<double> diagonal;
    for (const double m : model_.mass) diagonal.push_back(s.mass * m);
    block_.keep_double(true);
    trouble = block_.factor(block_matrix(model_, diagonal, s.stiffness, rows_, hold_)).trouble;
  } else {
    trouble = system_.prepare(model_, s.mass, s.stiffness, rows_, hold_, *input.pool);
  }
  response_.flush();
  report.refactored = true;
  if (!ready_) setup_ms_ += milliseconds_since(start);
  ready_ = trouble.empty();
  return trouble;
}

/// Where the held points belong at the end of the step.
void Body::aim(const StepInput& input) {
  std::size_t row = 0;
  if (!rig_.empty()) {
    rig_.pose(input.time, posed_);
    for (const Vec3& target : posed_.targets) targets_[row++] = target;
  }
  for (const Vec3& target : input.targets) targets_[row++] = target;
}

/// Rotations of the cells, and of the nodes where the warping asks for them.
void Body::turn(const Points& x, bool polar, Pool& pool) {
  if (options_.warping == Warping::none) return;
  if (polar) {
    for_blocks(pool, packed_.cells(), block, [&](int begin, int end) {
      for (Index c = begin; c < end; ++c)
        set_quaternion(
            state_.turned, c,
            polar_rotation(deformation_gradient(model_.cells, c, x), quaternion(state_.turned, c)));
    });
  } else {
    for_blocks(pool, model_.nodes(), block, [&](int begin, int end) {
      cell_kernels().diffuse(rig_.influence().data(), rig_.samples(), &posed_.quaternions.data()->x,
                             &q_nodes_.data()->x, begin, end);
    });
    kept_ = packed_.blend(q_nodes_.data(), shortest_blend, state_.turned, pool) - unreached_;
  }
  if (turns_nodes()) turn_nodes(x, polar, pool);
}

/// Bones at rest all tell the same rotation: where their blend has no length no bone reaches at all.
int Body::cells_without_bone() {
  Pool alone(1);
  const std::vector<Float4> upright(std::size_t(rig_.samples()), Float4{1, 0, 0, 0});
  cell_kernels().diffuse(rig_.influence().data(), rig_.samples(), &upright.data()->x, &q_nodes_.data()->x, 0,
                         model_.nodes());
  return packed_.blend(q_nodes_.data(), shortest_blend, state_.turned, alone);
}

/// Polar rotations of a node are those of the mean deformation of the cells around it [Mueller02].
void Body::turn_nodes(const Points& x, bool polar, Pool&) {
  if (polar) {
    std::fill(turned_.begin(), turned_.end(), Mat3::Zero());
    const Cells& cells = model_.cells;
    for (Index c = 0; c < cells.count(); ++c) {
      const Mat3 f = cells.weight[std::size_t(c)] * deformation_gradient(cells, c, x);
      for (Index k = cells.begin[std::size_t(c)]; k < cells.begin[std::size_t(c) + 1]; ++k)
        turned_[std::size_t(cells.node[std::size_t(k)])] +=
            std::max(0.0, cells.centre_value[std::size_t(k)]) * f;
    }
  }
  for (std::size_t i = 0; i < turned_.size(); ++i) {
    Eigen::Quaterniond q = quaternion_of(state_.node_turned[i]);
    if (polar) {
      q = polar_rotation(turned_[i], q);
    } else if (const Eigen::Quaterniond blend = quaternion_of(q_nodes_[i]); blend.norm() > shortest_blend) {
      q = blend.normalized();
    }
    state_.node_turned[i] = {float(q.w()), float(q.x()), float(q.y()), float(q.z())};
    turned_[i] = q.normalized().toRotationMatrix();
  }
}

/// dE/dx at x (rest), or K x. `exact`: statics, whose balance is told; a step corrects the forces by
/// iterations of single precision anyway.
void Body::elastic(const Points& x, bool rest, bool exact, Points& out, Pool& pool) {
  const Stress<double> stress = stress_of(rest);
  const auto cells = [&](PackedCells::Quaternions& turned, const Points& at) {
    if (exact)
      packed_.apply(stress, turned, stress_, at.data(), out.data(), pool);
    else
      packed_.forces(stress, turned, stress_, at.data(), out.data(), pool);
  };
  if (!state_.flow.empty() && rest)
    plastic_stress(model_, state_.flow, stress_);
  else
    stress_.clear();
  switch (options_.warping) {
    case Warping::cell:
      cells(state_.turned, x);
      break;
    case Warping::none:
      cells(unturned_, x);
      break;
    case Warping::node:
      for (std::size_t i = 0; i < x.size(); ++i) y_[i] = turned_[i].transpose() * x[i];
      cells(unturned_, y_);
      for (std::size_t i = 0; i < x.size(); ++i) out[i] = turned_[i] * out[i];
      break;
    case Warping::row:
      row_forces(model_, turned_, state_.flow, rest, x, out);
      break;
  }
}

/// r_ at x. Returns the root of the sum of squares of the forces that act.
double Body::residual(const StepInput& input, const Scheme& s, const Points& x) {
  elastic(x, true, s.h == 0, elastic_, *input.pool);
  double acting = 0, load = 0;
  const NodeState& now = state_.nodes;
  for (std::size_t i = 0; i < x.size(); ++i) {
    Vec3 force = model_.mass[i] * input.gravity;
    if (!input.forces.empty()) force += input.forces[i];
    load += force.squaredNorm();
    acting += elastic_[i].squaredNorm();
    if (s.h > 0) {
      const Vec3 v = (x[i] - now.x[i]) / s.h;
      force -= model_.mass[i] * ((v - now.v[i]) / s.h + s.drag * v);
    }
    r_[i] = force - elastic_[i];
  }
  if (s.h > 0 && s.inner_drag > 0) {
    for (std::size_t i = 0; i < x.size(); ++i) new_v_[i] = (x[i] - now.x[i]) / s.h;
    elastic(new_v_, false, false, elastic_, *input.pool);
    for (std::size_t i = 0; i < x.size(); ++i) r_[i] -= s.inner_drag * elastic_[i];
  }
  for (Index n = 0; n < rows_.rows(); ++n) {
    Vec3 field = Vec3::Zero();
    for (Index k = rows_.begin[std::size_t(n)]; k < rows_.begin[std::size_t(n) + 1]; ++k)
      field += rows_.weight[std::size_t(k)] * x[std::size_t(rows_.column[std::size_t(k)])];
    const Vec3 pull = hold_ * (targets_[std::size_t(n)] - field);
    for (Index k = rows_.begin[std::size_t(n)]; k < rows_.begin[std::size_t(n) + 1]; ++k)
      r_[std::size_t(rows_.column[std::size_t(k)])] += rows_.weight[std::size_t(k)] * pull;
  }
  const Gather& at = model_.at_nodes;
  for (const Grab& grab : input.grabs) {
    Vec3 field = Vec3::Zero();
    const std::size_t begin = std::size_t(at.begin[std::size_t(grab.node)]),
                      end = std::size_t(at.begin[std::size_t(grab.node) + 1]);
    for (std::size_t k = begin; k < end; ++k) field += at.weight[k] * x[std::size_t(at.column[k])];
    for (std::size_t k = begin; k < end; ++k)
      r_[std::size_t(at.column[k])] += at.weight[k] * grab.stiffness * (grab.target - field);
  }
  return std::sqrt(load) + std::sqrt(acting);
}

/// y += hold rows^T rows z, and the grabs.
void Body::apply_rows(const StepInput& input, const Float4* z, Float4* y) const {
  const auto pull = [&](const Index* column, const auto* weight, Index count, float stiffness) {
    Float4 field;
    for (Index k = 0; k < count; ++k) {
      const Float4& v = z[column[k]];
      const float w = float(weight[k]);
      field.x += w * v.x, field.y += w * v.y, field.z += w * v.z;
    }
    for (Index k = 0; k < count; ++k) {
      const float w = stiffness * float(weight[k]);
      Float4& out = y[column[k]];
      out.x += w * field.x, out.y += w * field.y, out.z += w * field.z;
    }
  };
  for (Index n = 0; n < rows_.rows(); ++n) {
    const Index begin = rows_.begin[std::size_t(n)];
    pull(rows_.column.data() + begin, row_weight_.data() + begin, rows_.begin[std::size_t(n) + 1] - begin,
         float(hold_));
  }
  const Gather& at = model_.at_nodes;
  for (const Grab& grab : input.grabs) {
    const Index begin = at.begin[std::size_t(grab.node)];
    pull(at.column.data() + begin, at.weight.data() + begin, at.begin[std::size_t(grab.node) + 1] - begin,
         float(grab.stiffness));
  }
}

/// y = matrix of the step times z.
void Body::apply(const StepInput& input, const Scheme& s, const Float4* z, Float4* y) {
  const std::size_t n = model_.rest.size();
  if (!turns_nodes()) {
    packed_.apply(rough_stress(), cell_rotations(), z, y, *input.pool);
  } else {
    for (std::size_t i = 0; i < n; ++i) new_v_[i] = Vec3(z[i].x, z[i].y, z[i].z);
    elastic(new_v_, false, false, elastic_, *input.pool);
    for (std::size_t i = 0; i < n; ++i)
      y[i] = {float(elastic_[i].x()), float(elastic_[i].y()), float(elastic_[i].z()), 0};
  }
  const float stiffness = float(s.stiffness);
  for (std::size_t i = 0; i < n; ++i) {
    const float mass = float(s.mass * model_.mass[i]);
    y[i].x = stiffness * y[i].x + mass * z[i].x;
    y[i].y = stiffness * y[i].y + mass * z[i].y;
    y[i].z = stiffness * y[i].z + mass * z[i].z;
  }
  apply_rows(input, z, y);
}

/// z^T times matrix of the step times z, without the product.
double Body::curvature(const StepInput& input, const Scheme& s, const AlignedVector<Float4>& z) {
  double inertia = 0, held = 0;
  for (std::size_t i = 0; i < z.size(); ++i)
    inertia += model_.mass[i] * (double(z[i].x) * z[i].x + double(z[i].y) * z[i].y + double(z[i].z) * z[i].z);
  const auto pull = [&](const Gather& rows, std::size_t n, double stiffness) {
    Vec3 field = Vec3::Zero();
    for (std::size_t k = std::size_t(rows.begin[n]); k < std::size_t(rows.begin[n + 1]); ++k) {
      const Float4& v = z[std::size_t(rows.column[k])];
      field += rows.weight[k] * Vec3(v.x, v.y, v.z);
    }
    held += stiffness * field.squaredNorm();
  };
  for (Index n = 0; n < rows_.rows(); ++n) pull(rows_, std::size_t(n), hold_);
  for (const Grab& grab : input.grabs) pull(model_.at_nodes, std::size_t(grab.node), grab.stiffness);
  return s.mass * inertia + held +
         s.stiffness * packed_.curvature(rough_stress(), cell_rotations(), z.data(), *input.pool);
}

/// The scalar matrix; for `warping: node` R (M + K)^-1 R^T, which is the inverse but for what is held: R is
/// orthogonal and the mass scalar, so that M + R K R^T = R (M + K) R^T.
void Body::precondition(const Float4* r, Float4* z, Pool& pool) {
  if (options_.warping != Warping::node) return system_.solve(r, z, pool);
  for (std::size_t i = 0; i < turned_.size(); ++i) {
    const Vec3 b = turned_[i].transpose() * Vec3(r[i].x, r[i].y, r[i].z);
    for (int c = 0; c < 3; ++c) block_b_[3 * i + std::size_t(c)] = Vec3(b[c], 0, 0);
  }
  block_.solve(block_b_.data(), block_z_.data());
  for (std::size_t i = 0; i < turned_.size(); ++i) {
    const Vec3 x = turned_[i] * Vec3(block_z_[3 * i].x(), block_z_[3 * i + 1].x(), block_z_[3 * i + 2].x());
    z[i] = {float(x.x()), float(x.y()), float(x.z()), 0};
  }
}

/// d_ from r_ by preconditioned conjugate gradients; single precision, sums in double.
int Body::solve(const StepInput& input, const Scheme& s, double tolerance, int most) {
  std::fill(d_.begin(), d_.end(), Float4{});
  for (std::size_t i = 0; i < r_.size(); ++i)
    f_[i] = {float(r_[i].x()), float(r_[i].y()), float(r_[i].z()), 0};
  if (options_.warping == Warping::row) return solve_unsymmetric(input, s, tolerance, most);
  precondition(f_.data(), z_.data(), *input.pool);
  std::copy(z_.begin(), z_.end(), p_.begin());
  double rz = dot(f_, z_);
  const double enough = tolerance * tolerance * rz;
  int k = 0;
  while (k < most && rz > 0) {
    ++k;
    if (k == most && !turns_nodes()) {  // nobody asks what is left after the last step
      const double last = curvature(input, s, p_);
      if (last > 0) add(d_, float(rz / last), p_);
      break;
    }
    apply(input, s, p_.data(), ap_.data());
    const double pap = dot(p_, ap_);
    if (!(pap > 0)) break;
    const float alpha = float(rz / pap);
    add(d_, alpha, p_);
    add(f_, -alpha, ap_);
    if (k == most) break;
    precondition(f_.data(), z_.data(), *input.pool);
    const double next = dot(f_, z_);
    if (!(next > enough)) break;
    follow(p_, float(next / rz), z_);
    rz = next;
  }
  return k;
}

/// The same for rows that turn by themselves, whose matrix is not symmetric: BiCGStab.
int Body::solve_unsymmetric(const StepInput& input, const Scheme& s, double tolerance, int most) {
  std::copy(f_.begin(), f_.end(), shadow_.begin());
  std::fill(p_.begin(), p_.end(), Float4{});
  std::fill(ap_.begin(), ap_.end(), Float4{});
  double rho = 1, alpha = 1, omega = 1;
  const double enough = tolerance * tolerance * dot(f_, f_);
  int k = 0;
  while (k < most && dot(f_, f_) > enough) {
    ++k;
    const double next = dot(shadow_, f_), beta = next / rho * alpha / omega;
    if (next == 0) break;
    rho = next;
    add(p_, float(-omega), ap_);
    follow(p_, float(beta), f_);
    precondition(p_.data(), z_.data(), *input.pool);
    apply(input, s, z_.data(), ap_.data());
    alpha = rho / dot(shadow_, ap_);
    add(d_, float(alpha), z_);
    add(f_, float(-alpha), ap_);
    precondition(f_.data(), s_.data(), *input.pool);
    apply(input, s, s_.data(), t_.data());
    const double tt = dot(t_, t_);
    if (!(tt > 0)) break;
    omega = dot(t_, f_) / tt;
    add(d_, float(omega), s_);
    add(f_, float(-omega), t_);
    if (omega == 0) break;
  }
  return k;
}

Stress<double> Body::stress_of(bool rest) const {
  return {model_.mu + kappa_, model_.mu - kappa_, model_.lambda, rest};
}

Stress<float> Body::rough_stress() const {
  const Stress<double> exact = stress_of(false);
  return {float(exact.plus), float(exact.minus), float(exact.lambda), false};
}

PackedCells::Quaternions& Body::cell_rotations() {
  return options_.warping == Warping::cell ? state_.turned : unturned_;
}

StepTraffic Body::traffic(const StepReport& report) const {
  const std::size_t solves = std::size_t(report.iterations);
  const std::size_t n = model_.rest.size();
  const std::size_t cells = packed_.bytes_per_apply(), factor = system_.bytes_per_solve();
  StepTraffic out;
  out.moved = solves * (cells + factor) + rig_.influence().size() * sizeof(float) + n * 12 * sizeof(Vec3);
  out.working_set = cells + factor / 2 + rig_.influence().size() * sizeof(float) + n * 12 * sizeof(Vec3);
  return out;
}

}  // namespace pliant::meshless
