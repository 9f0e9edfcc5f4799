// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/rod_coupling.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/methods/meshless/solver.hpp"

namespace pliant::meshless {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

constexpr double largest_turn = std::numbers::pi / 6;  // of a node of the rod in a Newton step
constexpr int most_shifts = 40;
constexpr double least_stiffness = 1e-6;  // of the flesh in the preconditioner, share of the hold

constexpr const char* no_descent =
    "the linear solve of flesh and rod finds no descent: forces, grabs or targets are beyond what numbers "
    "can hold, "
    "or the rod is too stiff beside its flesh";

/// Flags of the freedoms that the keys hold.
void find_held(const Rig& rig, double t, RodWork& work) {
  work.held.assign(std::size_t(6 * rig.samples()), 0);
  rod_holds(rig.bones(), t, work.joints, work.holds);
  for (const RodHold& hold : work.holds) {
    if (hold.x) std::fill_n(work.held.begin() + 6 * hold.node, 3, char(1));
    if (hold.rotation) std::fill_n(work.held.begin() + 6 * hold.node + 3, 3, char(1));
  }
}

Mat3 cross_matrix(const Vec3& a) {
  Mat3 out;
  out << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return out;
}

/// R a of the rows: with b = R a a row has J = [I  -[b]x], because a turn w moves it by w x b.
void find_levers(const Rig& rig, const RodState& rod, Points& lever) {
  lever.resize(std::size_t(rig.rows().rows()));
  for (Index r = 0; r < rig.rows().rows(); ++r)
    lever[std::size_t(r)] = rod.rotation[std::size_t(rig.rod_node(r))] * rig.arm(r);
}

/// out += J^T f.
void add_pull(const Vec3& lever, const Vec3& f, Eigen::Ref<Eigen::Matrix<double, 6, 1>> out) {
  out.head<3>() += f;
  out.tail<3>() += lever.cross(f);
}

/// J p.
Vec3 moved(const Vec3& lever, const Eigen::Matrix<double, 6, 1>& p) {
  return p.head<3>() + p.tail<3>().cross(lever);
}

/// to += sum over rows r of node s and q of node t of g J_r^T J_q, from the sums of g (1, b_r) (1, b_q)^T:
/// [b_r]x^T [b_q]x = (b_r . b_q) I - b_q b_r^T.
void add_block(const Eigen::Matrix4d& sums, Eigen::Ref<Eigen::Matrix<double, 6, 6>> to) {
  const Mat3 d = sums.bottomRightCorner<3, 3>();
  to.topLeftCorner<3, 3>() += sums(0, 0) * Mat3::Identity();
  to.topRightCorner<3, 3>() -= cross_matrix(sums.topRightCorner<1, 3>().transpose());
  to.bottomLeftCorner<3, 3>() += cross_matrix(sums.bottomLeftCorner<3, 1>());
  to.bottomRightCorner<3, 3>() += d.trace() * Mat3::Identity() - d.transpose();
}

/// hold - hold^2 rows S^-1 rows^T: how stiff the flesh is where the rod holds it, made once for each factor of
/// S. Its digits are those of S^-1: a breath of the hold on the diagonal makes up for what rounding makes
/// negative.
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
  g = (-0.5 * hold * hold * (g + g.transpose())).eval();
  g.diagonal().array() += hold;
  double shift = least_stiffness * hold, given = 0;
  for (int k = 0; k < most_shifts; ++k, shift *= 4) {
    g.diagonal().array() += shift - given;
    given = shift;
    if (Eigen::LLT<MatrixXd>(g).info() == Eigen::Success) break;
  }
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

/// to += hold J^T J.
void add_holds(const Rig& rig, double hold, const Points& lever, MatrixXd& to) {
  for (std::size_t r = 0; r < lever.size(); ++r) {
    const Eigen::Index at = 6 * Eigen::Index(rig.rod_node(Index(r)));
    Eigen::Vector4d one(1, 0, 0, 0);
    one.tail<3>() = lever[r];
    add_block(hold * one * one.transpose(), to.block<6, 6>(at, at));
  }
}

/// to += J^T g J: first the sums over the rows of every node, then over the columns.
void add_response(const Rig& rig, const MatrixXd& g, RodWork& work, MatrixXd& to) {
  const Eigen::Index nodes = rig.samples();
  MatrixXd& sums = work.sums;
  work.blocks.setZero(4 * nodes, 4 * nodes);
  sums.resize(4 * nodes, 1);
  const auto node = [&](std::size_t row) { return Eigen::Index(rig.rod_node(Index(row))); };
  for (std::size_t q = 0; q < work.lever.size(); ++q) {
    sums.setZero();
    for (std::size_t r = 0; r < work.lever.size(); ++r) {
      const double value = g(Eigen::Index(r), Eigen::Index(q));
      double* at = sums.data() + 4 * node(r);
      at[0] += value;
      for (int c = 0; c < 3; ++c) at[1 + c] += value * work.lever[r][c];
    }
    work.blocks.col(4 * node(q)) += sums;
    for (int c = 0; c < 3; ++c) work.blocks.col(4 * node(q) + 1 + c) += work.lever[q][c] * sums;
  }
  for (Eigen::Index s = 0; s < nodes; ++s)
    for (Eigen::Index t = 0; t < nodes; ++t)
      add_block(work.blocks.block<4, 4>(4 * s, 4 * t), to.block<6, 6>(6 * s, 6 * t));
}

void keep_free(const std::vector<char>& held, MatrixXd& m) {
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    if (held[std::size_t(i)]) m.row(i).setZero(), m.col(i).setZero(), m(i, i) = 1;
}

/// The factor of m; where it is not definite its diagonal grows by shares of `scale`.
bool factor_shifted(MatrixXd& m, const VectorXd& scale, Eigen::LLT<MatrixXd>& out) {
  double shift = 0;
  for (int k = 0; k < most_shifts; ++k) {
    out.compute(m);
    if (out.info() == Eigen::Success) return true;
    const double next = shift > 0 ? 4 * shift : 1e-8;
    m.diagonal() += (next - shift) * scale;
    shift = next;
  }
  return false;
}

/// The matrix and the preconditioner of one Newton step.
class Coupled {
 public:
  explicit Coupled(Equation& e) : e_(e), w_(e.scratch.rod_work), hold_(e.hold_stiffness()) {
    e.rig.rod()->hessian(e.scratch.rod, w_.rod);
    w_.schur = w_.rod;
    add_holds(e.rig, hold_, w_.lever, w_.rod);
    add_response(e.rig, response(e), w_, w_.schur);
    keep_free(w_.held, w_.schur);
    // A rod under compression may be unstable by itself: stiffened until the step is a descent.
    w_.pulled = w_.rod.diagonal().cwiseAbs();
    double shift = 0;
    for (int k = 0; k < most_shifts; ++k) {
      w_.shifted = w_.schur;
      w_.shifted.diagonal() += shift * w_.pulled;
      w_.factor.compute(w_.shifted);
      if (ok()) break;
      shift = shift > 0 ? 4 * shift : 1e-8;
    }
    w_.rod.diagonal() += shift * w_.pulled;
    keep_free(w_.held, w_.rod);
  }

