// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/scaled_normals.hpp"

#include <gtest/gtest.h>

#include <random>

#include "pliant/geometry/cage.hpp"
#include "pliant/geometry/green_coordinates.hpp"

namespace pliant::cage {
namespace scaled_normals_test {

Columns vertices_of(const TriMesh& cage) {
  Columns x(3, Eigen::Index(cage.vertices.size()));
  for (std::size_t i = 0; i < cage.vertices.size(); ++i) x.col(Eigen::Index(i)) = cage.vertices[i];
  return x;
}

TEST(BoxCage, has_the_vertices_and_faces_of_its_surface) {
  for (const auto& [cells, vertices, faces] : {std::tuple{std::array{2, 2, 6}, 58, 112},
                                               {std::array{1, 3, 6}, 56, 108},
                                               {std::array{1, 4, 19}, 200, 396}}) {
    const TriMesh cage = box_cage({-1, 0, 2}, {1, 2, 9}, cells);
    EXPECT_EQ(int(cage.vertices.size()), vertices);
    EXPECT_EQ(int(cage.triangles.size()), faces);
    EXPECT_TRUE(is_closed(cage.triangles));
    EXPECT_NEAR(enclosed_volume(cage.vertices, cage.triangles), 2 * 2 * 7, 1e-12);
  }
}

TEST(ScaledNormals, turn_with_the_cage_and_grow_with_it) {
  const TriMesh cage = box_cage({0, 0, 0}, {1, 2, 3}, {2, 1, 3});
  const std::vector<FaceRest> faces = face_rests(cage);
  const Points rest = face_normals(cage);
  const Mat3 turn = Eigen::AngleAxisd(1.1, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  const Columns x = (2.5 * turn * vertices_of(cage)).colwise() + Vec3(3, -2, 5);
  Columns y(3, Eigen::Index(rest.size()));
  scaled_normals(faces, x, y);
  for (std::size_t j = 0; j < rest.size(); ++j)
    EXPECT_LT((y.col(Eigen::Index(j)) - 2.5 * turn * rest[j]).norm(), 1e-12);
}

TEST(ScaledNormals, a_similarity_of_the_cage_is_one_of_the_points) {
  const TriMesh cage = box_cage({0, 0, 0}, {1, 2, 3}, {2, 1, 3});
  const Mat3 turn = 1.7 * Eigen::AngleAxisd(0.8, Vec3(0, 2, -1).normalized()).toRotationMatrix();
  const Columns x = (turn * vertices_of(cage)).colwise() + Vec3(1, 1, 0);
  Columns y(3, Eigen::Index(cage.triangles.size()));
  scaled_normals(face_rests(cage), x, y);
  const Vec3 X(0.3, 1.2, 2.1);
  const GreenCoordinates c = green_coordinates(cage, std::span(&X, 1), Gradients::no);
  const Vec3 at = x * c.value.col(0).head(x.cols()) + y * c.value.col(0).tail(y.cols());
  EXPECT_LT((at - (turn * X + Vec3(1, 1, 0))).norm(), 1e-12);
}

class ScaledNormalsOf : public testing::TestWithParam<double> {};

TEST_P(ScaledNormalsOf, derivatives_are_those_of_the_normals) {
  const TriMesh cage = box_cage({0, 0, 0}, {1, 2, 3}, {2, 1, 3});
  const std::vector<FaceRest> faces = face_rests(cage, GetParam());
  Columns x = vertices_of(cage);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> u(-0.2, 0.2);
  for (Eigen::Index k = 0; k < x.size(); ++k) x.data()[k] += u(random);
  std::vector<FaceJacobian> dy;
  normal_jacobians(faces, x, dy);
  Columns low(3, Eigen::Index(faces.size())), high = low;
  const double s = 1e-6;
  for (Eigen::Index i = 0; i < x.cols(); ++i)
    for (int c = 0; c < 3; ++c) {
      Columns moved = x;
      moved(c, i) = x(c, i) - s;
      scaled_normals(faces, moved, low);
      moved(c, i) = x(c, i) + s;
      scaled_normals(faces, moved, high);
      for (std::size_t f = 0; f < faces.size(); ++f) {
        Vec3 expected = Vec3::Zero();
        for (int k = 0; k < 3; ++k)
          if (faces[f].corner[k] == i) expected += dy[f][std::size_t(k)].col(c);
        EXPECT_LT(((high - low).col(Eigen::Index(f)) / (2 * s) - expected).norm(), 1e-7);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Scales, ScaledNormalsOf, testing::Values(conformal_thinning, 0.0, 0.43, 0.82));

TEST(ScaledNormals, of_the_material_follow_a_bar_that_is_pulled) {
  const double nu = 0.3, strain = 1e-4;
  const TriMesh cage = box_cage({0, 0, 0}, {4, 1, 1}, {4, 1, 1});
  const Points rest = face_normals(cage);
  const Vec3 pulled(1 + strain, 1 - nu * strain, 1 - nu * strain);
  const Columns x = pulled.asDiagonal() * vertices_of(cage);
  Columns y(3, Eigen::Index(rest.size()));
  scaled_normals(face_rests(cage, nu / (1 - nu)), x, y);
  for (std::size_t j = 0; j < rest.size(); ++j)
    if (std::abs(rest[j].x()) < 0.5) {
      EXPECT_LT((y.col(Eigen::Index(j)) - pulled.cwiseProduct(rest[j])).norm(), 2 * strain * strain);
    }
}

}  // namespace scaled_normals_test
}  // namespace pliant::cage
