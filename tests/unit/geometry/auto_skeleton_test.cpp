// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/auto_skeleton.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pliant/geometry/blobs.hpp"
#include "pliant/geometry/mean_curvature.hpp"
#include "pliant/geometry/repair.hpp"
#include "pliant/geometry/triangle_tree.hpp"
#include "pliant/io/read_mesh.hpp"
#include "tests/support/mesh_messages.hpp"
#include "tests/support/models.hpp"

namespace pliant {
namespace auto_skeleton_test {

AutoSkeleton found_in(const PolygonMesh& mesh, const AutoSkeletonOptions& options = {}) {
  Pool pool(1);
  Result<AutoSkeleton> out = find_skeleton(mesh, options, pool);
  EXPECT_TRUE(out) << message(out);
  return std::move(*out);
}

PolygonMesh surface_of(const std::vector<BlobPart>& parts, double blend = 0.02) {
  Blobs blobs;
  blobs.parts = parts;
  blobs.blend = blend;
  blobs.resolution = 48;
  return *blob_surface(blobs);
}

Points ends_of_star() {
  Points ends;
  for (int k = 0; k < 5; ++k) {
    const double angle = 2 * std::numbers::pi * k / 5 + 0.2;
    ends.push_back(0.7 * Vec3(std::cos(angle), std::sin(angle), 0.1));
  }
  return ends;
}

/// A limb from a thick middle to each of the ends.
PolygonMesh star_to(const Points& ends) {
  std::vector<BlobPart> parts{{Vec3(0, 0, 0), Vec3(0, 0, 0), 0.18, 0.18}};
  for (const Vec3& end : ends) parts.push_back({Vec3(0, 0, 0), end, 0.1, 0.07});
  return surface_of(parts);
}

std::vector<Index> tips_of(const Skeleton& s) {
  std::vector<char> inner(s.joints.size(), 0);
  for (const Joint& joint : s.joints)
    if (joint.parent >= 0) inner[std::size_t(joint.parent)] = 1;
  std::vector<Index> tips;
  for (std::size_t j = 0; j < inner.size(); ++j)
    if (!inner[j]) tips.push_back(Index(j));
  return tips;
}

double nearest_tip(const Skeleton& s, const Vec3& p) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const Index tip : tips_of(s))
    nearest = std::min(nearest, (s.joints[std::size_t(tip)].position - p).norm());
  return nearest;
}

double nearest_bone(const Skeleton& s, const Vec3& p) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const Bone& bone : s.bones()) {
    const Vec3 from = p - s.joints[std::size_t(bone.start)].position;
    const double along = std::clamp(from.dot(bone.direction), 0.0, bone.length);
    nearest = std::min(nearest, (from - along * bone.direction).norm());
  }
  return nearest;
}

/// One tree, inside the solid, with radii that are distances to the surface.
void expect_sound(const AutoSkeleton& found, const PolygonMesh& mesh, Index may_leave = 0) {
  const Result<Repaired> surface = repair(mesh);
  const TriangleTree tree(surface->mesh.vertices, surface->mesh.triangles);
  const double size = diagonal(surface->mesh.vertices);
  const Skeleton& s = found.skeleton;
  int roots = 0;
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    const Joint& joint = s.joints[j];
    EXPECT_LT(joint.parent, Index(j));
    roots += joint.parent < 0;
    EXPECT_GT(tree.winding(joint.position), 0.5) << joint.name;
    EXPECT_NEAR(joint.radius, tree.nearest(joint.position, size).distance, 1e-9 * size) << joint.name;
    for (std::size_t k = 0; k < j; ++k) EXPECT_NE(joint.name, s.joints[k].name);
  }
  EXPECT_EQ(roots, 1);
  int leaving = 0;
  for (const Bone& bone : s.bones()) {
    EXPECT_GT(bone.length, 0);
    EXPECT_LT(bone.length, 0.35 * size);
    const Vec3& a = s.joints[std::size_t(bone.start)].position;
    bool inside = true;
    for (int k = 0; k <= 32; ++k) inside &= tree.winding(a + k / 32.0 * bone.length * bone.direction) > 0.5;
    leaving += !inside;
  }
  EXPECT_LE(leaving, may_leave);
}

