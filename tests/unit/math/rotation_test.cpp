// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/rotation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>

#include "pliant/base/simd.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "tests/support/linear_algebra.hpp"

namespace pliant {
namespace rotation_test {

using Quaternion = Eigen::Quaterniond;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double gaussian() { return normal_(engine_); }
  double between(double low, double high) { return low + (high - low) * uniform_(engine_); }
  Vec3 direction() { return Vec3(gaussian(), gaussian(), gaussian()).normalized(); }
  Quaternion rotation() { return Quaternion(gaussian(), gaussian(), gaussian(), gaussian()).normalized(); }
  Quaternion turn(double angle) { return Quaternion(Eigen::AngleAxisd(angle, direction())); }
  Mat3 matrix() {
    return Mat3::NullaryExpr([&] { return gaussian(); });
  }
  /// U diag(s) V^T with rotations U and V.
  Mat3 with_singular_values(const Vec3& s) {
    return rotation().toRotationMatrix() * s.asDiagonal() * rotation().toRotationMatrix();
  }

 private:
  std::mt19937 engine_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

Mat3 in_single_precision(const Mat3& a) { return a.cast<float>().cast<double>(); }

/// The independent answer: tr(R^T A) = q^T N q with Horn's symmetric 4x4 N; q is its largest eigenvector.
Quaternion horn(const Mat3& a) {
  const double xx = a(0, 0), xy = a(1, 0), xz = a(2, 0), yx = a(0, 1), yy = a(1, 1), yz = a(2, 1),
               zx = a(0, 2), zy = a(1, 2), zz = a(2, 2);
  Eigen::Matrix4d n;
  n << xx + yy + zz, yz - zy, zx - xz, xy - yx, yz - zy, xx - yy - zz, xy + yx, zx + xz, zx - xz, xy + yx,
      yy - xx - zz, yz + zy, xy - yx, zx + xz, yz + zy, zz - xx - yy;
  const Eigen::Vector4d q = dense_spectrum(n).vectors.col(3);
  return Quaternion(q[0], q[1], q[2], q[3]);
}

/// (s2 + s3) / s1, s3 with the sign of det A.
double distinctness(const Mat3& a) {
  const Vec3 s = eigenvalues(a.transpose() * a).cwiseMax(0).cwiseSqrt();
  return (s[1] + std::copysign(s[0], a.determinant())) / s[2];
}

double difference(const Mat3& r, const Quaternion& q) {
  return (r - q.toRotationMatrix()).cwiseAbs().maxCoeff();
}

void put(RotationBatch& batch, int lane, const Mat3& a, const Quaternion& q) {
  for (int k = 0; k < 9; ++k) batch.a[k][lane] = float(a(k / 3, k % 3));
  batch.q[0][lane] = float(q.w());
  batch.q[1][lane] = float(q.x());
  batch.q[2][lane] = float(q.y());
  batch.q[3][lane] = float(q.z());
}

Mat3 matrix_of(const RotationBatch& batch, int lane) {
  Mat3 r;
  for (int k = 0; k < 9; ++k) r(k / 3, k % 3) = batch.r[k][lane];
  return r;
}

Quaternion quaternion_of(const RotationBatch& batch, int lane) {
  return Quaternion(batch.q[0][lane], batch.q[1][lane], batch.q[2][lane], batch.q[3][lane]);
}

class EverySimdLevel : public ::testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override {
    before_ = simd_level();
    if (set_simd_level(GetParam()) != GetParam())
      GTEST_SKIP() << "this processor has no " << name(GetParam());
  }
  void TearDown() override { set_simd_level(before_); }

