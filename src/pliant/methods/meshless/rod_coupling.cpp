// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/rod_coupling.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/methods/meshless/solver.hpp"

namespace pliant::meshless {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using Block = Eigen::Matrix<double, 3, 6>;

constexpr double largest_turn = std::numbers::pi / 6;  // of a node of the rod in a Newton step
constexpr int most_shifts = 40;
constexpr double least_stiffness = 1e-6;  // of the flesh in the preconditioner, share of the hold

constexpr const char* no_descent =
    "the linear solve of flesh and rod finds no descent: forces, grabs or targets are beyond what numbers "
    "can hold, "
    "or the rod is too stiff beside its flesh";

/// Flags of the freedoms that the keys hold.
std::vector<char> held_freedoms(const Rig& rig, double t) {
  std::vector<char> held(std::size_t(6 * rig.samples()), 0);
  for (const RodHold& hold : rod_holds(rig.bones(), t)) {
    if (hold.x) std::fill_n(held.begin() + 6 * hold.node, 3, char(1));
    if (hold.rotation) std::fill_n(held.begin() + 6 * hold.node + 3, 3, char(1));
  }
  return held;
}

Mat3 cross_matrix(const Vec3& a) {
  Mat3 out;
  out << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return out;
}

/// J of a row: a turn w moves it by w x a.
Block row_jacobian(const Rig& rig, const RodState& rod, Index row) {
  Block out;
  out << Mat3::Identity(), -cross_matrix(rod.rotation[std::size_t(rig.rod_node(row))] * rig.arm(row));
  return out;
}

/// hold - hold^2 rows S^-1 rows^T: how stiff the flesh is where the rod holds it, made once for each factor of
/// S. Its digits are those of S^-1, so that what rounding makes negative is set to a breath of the hold.
const MatrixXd& response(Equation& e) {
  MatrixXd& g = e.cache.factors->rod;
  const Gather& rows = e.rig.rows();
  const Index m = rows.rows();
  if (g.rows() == m) return g;
  g.resize(m, m);
  AlignedVector<Float4> b(e.model.rest.size()), z(b.size());
  const auto at = [](auto& v, Index c) -> float& { return c == 0 ? v.x : c == 1 ? v.y : v.z; };
  for (Index first = 0; first < m; first += 3) {
    std::fill(b.begin(), b.end(), Float4{});
    const Index count = std::min<Index>(3, m - first);
    for (Index c = 0; c < count; ++c)
      for (Index k = rows.begin[std::size_t(first + c)]; k < rows.begin[std::size_t(first + c) + 1]; ++k)
        at(b[std::size_t(rows.column[std::size_t(k)])], c) += float(rows.weight[std::size_t(k)]);
    e.precondition(b.data(), z.data());
    for (Index r = 0; r < m; ++r) {
      Vec3 sum = Vec3::Zero();
      for (Index k = rows.begin[std::size_t(r)]; k < rows.begin[std::size_t(r) + 1]; ++k) {
        const Float4& v = z[std::size_t(rows.column[std::size_t(k)])];
        sum += rows.weight[std::size_t(k)] * Vec3(v.x, v.y, v.z);
      }
      for (Index c = 0; c < count; ++c) g(r, first + c) = sum[c];
    }
  }
  const double hold = e.hold_stiffness();
  const MatrixXd stiffness = hold * MatrixXd::Identity(m, m) - 0.5 * hold * hold * (g + g.transpose());
  const Eigen::SelfAdjointEigenSolver<MatrixXd> modes(stiffness);
  g = modes.eigenvectors() * modes.eigenvalues().cwiseMax(least_stiffness * hold).asDiagonal() *
      modes.eigenvectors().transpose();
  return g;
}

/// The field at the rows of the rod.
template <class Values>
void field(const Gather& rows, const Values& x, Points& out) {
  out.resize(std::size_t(rows.rows()));
  for (std::size_t r = 0; r < out.size(); ++r) {
    out[r].setZero();
    for (Index k = rows.begin[r]; k < rows.begin[r + 1]; ++k) {
      const auto& v = x[std::size_t(rows.column[std::size_t(k)])];
      if constexpr (std::is_same_v<std::decay_t<decltype(v)>, Vec3>)
        out[r] += rows.weight[std::size_t(k)] * v;
      else
        out[r] += rows.weight[std::size_t(k)] * Vec3(v.x, v.y, v.z);
    }
  }
}

/// The matrix and the preconditioner of one Newton step.
class Coupled {
 public:
  Coupled(Equation& e, const std::vector<char>& held) : e_(e), held_(held), hold_(e.hold_stiffness()) {
    for (Index r = 0; r < e.rig.rows().rows(); ++r)
      jacobian_.push_back(row_jacobian(e.rig, e.scratch.rod, r));
    rod_ = e.rig.rod()->hessian(e.scratch.rod);
    MatrixXd schur = rod_;
    const MatrixXd& g = response(e);
    for (std::size_t r = 0; r < jacobian_.size(); ++r) {
      add(rod_, hold_, r, r);
      for (std::size_t q = 0; q < jacobian_.size(); ++q)
        add(schur, g(Eigen::Index(r), Eigen::Index(q)), r, q);
    }
    keep_free(schur);
    // A rod under compression may be unstable by itself: stiffened until the step is a descent.
    const VectorXd diagonal = rod_.diagonal().cwiseAbs();
    double shift = 0;
    for (int k = 0; k < most_shifts; ++k) {
      MatrixXd shifted = schur;
      shifted.diagonal() += shift * diagonal;
      factor_.compute(shifted);
      if (factor_.info() == Eigen::Success) break;
      shift = shift > 0 ? 4 * shift : 1e-8;
    }
    rod_.diagonal() += shift * diagonal;
    keep_free(rod_);
  }

