// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/solver.hpp"

#include <algorithm>

namespace pliant::meshless {
double dot(const AlignedVector<Float4>& a, const AlignedVector<Float4>& b) {
  double x = 0, y = 0, z = 0;  // one sum would wait for its own last addition
  for (std::size_t i = 0; i < a.size(); ++i) {
    x += double(a[i].x) * b[i].x;
    y += double(a[i].y) * b[i].y;
    z += double(a[i].z) * b[i].z;
  }
  return x + y + z;
}

void add(AlignedVector<Float4>& a, float factor, const AlignedVector<Float4>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i].x += factor * b[i].x, a[i].y += factor * b[i].y, a[i].z += factor * b[i].z;
}

void follow(AlignedVector<Float4>& a, float factor, const AlignedVector<Float4>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i].x = b[i].x + factor * a[i].x, a[i].y = b[i].y + factor * a[i].y, a[i].z = b[i].z + factor * a[i].z;
}

namespace {

/// Both solve for v.d from the right side in v.f, which becomes the residual.
int conjugate_gradients(Equation& e, SolverVectors& v, double tolerance, int most) {
  e.precondition(v.f.data(), v.z.data());
  std::copy(v.z.begin(), v.z.end(), v.p.begin());
  double rz = dot(v.f, v.z);
  const double enough = tolerance * tolerance * rz;
  int k = 0;
  while (k < most && rz > 0) {
    ++k;
    if (k == most && e.has_curvature()) {  // nobody asks what is left after the last step
      const double last = e.curvature(v.p);
      if (last > 0) add(v.d, float(rz / last), v.p);
      break;
    }
    e.apply(v.p.data(), v.ap.data());
    const double pap = dot(v.p, v.ap);
    if (!(pap > 0)) break;
    const float alpha = float(rz / pap);
    add(v.d, alpha, v.p);
    add(v.f, -alpha, v.ap);
    if (k == most) break;
    e.precondition(v.f.data(), v.z.data());
    const double next = dot(v.f, v.z);
    if (!(next > enough)) break;
    follow(v.p, float(next / rz), v.z);
    rz = next;
  }
  return k;
}

int bicgstab(Equation& e, SolverVectors& v, double tolerance, int most) {
  std::copy(v.f.begin(), v.f.end(), v.shadow.begin());
  std::fill(v.p.begin(), v.p.end(), Float4{});
  std::fill(v.ap.begin(), v.ap.end(), Float4{});
  double rho = 1, alpha = 1, omega = 1;
  const double enough = tolerance * tolerance * dot(v.f, v.f);
  int k = 0;
  while (k < most && dot(v.f, v.f) > enough) {
    ++k;
    const double next = dot(v.shadow, v.f), beta = next / rho * alpha / omega;
    if (next == 0) break;
    rho = next;
    add(v.p, float(-omega), v.ap);
    follow(v.p, float(beta), v.f);
    e.precondition(v.p.data(), v.z.data());
    e.apply(v.z.data(), v.ap.data());
    alpha = rho / dot(v.shadow, v.ap);
    add(v.d, float(alpha), v.z);
    add(v.f, float(-alpha), v.ap);
    e.precondition(v.f.data(), v.s.data());
    e.apply(v.s.data(), v.t.data());
    const double tt = dot(v.t, v.t);
    if (!(tt > 0)) break;
    omega = dot(v.t, v.f) / tt;
    add(v.d, float(omega), v.s);
    add(v.f, float(-omega), v.t);
    if (omega == 0) break;
  }
  return k;
}

}  // namespace

int correct(Equation& e, const Points& r, double tolerance, int most, Points& x) {
  SolverVectors& v = e.scratch.solver;
  std::fill(v.d.begin(), v.d.end(), Float4{});
  for (std::size_t i = 0; i < r.size(); ++i) v.f[i] = {float(r[i].x()), float(r[i].y()), float(r[i].z()), 0};
  const int iterations =
      e.symmetric() ? conjugate_gradients(e, v, tolerance, most) : bicgstab(e, v, tolerance, most);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += Vec3(v.d[i].x, v.d[i].y, v.d[i].z);
  return iterations;
}

}  // namespace pliant::meshless