 private:
  SimdLevel before_ = SimdLevel::portable;
};
INSTANTIATE_TEST_SUITE_P(Rotation, EverySimdLevel,
                         ::testing::Values(SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512),
                         [](const auto& level) { return std::string(name(level.param)); });

struct Family {
  const char* name;
  std::function<Mat3(Random&)> make;
};

const std::vector<Family>& unique_families() {
  static const std::vector<Family> families{
      {"random", [](Random& random) { return random.matrix(); }},
      {"planar",
       [](Random& random) {
         return random.with_singular_values({1, random.between(0.1, 1), 0});
       }},
      {"reflected",
       [](Random& random) {
         const double s2 = random.between(0.3, 1);
         return random.with_singular_values({1, s2, -random.between(0, 0.2)});
       }},
      {"strongly reflected",
       [](Random& random) {
         const double s2 = random.between(0.5, 1);
         return random.with_singular_values({1, s2, -random.between(0.5, 0.9) * s2});
       }},
      {"rotation", [](Random& random) { return random.rotation().toRotationMatrix(); }}};
  return families;
}

TEST(NearestRotation, equals_the_largest_eigenvector_of_horns_matrix_from_any_start) {
  for (const Family& family : unique_families()) {
    Random random(1);
    for (int trial = 0; trial < 4000; ++trial) {
      const Mat3 a = family.make(random);
      if (distinctness(a) < 0.05) continue;
      const RotationResult found = nearest_rotation(a, random.rotation());
      ASSERT_TRUE(found.converged) << family.name << " " << trial << " after " << found.iterations;
      ASSERT_LT(difference(found.q.toRotationMatrix(), horn(a)), 1e-12) << family.name << " " << trial;
    }
  }
}

TEST(NearestRotation, leaves_a_start_that_is_half_a_turn_away) {
  Random random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const Quaternion truth = random.rotation();
    const Mat3 stretch = Vec3(3, 2, 1).asDiagonal();
    for (int axis = 0; axis < 3; ++axis) {
      const Quaternion start = truth * Quaternion(Eigen::AngleAxisd(M_PI, Vec3::Unit(axis)));
      const RotationResult found = nearest_rotation(truth.toRotationMatrix() * stretch, start);
      ASSERT_TRUE(found.converged);
      ASSERT_LT(difference(found.q.toRotationMatrix(), truth), 1e-12);
    }
  }
}

TEST(NearestRotation, does_not_depend_on_the_scale_of_the_matrix) {
  Random random(3);
  for (double scale : {1e-200, 1e-20, 1e20, 1e200}) {
    const Mat3 a = random.with_singular_values({1, 0.7, 0.4});
    const RotationResult found = nearest_rotation(scale * a, Quaternion::Identity());
    EXPECT_TRUE(found.converged) << scale;
    EXPECT_LT(difference(found.q.toRotationMatrix(), horn(a)), 1e-12) << scale;
  }
}

TEST(NearestRotation, aligns_the_axis_of_a_collinear_matrix_and_keeps_the_spin) {
  Random random(4);
  for (int trial = 0; trial < 2000; ++trial) {
    const Quaternion start = random.rotation();
    const Vec3 rest = random.direction(), now = random.direction();
    const RotationResult found = nearest_rotation(now * rest.transpose(), start);
    ASSERT_TRUE(found.converged);
    ASSERT_LT((found.q * rest - now).norm(), 1e-12);
    // Only antipodal starts leave the shortest turn open.
    if ((start * rest).dot(now) < -0.5) continue;
    const Quaternion shortest = turn_between(start * rest, now) * start;
    ASSERT_LT(difference(found.q.toRotationMatrix(), shortest), 1e-9);
  }
}

TEST(NearestRotation, keeps_the_start_for_zero_and_reports_a_matrix_that_is_not_finite) {
  Random random(5);
  const Quaternion start = random.rotation();
  const RotationResult zero = nearest_rotation(Mat3::Zero(), start);
  EXPECT_TRUE(zero.converged);
  EXPECT_LT(zero.q.angularDistance(start), 1e-12);
  for (double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Mat3 a = random.matrix();
    a(1, 2) = bad;
    const RotationResult found = nearest_rotation(a, start);
    EXPECT_FALSE(found.converged);
    EXPECT_LT(found.q.angularDistance(start), 1e-12);
  }
}

