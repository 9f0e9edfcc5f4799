// SPDX-License-Identifier: Apache-2.0
// A body of an island whose freedoms are an array of numbers: what of its step in pieces (contact_body.hpp) is sums and
// products of arrays is here, and the method says how its equation, its Hessian and its response B act on them.
#pragma once

#include <algorithm>
#include <cstddef>

#include "pliant/base/aligned.hpp"
#include "pliant/contact/contact_body.hpp"

namespace pliant {

/// Of a body in an island: its own stages, because others work between the beginning and the end of its step.
inline StageTimes own_time(StageTimes ms) {
  ms.total = ms.rotation + ms.rhs + ms.solve + ms.contact;
  return ms;
}

template <class Scalar>
class DescendingBody : public ContactBody {
 public:
  void free_velocities(Points& v) const override {
    for (std::size_t k = 0; k < length_; ++k) free_[k] = d_[k] - z_[k];
    velocities(free_, v);
  }
  void reached(Points& x, Points& v) const override {
    velocities(d_, v);
    x.resize(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) x[i] = hat()[i] + rate_ * v[i];
  }
  double project(std::span<const Vec3> impulses) override {
    load(impulses, load_);
    answer(load_, step_);
    add(-1, z_, step_);
    return dot(step_, load_) - dot(step_, g_);
  }
  double curve() override { return multiply(step_, h_step_); }
  Products products() const override {
    return {.mixed = dot(step_, hp_), .straight = dot(p_, hp_), .slope = dot(p_, load_) - dot(p_, g_)};
  }
  void extend(double s, double u) override {
    for (std::size_t k = 0; k < length_; ++k) {
      p_[k] = Scalar(u) * p_[k] + Scalar(s) * step_[k];
      hp_[k] = Scalar(u) * hp_[k] + Scalar(s) * h_step_[k];
    }
  }
  void move_by(double a, double b) override {
    if (a != 0) {
      add(a, step_, d_);
      add(a, h_step_, g_);
    }
    if (b != 0) {
      add(b, p_, d_);
      add(b, hp_, g_);
    }
  }
  void solve_residual() override { answer_residual(g_, z_); }
  double end_model() override {
    add(1, step_, d_);
    for (std::size_t k = 0; k < length_; ++k) step_[k] = d_[k] - begin_[k];
    return turned_along(step_);
  }

 protected:
  using Vector = AlignedVector<Scalar>;

  /// Of all nodes when the freedoms move by d from the prediction, v^ + d/h'; held ones reach their targets.
  virtual void velocities(const Vector& d, Points& out) const = 0;
  /// out = h' J^T r on the freedoms.
  virtual void load(std::span<const Vec3> impulses, Vector& out) = 0;
  /// out = H p; returns p . H p. A method without H gives B^-1: its models are one projected step each.
  virtual double multiply(const Vector& p, Vector& out) = 0;
  /// out = B f, f from outside.
  virtual void answer(const Vector& f, Vector& out) = 0;
  /// out = B g, g = G(D) by the present model.
  virtual void answer_residual(const Vector& g, Vector& out) { answer(g, out); }
  /// g = G(D) and its model about D = d.
  virtual void make_model(const Vector& d, Vector& g) = 0;
  /// How far the surroundings of a freedom turn along a way from where the model was made, rad.
  virtual double turned_along(const Vector& way) = 0;

  /// All arrays have `padded` numbers, of which the first `length` are freedoms; D = 0. Allocates when they grow.
  void resize(std::size_t length, std::size_t padded, double rate) {
    length_ = length;
    rate_ = rate;
    for (Vector* array : {&d_, &g_, &z_, &load_, &step_, &h_step_, &p_, &hp_, &begin_, &free_})
      array->assign(padded, Scalar(0));
  }
  void return_to_prediction() { std::fill(d_.begin(), d_.end(), Scalar(0)); }
  /// The model about the D reached, and B g.
  void load_model() {
    make_model(d_, g_);
    answer_residual(g_, z_);
    std::fill(p_.begin(), p_.end(), Scalar(0));
    std::fill(hp_.begin(), hp_.end(), Scalar(0));
    begin_ = d_;
  }

  void add(double s, const Vector& from, Vector& to) const {
    for (std::size_t k = 0; k < length_; ++k) to[k] += Scalar(s) * from[k];
  }
  double dot(const Vector& a, const Vector& b) const {
    const auto map = [&](const Vector& v) {
      return Eigen::Map<const Eigen::Array<Scalar, Eigen::Dynamic, 1>>(v.data(), Eigen::Index(length_))
          .template cast<double>();
    };
    return (map(a) * map(b)).sum();
  }

  std::size_t length_ = 0;
  double rate_ = 0;       ///< h', s
  Vector d_;              ///< D
  Vector g_, z_;          ///< G(D) by the model, and B g
  Vector load_;           ///< h' J^T r
  Vector step_, h_step_;  ///< the projected step, and H times it
  Vector p_, hp_;         ///< the way from the last iterate to the next, and H times it
  Vector begin_;          ///< D of the model

 private:
  mutable Vector free_;  // D - B g
};

}  // namespace pliant
