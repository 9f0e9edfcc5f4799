// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/body.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <numeric>

#include "pliant/base/check.hpp"
#include "pliant/base/clock.hpp"
#include "pliant/math/rotation.hpp"
#include "pliant/methods/geometric/plastic_flow.hpp"
#include "pliant/methods/geometric/reduced/kernels.hpp"

namespace pliant::geometric {
namespace {

double size_of(const Points& points) {
  Vec3 low = points[0], high = low;
  for (const Vec3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  return (high - low).norm();
}

/// W Phi.
Basis::Columns gathered(const Gather& w, const Basis::Columns& columns) {
  Basis::Columns out = Basis::Columns::Zero(w.rows(), columns.cols());
  for (Index r = 0; r < w.rows(); ++r)
    for (Index k = w.begin[r]; k < w.begin[r + 1]; ++k) out.row(r) += w.weight[k] * columns.row(w.column[k]);
  return out;
}

/// nearest_rotation for warm starts that are near, a tenth of the time: plain Newton steps w = H^-1 t while H
/// is positive definite. There is no maximum of tr(R^T A) but the global one, so that t = 0 with such an H is
/// the answer.
Eigen::Quaterniond near_rotation(const Mat3& a, Eigen::Quaterniond q) {
  constexpr int most_steps = 4;
  constexpr double near = 0.5, done = 1e-8;  // rad; convergence is quadratic
  for (int k = 0; k < most_steps; ++k) {
    const Mat3 b = q.toRotationMatrix().transpose() * a;
    const Vec3 t(b(2, 1) - b(1, 2), b(0, 2) - b(2, 0), b(1, 0) - b(0, 1));
    const double trace = b.trace();
    const Mat3 h = trace * Mat3::Identity() - (b + b.transpose()) / 2;
    const double minor = h(0, 0) * h(1, 1) - h(0, 1) * h(1, 0), det = h.determinant();
    if (!(h(0, 0) > 0 && minor > 0 && det > 1e-6 * trace * trace * trace && trace > 0)) break;
    const Vec3 w = h.inverse() * t;
    const double angle = w.norm();
    if (!(angle < near)) break;
    q = (q * Eigen::Quaterniond(1, w.x() / 2, w.y() / 2, w.z() / 2)).normalized();
    if (angle < done) return q;
  }
  return nearest_rotation(a, q).q;
}

/// Calls row(weight, stencil ends, e = s x - R d) for the rows that a node owns, see model.hpp.
template <class EdgeRow, class LaplacianRow>
void each_row(const Model& model, const Points& x, Index i, const Mat3& rotation, RestVectors d,
              EdgeRow&& edge_row, LaplacianRow&& laplacian_row) {
  const Adjacency& adj = model.adjacency;
  const Index begin = adj.begin[i], end = adj.begin[i + 1];
  Vec3 laplacian = Vec3::Zero();
  for (Index k = begin; k < end; ++k) {
    const Index j = adj.target[k];
    const Vec3 now = x[j] - x[i];
    edge_row(model.edge_weight[adj.edge[k]], j, Vec3(now - rotation * model.rest_vector(i, k, d)));
    if (model.has_laplacian()) laplacian += model.laplacian_coefficient(i, k) * now;
  }
  if (model.has_laplacian() && end > begin)
    laplacian_row(model.laplacian_weight, Vec3(laplacian - rotation * model.laplacian_rest[i]));
}

/// Root of the sum of squares over the nodes of the force of all edges when each is stretched by its length,
/// N.
double unit_strain_force(const Model& model) {
  const Adjacency& adj = model.adjacency;
  double sum = 0;
  for (Index i = 0; i < model.nodes(); ++i) {
    double force = 0;
    for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k)
      force += 2 * model.edge_weight[adj.edge[k]] * (model.rest[adj.target[k]] - model.rest[i]).norm();
    sum += force * force;
  }
  return std::sqrt(sum);
}

/// Every node at its own place.
Arrangement as_numbered(Index nodes) {
  Arrangement out{std::vector<Index>(std::size_t(nodes)), {}, nodes};
  std::iota(out.node.begin(), out.node.end(), 0);
  out.place = out.node;
  return out;
}

}  // namespace

ReducedBody::ReducedBody(Model model, Skin skin, const Damping& damping, const Options& options, Basis basis,
                         Cubature cubature)
    : model_(std::move(model)),
      skin_(std::move(skin)),
      damping_(damping),
      options_(options),
      basis_(std::move(basis)) {
  const auto start = Clock::now();
  PLIANT_CHECK(basis_.columns.rows() == model_.nodes() && model_.covariance == Covariance::consistent);
  reduced_ = make_reduced_model(model_, basis_, std::move(cubature));
  PLIANT_CHECK(Index(reduced_.cubature.nodes.size()) == model_.nodes() ||
               !(options_.plasticity || options_.adaptive));
  if (options_.plasticity) {
    state_.rest_vectors = rest_vectors(model_);
    flow_.set_all(model_, basis_, state_.rest_vectors);
  }
  if (options_.adaptive) {
    adaptive_.choose(model_, *options_.adaptive);
    adaptive_.arrange(model_, as_numbered(model_.nodes()));
    covariance_.assign(9 * std::size_t(reduced_.batches) * reduced_lanes, 0);
    rotation_ = covariance_;
  }
  surface_columns_ = gathered(skin_.embedding, basis_.columns);
  surface_rest_.resize(std::size_t(skin_.embedding.rows()));
  gather(skin_.embedding, model_.rest, surface_rest_);
  size_ = size_of(model_.rest);
  unit_strain_force_ = unit_strain_force(model_);
  piece_of_.assign(model_.rest.size(), -1);
  for (std::size_t p = 0; p < basis_.pieces.size(); ++p)
    for (Index i : basis_.pieces[p].nodes) piece_of_[i] = Index(p);
  known_held_.reserve(model_.rest.size());
  known_targets_.reserve(model_.rest.size());

  const int k = reduced_.columns();
  const Coordinates zero = Coordinates::Zero(k, 3);
  for (Coordinates* c :
       {&state_.z, &state_.v, &state_.z_before, &state_.v_before, &hat_z_, &hat_v_, &start_,  &told_,
        &base_,    &trial_,   &new_z_,          &new_v_,          &d_,     &g_,     &solved_, &p_,
        &q_,       &sums_,    &velocity_,       &heavy_})
    *c = zero;
  for (int w = 0; w <= window; ++w) iterate_[w] = increment_[w] = zero;
  state_.active.assign(basis_.pieces.size(), 0);
  new_active_ = wanted_.active = have_.active = state_.active;
  matrix_ = inverse_ = Eigen::MatrixXd::Zero(k, k);
  const int parts = sweep_parts();
  small_.assign(std::size_t(3 * k), 0);
  lanes_.assign(std::size_t(parts) * 3 * std::size_t(k) * reduced_lanes, 0);
  partial_.assign(std::size_t(parts) * 3 * std::size_t(k), 0);
  largest_.assign(std::size_t(parts), 0);
  quaternion_.assign(4 * std::size_t(reduced_.batches) * reduced_lanes, 0);
  for (std::size_t s = 0; s < quaternion_.size(); s += 4 * reduced_lanes)
    std::fill_n(quaternion_.begin() + long(s), reduced_lanes, 1.0f);
  quaternion_before_ = quaternion_;
  nodes_ = {model_.rest, Points(model_.rest.size(), Vec3::Zero()), model_.mass};
  shown_ = true;
  setup_ms_ = milliseconds_since(start);
}

Vec3 ReducedBody::node_at(Index i, const Coordinates& z) const {
  return model_.rest[i] + (basis_.columns.row(i) * z).transpose();
}

const NodeState& ReducedBody::nodes() const {
  if (!shown_) show(0, model_.nodes());
  shown_ = true;
  return nodes_;
}

void ReducedBody::show(Index begin, Index end) const {
  for (Index i = begin; i < end; ++i) {
    const auto row = basis_.columns.row(i);
    Vec3 x = model_.rest[i], v = Vec3::Zero();
    for (Eigen::Index a = 0; a < row.size(); ++a) {
      x += row[a] * state_.z.row(a).transpose();
      v += row[a] * state_.v.row(a).transpose();
    }
    nodes_.x[i] = x;
    nodes_.v[i] = v;
  }
}

/// Phi^T field.
Coordinates ReducedBody::pulled(std::span<const Vec3> field) const {
  Coordinates out = Coordinates::Zero(reduced_.columns(), 3);
  for (Index i = 0; i < model_.nodes(); ++i)
    out.noalias() += basis_.columns.row(i).transpose() * field[i].transpose();
  return out;
}

/// The coordinates whose field is nearest in the M norm: M^-1 Phi^T M field.
void ReducedBody::project(std::span<const Vec3> field, Coordinates& out) const {
  out.setZero();
  for (Index i = 0; i < model_.nodes(); ++i)
    out.noalias() += basis_.columns.row(i).transpose() * (model_.mass[i] * field[i]).transpose();
  out = Eigen::LLT<Eigen::MatrixXd>(reduced_.mass).solve(out).eval();
}

void ReducedBody::place(std::span<const Vec3> x, std::span<const Vec3> v) {
  PLIANT_CHECK(x.size() == model_.rest.size() && v.size() == model_.rest.size());
  Points displacement(x.begin(), x.end());
  for (std::size_t i = 0; i < x.size(); ++i) displacement[i] -= model_.rest[i];
  project(displacement, state_.z);
  project(v, state_.v);
  state_.has_before = false;
  shown_ = false;
  // Without a warm start from the past: the same place gives the same rotations.
  for (std::size_t k = 0; k < quaternion_.size(); ++k)
    quaternion_[k] = k / reduced_lanes % 4 == 0 ? 1.0f : 0.0f;
  set_rotations(rotations_now(nodes().x));
}

Rotations ReducedBody::rotations_now(const Points& x) const {
  const std::vector<Index>& swept = reduced_.cubature.nodes;
  Rotations out(swept.size());
  for (std::size_t s = 0; s < swept.size(); ++s) {
    const float* q = quaternion_.data() + 4 * reduced_lanes * (s / reduced_lanes) + s % reduced_lanes;
    const Eigen::Quaterniond warm(q[0], q[reduced_lanes], q[2 * reduced_lanes], q[3 * reduced_lanes]);
    out[s] = near_rotation(covariance(model_, x, swept[s], state_.rest_vectors), warm.normalized());
  }
  return out;
}

void ReducedBody::set_rotations(const Rotations& rotations) {
  for (std::size_t s = 0; s < rotations.size(); ++s) {
    float* q = quaternion_.data() + 4 * reduced_lanes * (s / reduced_lanes) + s % reduced_lanes;
    const double parts[4] = {rotations[s].w(), rotations[s].x(), rotations[s].y(), rotations[s].z()};
    for (int k = 0; k < 4; ++k) q[reduced_lanes * k] = float(parts[k]);
  }
}

void ReducedBody::surface(std::span<Vec3> vertices) const {
  PLIANT_CHECK(vertices.size() == surface_rest_.size());
  for (std::size_t r = 0; r < vertices.size(); ++r) {
    const auto row = surface_columns_.row(Eigen::Index(r));
    Vec3 x = surface_rest_[r];
    for (Eigen::Index a = 0; a < row.size(); ++a) x += row[a] * state_.z.row(a).transpose();
    vertices[r] = x;
  }
}

bool ReducedBody::activity(std::span<float> vertices) const {
  if (Index(reduced_.cubature.nodes.size()) < model_.nodes()) return false;
  const Gather& w = skin_.embedding;
  PLIANT_CHECK(Index(vertices.size()) == w.rows());
  for (Index v = 0; v < w.rows(); ++v) {
    double active = 0, all = 0;
    for (Index k = w.begin[v]; k < w.begin[v + 1]; ++k) {
      all += std::abs(w.weight[k]);
      if (!adaptive_.on() || adaptive_.is_active(w.column[k])) active += std::abs(w.weight[k]);
    }
    vertices[std::size_t(v)] = all > 0 ? float(active / all) : 0.0f;
  }
  return true;
}

void ReducedBody::pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const {
  scatter_add(skin_.embedding, surface_forces, node_forces);
}

double ReducedBody::elastic_energy() const {
  const Points& x = nodes().x;
  const Rotations rotations = rotations_now(x);
  double sum = 0;
  for (std::size_t s = 0; s < rotations.size(); ++s) {
    const double weight = reduced_.cubature.weights[s];
    each_row(
        model_, x, reduced_.cubature.nodes[s], rotations[s].toRotationMatrix(), state_.rest_vectors,
        [&](double a, Index, const Vec3& e) { sum += 0.5 * weight * a * e.squaredNorm(); },
        [&](double a, const Vec3& e) { sum += 0.5 * weight * a * e.squaredNorm(); });
  }
  return sum;
}

/// Minus the gradient of the energy by the nodes' places.
void ReducedBody::row_forces(std::span<Vec3> out) const {
  const Points& x = nodes().x;
  const Rotations rotations = rotations_now(x);
  const Adjacency& adj = model_.adjacency;
  std::fill(out.begin(), out.end(), Vec3::Zero());
  for (std::size_t s = 0; s < rotations.size(); ++s) {
    const Index i = reduced_.cubature.nodes[s];
    const double weight = reduced_.cubature.weights[s];
    each_row(
        model_, x, i, rotations[s].toRotationMatrix(), state_.rest_vectors,
        [&](double a, Index j, const Vec3& e) {
          out[j] -= weight * a * e;
          out[i] += weight * a * e;
        },
        [&](double a, const Vec3& e) {
          for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
            const Vec3 share = weight * a * model_.laplacian_coefficient(i, k) * e;
            out[adj.target[k]] -= share;
            out[i] += share;
          }
        });
  }
}