TEST_P(EverySimdLevel, batches_equal_horns_rotation_to_single_precision) {
  for (const Family& family : unique_families()) {
    Random random(6);
    double worst = 0;
    for (int round = 0; round < 500; ++round) {
      RotationBatch batch;
      Mat3 a[16];
      for (int lane = 0; lane < 16; ++lane) {
        do a[lane] = in_single_precision(family.make(random));
        while (distinctness(a[lane]) < 0.05);
        put(batch, lane, a[lane], horn(a[lane]) * random.turn(random.between(0, 0.17)));
      }
      nearest_rotations(&batch, 1, 4);
      for (int lane = 0; lane < 16; ++lane)
        worst = std::max(worst, difference(matrix_of(batch, lane), horn(a[lane])));
    }
    RecordProperty(family.name, std::to_string(worst));
    EXPECT_LT(worst, 1e-6) << family.name;
  }
}

TEST_P(EverySimdLevel, two_iterations_suffice_within_a_sixth_of_a_radian) {
  Random random(7);
  RotationBatch batch;
  double worst = 0;
  int finished = 0;
  for (int round = 0; round < 500; ++round) {
    Quaternion truth[16];
    for (int lane = 0; lane < 16; ++lane) {
      truth[lane] = random.rotation();
      const Mat3 stretch =
          Vec3(random.between(0.5, 1), random.between(0.5, 1), random.between(0.5, 1)).asDiagonal();
      put(batch, lane, truth[lane].toRotationMatrix() * stretch, truth[lane] * random.turn(0.17));
    }
    finished += nearest_rotations(&batch, 1, 2);
    for (int lane = 0; lane < 16; ++lane)
      worst = std::max(worst, difference(matrix_of(batch, lane), truth[lane]));
  }
  EXPECT_LT(worst, 1e-5);
  EXPECT_EQ(finished, 0);
}

TEST_P(EverySimdLevel, any_start_ends_in_the_right_rotation_through_the_robust_version) {
  Random random(8);
  RotationBatch batch;
  int finished = 0;
  for (int round = 0; round < 500; ++round) {
    Mat3 a[16];
    for (int lane = 0; lane < 16; ++lane) {
      do a[lane] = in_single_precision(random.matrix());
      while (distinctness(a[lane]) < 0.05);
      put(batch, lane, a[lane], random.rotation());
    }
    finished += nearest_rotations(&batch, 1, 12);
    // A lane counts as converged at |t| <= 1e-3 |A|: its angle is then within 1e-3 |A| / (s2 + s3).
    for (int lane = 0; lane < 16; ++lane)
      ASSERT_LT(difference(matrix_of(batch, lane), horn(a[lane])), 2e-3 / distinctness(a[lane]));
  }
  EXPECT_GT(finished, 0);
}

TEST_P(EverySimdLevel, planar_matrices_do_not_need_the_robust_version) {
  Random random(9);
  std::vector<RotationBatch> batches(200);
  for (RotationBatch& batch : batches)
    for (int lane = 0; lane < 16; ++lane) {
      const Mat3 a = random.with_singular_values({1, random.between(0.3, 1), 0});
      put(batch, lane, a, horn(a) * random.turn(0.1));
    }
  EXPECT_EQ(nearest_rotations(batches.data(), int(batches.size()), 2), 0);
}

TEST_P(EverySimdLevel, collinear_lanes_align_the_axis_and_keep_the_spin) {
  Random random(10);
  for (int round = 0; round < 200; ++round) {
    RotationBatch batch;
    Vec3 rest[16], now[16];
    Quaternion shortest[16];
    for (int lane = 0; lane < 16; ++lane) {
      const Quaternion start = random.rotation();
      rest[lane] = random.direction();
      now[lane] = random.turn(0.15) * (start * rest[lane]);
      shortest[lane] = turn_between(start * rest[lane], now[lane]) * start;
      put(batch, lane, now[lane] * rest[lane].transpose(), start);
    }
    EXPECT_EQ(nearest_rotations(&batch, 1, 3), 0);
    for (int lane = 0; lane < 16; ++lane) {
      ASSERT_LT((matrix_of(batch, lane) * rest[lane] - now[lane]).norm(), 2e-6);
      ASSERT_LT(difference(matrix_of(batch, lane), shortest[lane]), 1e-3);
    }
  }
}

