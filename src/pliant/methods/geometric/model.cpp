// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/geometric/sheet/energy.hpp"

namespace pliant::geometric {
namespace {

// A star of nodes that is thinner than this about an axis (square of an angle's lever, relative) does not say
// how it turns about that axis.
constexpr double collinear = 1e-5;
// A star with a larger ratio of the eigenvalues of B is flat: it has no volume to keep.
constexpr double flat = 1e4;
// B^-1 in single precision is off by its ratio of eigenvalues times the rounding: flatter stars have no relief.
constexpr double least_round = 1e-3;  // det(B) over the cube of the mean eigenvalue; 1 when all are equal

Error refuse(std::string found, std::string expected, std::string hint) {
  return Error{{}, {{"geometric", std::move(found), std::move(expected), std::move(hint)}}};
}

/// J = (tr(A) I - A)^-1, A = sum over the rows of node i of weight d d^T; the axis of a collinear star gets
/// 0.
Mat3 inverse_inertia(const Mat3& a) {
  const Mat3 inertia = a.trace() * Mat3::Identity() - a;
  // No eigenvalue is near zero: no need to find them.
  const double mean = inertia.trace() / 3;
  if (inertia.determinant() > 0.01 * mean * mean * mean) return inertia.inverse();
  return pseudo_inverse(inertia, collinear);
}

/// B^-1 by its trace, and the trace; nothing for flat stars.
void set_shape(const Mat3& b, Star& star) {
  const double mean = b.trace() / 3;
  if (!(b.determinant() > 0.01 * mean * mean * mean)) {
    const Vec3 values = eigenvalues(b);
    if (!(values[2] < flat * values[0])) return;
  }
  const Mat3 inverse = b.inverse();
  star.compliance = inverse.trace();
  star.shape = inverse / star.compliance;
}

bool is_round(const Mat3& b) { return b.determinant() > least_round * std::pow(b.trace() / 3, 3); }

std::string trouble(const Rows& rows) {
  for (std::size_t i = 0; i < rows.rest.size(); ++i) {
    if (!rows.rest[i].allFinite()) return fmt::format("node {} has no finite rest position", i);
    if (!(rows.mass[i] > 0) || !std::isfinite(rows.mass[i]))
      return fmt::format("node {} has mass {} kg", i, rows.mass[i]);
  }
  for (std::size_t k = 0; k < rows.edges.size(); ++k) {
    const auto& e = rows.edges[k];
    if (!(rows.edge_weight[k] >= 0) || !std::isfinite(rows.edge_weight[k]))
      return fmt::format("the edge of nodes {} and {} has weight {} N/m", e.a, e.b, rows.edge_weight[k]);
    if (!((rows.rest[e.a] - rows.rest[e.b]).norm() > 0))
      return fmt::format("nodes {} and {} are joined and rest at the same place", e.a, e.b);
  }
  const auto bad = [](double v) { return !(v >= 0) || !std::isfinite(v); };
  for (const auto* numbers : {&rows.laplacian_share, &rows.laplacian_scale})
    if (const auto at = std::find_if(numbers->begin(), numbers->end(), bad); at != numbers->end())
      return fmt::format("{} {} has a share of {} in the Laplacian rows",
                         numbers == &rows.laplacian_share ? "edge" : "node", at - numbers->begin(), *at);
  return {};
}

/// c and s of the Laplacian rows, as given or uniform.
void set_laplacian(Rows& rows, Model& model) {
  if (!model.has_laplacian()) return;
  model.laplacian_share = std::move(rows.laplacian_share);
  model.laplacian_scale = std::move(rows.laplacian_scale);
  if (model.laplacian_share.empty()) model.laplacian_share.assign(model.edges.size(), 1);
  if (!model.laplacian_scale.empty()) return;
  model.laplacian_scale.assign(model.rest.size(), 0);
  for (std::size_t k = 0; k < model.edges.size(); ++k)
    for (const Index i : {model.edges[k].a, model.edges[k].b})
      model.laplacian_scale[i] += model.laplacian_share[k];
  for (double& s : model.laplacian_scale) s = s > 0 ? 1 / s : 0;
}

/// max_i K_ii / (12 m_i)
double stiffness_ratio_of(const SheetElements& sheet, const std::vector<double>& mass) {
  std::vector<double> diagonal(mass.size(), 0);
  for (Index i = 0; i < sheet.count(); ++i) {
    const SheetElements::View e = sheet[i];
    for (Index k = 0; k < e.rows(); ++k)
      for (Index v = 0; v < e.members(); ++v) diagonal[e.node[v]] += e.at(k, v) * e.at(k, v);
  }
  double most = 0;
  for (std::size_t i = 0; i < mass.size(); ++i) most = std::max(most, diagonal[i] / (12 * mass[i]));
  return most;
}

}  // namespace

double covariance_weight(const Model& model, Index edge, Index j) {
  return model.covariance == Covariance::consistent ? model.edge_weight[edge] : model.mass[j] * model.mass[j];
}

namespace {

/// B of the rest vectors as built.
Mat3 star_moment(const Model& model, Index i) {
  Mat3 b = Mat3::Zero();
  for (Index k = model.adjacency.begin[i]; k < model.adjacency.begin[i + 1]; ++k) {
    const Vec3 r = model.rest_vector(i, k, {});
    b += model.edge_weight[model.adjacency.edge[k]] * r * r.transpose();
  }
  return b;
}

}  // namespace

Mat3 inverse_moment(const Mat3& b) {
  return is_round(b) ? Mat3(b.inverse()) : pseudo_inverse(b, least_round);
}

Star star_of(const Model& model, Index i, RestVectors d) {
  Vec3 sum = Vec3::Zero();
  Mat3 b = Mat3::Zero(), relieved = b;
  for (Index k = model.adjacency.begin[i]; k < model.adjacency.begin[i + 1]; ++k) {
    const Index edge = model.adjacency.edge[k];
    const double weight = model.edge_weight[edge];
    const Vec3 r = model.rest_vector(i, k, d);
    const Mat3 moment = weight * r * r.transpose();
    b += moment;
    relieved += model.relief_of(i, edge) * moment;
    sum += weight * r;
  }
  return star_of(model, i, sum, b, relieved);
}

Star star_of(const Model& model, Index i, const Vec3& sum, const Mat3& b, const Mat3& relieved) {
  Star star{.sum = sum, .slew = {}, .shape = Mat3::Zero(), .relief = Mat3::Zero(), .compliance = 0};
  if (model.is_relieved(i)) {
    const Mat3 inverse = inverse_moment(b);
    star.relief = inverse * relieved * inverse;
  }
  if (model.has_volume()) set_shape(b, star);
  const Vec3& mean = model.laplacian_rest[i];
  star.slew = inverse_inertia(b + model.laplacian_weight * mean * mean.transpose());
  return star;
}

/// Long because it fills one field of the model after another, each from those before.
Result<Model> make_model(Rows rows) {
  PLIANT_CHECK(rows.mass.size() == rows.rest.size() && rows.edge_weight.size() == rows.edges.size());
  PLIANT_CHECK(rows.laplacian_share.empty() || rows.laplacian_share.size() == rows.edges.size());
  PLIANT_CHECK(rows.laplacian_scale.empty() || rows.laplacian_scale.size() == rows.rest.size());
  PLIANT_CHECK(rows.relief.empty() || rows.relief.size() == rows.edges.size());
  if (rows.rest.empty())
    return refuse("a body without nodes", "at least one node", "give the shape more nodes");
  if (const std::string what = trouble(rows); !what.empty())
    return refuse(what, "finite positions, masses > 0, weights >= 0, edges longer than 0", "check the shape");
  const bool has_edges =
      std::any_of(rows.edge_weight.begin(), rows.edge_weight.end(), [](double weight) { return weight > 0; });
  if (!has_edges && rows.covariance == Covariance::consistent && rows.laplacian_weight > 0)
    return refuse("Laplacian rows alone with covariance consistent",
                  "rows that determine a rotation at every node",
                  "a Laplacian row says only one direction of a node: give edge a weight above 0, or set "
                  "covariance to paper");

  if (rows.volume > 0 && (rows.laplacian_weight > 0 || rows.covariance == Covariance::paper))
    return refuse("volume with Laplacian rows or the paper's covariance",
                  "volume rows about the covariance of edge rows alone",
                  "set volume to 0, or laplacian to 0 and covariance to consistent");

  if (!rows.relief.empty() && (rows.laplacian_weight > 0 || rows.covariance == Covariance::paper))
    return refuse("relief with Laplacian rows or the paper's covariance", "relief of edge rows alone",
                  "set hourglass to 1, or laplacian to 0 and covariance to consistent");

  Model model;
  model.rest = std::move(rows.rest);
  model.mass = std::move(rows.mass);
  model.edges = std::move(rows.edges);
  model.edge_weight = std::move(rows.edge_weight);
  model.laplacian_weight = rows.laplacian_weight;
  model.covariance = rows.covariance;
  set_laplacian(rows, model);
  model.adjacency = adjacency(model.nodes(), model.edges);
  model.part_of = components(model.nodes(), model.edges);
  model.parts.resize(std::size_t(*std::max_element(model.part_of.begin(), model.part_of.end())) + 1);
  for (Index i = 0; i < model.nodes(); ++i) model.parts[model.part_of[i]].push_back(i);
  if (rows.sheet) {
    model.sheet = std::move(rows.sheet);
    model.stiffness_ratio = stiffness_ratio_of(*model.sheet, model.mass);
    Vec3 low = model.rest[0], high = low;
    for (const Vec3& p : model.rest) low = low.cwiseMin(p), high = high.cwiseMax(p);
    for (const double m : model.mass) model.negligible += 1e-12 * m * (high - low).squaredNorm();
    return model;
  }

  model.laplacian_rest.assign(model.rest.size(), Vec3::Zero());
  model.stars.resize(model.rest.size());
  if (rows.volume > 0) model.volume_rows.assign(model.rest.size(), 0);
  model.relief = std::move(rows.relief);
  for (Index i = 0; model.has_relief() && i < model.nodes(); ++i)
    model.relieved.push_back(is_round(star_moment(model, i)));
  for (Index i = 0; i < model.nodes(); ++i) {
    const Index begin = model.adjacency.begin[i], end = model.adjacency.begin[i + 1];
    for (Index k = begin; model.has_laplacian() && k < end; ++k)
      model.laplacian_rest[i] += model.laplacian_coefficient(i, k) * model.rest_vector(i, k, {});
    model.stars[i] = star_of(model, i, {});
    if (model.has_volume() && model.stars[i].compliance > 0) model.volume_rows[i] = rows.volume;
  }
  model.pull = model.edge_weight;
  if (model.has_volume())
    for (std::size_t k = 0; k < model.edges.size(); ++k) {
      const auto& e = model.edges[k];
      model.pull[k] *= 1 + (model.volume_rows[e.a] + model.volume_rows[e.b]) / 2;
    }
  for (std::size_t k = 0; k < model.edges.size(); ++k)
    model.edge_energy +=
        2 * model.pull[k] * (model.rest[model.edges[k].b] - model.rest[model.edges[k].a]).squaredNorm();
  for (Index i = 0; i < model.nodes(); ++i) {
    double weight_sum = 0, share_sum = 0, other_ends = 0;
    const Index begin = model.adjacency.begin[i], end = model.adjacency.begin[i + 1];
    for (Index k = begin; k < end; ++k) {
      const Index edge = model.adjacency.edge[k];
      weight_sum += model.pull[edge];
      if (!model.has_laplacian()) continue;
      const double share = model.laplacian_share[edge];
      share_sum += share;
      other_ends += std::pow(model.laplacian_scale[model.adjacency.target[k]] * share, 2);
    }
    const double own = model.has_laplacian() ? model.laplacian_scale[i] * share_sum : 0;
    const double diagonal = 2 * weight_sum + model.laplacian_weight * (own * own + other_ends);
    model.stiffness_ratio = std::max(model.stiffness_ratio, diagonal / (12 * model.mass[i]));
  }
  return model;
}

}  // namespace pliant::geometric