  bool ok() const { return w_.factor.info() == Eigen::Success; }

  void apply(const AlignedVector<Float4>& z, const VectorXd& p, AlignedVector<Float4>& y, VectorXd& q) {
    e_.apply(z.data(), y.data());
    scatter(p, -hold_, y);
    pull(z);
    q.noalias() = w_.rod * p;
    q -= hold_ * w_.pulled;
  }

  void precondition(const AlignedVector<Float4>& r, const VectorXd& s, AlignedVector<Float4>& z,
                    VectorXd& p) {
    e_.precondition(r.data(), z.data());
    pull(z);
    p = s + hold_ * w_.pulled;
    w_.factor.solveInPlace(p);
    w_.b.assign(r.begin(), r.end());
    scatter(p, hold_, w_.b);
    e_.precondition(w_.b.data(), z.data());
  }

 private:
  Eigen::Index node(std::size_t row) const { return e_.rig.rod_node(Index(row)); }
  /// pulled = J^T rows z, without what is held.
  void pull(const AlignedVector<Float4>& z) {
    field(e_.rig.rows(), z, w_.at_rows);
    w_.pulled.setZero(w_.rod.rows());
    for (std::size_t r = 0; r < w_.lever.size(); ++r)
      add_pull(w_.lever[r], w_.at_rows[r], w_.pulled.segment<6>(6 * node(r)));
    for (Eigen::Index i = 0; i < w_.pulled.size(); ++i)
      if (w_.held[std::size_t(i)]) w_.pulled[i] = 0;
  }
  /// y += factor rows^T J p.
  void scatter(const VectorXd& p, double factor, AlignedVector<Float4>& y) const {
    const Gather& rows = e_.rig.rows();
    for (std::size_t r = 0; r < w_.lever.size(); ++r) {
      const Vec3 move = factor * moved(w_.lever[r], p.segment<6>(6 * node(r)));
      for (Index k = rows.begin[r]; k < rows.begin[r + 1]; ++k) {
        Float4& out = y[std::size_t(rows.column[std::size_t(k)])];
        const double w = rows.weight[std::size_t(k)];
        out.x += float(w * move.x()), out.y += float(w * move.y()), out.z += float(w * move.z());
      }
    }
  }