/// M Phi M_r^-1 Phi^T f: the same work for every motion in the space.
void ReducedBody::elastic_forces(std::span<Vec3> out) const {
  row_forces(out);
  const Coordinates z = Eigen::LLT<Eigen::MatrixXd>(reduced_.mass).solve(pulled(out));
  for (Index i = 0; i < model_.nodes(); ++i)
    out[i] = model_.mass[i] * (basis_.columns.row(i) * z).transpose();
}

std::optional<int> ReducedBody::inverted_cells() const {
  if (skin_.cells.empty()) return std::nullopt;
  return geometric::inverted_cells(skin_, nodes().x);
}

namespace {

std::vector<double> flat(const Coordinates& z) { return {z.data(), z.data() + z.size()}; }

void read(Reader& reader, Coordinates& z) {
  std::vector<double> numbers(std::size_t(z.size()));
  reader.array(numbers);
  std::copy(numbers.begin(), numbers.end(), z.data());
}

}  // namespace

void ReducedBody::save(Writer& writer) const {
  for (const Coordinates* z : {&state_.z, &state_.v, &state_.z_before, &state_.v_before})
    writer.array(flat(*z));
  writer.array(std::vector<float>(quaternion_.begin(), quaternion_.end()));
  writer.array(state_.active);
  writer.value(state_.h);
  writer.value(state_.has_before);
  if (options_.plasticity) writer.array(state_.rest_vectors);
}

