// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/free_turning.hpp"

#include "pliant/math/symmetric_eigen.hpp"

namespace pliant::meshless {
namespace {

// An axis about which a part has less than this share of its largest inertia (a rod) is not turned about:
// single precision does not tell it from none.
constexpr double least_inertia = 1e-5;

/// (tr m - m)^-1 for second moments m; an axis without inertia does not turn.
Mat3 inverse_inertia_of(const Mat3& second) {
  const Mat3 m = 0.5 * (second + second.transpose());
  return pseudo_inverse(m.trace() * Mat3::Identity() - m, least_inertia);
}

}  // namespace

void FreeTurning::attach(const Model& model) {
  model_ = &model;
  parts_.assign(model.parts.size(), {});
}

void FreeTurning::about(const Points& x, double mass, bool split, ScalarSystem& system, Pool& pool) {
  const std::size_t n = x.size();
  split_ = split;
  mass_ = mass;
  arm_.resize(n);
  shadow_.resize(n);
  load_.resize(n);
  answer_.resize(n);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Part& part = parts_[p];
    const std::vector<Index>& nodes = model_->parts[p];
    const Vec3 origin = x[std::size_t(nodes[0])];
    double sum = 0;
    Vec3 first = Vec3::Zero();
    for (const Index i : nodes) {
      sum += model_->mass[std::size_t(i)];
      first += model_->mass[std::size_t(i)] * (x[std::size_t(i)] - origin);
    }
    const Vec3 centre = origin + first / sum;
    Mat3 second = Mat3::Zero();
    for (const Index i : nodes) {
      const Vec3 r = x[std::size_t(i)] - centre, mr = model_->mass[std::size_t(i)] * r;
      second += mr * r.transpose();
      arm_[std::size_t(i)] = r;
      load_[std::size_t(i)] = {float(mr.x()), float(mr.y()), float(mr.z()), 0};
    }
    part.mass = mass * sum;
    part.inverse_inertia = split ? inverse_inertia_of(mass * second) : Mat3(Mat3::Zero());
    part.inverse_shadow.setZero();
  }
  if (!split) return;
  system.solve(load_.data(), answer_.data(), pool);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    // sum m z = sum m r = 0 but for the solve's rounding, which a stiff part would feel.
    Vec3 first = Vec3::Zero();
    for (const Index i : model_->parts[p]) {
      const Float4& z = answer_[std::size_t(i)];
      shadow_[std::size_t(i)] = Vec3(z.x, z.y, z.z);
      first += model_->mass[std::size_t(i)] * shadow_[std::size_t(i)];
    }
    first *= mass / parts_[p].mass;
    Mat3 moments = Mat3::Zero();
    for (const Index i : model_->parts[p]) {
      shadow_[std::size_t(i)] -= first;
      moments += model_->mass[std::size_t(i)] * shadow_[std::size_t(i)] * arm_[std::size_t(i)].transpose();
    }
    parts_[p].inverse_shadow = inverse_inertia_of(moments);
  }
}

void FreeTurning::complete(const Points& g, Points& z) const {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    const std::vector<Index>& nodes = model_->parts[p];
    if (split_) {
      Vec3 shade = Vec3::Zero();
      for (const Index i : nodes) shade += shadow_[std::size_t(i)].cross(g[std::size_t(i)]);
      const Vec3 b = part.inverse_shadow * shade;
      for (const Index i : nodes) z[std::size_t(i)] -= b.cross(shadow_[std::size_t(i)]);
    }
    // What is lacking to the shift and the spin that g causes; arms sum to zero.
    Vec3 momentum = Vec3::Zero(), spin = Vec3::Zero();
    for (const Index i : nodes) {
      const Vec3 lack = g[std::size_t(i)] - mass_ * model_->mass[std::size_t(i)] * z[std::size_t(i)];
      momentum += lack;
      spin += arm_[std::size_t(i)].cross(lack);
    }
    const Vec3 u = momentum / part.mass, w = part.inverse_inertia * spin;
    for (const Index i : nodes) z[std::size_t(i)] += u + w.cross(arm_[std::size_t(i)]);
  }
}

}  // namespace pliant::meshless