  Equation& e_;
  RodWork& w_;
  double hold_;
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

/// The right side of the rod, with what the flesh at x pulls. work: its levers and flags are those of the rod.
void rod_forces(const Equation& e, const Points& x, RodWork& work, VectorXd& out) {
  e.rig.rod()->gradient(e.scratch.rod, out);
  out = -out;
  field(e.rig.rows(), x, work.at_rows);
  for (std::size_t r = 0; r < work.lever.size(); ++r)
    add_pull(work.lever[r], e.hold_stiffness() * (work.at_rows[r] - e.scratch.targets[r]),
             out.segment<6>(6 * e.rig.rod_node(Index(r))));
  for (Eigen::Index i = 0; i < out.size(); ++i)
    if (work.held[std::size_t(i)]) out[i] = 0;
}

void find_holds(const Equation& e, RodWork& work) {
  find_held(e.rig, e.input().time, work);
  find_levers(e.rig, e.scratch.rod, work.lever);
}

}  // namespace

void lead_rod(const Rig& rig, double t, RodWork& work, RodState& rod) {
  rod_holds(rig.bones(), t, work.joints, work.holds);
  for (const RodHold& hold : work.holds) {
    const std::size_t i = std::size_t(hold.node);
    if (hold.x) rod.x[i] = *hold.x;
    if (hold.rotation) rod.rotation[i] = *hold.rotation;
  }
}

double rod_residual(const Equation& e, const Points& x) {
  RodWork& work = e.scratch.rod_work;
  find_holds(e, work);
  VectorXd& f = work.f;
  rod_forces(e, x, work, f);
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
  RodWork& work = e.scratch.rod_work;
  find_holds(e, work);
  Coupled matrix(e);
  if (!matrix.ok()) {
    e.report().trouble = "the rod's matrix has no factor: take a softer rod, a thinner one or smaller steps";
    return 0;
  }
  SolverVectors& v = e.scratch.solver;
  std::fill(v.d.begin(), v.d.end(), Float4{});
  for (std::size_t i = 0; i < r.size(); ++i) v.f[i] = {float(r[i].x()), float(r[i].y()), float(r[i].z()), 0};
  VectorXd &f = work.f, &d = work.d, &z = work.z, &p = work.p, &ap = work.ap;
  rod_forces(e, x, work, f);
  d.setZero(f.size());
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
  work.from = e.scratch.rod;
  advance(work.from, d, step, e.scratch.rod);
  e.aim();
  return k;
}

// ---- beside others ----

void YieldingRod::settle(Equation& e, const Points& x) {
  constexpr int most = 20;
  constexpr double enough = 1e-9;  // of the spacing: what the holds lack
  RodWork& work = e.scratch.rod_work;
  rig_ = &e.rig;
  hold_ = e.hold_stiffness();
  for (int k = 0;; ++k) {
    find_holds(e, work);
    rig_->rod()->hessian(e.scratch.rod, stiff_);
    add_holds(*rig_, hold_, work.lever, stiff_);
    scale_ = stiff_.diagonal().cwiseAbs();
    keep_free(work.held, stiff_);
    factor_shifted(stiff_, scale_, settled_);
    e.aim();
    rod_forces(e, x, work, work.f);
    work.d = settled_.solve(work.f);
    double turn = 0, way = 0;
    for (Eigen::Index i = 0; i < work.d.size(); i += 6) {
      way = std::max(way, work.d.segment<3>(i).norm());
      turn = std::max(turn, work.d.segment<3>(i + 3).norm());
    }
    if (k == most || !std::isfinite(way + turn) ||
        std::max(way, turn * e.model.spacing) < enough * e.model.spacing)
      break;
    work.from = e.scratch.rod;
    advance(work.from, work.d, std::min(1.0, largest_turn / std::max(turn, 1e-300)), e.scratch.rod);
  }
  lever_ = work.lever;
  held_ = work.held;
}

void YieldingRod::prepare(Equation& e, const MatrixXd& given, double share) {
  RodWork& work = e.scratch.rod_work;
  work.lever = lever_;
  schur_.setZero(stiff_.rows(), stiff_.cols());
  add_response(*rig_, given, work, schur_);
  schur_ = (stiff_ / share - hold_ * hold_ * schur_).eval();
  scale_ /= share;
  keep_free(held_, schur_);
  factor_shifted(schur_, scale_, yielding_);
}

void YieldingRod::pull(std::span<const Vec3> z, VectorXd& out) {
  field(rig_->rows(), z, at_rows_);
  out.setZero(stiff_.rows());
  for (std::size_t r = 0; r < lever_.size(); ++r)
    add_pull(lever_[r], hold_ * at_rows_[r], out.segment<6>(6 * rig_->rod_node(Index(r))));
  for (Eigen::Index i = 0; i < out.size(); ++i)
    if (held_[std::size_t(i)]) out[i] = 0;
}

void YieldingRod::push(const VectorXd& p, std::span<Vec3> f) const {
  const Gather& rows = rig_->rows();
  for (std::size_t r = 0; r < lever_.size(); ++r) {
    const Vec3 move = hold_ * moved(lever_[r], p.segment<6>(6 * rig_->rod_node(Index(r))));
    for (Index k = rows.begin[r]; k < rows.begin[r + 1]; ++k)
      f[std::size_t(rows.column[std::size_t(k)])] += rows.weight[std::size_t(k)] * move;
  }
}

void YieldingRod::soften(std::span<const Vec3> z, std::span<Vec3> forces) {
  pull(z, given_);
  settled_.solveInPlace(given_);
  given_ = -given_;
  push(given_, forces);
}

}  // namespace pliant::meshless
