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

  /// Begins the next iteration. Returns the slot that its iterate and increment go to.
  int next() {
    now_ = count_ % slots;
    known_ = std::min(count_, window);
    ++count_;
    return now_;
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
    theta_ = Few::Zero(known_);
    if (known_ == 0) return;
    Small normal = Small::Zero(known_, known_);
    Few right = Few::Zero(known_);
    for (int r = 0; r < known_; ++r) {
      const int a = slot(r + 1);
      right[r] = gram_(now_, now_) - gram_(a, now_);
      for (int c = 0; c < known_; ++c) {
        const int b = slot(c + 1);
        normal(r, c) = gram_(now_, now_) - gram_(a, now_) - gram_(now_, b) + gram_(a, b);
      }
    }
    const double trace = normal.trace();
    if (!(trace > 0)) return;
    normal.diagonal().array() += 1e-10 * trace;
    theta_ = normal.ldlt().solve(right);
  }
  /// The share of F(D) of `back` iterations ago in the next D. The shares sum to 1.
  double share(int back) const { return back == 0 ? 1 - theta_.sum() : theta_[back - 1]; }

 private:
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, window, window>;
  using Few = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, window, 1>;

  int count_ = 0, now_ = 0, known_ = 0;
  Eigen::Matrix<double, slots, slots> gram_;
  Few theta_;
};

}  // namespace pliant
