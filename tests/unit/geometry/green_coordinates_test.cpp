// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/green_coordinates.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "pliant/base/simd.hpp"

namespace pliant {
namespace green_coordinates_test {

/// Unit cube, vertex x + 2 y + 4 z.
TriMesh cube_cage() {
  TriMesh out;
  for (int i = 0; i < 8; ++i) out.vertices.push_back(Vec3(i & 1, i >> 1 & 1, i >> 2 & 1));
  const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                           {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  for (const auto& q : quads) {
    out.triangles.push_back({q[0], q[1], q[2]});
    out.triangles.push_back({q[0], q[2], q[3]});
  }
  return out;
}

TriMesh octahedron_cage() {
  return {{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
          {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
}

/// L-shaped prism: [0,2] x [0,1] and [0,1] x [1,2], z from 0 to 1.
TriMesh ell_cage() {
  TriMesh out;
  const double corner[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  for (int z = 0; z < 2; ++z)
    for (const auto& c : corner) out.vertices.push_back(Vec3(c[0], c[1], z));
  const int top[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
  for (const auto& t : top) {
    out.triangles.push_back({t[0] + 6, t[1] + 6, t[2] + 6});
    out.triangles.push_back({t[0], t[2], t[1]});
  }
  for (int k = 0; k < 6; ++k) {
    const int n = (k + 1) % 6;
    out.triangles.push_back({k, n, n + 6});
    out.triangles.push_back({k, n + 6, k + 6});
  }
  return out;
}

struct Reference {
  Vec3 point;
  std::vector<double> phi, psi;
  Vec3 grad_phi0, grad_psi0;
};

void expect_reference(const TriMesh& cage, const Reference& ref) {
  const GreenCoordinates got = green_coordinates(cage, std::span(&ref.point, 1));
  const Eigen::Index n = Eigen::Index(cage.vertices.size());
  ASSERT_EQ(ref.phi.size(), cage.vertices.size());
  ASSERT_EQ(ref.psi.size(), cage.triangles.size());
  for (Eigen::Index i = 0; i < n; ++i) EXPECT_NEAR(got.value(i, 0), ref.phi[std::size_t(i)], 1e-11);
  for (Eigen::Index j = 0; j < Eigen::Index(ref.psi.size()); ++j)
    EXPECT_NEAR(got.value(n + j, 0), ref.psi[std::size_t(j)], 1e-11);
  EXPECT_LT((got.gradient.row(0).transpose() - ref.grad_phi0).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT((got.gradient.row(n).transpose() - ref.grad_psi0).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(GreenCoordinates, the_cube_has_its_reference_values) {
  const TriMesh cage = cube_cage();
  const double a = 0.177416732000, b = 0.107527756000, s = 0.063133512903;
  expect_reference(cage, {{0.5, 0.5, 0.5},
                          {a, b, b, b, b, b, b, a},
                          std::vector<double>(12, s),
                          Vec3::Constant(-0.215055512000),
                          {-0.024194422667, 0.024194422667, -0.083333333333}});
  expect_reference(
      cage, {{0.3, 0.4, 0.6},
             {0.214012377508, 0.068213906288, 0.085273553996, 0.063723993768, 0.183480573377, 0.103069311266,
              0.149906348894, 0.132319934902},
             {0.055468483598, 0.052384479812, 0.066304465251, 0.072772329721, 0.060091630878, 0.078985164093,
              0.058515593025, 0.049337370386, 0.093066524855, 0.072324272560, 0.046702305357, 0.051361345834},
             {-0.206883164601, -0.210177787845, -0.357292849856},
             {-0.000919065092, 0.022543701358, -0.067830109265}});
  expect_reference(
      cage, {{0.2, 0.25, 0.7},
             {0.213128324703, 0.048285403598, 0.051319019822, 0.042089839032, 0.311110305355, 0.104807803589,
              0.130471103346, 0.098788200554},
             {0.046230635343, 0.045270137288, 0.071178481341, 0.075144878446, 0.057895522510, 0.102881115403,
              0.048308488820, 0.039799986339, 0.116512048368, 0.062527643931, 0.039073387905, 0.045995057620},
             {-0.126832523615, -0.122134220147, -0.512092345622},
             {0.004710043327, 0.021471986483, -0.046483164309}});
}

TEST(GreenCoordinates, the_octahedron_has_its_reference_values) {
  const TriMesh cage = octahedron_cage();
  expect_reference(cage, {{0, 0, 0},
                          std::vector<double>(6, 1.0 / 6),
                          std::vector<double>(8, 0.099632257974),
                          {1.0 / 3, 0, 0},
                          Vec3::Constant(0.072168783649)});
  expect_reference(
      cage, {{0.1, 0.2, -0.15},
             {0.192061660457, 0.127349996276, 0.240788778329, 0.107836140684, 0.116834478338, 0.215128945916},
             {0.105878692800, 0.091890879104, 0.074382751303, 0.081830389253, 0.143563963476, 0.115492200729,
              0.086434590641, 0.098048566801},
             {0.392460024817, -0.072800823186, 0.058380363852},
             {0.067683249117, 0.053328825050, 0.112273486171}});
  expect_reference(
      cage, {{-0.3, 0.1, 0.25},
             {0.084827664539, 0.284070962039, 0.174154945462, 0.113410792017, 0.253057612618, 0.090478023325},
             {0.092044227314, 0.170980723570, 0.129780883327, 0.082208248043, 0.071515337407, 0.098762057845,
              0.087039984997, 0.066280109042},
             {0.161512237821, -0.020901364438, -0.048140189551},
             {0.098106451148, 0.045032461599, 0.029349748233}});
}

/// sum phi = 1, sum grad phi = 0, X = sum phi x + sum psi n, 1 = sum x grad phi^T + sum n grad psi^T.
double identity_error(const TriMesh& cage, const Vec3& X) {
  const GreenCoordinates c = green_coordinates(cage, std::span(&X, 1));
  const Points normals = face_normals(cage);
  const Eigen::Index n = Eigen::Index(cage.vertices.size());
  double sum = 0;
  Vec3 place = Vec3::Zero(), gradients = Vec3::Zero();
  Mat3 map = Mat3::Zero();
  for (Eigen::Index r = 0; r < c.value.rows(); ++r) {
    const Vec3& z = r < n ? cage.vertices[std::size_t(r)] : normals[std::size_t(r - n)];
    const Vec3 g = c.gradient.row(r).transpose();
    place += c.value(r, 0) * z;
    map += z * g.transpose();
    if (r < n) sum += c.value(r, 0), gradients += g;
  }
  return std::max({std::abs(sum - 1), gradients.norm(), (place - X).norm(), (map - Mat3::Identity()).norm()});
}

TEST(GreenCoordinates, reproduce_constants_and_linear_maps_inside) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> u(0.05, 0.95);
  double worst = 0;
  for (int k = 0; k < 50; ++k) {
    const Vec3 p(u(random), u(random), u(random));
    worst = std::max(worst, identity_error(cube_cage(), p));
    worst = std::max(worst, identity_error(octahedron_cage(), (2 * p - Vec3::Ones()) / 3));
    worst = std::max(worst, identity_error(ell_cage(), p));
  }
  EXPECT_LT(worst, 1e-13);
}

TEST(GreenCoordinates, need_no_special_case_in_the_plane_of_a_face) {
  const Vec3 X(0.5, 1, 0.5);
  EXPECT_LT(identity_error(ell_cage(), X), 1e-13);
  const Vec3 near = X + Vec3(0, 1e-7, 0);
  const GreenCoordinates a = green_coordinates(ell_cage(), std::span(&X, 1)),
                         b = green_coordinates(ell_cage(), std::span(&near, 1));
  EXPECT_LT((a.gradient - b.gradient).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(GreenCoordinates, stay_exact_next_to_a_face) {
  for (const double distance : {1e-3, 1e-6, 1e-9, 1e-12})
    EXPECT_LT(identity_error(cube_cage(), {0.3, 0.45, distance}), 1e-13) << distance;
}

/// Gauss's rule on [0, 1].
void gauss_rule(int order, std::vector<double>& node, std::vector<double>& weight) {
  for (int i = 0; i < order; ++i) {
    double x = std::cos(M_PI * (i + 0.75) / (order + 0.5)), slope = 0;
    for (int step = 0; step < 20; ++step) {
      double p0 = 1, p1 = x;
      for (int k = 2; k <= order; ++k) {
        const double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
        p0 = p1, p1 = p2;
      }
      slope = order * (x * p1 - p0) / (x * x - 1);
      x -= p1 / slope;
    }
    node.push_back((1 + x) / 2);
    weight.push_back(1 / ((1 - x * x) * slope * slope));
  }
}

/// phi and psi from their definitions: Gauss's rule on the triangles folded to squares (Duffy).
Eigen::VectorXd integrated(const TriMesh& cage, const Vec3& X) {
  const int order = 80;
  std::vector<double> node, weight;
  gauss_rule(order, node, weight);
  const Points normals = face_normals(cage);
  const Eigen::Index n = Eigen::Index(cage.vertices.size());
  Eigen::VectorXd out = Eigen::VectorXd::Zero(n + Eigen::Index(cage.triangles.size()));
  for (std::size_t f = 0; f < cage.triangles.size(); ++f) {
    const Triangle& t = cage.triangles[f];
    const Vec3 &a = cage.vertices[std::size_t(t[0])], &b = cage.vertices[std::size_t(t[1])],
               &d = cage.vertices[std::size_t(t[2])];
    const double area2 = (b - a).cross(d - a).norm();
    for (std::size_t i = 0; i < node.size(); ++i)
      for (std::size_t j = 0; j < node.size(); ++j) {
        const double u = node[i], v = u * node[j], w = weight[i] * weight[j] * u * area2 / (4 * M_PI);
        const double hat[3] = {1 - u, u - v, v};
        const Vec3 r = hat[0] * a + hat[1] * b + hat[2] * d - X;
        const double rho = r.norm();
        out[n + Eigen::Index(f)] += w / rho;
        for (int k = 0; k < 3; ++k) out[t[k]] += w * hat[k] * r.dot(normals[f]) / (rho * rho * rho);
      }
  }
  return out;
}

TEST(GreenCoordinates, are_the_integrals_they_are_defined_by) {
  for (const auto& [cage, points] :
       {std::pair{ell_cage(), Points{{0.7, 0.6, 0.45}, {0.5, 1.5, 0.5}, {1.5, 0.4, 0.7}, {0.75, 0.75, 0.3}}},
        {cube_cage(), Points{{0.5, 0.5, 0.5}, {0.3, 0.4, 0.6}, {0.2, 0.25, 0.7}}},
        {octahedron_cage(), Points{{0, 0, 0}, {0.1, 0.2, -0.15}, {-0.3, 0.1, 0.25}}}}) {
    const GreenCoordinates c = green_coordinates(cage, points);
    const Eigen::Index faces = Eigen::Index(cage.triangles.size());
    for (std::size_t p = 0; p < points.size(); ++p) {
      const Eigen::VectorXd value = c.value.col(Eigen::Index(p));
      EXPECT_LT((value - integrated(cage, points[p])).cwiseAbs().maxCoeff(), 1e-13) << points[p].transpose();
      EXPECT_GT(value.tail(faces).minCoeff(), 0) << "psi is positive";
    }
  }
}

TEST(GreenCoordinates, gradients_are_those_of_the_values_and_harmonic) {
  const TriMesh cage = ell_cage();
  const Vec3 X(0.7, 0.6, 0.45);
  const double s = 1e-5;
  const GreenCoordinates at = green_coordinates(cage, std::span(&X, 1));
  Eigen::VectorXd laplacian = Eigen::VectorXd::Zero(at.value.rows());
  for (int c = 0; c < 3; ++c) {
    const Vec3 points[2] = {X - s * Vec3::Unit(c), X + s * Vec3::Unit(c)};
    const GreenCoordinates two = green_coordinates(cage, points);
    const Eigen::VectorXd slope = (two.value.col(1) - two.value.col(0)) / (2 * s);
    EXPECT_LT((slope - at.gradient.col(c)).cwiseAbs().maxCoeff(), 1e-9);
    laplacian += (two.gradient.col(3 + c) - two.gradient.col(c)) / (2 * s);
  }
  EXPECT_LT(laplacian.cwiseAbs().maxCoeff(), 1e-8);
}

TEST(GreenCoordinates, every_instruction_set_says_the_same) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> u(0.1, 0.9);
  Points points;
  for (int k = 0; k < 21; ++k) points.push_back({u(random), u(random), u(random)});
  const SimdLevel best = simd_level();
  const GreenCoordinates expected = green_coordinates(ell_cage(), points);
  for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2}) {
    set_simd_level(level);
    const GreenCoordinates got = green_coordinates(ell_cage(), points);
    EXPECT_LT((got.value - expected.value).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LT((got.gradient - expected.gradient).cwiseAbs().maxCoeff(), 1e-13);
  }
  set_simd_level(best);
}

}  // namespace green_coordinates_test
}  // namespace pliant
