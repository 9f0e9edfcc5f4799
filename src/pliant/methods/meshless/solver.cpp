// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/solver.hpp"

#include <algorithm>

namespace pliant::meshless {
namespace {

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

}  // namespace

Solver::Solver(std::size_t nodes, bool symmetric) {
  for (auto* vector : {&d_, &f_, &z_, &p_, &ap_}) vector->assign(nodes, Float4{});
  if (!symmetric)
    for (auto* vector : {&s_, &t_, &shadow_}) vector->assign(nodes, Float4{});
}

int Solver::correct(Equation& equation, const Context& step, const Points& r, double tolerance, int most,
                    Points& x) {
  std::fill(d_.begin(), d_.end(), Float4{});
  for (std::size_t i = 0; i < r.size(); ++i) f_[i] = {float(r[i].x()), float(r[i].y()), float(r[i].z()), 0};
  const int iterations = equation.symmetric() ? conjugate_gradients(equation, step, tolerance, most)
                                              : bicgstab(equation, step, tolerance, most);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += Vec3(d_[i].x, d_[i].y, d_[i].z);
  return iterations;
}

int Solver::conjugate_gradients(Equation& equation, const Context& step, double tolerance, int most) {
  equation.precondition(f_.data(), z_.data(), step.pool);
  std::copy(z_.begin(), z_.end(), p_.begin());
  double rz = dot(f_, z_);
  const double enough = tolerance * tolerance * rz;
  int k = 0;
  while (k < most && rz > 0) {
    ++k;
    if (k == most && equation.has_curvature()) {  // nobody asks what is left after the last step
      const double last = equation.curvature(step, p_);
      if (last > 0) add(d_, float(rz / last), p_);
      break;
    }
    equation.apply(step, p_.data(), ap_.data());
    const double pap = dot(p_, ap_);
    if (!(pap > 0)) break;
    const float alpha = float(rz / pap);
    add(d_, alpha, p_);
    add(f_, -alpha, ap_);
    if (k == most) break;
    equation.precondition(f_.data(), z_.data(), step.pool);
    const double next = dot(f_, z_);
    if (!(next > enough)) break;
    follow(p_, float(next / rz), z_);
    rz = next;
  }
  return k;
}

int Solver::bicgstab(Equation& equation, const Context& step, double tolerance, int most) {
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
    equation.precondition(p_.data(), z_.data(), step.pool);
    equation.apply(step, z_.data(), ap_.data());
    alpha = rho / dot(shadow_, ap_);
    add(d_, float(alpha), z_);
    add(f_, float(-alpha), ap_);
    equation.precondition(f_.data(), s_.data(), step.pool);
    equation.apply(step, s_.data(), t_.data());
    const double tt = dot(t_, t_);
    if (!(tt > 0)) break;
    omega = dot(t_, f_) / tt;
    add(d_, float(omega), s_);
    add(f_, float(-omega), t_);
    if (omega == 0) break;
  }
  return k;
}

}  // namespace pliant::meshless
