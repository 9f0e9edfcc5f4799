// SPDX-License-Identifier: Apache-2.0
// A = m M + k K on the free nodes, constant until its coefficients or the held set change: z = A^-1 b by the
// direct solver, or one V-cycle as its stand-in in the conjugate gradients. Soft grabs change A by a few
// rows; they are folded in without factoring again:
//   (A + E C E^T)^-1 (b + E e) = y - Y s,   s = (C^-1 + E^T Y)^-1 (E^T y - C^-1 e),   y = A^-1 b, Y = A^-1 E
// E the unit columns of the grabbed nodes, C their stiffnesses, b zero and e the right-hand side there
// (Woodbury, written so that a stiff spring's own force, as large as it may be, never meets A^-1 and cancels:
// at the grabbed nodes the answer is C^-1 (e + s)). The same formula holds with the V-cycle for A^-1, and
// keeps it symmetric and positive.
#pragma once

#include <cstdint>
#include <optional>

#include "pliant/base/aligned.hpp"
#include "pliant/math/direct_solver.hpp"
#include "pliant/math/graph_multigrid.hpp"
#include "pliant/methods/geometric/arrangement.hpp"
#include "pliant/physics/step.hpp"

namespace pliant::geometric {

class LinearSystem {
 public:
  struct Coefficients {
    double mass = 1, stiffness = 0;
    bool operator==(const Coefficients&) const = default;
  };
  struct Spring {
    Index place = 0;       ///< of a free node
    double stiffness = 0;  ///< > 0, in the units of A
    bool operator==(const Spring&) const = default;
  };

  /// Which solver: `direct` or `multigrid`. The stiffness matrix is only read by the direct one.
  void choose(bool direct) { direct_ = direct; }
  bool direct() const { return direct_; }

  /// New held set (new_pattern) or new coefficients. Returns the trouble, empty when all is well.
  std::string factor(const Model& model, const SymmetricMatrix& stiffness, const Arrangement& arrangement,
                     const Coefficients& coefficients, bool new_pattern);

  /// From now on A includes these springs, each at another place; at most max_grabs. Returns the trouble,
  /// empty when all is well.
  std::string set_springs(std::span<const Spring> springs, Pool& pool);

  /// Counts the changes of A, by a factor or by springs.
  std::uint64_t version() const { return version_; }

  /// z = A^-1 b, or the V-cycle. b and z are different arrays of the free nodes. Returns b . z where it is
  /// known on the way.
  std::optional<double> solve(const float* b, float* z, Pool& pool);

  /// Of every free node the sum of the sizes of its row of A: as a diagonal matrix they bound A.
  std::span<const float> bounds() const { return bounds_; }

  bool sprung() const { return spring_count_ > 0; }

  /// Multiply-adds of the direct factor; 0 of the V-cycle.
  double factor_work() const { return free_ > 0 && direct_ ? factor_.multiply_adds() : 0; }

  /// Entries of the direct factor; 0 of the V-cycle.
  std::size_t factor_entries() const { return free_ > 0 && direct_ ? entries_ : 0; }

  std::size_t bytes_per_solve() const;
  std::size_t working_set() const;  ///< distinct bytes among them
  std::size_t memory_bytes() const;

 private:
  /// The solve without springs.
  std::optional<double> plain_solve(const float* b, float* z, Pool& pool);
  /// Sets up the V-cycle. Returns the trouble, empty when all is well.
  std::string build_multigrid(const Model& model, const Arrangement& arrangement,
                              const Coefficients& coefficients);

  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, max_grabs, max_grabs>;

  bool direct_ = true;
  Index free_ = 0;
  std::size_t entries_ = 0;
  std::uint64_t version_ = 0;
  std::vector<float> bounds_;
  DirectSolver factor_;
  GraphMultigrid cycle_;
  std::array<Spring, max_grabs> springs_{};
  int spring_count_ = 0;
  AlignedVector<float> response_;       // Y: spring_count_ columns of free_ numbers
  AlignedVector<float> load_, answer_;  // scratch of set_springs; of solve
  Small small_inverse_;                 // (C^-1 + E^T Y)^-1
};

}  // namespace pliant::geometric
