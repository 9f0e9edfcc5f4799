// SPDX-License-Identifier: Apache-2.0
// Anderson acceleration of a fixed-point iteration D <- F(D): the last iterates are combined so that their
// increments f = F(D) - D cancel best,
//   theta = argmin |f_k - sum_j theta_j (f_k - f_j)|^2,   D <- F_k - sum_j theta_j (F_k - F_j)
// The caller keeps the iterates and increments in window + 1 slots; this class knows their products only.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>

namespace pliant {

template <int window>
class Anderson {
 public:
  static constexpr int slots = window + 1;

  /// regularisation: added to the diagonal of the normal equations, share of their trace.
  explicit Anderson(double regularisation = 1e-10) : regularisation_(regularisation) {}

  /// Begins the next iteration. Returns the slot that its iterate and increment go to.
  int next() {
    now_ = count_ % slots;
    known_ = std::min(count_ - first_, window);
    ++count_;
    return now_;
  }
  /// The iterates before the present one do not count any more.
  void forget_earlier() {
    first_ = count_ - 1;
    known_ = 0;
  }
  /// How many earlier iterates are combined with the present one.
  int known() const { return known_; }
  /// The slot of the iterate `back` iterations ago.
  int slot(int back) const { return (now_ - back + slots) % slots; }

  /// Finds the shares, when the increment is in its slot. dot(a, b): the product of the increments in two
  /// slots.
  template <class Dot>
  void weigh(const Dot& dot) {
    for (int j = 0; j <= known_; ++j) gram_(now_, slot(j)) = gram_(slot(j), now_) = dot(now_, slot(j));
    weigh_differences(
        [&](int a) { return gram_(now_, now_) - gram_(a, now_); },
        [&](int a, int b) { return gram_(now_, now_) - gram_(a, now_) - gram_(now_, b) + gram_(a, b); });
  }
  /// The same from products of differences, which lose nothing where increments are nearly equal:
  /// right(a) = f_k . (f_k - f_a) and product(a, b) = (f_k - f_a) . (f_k - f_b) of slots a and b. False: there are no
  /// shares, because the increments tell nothing apart or are not finite.
  template <class Right, class Product>
  bool weigh_differences(const Right& right, const Product& product) {
    theta_ = Few::Zero(known_);
    if (known_ == 0) return false;
    Small normal = Small::Zero(known_, known_);
    Few load(known_);
    double trace = 0;
    for (int r = 0; r < known_; ++r) {
      load[r] = right(slot(r + 1));
      for (int c = 0; c <= r; ++c) normal(r, c) = normal(c, r) = product(slot(r + 1), slot(c + 1));
      trace += normal(r, r);
    }
    if (!(trace > 0)) return false;
    normal.diagonal().array() += regularisation_ * trace;
    theta_ = normal.ldlt().solve(load);
    return theta_.allFinite();
  }
  /// theta of the iterate `back` iterations ago, from 1 on.
  double theta(int back) const { return theta_[back - 1]; }
  /// The share of F(D) of `back` iterations ago in the next D. The shares sum to 1.
  double share(int back) const { return back == 0 ? 1 - theta_.sum() : theta(back); }

 private:
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, window, window>;
  using Few = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, window, 1>;

  double regularisation_;
  int count_ = 0, first_ = 0, now_ = 0, known_ = 0;
  Eigen::Matrix<double, slots, slots> gram_;
  Few theta_;
};

}  // namespace pliant
