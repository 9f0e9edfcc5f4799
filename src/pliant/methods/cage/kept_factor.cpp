// SPDX-License-Identifier: Apache-2.0
// The solve of a step with frozen normals without a matrix of its own, conjugate
// gradients on
//   A v = (1 + h alpha)(M + eps m/N) v + (h^2 + h beta) K v + h^2 K_holds v
//   K v = sum_q w_q dP_q g^T,  dF = v G,  dP = mu (dF + R dF^T R) + lambda tr(R^T dF) R
// whose product costs 36 N Q operations instead of the 9 N^2 Q of the matrix, with the factor of the matrix
// at rest as preconditioner. That factor is kept while time step, damping and holds are the same; it follows
// from them and the model alone, so that a step is decided by the state as before. In the body's own frame a
// body that only turned is at rest: what costs iterations is how far its parts are turned against each other.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "pliant/math/dense_system.hpp"
#include "pliant/methods/cage/body.hpp"

namespace pliant::cage {
namespace {

constexpr int many_freedoms = 100;  // from where on it is faster (docs/methods/cage.md)
/// As many iterations as cost what the matrix does: that has 9 N^2 Q operations, these have 36 N Q.
int most_iterations(Index vertices) { return std::clamp(int(vertices) / 8, 4, 24); }
template <class T>
constexpr double tolerance =
    std::is_same_v<T, float> ? 1e-5 : 1e-9;  // of the right side, in the factor's norm
// Mean square of the turn of the points against the body, radians: from there on it is not tried.
constexpr double most_turned = 0.5;

template <class T>
double dot(const AlignedVector<T>& a, const AlignedVector<T>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += double(a[k]) * double(b[k]);
  return sum;
}

}  // namespace

/// Contact of what is held asks the factor of the step's own matrix for its answer.
template <class T>
bool Body::iterates(const StepInput& input, const Flight& flight) const {
  if (options_.solver == Solver::direct || (!flight.split && !input.colliders.empty())) return false;
  if (options_.solver == Solver::automatic && 3 * model_.n() < many_freedoms) return false;
  double turned = 0;  // |R - 1|^2 = 2 angle^2 for small angles
  const Look<T>& look = state_.look<T>();
  for (Index q = 0; q < model_.count(); ++q) {
    const PointBatch<T>& batch = look.batches[std::size_t(q / lanes)];
    const double trace =
        double(batch.r[0][q % lanes]) + double(batch.r[4][q % lanes]) + double(batch.r[8][q % lanes]);
    turned += model_.weight[std::size_t(q)] * (3 - trace);
  }
  return turned <= most_turned * most_turned * model_.volume;
}

/// The factor of the matrix at rest, where it is not known already.
template <class T>
bool Body::keep_factor(const StepInput& input, StepReport& report, StageWatch& watch) {
  Work<T>& w = work<T>();
  const double h = input.h, heavy = 1 + h * damping_.mass;
  const std::array<double, 4> key{h, damping_.mass, damping_.stiffness, double(holds_.version())};
  if (!w.kept.empty() && key == w.kept_for) return true;
  Look<T> rest;
  rest.batches.resize(std::size_t(model_.batches()));
  for (PointBatch<T>& batch : rest.batches)
    for (int k = 0; k < 9; ++k) std::fill_n(batch.r[k], lanes, T(k % 4 == 0));
  if (!assemble_frozen(rest, h, *input.pool, watch)) return false;
  report.refactored = true;
  w.kept = w.system;
  w.kept_for = key;
  const Index n = model_.n();
  scalar_ = heavy * model_.mass.topLeftCorner(n, n);
  if (!holds_.empty()) scalar_ += h * h * holds_.stiffness().topLeftCorner(n, n);
  scalar_.diagonal().array() += heavy * fictitious_;
  const AlignedVector<double> blocks = blocked(scalar_);
  w.kept_scalar.assign(blocks.begin(), blocks.end());
  for (AlignedVector<T>* v : {&w.answer, &w.residual, &w.way, &w.image, &w.divided})
    v->assign(w.right.size(), T(0));
  return true;
}

/// image = A v.
template <class T>
void Body::times_system(const AlignedVector<T>& v, double h, Pool& pool) {
  Work<T>& w = work<T>();
  const Index n = model_.n(), rows = model_.rows();
  const CageKernels<T>& kernel = kernels<T>();
  const PointFields<T>& fields = model_.fields<T>();
  const Look<T>& look = state_.look<T>();
  const Material<T> material{T(2 * model_.mu), T(model_.lambda)};
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < 3; ++c) w.z[std::size_t(3 * i + c)] = v[std::size_t(c * n + i)];
  for_blocks(pool, model_.batches(), 4, [&](int begin, int end) {
    kernel.strain(fields.batch(begin, rows), int(rows), int(n), w.z.data(), T(0), end - begin,
                  &w.trial.batches[std::size_t(begin)]);
    for (int b = begin; b < end; ++b)
      kernel.stress_change(&w.trial.batches[std::size_t(b)].a[0][0], &look.batches[std::size_t(b)].r[0][0],
                           fields.weight.data() + std::size_t(b) * lanes, material,
                           w.stress.data() + std::size_t(b) * 9 * lanes);
  });
  const T stiff = T(h * h + h * damping_.stiffness);
  for_blocks(pool, int(n), 32, [&](int begin, int end) {
    kernel.forces(fields.gradient.data(), model_.batches(), long(rows) * 3 * lanes, begin, end - begin,
                  w.stress.data(), w.force.data());
  });
  for (Index b = 0; b * lanes < n; ++b) {
    alignas(64) T product[3 * lanes];
    kernel.gather(w.kept_scalar.data() + std::size_t(b) * std::size_t(n) * lanes, int(n), w.z.data(),
                  product);
    for (Index i = b * lanes; i < std::min(n, (b + 1) * lanes); ++i)
      for (Index c = 0; c < 3; ++c)
        w.image[std::size_t(c * n + i)] =
            product[c * lanes + i % lanes] - stiff * w.force[std::size_t(3 * i + c)];
  }
}

