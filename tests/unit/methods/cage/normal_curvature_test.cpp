// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/normal_curvature.hpp"
#include "pliant/math/symmetric_eigen.hpp"

#include <gtest/gtest.h>

namespace pliant::cage {
namespace normal_curvature_test {

FaceRest some_face(double thinning = conformal_thinning) {
  return face_rests({{{0, 0, 0}, {1, 0.2, 0}, {0.3, 0.9, 0.4}}, {{0, 1, 2}}}, thinning)[0];
}

using Edges = Eigen::Matrix<double, 6, 1>;
const Edges edges = (Edges() << 0.9, 0.5, -0.2, -0.1, 0.7, 0.6).finished();

class NormalCurvatureOf : public testing::TestWithParam<double> {};

TEST_P(NormalCurvatureOf, is_the_second_derivative_of_the_scaled_normal) {
  const FaceRest face = some_face(GetParam());
  const Vec3 f(0.3, -1.2, 0.7);
  const auto gradient = [&](const Edges& at) {
    FaceJacobian dy;
    scaled_normal(face, at.head<3>(), at.tail<3>(), &dy);
    Edges out;
    out << dy[1].transpose() * f, dy[2].transpose() * f;
    return out;
  };
  const FaceCurvature found = normal_curvature(face, edges.head<3>(), edges.tail<3>(), f);
  for (int k = 0; k < 6; ++k) {
    const Edges step = 1e-5 * Edges::Unit(k);
    const Edges expected = (gradient(edges + step) - gradient(edges - step)) / 2e-5;
    EXPECT_LT((found.col(k) - expected).norm(), 1e-8 * found.norm()) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Scales, NormalCurvatureOf, testing::Values(conformal_thinning, 0.0, 0.43, 0.82));

TEST(NormalCurvature, without_negative_keeps_what_is_positive) {
  const FaceCurvature m = normal_curvature(some_face(), edges.head<3>(), edges.tail<3>(), {0.3, -1.2, 0.7});
  const FaceCurvature kept = without_negative(m);
  const Eigen::VectorXd before = dense_eigenvalues(m), after = dense_eigenvalues(kept);
  EXPECT_LT(before[0], -1e-3);
  EXPECT_NEAR(after[0], 0, 1e-12);
  EXPECT_NEAR(after[5], before[5], 1e-12);
}

TEST(FaceBarrier, is_felt_only_by_faces_that_close_and_grows_without_bound) {
  const FaceRest face = some_face();
  Barrier barrier;
  EXPECT_FALSE(face_barrier(face, edges.head<3>(), edges.tail<3>(), true, barrier));
  const Vec3 v(1, 0, 0);
  double last = 0;
  for (const double height : {0.1, 0.01, 1e-4, 1e-8}) {
    ASSERT_TRUE(face_barrier(face, v, {0.5, 2 * face.area * height, 0}, false, barrier));
    EXPECT_GT(barrier.energy, last);
    last = barrier.energy;
  }
  EXPECT_GT(last, 15);
}

TEST(FaceBarrier, derivatives_are_those_of_the_energy) {
  const FaceRest face = some_face();
  Edges at;
  at << 0.9, 0.5, -0.2, 0.4, 0.25, -0.04;
  const auto look = [&](const Edges& e, bool derivatives) {
    Barrier out;
    EXPECT_TRUE(face_barrier(face, e.head<3>(), e.tail<3>(), derivatives, out));
    return out;
  };
  const Barrier found = look(at, true);
  for (int k = 0; k < 6; ++k) {
    const Edges step = 1e-6 * Edges::Unit(k);
    EXPECT_NEAR(found.gradient[k], (look(at + step, false).energy - look(at - step, false).energy) / 2e-6,
                1e-6 * found.gradient.norm());
    const Edges bend = (look(at + step, true).gradient - look(at - step, true).gradient) / 2e-6;
    EXPECT_LT((found.curvature.col(k) - bend).norm(), 1e-6 * found.curvature.norm());
  }
}

}  // namespace normal_curvature_test
}  // namespace pliant::cage
