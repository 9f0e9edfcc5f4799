// SPDX-License-Identifier: Apache-2.0
// Constraints between the nodes of any graph: a node gathers from its own edges.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/methods/metric/cell_volume.hpp"
#include "pliant/methods/metric/operator.hpp"
#include "pliant/methods/metric/stencil_kernels.hpp"

namespace pliant::metric {
namespace {

int padded(Index nodes) { return (nodes + stencil_block - 1) / stencil_block * stencil_block; }

class GraphOperator final : public Operator {
 public:
  GraphOperator(const Model& model, Integrator integrator)
      : Operator(model, padded(model.nodes())), weights_(model.edges.size(), 0.0f) {
    if (integrator == Integrator::accurate) {
      stretch_.assign(model.edges.size(), 0.0f);
      at_.assign(3 * std::size_t(points_), 0.0f);
    }
    std::vector<NodeGraph::Edge> edges;
    for (const EdgeConstraint& e : model.edges) edges.push_back({e.a, e.b, 0});
    around_ = adjacency(model.nodes(), edges);
    own_places_.resize(model.rest.size());
    std::iota(own_places_.begin(), own_places_.end(), Index(0));
    places_ = own_places_;
    find_cell_edges();
  }

  double apply(const float* in, float* out, Pool& pool) const override {
    const std::size_t n = std::size_t(points_);
    const float *x_in = in, *y_in = in + n, *z_in = in + 2 * n;
    return sum(pool, [&](int begin, int end) {
      double total = 0;
      for (Index i = begin; i < std::min(end, int(model_.nodes())); ++i) {
        const float px = x_in[i], py = y_in[i], pz = z_in[i];
        float ox = mass[i] * px, oy = mass[i] * py, oz = mass[i] * pz;
        for (Index k = around_.begin[i]; k < around_.begin[i + 1]; ++k) {
          const Index j = around_.target[k], e = around_.edge[k];
          const float ux = px - x_in[j], uy = py - y_in[j], uz = pz - z_in[j];
          ox += weights_[e] * ux, oy += weights_[e] * uy, oz += weights_[e] * uz;
          if (stretch_.empty()) continue;
          const float dx = at_[i] - at_[j], dy = at_[n + i] - at_[n + j],
                      dz = at_[2 * n + i] - at_[2 * n + j];
          const float t = stretch_[e] * (dx * ux + dy * uy + dz * uz);
          ox += t * dx, oy += t * dy, oz += t * dz;
        }
        out[i] = ox * free[i], out[n + i] = oy * free[i], out[2 * n + i] = oz * free[i];
        total += double(px * out[i] + py * out[n + i] + pz * out[2 * n + i]);
      }
      return total;
    });
  }

  double invert_diagonal(std::span<Floats> out, Pool& pool) override {
    const std::size_t n = std::size_t(points_);
    sweep(pool, [&](int begin, int end) {
      for (Index i = begin; i < std::min(end, int(model_.nodes())); ++i) {
        float d = mass[i];
        Mat3 m = Mat3::Zero();
        for (Index k = around_.begin[i]; k < around_.begin[i + 1]; ++k) {
          const Index j = around_.target[k], e = around_.edge[k];
          d += weights_[e];
          if (stretch_.empty()) continue;
          const Vec3 r(at_[i] - at_[j], at_[n + i] - at_[n + j], at_[2 * n + i] - at_[2 * n + j]);
          m += double(stretch_[e]) * r * r.transpose();
        }
        if (!blocks()) {
          out[0][i] = d > 0 ? free[i] / d : 0;
          continue;
        }
        m.diagonal().array() += double(d);
        const Mat3 inverse = d > 0 ? Mat3(double(free[i]) * m.inverse()) : Mat3(Mat3::Zero());
        constexpr int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
        for (int k = 0; k < 6; ++k) out[k][i] = float(inverse(row[k], column[k]));
      }
    });
    return 0;
  }

  std::size_t matrix_bytes() const override {
    return 8 * around_.target.size() + 4 * (weights_.size() + stretch_.size() + at_.size()) +
           8 * std::size_t(points_);
  }

