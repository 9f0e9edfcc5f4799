// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/sample_fit.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "pliant/base/check.hpp"
#include "pliant/math/direct_solver.hpp"
#include "pliant/methods/geometric/energy.hpp"

namespace pliant::geometric {
namespace {

constexpr double spring_factor = 100;  // springs over the mean diagonal of K
constexpr int most_iterations = 200;
constexpr double small_change = 1e-4;  // of the body's size: the fit is done
constexpr int window = 5;

struct Entry {
  Index row, column;
  double value;
};

/// K + stiff W^T W.
SymmetricMatrix with_springs(const SymmetricMatrix& k, const Gather& w, double stiff) {
  std::vector<Entry> entries;
  for (Index i = 0; i < k.rows(); ++i)
    for (Index n = k.begin[i]; n < k.begin[i + 1]; ++n) entries.push_back({i, k.column[n], k.value[n]});
  for (Index r = 0; r < w.rows(); ++r)
    for (Index a = w.begin[r]; a < w.begin[r + 1]; ++a)
      for (Index b = w.begin[r]; b < w.begin[r + 1]; ++b)
        if (w.column[b] <= w.column[a])
          entries.push_back({w.column[a], w.column[b], stiff * w.weight[a] * w.weight[b]});
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  SymmetricMatrix out;
  Index row = 0;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const bool again =
        e > 0 && entries[e].row == entries[e - 1].row && entries[e].column == entries[e - 1].column;
    if (again) {
      out.value.back() += entries[e].value;
      continue;
    }
    for (; row < entries[e].row; ++row) out.begin.push_back(Index(out.column.size()));
    out.column.push_back(entries[e].column);
    out.value.push_back(entries[e].value);
  }
  for (; row < k.rows(); ++row) out.begin.push_back(Index(out.column.size()));
  return out;
}

double inner(const Points& a, const Points& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].dot(b[i]);
  return sum;
}

/// Anderson acceleration: the last iterates x and their increments f, combined so that the increments cancel
/// best. Not by math/anderson.hpp, which has the newest iterate first: the fits stop at 1e-4 of the size, and in
/// the other order they stop elsewhere (frames of geometric/samples-bar: 3e-8 of the size).
class Mixer {
 public:
  void mix(const Points& x, const Points& f, Points& next) {
    if (x_.size() > window) x_.erase(x_.begin()), f_.erase(f_.begin());
    x_.push_back(x);
    f_.push_back(f);
    const Eigen::Index known = Eigen::Index(x_.size()) - 1;
    Eigen::MatrixXd normal(known, known);
    Eigen::VectorXd right(known);
    for (Eigen::Index r = 0; r < known; ++r) {
      right[r] = inner(f, f) - inner(f_[r], f);
      for (Eigen::Index c = 0; c <= r; ++c)
        normal(r, c) = normal(c, r) = inner(f, f) - inner(f_[r], f) - inner(f, f_[c]) + inner(f_[r], f_[c]);
    }
    Eigen::VectorXd theta = Eigen::VectorXd::Zero(known);
    if (known > 0 && normal.trace() > 0) {
      normal.diagonal().array() += 1e-10 * normal.trace();
      theta = normal.ldlt().solve(right);
    }
    const double last = 1 - theta.sum();
    for (std::size_t i = 0; i < x.size(); ++i) {
      next[i] = last * (x[i] + f[i]);
      for (Eigen::Index j = 0; j < known; ++j) next[i] += theta[j] * (x_[j][i] + f_[j][i]);
    }
  }

 private:
  std::vector<Points> x_, f_;
};

/// The nodes of one sample.
Points fit(const Model& model, const Gather& embedding, double stiff, DirectSolver& solver,
           const Points& surface) {
  const std::size_t n = model.rest.size();
  Points x = model.rest, g(n), change(n), next(n), vertices(surface.size());
  std::vector<Float4> load(n), answer(n);
  Rotations rotations(n, Eigen::Quaterniond::Identity());
  Vec3 low = x[0], high = x[0];
  for (const Vec3& p : x) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const double enough = small_change * (high - low).norm();
  Pool alone(1);
  Mixer mixer;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    update_rotations(model, x, rotations);
    gradient(model, x, rotations, g);
    gather(embedding, x, vertices);
    for (std::size_t v = 0; v < vertices.size(); ++v) vertices[v] = stiff * (vertices[v] - surface[v]);
    scatter_add(embedding, vertices, g);
    for (std::size_t i = 0; i < n; ++i) load[i] = {float(g[i].x()), float(g[i].y()), float(g[i].z()), 0};
    solver.solve(load.data(), answer.data(), alone);
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      change[i] = -Vec3(answer[i].x, answer[i].y, answer[i].z);
      largest = std::max(largest, change[i].norm());
    }
    if (!(largest > enough)) break;
    mixer.mix(x, change, next);
    x.swap(next);
  }
  return x;
}

}  // namespace

Result<std::vector<Points>> fit_samples(const Model& model, const Gather& embedding,
                                        const std::vector<Points>& surfaces) {
  const auto refuse = [](const std::string& found, const std::string& expected) {
    return Error{{}, {{"geometric.reduction.samples", found, expected, ""}}};
  };
  const SymmetricMatrix k = stiffness_matrix(model);
  double diagonal = 0;
  for (Index i = 0; i < k.rows(); ++i) diagonal += k.value[k.begin[i + 1] - 1] / k.rows();
  const double stiff = spring_factor * diagonal;
  DirectSolver solver;
  if (const std::string trouble = solver.factor(with_springs(k, embedding, stiff)).trouble; !trouble.empty())
    return refuse(trouble, "a surface that leads the whole body");
  std::vector<Points> out;
  for (const Points& surface : surfaces) {
    PLIANT_CHECK(Index(surface.size()) == embedding.rows());
    out.push_back(fit(model, embedding, stiff, solver, surface));
    for (const Vec3& p : out.back())
      if (!p.allFinite()) return refuse("a sample without a finite fit", "finite vertices");
  }
  return out;
}

}  // namespace pliant::geometric