TEST(AutoSkeleton, finds_the_limbs_of_a_star) {
  const Points ends = ends_of_star();
  const PolygonMesh mesh = star_to(ends);
  const AutoSkeleton found = found_in(mesh);
  expect_sound(found, mesh);
  EXPECT_EQ(found.report.limbs, 5);
  EXPECT_LT(found.skeleton.joints[0].position.norm(), 0.08);  // the root is the thick middle
  for (const Vec3& end : ends) EXPECT_LT(nearest_tip(found.skeleton, end), 0.09);
}

TEST(AutoSkeleton, goes_around_a_gap_and_not_through_it) {
  // A tuning fork: two prongs a fifth of their thickness apart.
  const PolygonMesh mesh = surface_of({{Vec3(0, -0.6, 0), Vec3(0, 0, 0), 0.1, 0.1},
                                       {Vec3(-0.12, 0.05, 0), Vec3(0.12, 0.05, 0), 0.1, 0.1},
                                       {Vec3(-0.12, 0.05, 0), Vec3(-0.12, 0.9, 0), 0.1, 0.1},
                                       {Vec3(0.12, 0.05, 0), Vec3(0.12, 0.9, 0), 0.1, 0.1}},
                                      0.004);
  const AutoSkeleton found = found_in(mesh);
  expect_sound(found, mesh);
  EXPECT_EQ(found.report.limbs, 3);
  for (const Vec3& end : {Vec3(0, -0.6, 0), Vec3(-0.12, 0.9, 0), Vec3(0.12, 0.9, 0)})
    EXPECT_LT(nearest_tip(found.skeleton, end), 0.12);
}

TEST(AutoSkeleton, sets_joints_where_a_limb_bends) {
  const PolygonMesh mesh = surface_of(
      {{Vec3(0, 0, 0), Vec3(0.8, 0, 0), 0.1, 0.1}, {Vec3(0.8, 0, 0), Vec3(0.8, 0.8, 0), 0.1, 0.1}});
  const AutoSkeleton found = found_in(mesh);
  expect_sound(found, mesh);
  EXPECT_EQ(found.report.limbs, 2);
  double nearest = 1;
  for (const Joint& joint : found.skeleton.joints)
    nearest = std::min(nearest, (joint.position - Vec3(0.8, 0, 0)).norm());
  EXPECT_LT(nearest, 0.12);
}

TEST(AutoSkeleton, a_lump_has_one_bone_along_its_length) {
  const PolygonMesh mesh = surface_of({{Vec3(0, 0, 0), Vec3(0.1, 0, 0.1), 0.3, 0.3}});
  const AutoSkeleton found = found_in(mesh);
  expect_sound(found, mesh);
  ASSERT_EQ(found.report.bones, 1);
  const Vec3 along = found.skeleton.bones()[0].direction;
  EXPECT_GT(std::abs(along.dot(Vec3(1, 0, 1).normalized())), 0.98);
}

TEST(AutoSkeleton, is_the_same_for_every_number_of_threads_and_size) {
  PolygonMesh mesh = surface_of(
      {{Vec3(0, 0, 0), Vec3(0.8, 0.2, 0), 0.15, 0.1}, {Vec3(0, 0, 0), Vec3(-0.3, 0.8, 0), 0.1, 0.1}});
  Pool one(1), two(2);
  const auto a = find_skeleton(mesh, {}, one), b = find_skeleton(mesh, {}, two);
  for (Vec3& p : mesh.vertices) p *= 1024;
  const auto large = find_skeleton(mesh, {}, one);
  ASSERT_EQ(a->skeleton.joints.size(), b->skeleton.joints.size());
  ASSERT_EQ(a->skeleton.joints.size(), large->skeleton.joints.size());
  for (std::size_t j = 0; j < a->skeleton.joints.size(); ++j) {
    EXPECT_EQ(a->skeleton.joints[j].position, b->skeleton.joints[j].position);
    EXPECT_LT((1024 * a->skeleton.joints[j].position - large->skeleton.joints[j].position).norm(), 1e-6);
  }
}