 protected:
  void evaluate_constraints(const double* metrics, Pool& pool) override {
    const std::size_t n = std::size_t(points_);
    const Integrator integrator = form_.integrator;
    const double kappa = integrator == Integrator::stable ? form_.kappa : 0;
    const auto strain_of = [&](Index e, const Vec3& d) {
      return d.squaredNorm() * model_.edges[e].inverse_h2 - (metrics ? metrics[e] : 1);
    };
    const auto alpha_of = [&](Index e, double s) {
      const EdgeConstraint& c = model_.edges[e];
      return form_.factor * c.eta * (c.squared ? s * std::abs(s) : s);
    };
    const auto at = [&](Index i) { return Vec3(x[i], x[n + i], x[2 * n + i]); };
    if (!at_.empty())
      for (std::size_t c = 0; c < 3; ++c)
        for (Index i = 0; i < model_.nodes(); ++i) at_[c * n + i] = float(x[c * n + i] - x[c * n]);
    for_blocks(pool, int(model_.edges.size()), block, [&](int begin, int end) {
      for (Index e = begin; e < end; ++e) {
        const EdgeConstraint& c = model_.edges[e];
        const double s = strain_of(e, at(c.b) - at(c.a)), alpha = alpha_of(e, s), eta = form_.factor * c.eta;
        const double kept = integrator == Integrator::paper ? alpha : std::max(alpha, 0.0);
        weights_[e] = float(form_.scale * c.inverse_h2 * (kept + (c.squared ? 1 : 2) * kappa * eta));
        const double stretch = c.squared ? 4 * std::abs(s) * eta : 2 * eta;
        if (!stretch_.empty()) stretch_[e] = float(form_.scale * c.inverse_h2 * c.inverse_h2 * stretch);
      }
    });
    sweep(pool, [&](int begin, int end) {
      for (Index i = begin; i < std::min(end, int(model_.nodes())); ++i) {
        Vec3 f = Vec3::Zero();
        const Vec3 here = at(i);
        for (Index k = around_.begin[i]; k < around_.begin[i + 1]; ++k) {
          const Vec3 d = at(around_.target[k]) - here;
          const Index e = around_.edge[k];
          f += alpha_of(e, strain_of(e, d)) * model_.edges[e].inverse_h2 * d;
        }
        for (int c = 0; c < 3; ++c) force[std::size_t(c) * n + i] = f[c];
      }
    });
  }

  bool measure_cells(Pool& pool) override {
    const std::size_t n = std::size_t(points_);
    for_blocks(pool, int(ratios_.size()), block, [&](int begin, int end) {
      std::array<Vec3, 8> corner;
      for (int k = begin; k < end; ++k) {
        for (int c = 0; c < 8; ++c) {
          const Index i = model_.cells[k][c];
          corner[c] = Vec3(x[i], x[n + i], x[2 * n + i]);
        }
        ratios_[k] = float(signed_volume({0, 1, 2, 3, 4, 5, 6, 7}, corner) / model_.cell_volume[k]);
      }
    });
    return true;
  }

  void stiffen_cell(std::size_t cell, float weight) override {
    for (const Index e : cell_edges_[cell])
      if (e >= 0) weights_[e] += weight;
  }

 private:
  void find_cell_edges() {
    if (model_.orientation <= 0) return;
    for (const auto& cell : model_.cells) {
      std::array<Index, 12> edges;
      int count = 0;
      for (int axis = 0; axis < 3; ++axis)
        for (int c = 0; c < 8; ++c)
          if ((c >> axis & 1) == 0) edges[count++] = edge_between(cell[c], cell[c | 1 << axis]);
      cell_edges_.push_back(edges);
    }
  }
  Index edge_between(Index a, Index b) const {
    const auto from = around_.target.begin() + around_.begin[a],
               to = around_.target.begin() + around_.begin[a + 1];
    const auto at = std::lower_bound(from, to, b);
    return at != to && *at == b ? around_.edge[at - around_.target.begin()] : -1;
  }

  Adjacency around_;
  std::vector<Index> own_places_;
  Floats weights_, stretch_, at_;
  std::vector<std::array<Index, 12>> cell_edges_;
};

}  // namespace

std::unique_ptr<Operator> make_graph_operator(const Model& model, Integrator integrator) {
  return std::make_unique<GraphOperator>(model, integrator);
}

}  // namespace pliant::metric