/// The velocities of step 2 in right; false: not solved, and the forces on the vertices are lost.
template <class T>
bool Body::solve_kept(const StepInput& input, const Flight& flight, StepReport& report, StageWatch& watch) {
  Work<T>& w = work<T>();
  const Index n = model_.n();
  const int n3 = 3 * int(n);
  if (!keep_factor<T>(input, report, watch)) return false;
  more_mass_ = 0;
  load_right<T>(input, flight);
  w.divided = w.right;
  solve(n3, w.kept.data(), w.divided.data());
  const double enough = tolerance<T> * tolerance<T> * dot(w.right, w.divided);
  // From the velocities before.
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < 3; ++c) w.answer[std::size_t(c * n + i)] = T(local_(c, i));
  times_system(w.answer, input.h, *input.pool);
  for (std::size_t k = 0; k < w.right.size(); ++k) w.residual[k] = w.right[k] - w.image[k];
  double before = 0;
  for (int iteration = 0; iteration <= most_iterations(n); ++iteration) {
    w.divided = w.residual;
    solve(n3, w.kept.data(), w.divided.data());
    const double now = dot(w.residual, w.divided);
    if (!std::isfinite(now)) return false;
    if (now <= enough) {
      w.right = w.answer;
      report.iterations = std::max(1, iteration);
      return true;
    }
    const T turn = iteration == 0 ? T(0) : T(now / before);
    for (std::size_t k = 0; k < w.way.size(); ++k)
      w.way[k] = w.divided[k] + (iteration == 0 ? T(0) : turn * w.way[k]);
    times_system(w.way, input.h, *input.pool);
    const double bend = dot(w.way, w.image);
    if (!(bend > 0)) return false;
    const T length = T(now / bend);
    for (std::size_t k = 0; k < w.way.size(); ++k) {
      w.answer[k] += length * w.way[k];
      w.residual[k] -= length * w.image[k];
    }
    before = now;
  }
  return false;
}

template bool Body::iterates<float>(const StepInput&, const Flight&) const;
template bool Body::iterates<double>(const StepInput&, const Flight&) const;
template bool Body::solve_kept<float>(const StepInput&, const Flight&, StepReport&, StageWatch&);
template bool Body::solve_kept<double>(const StepInput&, const Flight&, StepReport&, StageWatch&);

}  // namespace pliant::cage
