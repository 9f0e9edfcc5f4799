// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/model.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numeric>
#include <optional>

#include "pliant/geometry/cage_check.hpp"
#include "pliant/geometry/green_coordinates.hpp"
#include "pliant/math/symmetric_eigen.hpp"

namespace pliant::cage {
namespace {

constexpr double fit_regularisation = 0.01;  // as the default of Options::regularisation
constexpr double flat = 1e-12;               // of the largest second moment of the points: less is no extent
constexpr double face_stiffness = 0.1;       // of a face that closes, over mu times its part of the volume

template <class T>
PointFields<T> point_fields(const Eigen::MatrixXd& gradient, Index vertices,
                            const std::vector<double>& weight) {
  const std::size_t rows = std::size_t(gradient.rows()), batches = (weight.size() + lanes - 1) / lanes;
  PointFields<T> out;
  out.gradient.assign(batches * rows * 3 * lanes, T(0));
  out.weight.assign(batches * lanes, T(0));
  out.root_weight = out.weight;
  const std::size_t apart = std::size_t(by_point_stride(vertices));
  out.by_point.assign(weight.size() * 3 * apart, T(0));
  for (std::size_t q = 0; q < weight.size(); ++q) {
    const std::size_t b = q / lanes, lane = q % lanes;
    for (Index i = 0; i < vertices; ++i)
      for (std::size_t c = 0; c < 3; ++c)
        out.by_point[(3 * q + c) * apart + lanes + std::size_t(i)] = T(gradient(i, Eigen::Index(3 * q + c)));
    out.weight[q] = T(weight[q]);
    out.root_weight[q] = T(std::sqrt(weight[q]));
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < 3; ++c)
        out.gradient[((b * rows + r) * 3 + c) * lanes + lane] =
            T(gradient(Eigen::Index(r), Eigen::Index(3 * q + c)));
  }
  return out;
}

AlignedVector<float> skin_values(const TriMesh& cage, const Points& points) {
  constexpr std::size_t piece = 1024;  // points at a time: the coordinates of all in double would be large
  const std::size_t rows = cage.vertices.size() + cage.triangles.size();
  AlignedVector<float> out((points.size() + lanes - 1) / lanes * rows * lanes, 0.0f);
  for (std::size_t begin = 0; begin < points.size(); begin += piece) {
    const std::size_t count = std::min(piece, points.size() - begin);
    const GreenCoordinates c =
        green_coordinates(cage, std::span(points).subspan(begin, count), Gradients::no);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t p = begin + k;
      for (std::size_t r = 0; r < rows; ++r)
        out[(p / lanes * rows + r) * lanes + p % lanes] = float(c.value(Eigen::Index(r), Eigen::Index(k)));
    }
  }
  return out;
}

/// The best [A t] from the places of the quadrature points, 4 x Q; none where these lie in one plane and do
/// not tell it. Seen along their own axes and in their own extents, flat solids are as good as cubes.
std::optional<Eigen::MatrixXd> affine_fit(const Model& m, const Points& at, const Eigen::VectorXd& mass) {
  Vec3 centre = Vec3::Zero();
  for (std::size_t q = 0; q < at.size(); ++q) centre += mass[Eigen::Index(q)] / m.total_mass * at[q];
  Eigen::MatrixXd arm(3, Eigen::Index(at.size()));
  for (std::size_t q = 0; q < at.size(); ++q) arm.col(Eigen::Index(q)) = at[q] - centre;
  const Eigen::MatrixXd weighted = arm * mass.asDiagonal();
  const Spectrum3 axes = spectrum(weighted * arm.transpose());
  if (!(axes.values[0] > flat * axes.values[2])) return std::nullopt;
  Eigen::MatrixXd out(4, arm.cols());
  out.topRows(3) = axes.with(axes.values.cwiseInverse()) * weighted;
  out.row(3) = mass.transpose() / m.total_mass - (centre - m.centre).transpose() * out.topRows(3);
  return out;
}