TEST(AutoSkeleton, gives_every_part_a_tree) {
  PolygonMesh mesh = surface_of({{Vec3(0, 0, 0), Vec3(0.8, 0, 0), 0.1, 0.1}});
  PolygonMesh other = mesh;
  for (Vec3& p : other.vertices) p.y() += 1;
  const Index first = Index(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (Index f = 0; f < other.faces(); ++f) {
    for (Index k = other.face_begin[f]; k < other.face_begin[f + 1]; ++k)
      mesh.corner.push_back(other.corner[k] + first);
    mesh.face_begin.push_back(Index(mesh.corner.size()));
  }
  const AutoSkeleton found = found_in(mesh);
  EXPECT_EQ(found.report.parts, 2);
  int roots = 0;
  for (const Joint& joint : found.skeleton.joints) roots += joint.parent < 0;
  EXPECT_EQ(roots, 2);
  EXPECT_EQ(found.skeleton.joints[0].name, "part1-root");
}

TEST(AutoSkeleton, refuses_a_shell) {
  PolygonMesh sheet;
  sheet.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 0, 1), Vec3(0, 0, 1)};
  sheet.corner = {0, 1, 2, 3};
  sheet.face_begin = {0, 4};
  Pool pool(1);
  EXPECT_MESSAGE(find_skeleton(sheet, {}, pool), "no skeleton can be found in a shell");
}

struct Wild {
  const char* file;
  Index least_limbs, most_limbs;
  double farthest;  ///< vertex from its nearest bone, share of the diagonal
};
void PrintTo(const Wild& wild, std::ostream* out) { *out << wild.file; }

class WildSkeleton : public testing::TestWithParam<Wild> {};

TEST_P(WildSkeleton, is_inside_connected_and_reaches_the_ends) {
  if (!have_models()) GTEST_SKIP() << models_missing;
  const Result<PolygonMesh> mesh = read_polygons(model_folder() / GetParam().file);
  ASSERT_TRUE(mesh) << message(mesh);
  const AutoSkeleton found = found_in(*mesh);
  expect_sound(found, *mesh, 1);
  EXPECT_GE(found.report.limbs, GetParam().least_limbs);
  EXPECT_LE(found.report.limbs, GetParam().most_limbs);
  // No part of the surface is far from a bone: a limb that was missed would be.
  const double size = diagonal(mesh->vertices);
  double farthest = 0;
  for (const Vec3& p : mesh->vertices) farthest = std::max(farthest, nearest_bone(found.skeleton, p));
  EXPECT_LT(farthest, GetParam().farthest * size);
}

INSTANTIATE_TEST_SUITE_P(Models, WildSkeleton,
                         testing::Values(Wild{"elephant.off", 9, 15, 0.19}, Wild{"dino.off", 6, 10, 0.13},
                                         Wild{"armadillo.off", 7, 12, 0.16}, Wild{"hand.off", 5, 7, 0.28}));

TEST(AutoSkeleton, mean_curvature_flow_finds_the_limbs_of_a_star_where_it_was_compiled_in) {
  if (!has_mean_curvature()) GTEST_SKIP() << "needs a build with PLIANT_GPL";
  const Points ends = ends_of_star();
  const PolygonMesh mesh = star_to(ends);
  const AutoSkeleton found = found_in(mesh, {.skeletonizer = Skeletonizer::cgal});
  expect_sound(found, mesh);
  EXPECT_GE(found.report.limbs, 5);
  EXPECT_LE(found.report.limbs, 7);  // the flow has no smallest limb; measured: two beside the five
  EXPECT_LT(found.skeleton.joints[0].position.norm(), 0.1);
  for (const Vec3& end : ends) EXPECT_LT(nearest_tip(found.skeleton, end), 0.12);
}

TEST(AutoSkeleton, mean_curvature_flow_wants_a_closed_surface) {
  if (!has_mean_curvature()) GTEST_SKIP() << "needs a build with PLIANT_GPL";
  const TriMesh open{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, {{0, 1, 2}}};
  EXPECT_MESSAGE(mean_curvature_curves(open), "an open surface");
}

TEST(AutoSkeleton, mean_curvature_flow_is_refused_with_the_remedy_where_it_was_not_compiled_in) {
  if (has_mean_curvature()) GTEST_SKIP() << "this build has PLIANT_GPL";
  Pool pool(1);
  const PolygonMesh mesh = surface_of({{Vec3(0, 0, 0), Vec3(0, 1, 0), 0.1, 0.1}});
  EXPECT_MESSAGE(find_skeleton(mesh, {.skeletonizer = Skeletonizer::cgal}, pool), "-DPLIANT_GPL=ON");
}

}  // namespace auto_skeleton_test
}  // namespace pliant