TEST_P(EverySimdLevel, any_scale_of_single_precision_gives_the_same_rotation) {
  Random random(11);
  for (double scale : {1e-30, 1e-20, 1e-10, 1.0, 1e10, 1e20, 1e30}) {
    RotationBatch batch;
    Mat3 a[16];
    for (int lane = 0; lane < 16; ++lane) {
      a[lane] = random.with_singular_values({1, 0.8, 0.5});
      put(batch, lane, scale * a[lane], horn(a[lane]) * random.turn(0.1));
    }
    EXPECT_EQ(nearest_rotations(&batch, 1, 3), 0) << scale;
    for (int lane = 0; lane < 16; ++lane)
      EXPECT_LT(difference(matrix_of(batch, lane), horn(a[lane])), 1e-6) << scale;
  }
}

TEST_P(EverySimdLevel, a_lane_does_not_depend_on_how_many_batches_go_together) {
  Random random(14);
  std::vector<RotationBatch> together(5);
  for (RotationBatch& batch : together)
    for (int lane = 0; lane < 16; ++lane) put(batch, lane, random.matrix(), random.rotation());
  std::vector<RotationBatch> alone = together;
  nearest_rotations(together.data(), 5, 3);
  for (RotationBatch& batch : alone) nearest_rotations(&batch, 1, 3);
  for (int i = 0; i < 5; ++i)
    for (int lane = 0; lane < 16; ++lane)
      ASSERT_EQ(matrix_of(together[i], lane), matrix_of(alone[i], lane)) << i << " " << lane;
}

TEST_P(EverySimdLevel, zero_keeps_the_warm_start_bit_for_bit) {
  Random random(12);
  RotationBatch batch, before;
  for (int lane = 0; lane < 16; ++lane) put(batch, lane, Mat3::Zero(), random.rotation());
  before = batch;
  EXPECT_EQ(nearest_rotations(&batch, 1, 2), 0);
  for (int lane = 0; lane < 16; ++lane) {
    for (int k = 0; k < 4; ++k) EXPECT_EQ(batch.q[k][lane], before.q[k][lane]);
    EXPECT_LT(difference(matrix_of(batch, lane), quaternion_of(before, lane)), 1e-6);
  }
}

TEST_P(EverySimdLevel, a_matrix_that_is_not_finite_keeps_its_rotation_and_leaves_other_lanes_alone) {
  for (float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (int entry = 0; entry < 9; ++entry) {
      Random random(13);
      RotationBatch batch, before;
      Mat3 a[16];
      for (int lane = 0; lane < 16; ++lane) {
        a[lane] = random.with_singular_values({1, 0.8, 0.5});
        put(batch, lane, a[lane], horn(a[lane]) * random.turn(0.1));
      }
      batch.a[entry][5] = bad;
      before = batch;
      EXPECT_EQ(nearest_rotations(&batch, 1, 3), 1);
      EXPECT_EQ(finish_rotations(batch.a, batch.q, batch.r, 1u << 5 | 1u << 7), 1u << 5);
      EXPECT_LT(difference(matrix_of(batch, 5), quaternion_of(before, 5)), 1e-6);
      EXPECT_LT(quaternion_of(batch, 5).angularDistance(quaternion_of(before, 5)), 1e-6);
      for (int lane = 0; lane < 16; ++lane) {
        if (lane == 5) continue;
        EXPECT_LT(difference(matrix_of(batch, lane), horn(a[lane])), 1e-6);
      }
    }
  }
}

}  // namespace rotation_test
}  // namespace pliant