bool ReducedBody::load(Reader& reader) {
  ReducedState next = state_;
  std::vector<float> quaternions(quaternion_.size());
  for (Coordinates* z : {&next.z, &next.v, &next.z_before, &next.v_before}) read(reader, *z);
  reader.array(quaternions);
  reader.array(next.active);
  reader.value(next.h);
  reader.value(next.has_before);
  if (options_.plasticity) reader.array(next.rest_vectors);
  if (!reader.ok()) return false;
  state_ = std::move(next);
  std::copy(quaternions.begin(), quaternions.end(), quaternion_.begin());
  if (options_.plasticity) flow_.set_all(model_, basis_, state_.rest_vectors);
  shown_ = false;
  return true;
}

MethodDescription ReducedBody::describe() const {
  MethodDescription out;
  out.name = "geometric";
  out.nodes = model_.nodes();
  out.freedoms = 3 * reduced_.columns();
  for (std::size_t p = 0; p < state_.active.size(); ++p)
    if (state_.active[p]) out.freedoms -= 3 * basis_.pieces[p].count;
  out.solver = "reduced";
  out.setup_ms = setup_ms_;
  out.weights = skin_.embedding.weight.size();
  out.bytes =
      model_.rest.size() * (5 * sizeof(Vec3) + 2 * sizeof(double) + sizeof(Mat3)) +
      model_.edges.size() * (sizeof(NodeGraph::Edge) + sizeof(double) + 4 * sizeof(Index)) +
      sizeof(double) * std::size_t(basis_.columns.size() + surface_columns_.size()) +
      sizeof(float) * (reduced_.pull.size() + reduced_.rest.size() + reduced_.slew.size() +
                       2 * quaternion_.size() + lanes_.size() + covariance_.size() + rotation_.size()) +
      flow_.bytes() + state_.rest_vectors.size() * sizeof(Vec3);
  return out;
}

}  // namespace pliant::geometric