  bool ok() const { return factor_.info() == Eigen::Success; }

  /// J^T f, without what is held.
  VectorXd pulled(const Points& f) const {
    VectorXd out = VectorXd::Zero(rod_.rows());
    for (std::size_t r = 0; r < jacobian_.size(); ++r)
      out.segment<6>(6 * node(r)) += jacobian_[r].transpose() * f[r];
    for (Eigen::Index i = 0; i < out.size(); ++i)
      if (held_[std::size_t(i)]) out[i] = 0;
    return out;
  }

  void apply(const AlignedVector<Float4>& z, const VectorXd& p, AlignedVector<Float4>& y, VectorXd& q) {
    e_.apply(z.data(), y.data());
    scatter(p, -hold_, y);
    field(e_.rig.rows(), z, f_);
    q = rod_ * p - hold_ * pulled(f_);
  }

  void precondition(const AlignedVector<Float4>& r, const VectorXd& s, AlignedVector<Float4>& z,
                    VectorXd& p) {
    e_.precondition(r.data(), z.data());
    field(e_.rig.rows(), z, f_);
    p = factor_.solve(s + hold_ * pulled(f_));
    b_.assign(r.begin(), r.end());
    scatter(p, hold_, b_);
    e_.precondition(b_.data(), z.data());
  }

 private:
  Eigen::Index node(std::size_t row) const { return e_.rig.rod_node(Index(row)); }
  void add(MatrixXd& to, double factor, std::size_t r, std::size_t q) const {
    to.block<6, 6>(6 * node(r), 6 * node(q)) += factor * jacobian_[r].transpose() * jacobian_[q];
  }
  void keep_free(MatrixXd& m) const {
    for (Eigen::Index i = 0; i < m.rows(); ++i)
      if (held_[std::size_t(i)]) m.row(i).setZero(), m.col(i).setZero(), m(i, i) = 1;
  }
  /// y += factor rows^T J p.
  void scatter(const VectorXd& p, double factor, AlignedVector<Float4>& y) const {
    const Gather& rows = e_.rig.rows();
    for (std::size_t r = 0; r < jacobian_.size(); ++r) {
      const Vec3 move = factor * (jacobian_[r] * p.segment<6>(6 * node(r)));
      for (Index k = rows.begin[r]; k < rows.begin[r + 1]; ++k) {
        Float4& out = y[std::size_t(rows.column[std::size_t(k)])];
        const double w = rows.weight[std::size_t(k)];
        out.x += float(w * move.x()), out.y += float(w * move.y()), out.z += float(w * move.z());
      }
    }
  }

  Equation& e_;
  const std::vector<char>& held_;
  double hold_;
  std::vector<Block> jacobian_;
  MatrixXd rod_;
  Eigen::LLT<MatrixXd> factor_;
  Points f_;
  AlignedVector<Float4> b_;
};

/// (rows x)_r - t_r, m.
Vec3 off_target(const Rig& rig, const RodState& rod, Index r, const Points& x) {
  const std::size_t s = std::size_t(rig.rod_node(r));
  const Gather& rows = rig.rows();
  Vec3 out = -(rod.x[s] + rod.rotation[s] * rig.arm(r));
  for (Index k = rows.begin[std::size_t(r)]; k < rows.begin[std::size_t(r) + 1]; ++k)
    out += rows.weight[std::size_t(k)] * x[std::size_t(rows.column[std::size_t(k)])];
  return out;
}

/// hold (rows x - t), N: what the flesh pulls the rod with.
Points pulls(const Equation& e, const Points& x) {
  Points out;
  field(e.rig.rows(), x, out);
  for (std::size_t r = 0; r < out.size(); ++r) out[r] = e.hold_stiffness() * (out[r] - e.scratch.targets[r]);
  return out;
}

/// The right side of the rod.
VectorXd rod_forces(const Equation& e, const std::vector<char>& held, const Points& x) {
  VectorXd out = -e.rig.rod()->gradient(e.scratch.rod);
  const Points f = pulls(e, x);
  for (std::size_t r = 0; r < f.size(); ++r)
    out.segment<6>(6 * e.rig.rod_node(Index(r))) +=
        row_jacobian(e.rig, e.scratch.rod, Index(r)).transpose() * f[r];
  for (Eigen::Index i = 0; i < out.size(); ++i)
    if (held[std::size_t(i)]) out[i] = 0;
  return out;
}

}  // namespace

