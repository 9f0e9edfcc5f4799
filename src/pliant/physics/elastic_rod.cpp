// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/elastic_rod.hpp"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

#include "pliant/base/check.hpp"
#include "pliant/math/second_order.hpp"

namespace pliant {
namespace {

using Number = SecondOrder<12>;  // moves and turns of two nodes

// ---- vectors and quaternions of numbers N: plain ones for energies, SecondOrder for their derivatives ----

template <class N>
using V = std::array<N, 3>;

template <class N>
N variable(double value, int k) {
  if constexpr (std::is_same_v<N, double>) {
    return value;
  } else {
    return N::variable(value, k);
  }
}
double value_of(double x) { return x; }
double value_of(const Number& x) { return x.value; }
double inverse(double x) { return 1 / x; }

template <class N>
N dot(const V<N>& a, const V<N>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class N>
V<N> cross(const V<N>& a, const V<N>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
template <class N>
V<N> cross(const V<N>& a, const Vec3& b) {
  return {b[2] * a[1] - b[1] * a[2], b[0] * a[2] - b[2] * a[0], b[1] * a[0] - b[0] * a[1]};
}
template <class N>
V<N> sum(const V<N>& a, const V<N>& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
template <class S, class N>
V<N> scaled(const S& s, const V<N>& a) {
  return {s * a[0], s * a[1], s * a[2]};
}
template <class N>
V<N> unit(const V<N>& a) {
  using std::sqrt;
  return scaled(inverse(sqrt(dot(a, a))), a);
}

template <class N>
struct Turned {
  N w;
  V<N> v;
};

/// exp(turn) q for the variables first .. first + 2 at zero: cos |t|/2 = 1 - t.t/8, sin |t|/2 t/|t| = t/2 up
/// to the second order.
template <class N>
Turned<N> turned(const Quat& q, int first) {
  const V<N> t{variable<N>(0, first), variable<N>(0, first + 1), variable<N>(0, first + 2)};
  const N ew = N(1) + -0.125 * dot(t, t);
  const V<N> ev = scaled(0.5, t), turned = cross(ev, Vec3(q.vec()));
  Turned<N> out{q.w() * ew - (q.x() * ev[0] + q.y() * ev[1] + q.z() * ev[2]), {}};
  for (std::size_t i = 0; i < 3; ++i) out.v[i] = q.vec()[Eigen::Index(i)] * ew + q.w() * ev[i] + turned[i];
  return out;
}

/// d + 2 w (v x d) + 2 v x (v x d).
template <class N>
V<N> rotate(const Turned<N>& q, const Vec3& d) {
  const V<N> twice = scaled(2.0, cross(q.v, d));
  const V<N> out = sum(scaled(q.w, twice), cross(q.v, twice));
  return {N(d[0]) + out[0], N(d[1]) + out[1], N(d[2]) + out[2]};
}

/// Half way between two rotations: their normalised sum, signs agreeing.
template <class N>
Turned<N> middle(const Turned<N>& a, const Turned<N>& b) {
  double cosine = value_of(a.w) * value_of(b.w);
  for (std::size_t i = 0; i < 3; ++i) cosine += value_of(a.v[i]) * value_of(b.v[i]);
  const double sign = cosine < 0 ? -1 : 1;
  const N w = a.w + sign * b.w;
  const V<N> v = sum(a.v, scaled(sign, b.v));
  using std::sqrt;
  const N scale = inverse(sqrt(w * w + dot(v, v)));
  return {scale * w, scaled(scale, v)};
}

/// g(w) = acos(w) / sqrt(1 - w^2), smooth at w = 1, with two derivatives; 2 g(w) v is the rotation vector of
/// the unit quaternion (w, v), w >= 0.
struct Smooth {
  double f, f1, f2;
};
Smooth half_angle_over_sine(double w) {
  const double u = 1 - w;
  if (u < 1e-3) {
    const double g = 1 + u * (1.0 / 3 + u * (2.0 / 15 + u * (2.0 / 35 + u * 8.0 / 315)));
    const double g1 = 1.0 / 3 + u * (4.0 / 15 + u * (6.0 / 35 + u * 32.0 / 315));
    const double g2 = 4.0 / 15 + u * (12.0 / 35 + u * 96.0 / 315);
    return {g, -g1, g2};
  }
  const double s2 = 1 - w * w;
  const double g = std::acos(w) / std::sqrt(s2);
  const double g1 = (w * g - 1) / s2;
  return {g, g1, (g + 3 * w * g1) / s2};
}
double through(double, const Smooth& s) { return s.f; }
Number through(const Number& x, const Smooth& s) { return x.through(s.f, s.f1, s.f2); }

void keep_above(double& x, double least) { x = std::max(x, least); }
void keep_above(Number& x, double least) { x.value = std::max(x.value, least); }

/// The rotation vector of E^T A for two sets of orthonormal axes less than half a turn apart.
template <class N>
V<N> turn_between(const std::array<V<N>, 3>& e, const std::array<V<N>, 3>& a) {
  const auto m = [&](std::size_t i, std::size_t j) { return dot(e[i], a[j]); };
  N trace = N(1) + m(0, 0) + m(1, 1) + m(2, 2);
  keep_above(trace, 1e-9);
  using std::sqrt;
  const N w = 0.5 * sqrt(trace);
  const N scale = 0.5 * (through(w, half_angle_over_sine(value_of(w))) * inverse(w));
  return {scale * (m(2, 1) - m(1, 2)), scale * (m(0, 2) - m(2, 0)), scale * (m(1, 0) - m(0, 1))};
}

struct ElementInput {
  const Vec3 &x1, &x2;
  const Quat &q1, &q2;
  double length;
  const Mat3& axes;
  const RodStiffness& stiffness;
};

template <class N>
N element_energy(const ElementInput& in) {
  V<N> r;
  for (int i = 0; i < 3; ++i) r[std::size_t(i)] = variable<N>(in.x2[i], 6 + i) - variable<N>(in.x1[i], i);
  using std::sqrt;
  const N l = sqrt(dot(r, r));
  const V<N> e1 = scaled(inverse(l), r);
  const Turned<N> q1 = turned<N>(in.q1, 3), q2 = turned<N>(in.q2, 9);
  const V<N> up = rotate(middle(q1, q2), in.axes.col(1));
  const N along = dot(e1, up);
  const V<N> e2 = unit(V<N>{up[0] - along * e1[0], up[1] - along * e1[1], up[2] - along * e1[2]});
  const std::array<V<N>, 3> e{e1, e2, cross(e1, e2)};
  const auto local = [&](const Turned<N>& q) {
    return turn_between<N>(e,
                           {rotate(q, in.axes.col(0)), rotate(q, in.axes.col(1)), rotate(q, in.axes.col(2))});
  };
  const V<N> t1 = local(q1), t2 = local(q2);
  const N longer = l - N(in.length), twist = t2[0] - t1[0];
  N total = in.stiffness.stretch * (longer * longer) + in.stiffness.twist * (twist * twist);
  for (std::size_t i : {std::size_t(1), std::size_t(2)})
    total += 4 * in.stiffness.bend * (t1[i] * t1[i] + t1[i] * t2[i] + t2[i] * t2[i]);
  return (0.5 / in.length) * total;
}

/// Right-handed axes, the first along d.
Mat3 axes_along(const Vec3& d) {
  Index least = 0;
  d.cwiseAbs().minCoeff(&least);
  Mat3 out;
  out.col(0) = d;
  out.col(1) = d.cross(Vec3::Unit(least)).normalized();
  out.col(2) = d.cross(out.col(1));
  return out;
}

/// Of freedom i of the element among all.
Index row(const RodElement& e, int i) { return i < 6 ? 6 * e.a + i : 6 * e.b + i - 6; }

using Sparse = Eigen::SparseMatrix<double>;
constexpr double largest_turn = 15 * std::numbers::pi / 180;  // of a hold in one step

}  // namespace

template <class Add>
void ElasticRod::each_element(const RodState& state, const Add& add) const {
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const RodElement& e = elements_[k];
    const std::size_t a = std::size_t(e.a), b = std::size_t(e.b);
    add(e, element_energy<Number>({state.x[a], state.x[b], state.rotation[a], state.rotation[b],
                                   segments_[k].length, segments_[k].axes, e.stiffness}));
  }
}

struct ElasticRod::Assembly {
  double energy = 0;
  Eigen::VectorXd gradient;
  std::vector<Eigen::Triplet<double>> entries;

  Assembly(const ElasticRod& rod, const RodState& state) {
    gradient = Eigen::VectorXd::Zero(Eigen::Index(6 * rod.rest_.size()));
    rod.each_element(state, [&](const RodElement& e, const Number& part) {
      energy += part.value;
      for (int i = 0; i < 12; ++i) {
        gradient[row(e, i)] += part.g[i];
        for (int j = 0; j < 12; ++j) entries.emplace_back(row(e, i), row(e, j), part.h(i, j));
      }
    });
  }
};

ElasticRod::ElasticRod(Points rest, std::vector<RodElement> elements)
    : rest_(std::move(rest)), elements_(std::move(elements)) {
  for (const RodElement& e : elements_) {
    const Vec3 d = rest_[std::size_t(e.b)] - rest_[std::size_t(e.a)];
    PLIANT_CHECK(d.norm() > 0);
    segments_.push_back({d.norm(), axes_along(d.normalized())});
  }
}

RodState ElasticRod::at_rest() const { return {rest_, std::vector<Quat>(rest_.size(), Quat::Identity())}; }

double ElasticRod::energy(const RodState& state) const {
  double sum = 0;
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const RodElement& e = elements_[k];
    const std::size_t a = std::size_t(e.a), b = std::size_t(e.b);
    sum += element_energy<double>({state.x[a], state.x[b], state.rotation[a], state.rotation[b],
                                   segments_[k].length, segments_[k].axes, e.stiffness});
  }
  return sum;
}

void ElasticRod::gradient(const RodState& state, Eigen::VectorXd& out) const {
  out.setZero(Eigen::Index(6 * rest_.size()));
  each_element(state, [&](const RodElement& e, const Number& part) {
    for (int i = 0; i < 12; ++i) out[row(e, i)] += part.g[i];
  });
}

void ElasticRod::hessian(const RodState& state, Eigen::MatrixXd& out) const {
  out.setZero(Eigen::Index(6 * rest_.size()), Eigen::Index(6 * rest_.size()));
  each_element(state, [&](const RodElement& e, const Number& part) {
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < 12; ++j) out(row(e, i), row(e, j)) += part.h(i, j);
  });
}

void advance(const RodState& from, const Eigen::VectorXd& direction, double step, RodState& to) {
  for (std::size_t i = 0; i < from.x.size(); ++i) {
    const Eigen::Index k = Eigen::Index(6 * i);
    to.x[i] = from.x[i] + step * direction.segment<3>(k);
    to.rotation[i] = (lifted_rotation(step * direction.segment<3>(k + 3)) * from.rotation[i]).normalized();
  }
}

namespace {

double work(const RodState& state, const Points& forces) {
  double sum = 0;
  for (std::size_t i = 0; i < forces.size(); ++i) sum += forces[i].dot(state.x[i]);
  return sum;
}

}  // namespace

/// Moves what is held by `given` and everything else as the rod would follow, were it linear.
void ElasticRod::follow(RodState& state, const std::vector<char>& held, const Eigen::VectorXd& given) const {
  const Eigen::Index n = Eigen::Index(held.size());
  Eigen::VectorXd direction = Eigen::VectorXd::Zero(n);
  std::vector<Eigen::Triplet<double>> entries;
  for (const auto& e : Assembly(*this, state).entries) {
    if (held[std::size_t(e.row())]) continue;
    if (held[std::size_t(e.col())]) {
      direction[e.row()] -= e.value() * given[e.col()];
    } else {
      entries.push_back(e);
    }
  }
  for (Eigen::Index i = 0; i < n; ++i)
    if (held[std::size_t(i)]) entries.emplace_back(i, i, 1.0);
  Sparse matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  Eigen::SimplicialLLT<Sparse> factor(matrix);
  if (factor.info() == Eigen::Success) direction = factor.solve(direction);
  if (factor.info() != Eigen::Success || !direction.allFinite()) direction.setZero();
  for (Eigen::Index i = 0; i < n; ++i)
    if (held[std::size_t(i)]) direction[i] = given[i];
  RodState moved = state;
  advance(state, direction, 1, moved);
  state = std::move(moved);
}

namespace {

/// Factors the matrix; where it is not positive its diagonal is shifted until it is, from the shift of the
/// last time on. False: no shift helps.
bool factor_shifted(const std::vector<Eigen::Triplet<double>>& entries, const Eigen::VectorXd& diagonal,
                    double& shift, Eigen::SimplicialLLT<Sparse>& factor) {
  const Eigen::Index n = diagonal.size();
  for (int attempt = 0;; ++attempt) {
    std::vector<Eigen::Triplet<double>> shifted = entries;
    if (shift > 0)
      for (Eigen::Index i = 0; i < n; ++i) shifted.emplace_back(i, i, shift * std::abs(diagonal[i]));
    Sparse matrix(n, n);
    matrix.setFromTriplets(shifted.begin(), shifted.end());
    factor.compute(matrix);
    if (factor.info() == Eigen::Success) return true;
    if (attempt == 30) return false;
    shift = shift > 0 ? 4 * shift : 1e-6;
  }
}

}  // namespace

/// Newton to equilibrium with what is held (one flag a freedom) where it is.
bool ElasticRod::newton(RodState& state, const std::vector<char>& held, const Points& forces,
                        RodReport& report) const {
  const Eigen::Index n = Eigen::Index(held.size());
  double shortest = std::numeric_limits<double>::infinity();
  for (const Segment& segment : segments_) shortest = std::min(shortest, segment.length);
  Eigen::SimplicialLLT<Sparse> factor;
  RodState trial = state;
  double shift = 0, last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 100; ++iteration) {
    ++report.iterations;
    const Assembly now(*this, state);
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
    // At rounding Newton's steps no longer shrink the residual; where that is depends on the rod's
    // proportions.
    if (report.residual < 1e-12 || (report.residual < 1e-8 && report.residual > last / 4)) return true;
    last = report.residual;

    if (!factor_shifted(entries, diagonal, shift, factor)) return false;
    const Eigen::VectorXd direction = -factor.solve(g);
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
  for (const Segment& segment : segments_) shortest = std::min(shortest, segment.length);
  Eigen::VectorXd way = Eigen::VectorXd::Zero(Eigen::Index(held.size()));
  double far = 0;
  for (const RodHold& hold : holds) {
    const std::size_t i = std::size_t(hold.node);
    const Eigen::Index at = Eigen::Index(6 * i);
    if (hold.x) {
      way.segment<3>(at) = *hold.x - state.x[i];
      std::fill_n(held.begin() + at, 3, char(1));
    }
    if (hold.rotation) {
      Quat from_here = *hold.rotation * state.rotation[i].conjugate();
      if (from_here.w() < 0) from_here.coeffs() = -from_here.coeffs();  // the shorter way
      way.segment<3>(at + 3) = turn_near(from_here, Vec3::Zero());
      std::fill_n(held.begin() + at + 3, 3, char(1));
    }
    far = std::max(
        {far, way.segment<3>(at).norm() / (2 * shortest), way.segment<3>(at + 3).norm() / largest_turn});
  }
  const int steps = std::max(1, int(std::ceil(far - 1e-9)));
  RodReport report;
  for (int s = 0; s < steps; ++s) {
    follow(state, held, way / steps);
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

void rod_holds(const BoneSamples& samples, double t, std::vector<JointPose>& pose,
               std::vector<RodHold>& out) {
  const Skeleton& skeleton = samples.skeleton();
  skeleton.pose(t, pose);
  out.clear();
  for (std::size_t i = 0; i < samples.samples().size(); ++i) {
    const BoneSample& sample = samples.samples()[i];
    if (sample.along != 0 && sample.along != 1) continue;
    const Bone& bone = samples.bones()[std::size_t(sample.bone)];
    const std::size_t j = std::size_t(sample.along == 0 ? bone.start : bone.end);
    const Joint& joint = skeleton.joints[j];
    RodHold hold{Index(i), {}, {}};
    const bool root = samples.before()[i] < 0;
    const auto moves = [](const Vec3& move) { return move.norm() > 0; };
    if (root || std::any_of(joint.moves.moves.begin(), joint.moves.moves.end(), moves))
      hold.x = pose[j].position;
    if (root || !joint.turns.times.empty()) hold.rotation = pose[j].rotation;
    if (hold.x || hold.rotation) out.push_back(hold);
  }
}

std::vector<RodHold> rod_holds(const BoneSamples& samples, double t) {
  std::vector<JointPose> pose;
  std::vector<RodHold> holds;
  rod_holds(samples, t, pose, holds);
  return holds;
}

bool record_rod(BoneSamples& samples, const RodStiffness& stiffness, double joint, double step) {
  const ElasticRod rod = rod_along(samples, stiffness, joint);
  RodState state = rod.at_rest();
  std::vector<double> times;
  std::vector<std::vector<SamplePose>> poses;
  const int steps = int(std::ceil(samples.skeleton().duration() / step - 1e-9));
  for (int k = 0; k <= steps; ++k) {
    times.push_back(k * step);
    if (!rod.settle(state, rod_holds(samples, times.back())).converged) return false;
    std::vector<SamplePose>& pose = poses.emplace_back();
    for (std::size_t i = 0; i < state.x.size(); ++i) pose.push_back({state.x[i], state.rotation[i]});
  }
  samples.record(std::move(times), std::move(poses));
  return true;
}

}  // namespace pliant
