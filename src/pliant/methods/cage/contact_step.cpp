// SPDX-License-Identifier: Apache-2.0
// Contact within a step. Points of the surface that would touch get impulses r; the matrix A of
// the step is factored already, so that their answer is u = free + W r with W = B A^-1 B^T, B the phi of the
// points: no stiffness of contact has to be chosen, and any Young's modulus is as safe as the step itself.
// What is still inside after that is moved out in a second problem that leaves velocities alone.
#include <algorithm>
#include <cmath>

#include "pliant/contact/contact_memory.hpp"
#include "pliant/math/dense_system.hpp"
#include "pliant/methods/cage/body.hpp"

namespace pliant::cage {
namespace {

constexpr int most_contacts = 150;
constexpr double softness = 1e-6;  // of W's diagonal, for points that the cage cannot move apart
constexpr int lift_sweeps = 30;
constexpr double lift_share = 0.2;  // of what is too deep, a step
constexpr double most_lift = 0.05;  // of the size, a step

}  // namespace

namespace {

/// out[p] = sum over the first `used` rows of z b for every point.
template <class Put>
void each_point(const AlignedVector<double>& blocks, Index rows, int used, const double* z, Index count,
                AlignedVector<double>& scratch, Put&& put) {
  const CageKernels<double>& kernel = kernels<double>();
  for (Index b = 0; b * lanes < count; ++b) {
    double* out = scratch.data() + std::size_t(b) * 3 * lanes;
    kernel.gather(blocks.data() + std::size_t(b) * std::size_t(rows) * lanes, used, z, out);
    for (Index lane = 0; lane < lanes && b * lanes + lane < count; ++lane)
      put(b * lanes + lane, Vec3(out[lane], out[lanes + lane], out[2 * lanes + lane]));
  }
}

}  // namespace

/// Finds contacts of the motion without impulses: z_ is Z at the beginning and `rate` its velocity, of which
/// the first `used` rows count. A later iteration of a step keeps where the points began.
bool Body::meet(const StepInput& input, const Flight& flight, const Columns& rate, Index used, bool first) {
  found_.clear();
  memory_.clear();
  sides_ = state_.sides;
  if (input.colliders.empty()) {
    sides_.clear();
    return false;
  }
  if (first) set_more_points();
  const Index count = contact_count_, rows = model_.rows();
  each_point(contact_blocks_, rows, int(rows), z_.data(), count, lanes_, [&](Index p, const Vec3& at) {
    if (first) begin_[std::size_t(p)] = flight.c + flight.r0 * at;
    end_[std::size_t(p)] = flight.c1 + flight.r1 * at;
  });
  each_point(contact_blocks_, rows, int(used), rate.data(), count, lanes_,
             [&](Index p, const Vec3& v) { end_[std::size_t(p)] += input.h * (flight.r1 * v); });
  ContactOptions options = input.contact;
  options.most = std::min(options.most, most_contacts);
  detection_.find({.colliders = input.colliders,
                   .options = options,
                   .h = input.h,
                   .begin = begin_,
                   .end = end_,
                   .last = state_.contacts,
                   .held = unused_},
                  sides_);
  found_.assign(detection_.contacts().begin(), detection_.contacts().end());
  return !found_.empty();
}

/// How a contact point moves with the vertices of the cage, three rows of the work's response (in panels):
/// its phi, and with normals that follow also psi_j dy_j/dx.
template <class T>
void Body::fill_response(bool consistent) {
  Work<T>& w = work<T>();
  const Index n = model_.n(), count = Index(found_.size());
  const int wide = padded(3 * int(n));
  w.response.assign(panel_size(3 * int(count), wide), T(0));
  for (Index c = 0; c < count; ++c) {
    const Index vertex = found_[std::size_t(c)].key.vertex;
    T* rows[3];  // of the response, their entries 16 apart
    for (int axis = 0; axis < 3; ++axis)
      rows[axis] = w.response.data() + in_panels(3 * int(c) + axis, 0, wide);
    for (int axis = 0; axis < 3; ++axis)
      for (Index i = 0; i < n; ++i)
        rows[axis][std::size_t(axis * n + i) * panel_rows] = T(contact_value_(i, vertex));
    if (!consistent) continue;
    for (Index j = 0; j < model_.t(); ++j)
      for (int k = 0; k < 3; ++k) {
        const Index i = model_.faces[std::size_t(j)].corner[k];
        const Mat3 moved = contact_value_(n + j, vertex) * jacobians_[std::size_t(j)][std::size_t(k)];
        for (int axis = 0; axis < 3; ++axis)
          for (int d = 0; d < 3; ++d) rows[axis][std::size_t(d * n + i) * panel_rows] += T(moved(axis, d));
      }
  }
}

/// Step 3: W, impulses, and what they change. The matrix that is factored has a unit of its own: an impulse r
/// changes velocities by unit A^-1 B^T r.
template <class T>
void Body::respond(const StepInput& input, const Flight& flight, double unit, bool consistent,
                   StepReport& report) {
  Work<T>& w = work<T>();
  const Index n = model_.n(), count = Index(found_.size());
  const int n3 = 3 * int(n), c3 = 3 * int(count);
  fill_response<T>(consistent);
  solve_lower_rows(n3, w.system.data(), c3, w.response.data(), *input.pool);
  w.w.resize(panel_size(c3, padded(c3)));
  gram_panels(c3, padded(n3), w.response.data(), w.w.data(), *input.pool);
  contacts_.reset(count);
  Eigen::MatrixXd& dense = contacts_.w();
  double trace = 0;
  for (int j = 0; j < c3; ++j)
    for (int i = j; i < c3; ++i) dense(i, j) = dense(j, i) = unit * double(w.w[in_panels(i, j, padded(c3))]);
  for (int j = 0; j < c3; ++j) trace += dense(j, j);
  dense.diagonal().array() += softness * trace / c3;

  lift_.assign(std::size_t(count), 0.0);
  const double h = input.h, slop = input.contact.slop * model_.size;
  for (Index c = 0; c < count; ++c) {
    const Contact& at = found_[std::size_t(c)];
    DenseContacts::Row& row = contacts_.row(c);
    const std::size_t p = std::size_t(at.key.vertex);
    row.normal = flight.r1.transpose() * at.normal;
    row.friction = at.friction;
    row.free = flight.r1.transpose() * ((end_[p] - begin_[p]) / h - at.velocity);
    row.bias = std::max(at.gap, 0.0) / h;
    Vec3 before = -at.velocity;
    for (Index r = 0; r < model_.rows(); ++r)
      before += contact_value_(r, at.key.vertex) * state_.velocity.col(r);
    const double approach = at.normal.dot(before);
    if (at.gap + h * approach <= 0)
      row.bias = with_restitution(at, approach, input.gravity.norm() * h, row.bias);
    if (const ContactMemory* known = recall(state_.contacts, at.key))
      contacts_.set_impulse(c, h * (flight.r1.transpose() * known->force));
  }
  const DenseContacts::Outcome outcome = contacts_.solve(input.contact.sweeps, input.contact.tolerance);
  report.contact_sweeps += outcome.sweeps;
  report.contact_residual = outcome.residual;
  report.contact_impulse.setZero();
  report.contacts = 0;
  memory_.clear();
  for (Index c = 0; c < count; ++c) {
    const Contact& at = found_[std::size_t(c)];
    const Vec3 r = flight.r1 * contacts_.impulse(c);
    memory_.push_back({.key = at.key, .force = r / h});
    report.contact_impulse += r;
    report.contacts += r.squaredNorm() > 0 || at.gap <= 0;
    const double end = at.gap + h * (contacts_.row(c).normal.dot(contacts_.velocity(c)));
    // Points that are asked because they were deep are kept from going deeper, not moved out: a stiff body
    // bent onto all of them gains energy (0.4 J of 127 J in a step of cage/drop at 5e5 Pa, h = 1/30).
    if (at.key.vertex < Index(spread_.size()))
      lift_[std::size_t(c)] = std::max(lift_share * std::min(end + slop, 0.0), -most_lift * model_.size) / h;
  }
  apply_impulses<T>(unit * contacts_.impulses(), solved_);
  if (std::any_of(lift_.begin(), lift_.end(), [](double l) { return l < 0; })) {
    contacts_.lift(lift_, lift_sweeps);
    apply_impulses<T>(unit * h * contacts_.impulses(), shift_);
  }
}

/// change += A^-1 B^T r; the rows of the response hold L^-1 B^T.
template <class T>
void Body::apply_impulses(const Eigen::VectorXd& impulses, Columns& change) {
  Work<T>& w = work<T>();
  const Index n = model_.n();
  const int n3 = 3 * int(n);
  std::fill(w.right.begin(), w.right.end(), T(0));
  for (Eigen::Index k = 0; k < impulses.size(); ++k) {
    const T r = T(impulses[k]);
    if (r == T(0)) continue;
    const T* row = w.response.data() + in_panels(int(k), 0, padded(n3));
    for (int i = 0; i < n3; ++i) w.right[std::size_t(i)] += r * row[std::size_t(i) * panel_rows];
  }
  solve_upper(n3, w.system.data(), w.right.data());
  for (Index i = 0; i < n; ++i)
    for (int c = 0; c < 3; ++c) change(c, i) += double(w.right[std::size_t(c * n + i)]);
}

template void Body::respond<float>(const StepInput&, const Flight&, double, bool, StepReport&);
template void Body::respond<double>(const StepInput&, const Flight&, double, bool, StepReport&);
template void Body::apply_impulses<float>(const Eigen::VectorXd&, Columns&);
template void Body::apply_impulses<double>(const Eigen::VectorXd&, Columns&);

}  // namespace pliant::cage