/// The linear map from the places of the quadrature points to the vertices of the cage: least squares of
///   sum_q m_q |sum_i phi_i c_i + sum_j psi_j A n_j - x_q|^2 + eps (m/N) sum_i |c_i - A xbar_i - t|^2
/// with x ~ A X + t the affine map that fits the points best. It gives affine maps back exactly, and what it
/// maps is linear in x: forces go back by its transpose.
Eigen::MatrixXd fit_matrix(const Model& m, const Eigen::MatrixXd& value, const Eigen::VectorXd& mass,
                           const Eigen::MatrixXd& to_affine) {
  const Eigen::Index n = m.n();
  const double eps = fit_regularisation * m.total_mass / double(n);
  const auto phi = value.topRows(n), psi = value.bottomRows(value.rows() - n);
  Eigen::MatrixXd system = m.mass.topLeftCorner(n, n);
  system.diagonal().array() += eps;
  Eigen::MatrixXd right = phi * mass.asDiagonal();
  Eigen::MatrixXd spread = Eigen::MatrixXd::Zero(n, 4);
  spread.leftCols(3) =
      -right * psi.transpose() * m.rest.rightCols(m.t()).transpose() + eps * m.rest.leftCols(n).transpose();
  spread.col(3).setConstant(eps);
  right += spread * to_affine;
  return system.llt().solve(right);
}

/// Vertices relative to their centre, then normals. thinning: scaled_normals.hpp.
void set_cage(TriMesh cage, double thinning, Model& m) {
  m.cage = std::move(cage);
  m.faces = face_rests(m.cage, thinning);
  const Index n = m.n(), t = m.t();
  for (const Vec3& p : m.cage.vertices) m.centre += p / double(n);
  m.rest.resize(3, n + t);
  for (Index i = 0; i < n; ++i) m.rest.col(i) = m.cage.vertices[std::size_t(i)] - m.centre;
  const Points normals = face_normals(m.cage);
  for (Index j = 0; j < t; ++j) m.rest.col(n + j) = normals[std::size_t(j)];
}

/// Nodes with a volume are quadrature points, those without the skin; adds their places to `at` and `skin`.
void set_nodes(const Shape& shape, double density, Model& m, Points& at, Points& skin) {
  m.nodes = shape.graph.positions;
  m.embedding = shape.embedding;
  m.contact = shape.contact;
  m.place.resize(m.nodes.size());
  for (Index i = 0; i < Index(m.nodes.size()); ++i) {
    const double volume = shape.graph.volumes[std::size_t(i)];
    m.node_mass.push_back(density * volume);
    if (volume > 0) {
      m.place[std::size_t(i)] = Index(m.points.size());
      m.points.push_back(i);
      m.weight.push_back(volume);
      at.push_back(m.nodes[std::size_t(i)]);
    } else {
      m.place[std::size_t(i)] = ~Index(m.skin.size());
      m.skin.push_back(i);
      skin.push_back(m.nodes[std::size_t(i)]);
    }
  }
}

void list_faces_around(Model& m) {
  std::vector<std::vector<std::pair<int, int>>> around(m.cage.vertices.size());
  for (int f = 0; f < int(m.t()); ++f)
    for (int k = 0; k < 3; ++k) around[std::size_t(m.cage.triangles[std::size_t(f)][k])].push_back({f, k});
  m.around_begin = {0};
  for (const auto& list : around) {
    for (const auto& [face, corner] : list) m.around_face.push_back(face), m.around_corner.push_back(corner);
    m.around_begin.push_back(int(m.around_face.size()));
  }
}

}  // namespace

AlignedVector<double> blocked(const Eigen::MatrixXd& m) {
  const std::size_t rows = std::size_t(m.rows()), batches = (std::size_t(m.cols()) + lanes - 1) / lanes;
  AlignedVector<double> out(batches * rows * lanes, 0.0);
  for (std::size_t c = 0; c < std::size_t(m.cols()); ++c)
    for (std::size_t r = 0; r < rows; ++r)
      out[(c / lanes * rows + r) * lanes + c % lanes] = m(Eigen::Index(r), Eigen::Index(c));
  return out;
}

