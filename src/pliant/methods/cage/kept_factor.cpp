// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/kept_factor.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "pliant/math/dense_system.hpp"
#include "pliant/methods/cage/equation.hpp"

namespace pliant::cage {
namespace {

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

template <class T>
bool rests_nearly(const Model& model, const Look<T>& look) {
  double turned = 0;  // |R - 1|^2 = 2 angle^2 for small angles
  for (Index q = 0; q < model.count(); ++q) {
    const PointBatch<T>& batch = look.batches[std::size_t(q / lanes)];
    const double trace =
        double(batch.r[0][q % lanes]) + double(batch.r[4][q % lanes]) + double(batch.r[8][q % lanes]);
    turned += model.weight[std::size_t(q)] * (3 - trace);
  }
  return turned <= most_turned * most_turned * model.volume;
}

template <class T>
bool KeptFactor<T>::make(Equation<T>& equation, const StepContext<Damping>& step) {
  const Damping& damping = step.scheme;
  const std::array<double, 4> key{step.input.h, damping.mass, damping.stiffness,
                                  double(equation.holds().version())};
  if (!factor_.empty() && key == key_) return true;
  Look<T> rest;
  set_rest(equation.model().batches(), rest);
  const FrozenWeights weights(step.input.h, damping);
  if (!equation.factor_frozen(rest, weights, step.pool, step.watch)) return false;
  step.report.refactored = true;
  factor_ = equation.work().system;
  key_ = key;
  stiff_ = weights.stiff;
  scalar_ = equation.frozen_scalar(weights);
  for (AlignedVector<T>* v : {&answer_, &residual_, &way_, &image_, &divided_})
    v->assign(equation.work().right.size(), T(0));
  return true;
}

template <class T>
std::optional<int> KeptFactor<T>::solve(Equation<T>& equation, const Look<T>& look, const Columns& start,
                                        AlignedVector<T>& right, Pool& pool) {
  const Index n = equation.model().n();
  const int n3 = 3 * int(n);
  const auto divide = [&](const AlignedVector<T>& by) {  // divided = (A at rest)^-1 by
    divided_ = by;
    pliant::solve(n3, factor_.data(), divided_.data());
  };
  const auto multiply = [&](const AlignedVector<T>& v) {  // image = A v
    equation.times_frozen(look, stiff_, scalar_, v, image_, pool);
  };
  divide(right);
  const double enough = tolerance<T> * tolerance<T> * dot(right, divided_);
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < 3; ++c) answer_[std::size_t(c * n + i)] = T(start(c, i));
  multiply(answer_);
  for (std::size_t k = 0; k < right.size(); ++k) residual_[k] = right[k] - image_[k];
  double before = 0;
  for (int iteration = 0; iteration <= most_iterations(n); ++iteration) {
    divide(residual_);
    const double now = dot(residual_, divided_);
    if (!std::isfinite(now)) return std::nullopt;
    if (now <= enough) {
      right = answer_;
      return std::max(1, iteration);
    }
    const T turn = iteration == 0 ? T(0) : T(now / before);
    for (std::size_t k = 0; k < way_.size(); ++k)
      way_[k] = divided_[k] + (iteration == 0 ? T(0) : turn * way_[k]);
    multiply(way_);
    const double bend = dot(way_, image_);
    if (!(bend > 0)) return std::nullopt;
    const T length = T(now / bend);
    for (std::size_t k = 0; k < way_.size(); ++k) {
      answer_[k] += length * way_[k];
      residual_[k] -= length * image_[k];
    }
    before = now;
  }
  return std::nullopt;
}

template class KeptFactor<float>;
template class KeptFactor<double>;
template bool rests_nearly(const Model&, const Look<float>&);
template bool rests_nearly(const Model&, const Look<double>&);

}  // namespace pliant::cage
