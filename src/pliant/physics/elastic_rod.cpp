// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/elastic_rod.hpp"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pliant/base/check.hpp"
#include "pliant/math/second_order.hpp"

namespace pliant {
namespace {

using Number = SecondOrder<12>;  // moves and turns of two nodes
using V = std::array<Number, 3>;

// ---- vectors and quaternions of such numbers ----

Number dot(const V& a, const V& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
V cross(const V& a, const V& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
V operator+(const V& a, const V& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
V operator-(const V& a, const V& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
V scaled(const Number& s, const V& a) { return {s * a[0], s * a[1], s * a[2]}; }
V unit(const V& a) { return scaled(inverse(sqrt(dot(a, a))), a); }

struct Turned {
  Number w;
  V v;
};

/// exp(turn) q for the variables first .. first + 2 at zero: cos |t|/2 = 1 - t.t/8, sin |t|/2 t/|t| = t/2 up
/// to the second order.
Turned turned(const Quat& q, int first) {
  V t;
  for (int i = 0; i < 3; ++i) t[std::size_t(i)] = Number::variable(0, first + i);
  const Number ew = Number(1) - 0.125 * dot(t, t);
  const V ev = scaled(Number(0.5), t);
  const V qv{Number(q.x()), Number(q.y()), Number(q.z())};
  const Number qw(q.w());
  return {ew * qw - dot(ev, qv), scaled(ew, qv) + scaled(qw, ev) + cross(ev, qv)};
}

V rotate(const Turned& q, const Vec3& d) {
  const V v{Number(d.x()), Number(d.y()), Number(d.z())};
  const V c = cross(q.v, v);
  const V twice = scaled(Number(2), c);
  return v + scaled(q.w, twice) + cross(q.v, twice);
}

/// Half way between two rotations: their normalised sum, signs agreeing.
Turned middle(const Turned& a, const Turned& b) {
  const double cosine = a.w.value * b.w.value + a.v[0].value * b.v[0].value + a.v[1].value * b.v[1].value +
                        a.v[2].value * b.v[2].value;
  const double sign = cosine < 0 ? -1 : 1;
  const Number w = a.w + sign * b.w;
  const V v = a.v + scaled(Number(sign), b.v);
  const Number scale = inverse(sqrt(w * w + dot(v, v)));
  return {scale * w, scaled(scale, v)};
}

/// g(w) = acos(w) / sqrt(1 - w^2), smooth at w = 1, with two derivatives; 2 g(w) v is the rotation vector of
/// the unit quaternion (w, v), w >= 0.
Number half_angle_over_sine(const Number& w) {
  const double u = 1 - w.value;
  if (u < 1e-3) {
    const double g = 1 + u * (1.0 / 3 + u * (2.0 / 15 + u * (2.0 / 35 + u * 8.0 / 315)));
    const double g1 = 1.0 / 3 + u * (4.0 / 15 + u * (6.0 / 35 + u * 32.0 / 315));
    const double g2 = 4.0 / 15 + u * (12.0 / 35 + u * 96.0 / 315);
    return w.through(g, -g1, g2);
  }
  const double s2 = 1 - w.value * w.value;
  const double g = std::acos(w.value) / std::sqrt(s2);
  const double g1 = (w.value * g - 1) / s2;
  return w.through(g, g1, (g + 3 * w.value * g1) / s2);
}

/// The rotation vector of E^T A for two orthonormal frames less than half a turn apart.
V turn_between(const std::array<V, 3>& e, const std::array<V, 3>& a) {
  const auto m = [&](std::size_t i, std::size_t j) { return dot(e[i], a[j]); };
  Number trace = m(0, 0) + m(1, 1) + m(2, 2) + Number(1);
  trace.value = std::max(trace.value, 1e-9);
  const Number w = 0.5 * sqrt(trace);
  const Number scale = 0.5 * half_angle_over_sine(w) * inverse(w);
  return {scale * (m(2, 1) - m(1, 2)), scale * (m(0, 2) - m(2, 0)), scale * (m(1, 0) - m(0, 1))};
}

struct ElementInput {
  const Vec3 &x1, &x2;
  const Quat &q1, &q2;
  double length;
  const Mat3& axes;
  const RodStiffness& stiffness;
};

Number element_energy(const ElementInput& in) {
  V r;
  for (int i = 0; i < 3; ++i)
    r[std::size_t(i)] = Number::variable(in.x2[i], 6 + i) - Number::variable(in.x1[i], i);
  const Number l = sqrt(dot(r, r));
  const V e1 = scaled(inverse(l), r);
  const Turned q1 = turned(in.q1, 3), q2 = turned(in.q2, 9);
  const V up = rotate(middle(q1, q2), in.axes.col(1));
  const V e2 = unit(up - scaled(dot(e1, up), e1));
  const std::array<V, 3> e{e1, e2, cross(e1, e2)};
  const auto local = [&](const Turned& q) {
    return turn_between(e, {rotate(q, in.axes.col(0)), rotate(q, in.axes.col(1)), rotate(q, in.axes.col(2))});
  };
  const V t1 = local(q1), t2 = local(q2);
  const Number longer = l - Number(in.length), twist = t2[0] - t1[0];
  Number sum = in.stiffness.stretch * (longer * longer) + in.stiffness.twist * (twist * twist);
  for (std::size_t i : {std::size_t(1), std::size_t(2)})
    sum += 4 * in.stiffness.bend * (t1[i] * t1[i] + t1[i] * t2[i] + t2[i] * t2[i]);
  return (0.5 / in.length) * sum;
}

/// A right-handed frame whose first axis is d.
Mat3 frame_along(const Vec3& d) {
  Index least = 0;
  d.cwiseAbs().minCoeff(&least);
  Mat3 out;
  out.col(0) = d;
  out.col(1) = d.cross(Vec3::Unit(least)).normalized();
  out.col(2) = d.cross(out.col(1));
  return out;
}

using Sparse = Eigen::SparseMatrix<double>;
constexpr double largest_turn = 15 * std::numbers::pi / 180;  // of a hold in one step

}  // namespace

struct ElasticRod::Assembly {
  double energy = 0;
  Eigen::VectorXd gradient;
  std::vector<Eigen::Triplet<double>> entries;

  Assembly(const ElasticRod& rod, const RodState& state, bool second) {
    gradient = Eigen::VectorXd::Zero(Eigen::Index(6 * rod.rest_.size()));
    for (std::size_t k = 0; k < rod.elements_.size(); ++k) {
      const RodElement& e = rod.elements_[k];
      const std::size_t a = std::size_t(e.a), b = std::size_t(e.b);
      const Number part = element_energy({state.x[a], state.x[b], state.rotation[a], state.rotation[b],
                                          rod.frames_[k].length, rod.frames_[k].axes, e.stiffness});
      energy += part.value;
      const auto row = [&e](int i) { return i < 6 ? 6 * e.a + i : 6 * e.b + i - 6; };
      for (int i = 0; i < 12; ++i) {
        gradient[row(i)] += part.g[i];
        for (int j = 0; second && j < 12; ++j) entries.emplace_back(row(i), row(j), part.h(i, j));
      }
    }
  }
};

ElasticRod::ElasticRod(Points rest, std::vector<RodElement> elements)
    : rest_(std::move(rest)), elements_(std::move(elements)) {
  for (const RodElement& e : elements_) {
    const Vec3 d = rest_[std::size_t(e.b)] - rest_[std::size_t(e.a)];
    PLIANT_CHECK(d.norm() > 0);
    frames_.push_back({d.norm(), frame_along(d.normalized())});
  }
}

RodState ElasticRod::at_rest() const { return {rest_, std::vector<Quat>(rest_.size(), Quat::Identity())}; }

double ElasticRod::energy(const RodState& state) const { return Assembly(*this, state, false).energy; }

Eigen::VectorXd ElasticRod::gradient(const RodState& state) const {
  return Assembly(*this, state, false).gradient;
}

namespace {

/// Moves and turns every node by its part of the direction.
void advance(const RodState& from, const Eigen::VectorXd& direction, double step, RodState& to) {
  for (std::size_t i = 0; i < from.x.size(); ++i) {
    const Eigen::Index k = Eigen::Index(6 * i);
    to.x[i] = from.x[i] + step * direction.segment<3>(k);
    to.rotation[i] = (lifted_rotation(step * direction.segment<3>(k + 3)) * from.rotation[i]).normalized();
  }
}

double work(const RodState& state, const Points& forces) {
  double sum = 0;
  for (std::size_t i = 0; i < forces.size(); ++i) sum += forces[i].dot(state.x[i]);
  return sum;
}

}  // namespace

/// Newton to equilibrium with what is held (one flag a freedom) where it is.
bool ElasticRod::newton(RodState& state, const std::vector<char>& held, const Points& forces,
                        RodReport& report) const {
  const Eigen::Index n = Eigen::Index(held.size());
  double shortest = std::numeric_limits<double>::infinity();
  for (const Frame& frame : frames_) shortest = std::min(shortest, frame.length);
  Eigen::SimplicialLLT<Sparse> factor;
  RodState trial = state;
  double shift = 0;
  for (int iteration = 0; iteration < 100; ++iteration) {
    ++report.iterations;
    const Assembly now(*this, state, true);
    Eigen::VectorXd g = now.gradient;
    for (std::size_t i = 0; i < forces.size(); ++i) g.segment<3>(Eigen::Index(6 * i)) -= forces[i];
    double scale = 1e-300;  // what the residual is measured by: the stiffness times a small deformation
    std::vector<Eigen::Triplet<double>> entries;
    Eigen::VectorXd diagonal = Eigen::VectorXd::Zero(n);
    for (const auto& e : now.entries) {
      if (held[std::size_t(e.row())] || held[std::size_t(e.col())]) continue;
      entries.push_back(e);
      if (e.row() == e.col()) diagonal[e.row()] += e.value();
    }
    for (Eigen::Index i = 0; i < n; ++i) {
      if (held[std::size_t(i)]) {
        g[i] = 0;
        diagonal[i] = 1;
        entries.emplace_back(i, i, 1.0);
      } else {
        scale = std::max(scale, std::abs(diagonal[i]) * (i % 6 < 3 ? shortest : 1));
      }
    }
    double largest = 0;
    for (Eigen::Index i = 0; i < n; ++i)
      largest = std::max(largest, std::abs(g[i]) * (i % 6 < 3 ? shortest : 1));
    report.residual = largest / scale;
    report.energy = now.energy;
    if (report.residual < 1e-12) return true;

    // A Hessian that is not positive is shifted until it is.
    Eigen::VectorXd direction;
    for (int attempt = 0;; ++attempt) {
      std::vector<Eigen::Triplet<double>> shifted = entries;
      if (shift > 0)
        for (Eigen::Index i = 0; i < n; ++i) shifted.emplace_back(i, i, shift * std::abs(diagonal[i]));
      Sparse matrix(n, n);
      matrix.setFromTriplets(shifted.begin(), shifted.end());
      factor.compute(matrix);
      if (factor.info() == Eigen::Success) break;
      if (attempt == 30) return false;
      shift = shift > 0 ? 4 * shift : 1e-6;
    }
    direction = -factor.solve(g);
    shift = shift < 1e-6 ? 0 : shift / 16;
    if (!direction.allFinite()) return false;
    double turn = 0;
    for (Eigen::Index i = 3; i < n; i += 6) turn = std::max(turn, direction.segment<3>(i).norm());
    double step = std::min(1.0, 2 * largest_turn / std::max(turn, 1e-300));
    const double slope = g.dot(direction), before = now.energy - work(state, forces);
    bool lower = false;
    for (int halving = 0; halving < 40 && !lower; ++halving, step *= 0.5) {
      advance(state, direction, step, trial);
      const double after = energy(trial) - work(trial, forces);
      lower = std::isfinite(after) && after <= before + 1e-4 * step * slope;
    }
    if (!lower) {
      // Nothing lower within rounding: the last digits.
      return report.residual < 1e-8;
    }
    std::swap(state, trial);
  }
  return false;
}

RodReport ElasticRod::settle(RodState& state, const std::vector<RodHold>& holds, const Points& forces) const {
  PLIANT_CHECK(state.x.size() == rest_.size() && (forces.empty() || forces.size() == rest_.size()));
  std::vector<char> held(6 * rest_.size(), 0);
  double shortest = std::numeric_limits<double>::infinity();
  for (const Frame& frame : frames_) shortest = std::min(shortest, frame.length);
  struct Way {
    Vec3 move{0, 0, 0}, turn{0, 0, 0};
  };
  std::vector<Way> ways;
  double far = 0;
  for (const RodHold& hold : holds) {
    const std::size_t i = std::size_t(hold.node);
    Way way;
    if (hold.x) {
      way.move = *hold.x - state.x[i];
      std::fill_n(held.begin() + std::ptrdiff_t(6 * i), 3, char(1));
    }
    if (hold.rotation) {
      Quat from_here = *hold.rotation * state.rotation[i].conjugate();
      if (from_here.w() < 0) from_here.coeffs() = -from_here.coeffs();  // the shorter way
      way.turn = turn_near(from_here, Vec3::Zero());
      std::fill_n(held.begin() + std::ptrdiff_t(6 * i + 3), 3, char(1));
    }
    far = std::max({far, way.move.norm() / (0.25 * shortest), way.turn.norm() / largest_turn});
    ways.push_back(way);
  }
  const int steps = std::max(1, int(std::ceil(far - 1e-9)));
  RodReport report;
  for (int s = 0; s < steps; ++s) {
    for (std::size_t k = 0; k < holds.size(); ++k) {
      const std::size_t i = std::size_t(holds[k].node);
      state.x[i] += ways[k].move / steps;
      state.rotation[i] = (lifted_rotation(ways[k].turn / steps) * state.rotation[i]).normalized();
    }
    report.converged = newton(state, held, forces, report);
    if (!report.converged) break;
  }
  return report;
}

ElasticRod rod_along(const BoneSamples& samples, const RodStiffness& stiffness, double joint) {
  Points rest;
  for (const BoneSample& sample : samples.samples()) rest.push_back(sample.X);
  std::vector<int> pieces(rest.size(), 0);  // elements at a node
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (const Index before = samples.before()[i]; before >= 0) ++pieces[i], ++pieces[std::size_t(before)];
  const auto is_joint = [&](std::size_t i) {
    const double along = samples.samples()[i].along;
    return (along == 0 || along == 1) && pieces[i] > 1;
  };
  std::vector<RodElement> elements;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const Index before = samples.before()[i];
    if (before < 0) continue;
    RodElement element{before, Index(i), stiffness};
    if (is_joint(i) || is_joint(std::size_t(before))) {
      element.stiffness.bend *= joint;
      element.stiffness.twist *= joint;
    }
    elements.push_back(element);
  }
  return ElasticRod(std::move(rest), std::move(elements));
}

}  // namespace pliant