void set_z(const Model& model, const Columns& x, const Vec3& c, const Mat3& rotation, Columns& z) {
  const Index n = model.n();
  for (Index i = 0; i < n; ++i) z.col(i) = rotation.transpose() * (x.col(i) - c);
  for (Index j = 0; j < model.t(); ++j) {
    const FaceRest& face = model.faces[std::size_t(j)];
    const Vec3 p = z.col(face.corner[0]);
    z.col(n + j) = scaled_normal(face, z.col(face.corner[1]) - p, z.col(face.corner[2]) - p, nullptr);
  }
}

Result<Model> make_model(const Shape& shape, TriMesh cage, double density, const Options& options) {
  if (const std::optional<Problem> problem = check_cage(cage, shape.graph.positions)) {
    Problem told = *problem;
    told.place = told.place.empty() ? "cage" : fmt::format("cage: {}", told.place);
    return Error{{}, {told}};
  }
  Model m;
  const double nu = options.poisson;
  set_cage(std::move(cage),
           options.normal_scale == NormalScale::conformal ? conformal_thinning : nu / (1 - nu), m);
  const Index n = m.n(), t = m.t();
  Points at, skin;
  set_nodes(shape, density, m, at, skin);
  if (m.points.empty())
    return Error{{},
                 {{"shape", "no volume inside the surface", "a solid: a cage moves what is inside it", {}}}};
  Vec3 low = m.nodes[0], high = low;
  for (const Vec3& p : m.nodes) low = low.cwiseMin(p), high = high.cwiseMax(p);
  m.size = (high - low).maxCoeff();

  const GreenCoordinates c = green_coordinates(m.cage, at);
  m.value = c.value;
  m.mu = options.stiffness / (2 * (1 + options.poisson));
  m.lambda = options.stiffness * options.poisson / ((1 + options.poisson) * (1 - 2 * options.poisson));
  Eigen::VectorXd mass(m.count());
  for (Index q = 0; q < m.count(); ++q) mass[q] = m.node_mass[std::size_t(m.points[std::size_t(q)])];
  m.total_mass = mass.sum();
  for (const double weight : m.weight) m.volume += weight;
  const std::optional<Eigen::MatrixXd> to_affine = affine_fit(m, at, mass);
  if (!to_affine)
    return Error{{},
                 {{"cage.points", fmt::format("{} quadrature points that lie in one plane", m.count()),
                   "points that fill the solid", "more points, or a thicker solid"}}};
  m.mass = m.value * mass.asDiagonal() * m.value.transpose();
  m.mass_sum = m.value * mass;
  m.laplacian = Eigen::MatrixXd::Zero(n, n);
  for (int axis = 0; axis < 3; ++axis) {
    Eigen::MatrixXd g(n, m.count());
    for (Index q = 0; q < m.count(); ++q)
      g.col(q) = std::sqrt(m.weight[std::size_t(q)]) * c.gradient.col(3 * q + axis).head(n);
    m.laplacian.noalias() += g * g.transpose();
  }
  m.twice = point_fields<double>(c.gradient, n, m.weight);
  if (options.precision == Precision::single) m.single = point_fields<float>(c.gradient, n, m.weight);
  m.skin_value = skin_values(m.cage, skin);
  m.fit = fit_matrix(m, m.value, mass, *to_affine);
  list_faces_around(m);
  m.hold_stiffness = options.hold * options.stiffness * m.size;
  m.fictitious_mass = options.regularisation * m.total_mass / double(n);
  m.opening = face_stiffness * m.mu * m.volume / double(t);
  m.mass_blocks = blocked(m.mass);
  return m;
}

}  // namespace pliant::cage