void lead_rod(const Rig& rig, double t, RodState& rod) {
  for (const RodHold& hold : rod_holds(rig.bones(), t)) {
    const std::size_t i = std::size_t(hold.node);
    if (hold.x) rod.x[i] = *hold.x;
    if (hold.rotation) rod.rotation[i] = *hold.rotation;
  }
}

double rod_residual(const Equation& e, const Points& x) {
  VectorXd f = rod_forces(e, held_freedoms(e.rig, e.input().time), x);
  for (Eigen::Index i = 0; i < f.size(); ++i)
    if (i % 6 >= 3) f[i] /= e.model.spacing;
  return f.norm();
}

double rod_energy(const Rig& rig, const RodState& rod, double hold, const Points& x) {
  double out = rig.rod()->energy(rod);
  for (Index r = 0; r < rig.rows().rows(); ++r) out += hold / 2 * off_target(rig, rod, r, x).squaredNorm();
  return out;
}

void add_rod_forces(const Rig& rig, const RodState& rod, double hold, const Points& x,
                    std::span<Vec3> forces) {
  const Gather& rows = rig.rows();
  for (Index r = 0; r < rows.rows(); ++r) {
    const Vec3 pull = hold * off_target(rig, rod, r, x);
    for (Index k = rows.begin[std::size_t(r)]; k < rows.begin[std::size_t(r) + 1]; ++k)
      forces[std::size_t(rows.column[std::size_t(k)])] -= rows.weight[std::size_t(k)] * pull;
  }
}

int correct_with_rod(Equation& e, const Points& r, double tolerance, int most, Points& x) {
  const std::vector<char> held = held_freedoms(e.rig, e.input().time);
  Coupled matrix(e, held);
  if (!matrix.ok()) {
    e.report().trouble = "the rod's matrix has no factor: take a softer rod, a thinner one or smaller steps";
    return 0;
  }
  SolverVectors& v = e.scratch.solver;
  std::fill(v.d.begin(), v.d.end(), Float4{});
  for (std::size_t i = 0; i < r.size(); ++i) v.f[i] = {float(r[i].x()), float(r[i].y()), float(r[i].z()), 0};
  VectorXd f = rod_forces(e, held, x), d = VectorXd::Zero(f.size()), z, p, ap;
  matrix.precondition(v.f, f, v.z, z);
  std::copy(v.z.begin(), v.z.end(), v.p.begin());
  p = z;
  double rz = dot(v.f, v.z) + f.dot(z);
  if (!(rz >= 0)) e.report().trouble = no_descent;
  const double enough = tolerance * tolerance * rz;
  int k = 0;
  while (k < most && rz > 0) {
    ++k;
    matrix.apply(v.p, p, v.ap, ap);
    const double pap = dot(v.p, v.ap) + p.dot(ap);
    if (!(pap > 0)) {
      if (k == 1 || !std::isfinite(pap)) e.report().trouble = no_descent;
      break;
    }
    const double alpha = rz / pap;
    add(v.d, float(alpha), v.p);
    d += alpha * p;
    add(v.f, float(-alpha), v.ap);
    f -= alpha * ap;
    matrix.precondition(v.f, f, v.z, z);
    const double next = dot(v.f, v.z) + f.dot(z);
    if (!(next > enough)) break;
    follow(v.p, float(next / rz), v.z);
    p = z + next / rz * p;
    rz = next;
  }
  if (!e.report().ok()) return k;
  double turn = 0;
  for (Eigen::Index i = 3; i < d.size(); i += 6) turn = std::max(turn, d.segment<3>(i).norm());
  const double step = std::min(1.0, largest_turn / std::max(turn, 1e-300));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += step * Vec3(v.d[i].x, v.d[i].y, v.d[i].z);
  const RodState from = e.scratch.rod;
  advance(from, d, step, e.scratch.rod);
  e.aim();
  return k;
}

}  // namespace pliant::meshless
