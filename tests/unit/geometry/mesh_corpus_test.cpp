// SPDX-License-Identifier: Apache-2.0
// Every mesh of the corpus as a body: finite, attached, of the right mass, and nothing glued through air.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/io/read_mesh.hpp"
#include "tests/support/mesh_samples.hpp"
#include "tests/support/models.hpp"

namespace pliant {
namespace mesh_corpus_test {

namespace fs = std::filesystem;

/// All but the one that is points without faces.
std::vector<fs::path> corpus_files() {
  std::vector<fs::path> files = model_files();
  std::erase_if(files, [](const fs::path& file) { return file.filename() == "b9.ply"; });
  return files;
}

/// Length of an edge outside the solid by the winding number at 64 places.
constexpr int samples = 64;

double air_on(const TriangleTree& tree, const Vec3& p, const Vec3& q) {
  int outside = 0;
  for (int k = 0; k < samples; ++k) outside += tree.winding(p + (k + 0.5) / samples * (q - p)) <= 0.5;
  return outside / double(samples) * (q - p).norm();
}

/// How much of independent noise of the nodes comes to the surface, rms.
double noise_gain(const Shape& shape) {
  double squares = 0;
  for (const Index v : shape.touching)
    for (Index k = shape.embedding.begin[v]; k < shape.embedding.begin[v + 1]; ++k)
      squares += shape.embedding.weight[k] * shape.embedding.weight[k];
  return std::sqrt(squares / double(shape.touching.size()));
}

void expect_sound(const MeshShape& made) {
  const Shape& shape = made.shape;
  const NodeGraph& graph = shape.graph;
  for (const Vec3& p : graph.positions) ASSERT_TRUE(p.allFinite());
  for (const double volume : graph.volumes) ASSERT_GT(volume, 0);
  for (const auto& e : graph.edges) ASSERT_TRUE(e.share > 0 && std::isfinite(e.share));
  const double sum = std::accumulate(graph.volumes.begin(), graph.volumes.end(), 0.0);
  EXPECT_NEAR(sum / made.report.volume, 1, 1e-12);
  EXPECT_LE(made.report.most_degree, 80);

  Points nodes, out(shape.surface.vertices.size());
  const Mat3 turn = Eigen::AngleAxisd(2, Vec3(3, -1, 2).normalized()).toRotationMatrix();
  const Vec3 pivot = graph.positions.front();
  for (const Vec3& X : graph.positions) nodes.push_back(turn * (X - pivot));
  gather(shape.embedding, nodes, out);
  double worst = 0;
  for (std::size_t v = 0; v < out.size(); ++v)
    worst = std::max(worst, (out[v] - turn * (shape.surface.vertices[v] - pivot)).norm());
  EXPECT_LT(worst / diagonal(shape.surface.vertices), 1e-12);
  // Thin walls and limbs of 500 nodes are carried by one row of nodes whose slopes extrapolate; at the 2000
  // nodes that the bound of 1.5 is meant for, below.
  EXPECT_LT(noise_gain(shape), 2);
}

TEST(MeshCorpus, every_mesh_becomes_a_body_that_carries_its_whole_surface) {
  if (!have_models()) GTEST_SKIP() << models_missing;
  const auto files = corpus_files();
  // Shells and mixed surfaces; all others are solids.
  const std::set<std::string> shells = {"ALSTOM_TEST4",
                                        "cylinder",
                                        "cylinder_locally_refined",
                                        "degtri_sliding",
                                        "fold",
                                        "holes",
                                        "horizons",
                                        "in",
                                        "mask_cone",
                                        "mesh_with_border",
                                        "mesh_with_colors",
                                        "mushroom",
                                        "nefertiti",
                                        "negative",
                                        "patch-13",
                                        "patch-20",
                                        "patch-21",
                                        "patch-23",
                                        "patch-30",
                                        "plane",
                                        "poly2x^2+y^2-0.062500",
                                        "polygon_mesh",
                                        "quad",
                                        "quads_to_stitch",
                                        "three_peaks",
                                        "triangle",
                                        "triangular_hole"};
  const std::set<std::string> loose = {"b9_mesh", "tetra_intersected_by_triangle"};
  Pool pool(1);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename().string());
    const Result<PolygonMesh> mesh = read_polygons(file);
    ASSERT_TRUE(mesh) << mesh.error().text();
    MeshShapeOptions options;
    options.nodes = 500;
    const Result<MeshShape> made = make_mesh_shape(*mesh, options, pool);
    ASSERT_TRUE(made) << made.error().text();
    const std::string name = file.stem().string();
    EXPECT_EQ(made->report.solid, !shells.contains(name));
    if (!loose.contains(name)) {
      EXPECT_GE(made->report.least_degree, 2);
    }
    // Without its triangles of no area degtri_sliding is in two.
    if (name != "degtri_sliding") {
      EXPECT_LE(made->report.parts, made->report.repair.components);
    }
    expect_sound(*made);
  }
}

TEST(MeshCorpus, no_edge_leaves_a_closed_solid) {
  if (!have_models()) GTEST_SKIP() << models_missing;
  Pool pool(1);
  for (const char* name :
       {"hand", "dino", "elephant", "camel", "cactus", "triceratops", "turbine", "knot1"}) {
    SCOPED_TRACE(name);
    const Result<PolygonMesh> mesh = read_polygons(model_folder() / (std::string(name) + ".off"));
    ASSERT_TRUE(mesh);
    MeshShapeOptions options;
    options.nodes = 1000;
    const Result<MeshShape> made = make_mesh_shape(*mesh, options, pool);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->report.parts, 1);
    const Shape& shape = made->shape;
    const TriangleTree tree(shape.surface.vertices, shape.surface.triangles);
    // 0.05 a of air are allowed, twice that to the nodes that fix rotations. The tree that answers here is
    // not the one that decided, and 1/64 of the edge is not seen: with 0.05 a one edge of dino would be out.
    int outside = 0;
    const Index frames = made->report.lattice_nodes + made->report.cover_nodes;
    for (const auto& e : shape.graph.edges)
      outside += air_on(tree, shape.graph.positions[e.a], shape.graph.positions[e.b]) >
                 (std::max(e.a, e.b) < frames ? 0.1 : 0.3) * made->report.spacing;
    EXPECT_LE(outside, made->report.bridges);
  }
}

TEST(MeshCorpus, twist_and_bend_pass_smoothly_to_the_surface) {
  if (!have_models()) GTEST_SKIP() << models_missing;
  Pool pool(1);
  for (const char* name : {"hand", "turbine", "bear_bis", "elephant", "cube-meshed"}) {
    SCOPED_TRACE(name);
    const Result<PolygonMesh> mesh = read_polygons(model_folder() / (std::string(name) + ".off"));
    ASSERT_TRUE(mesh);
    MeshShapeOptions options;
    options.nodes = 2000;
    const Result<MeshShape> made = make_mesh_shape(*mesh, options, pool);
    ASSERT_TRUE(made);
    const Shape& shape = made->shape;
    Vec3 low = shape.surface.vertices.front(), high = low;
    for (const Vec3& p : shape.surface.vertices) low = low.cwiseMin(p), high = high.cwiseMax(p);
    int axis = 0;
    (high - low).maxCoeff(&axis);
    const double length = (high - low)[axis];
    const auto motion = [&](const Vec3& X) {
      const Vec3 p = X - 0.5 * (low + high);
      const double s = p[axis] / length;
      Vec3 q = Eigen::AngleAxisd(1.2 * s, Vec3::Unit(axis)) * Vec3(p - p[axis] * Vec3::Unit(axis));
      // Bent to a circle of radius `length` about a line across the axis.
      const int other = (axis + 1) % 3;
      const double radius = length + q[other];
      q[other] = radius * std::cos(s) - length;
      q[axis] = radius * std::sin(s);
      return q;
    };
    Points nodes, out(shape.surface.vertices.size());
    for (const Vec3& X : shape.graph.positions) nodes.push_back(motion(X));
    gather(shape.embedding, nodes, out);
    double worst = 0, squares = 0;
    for (std::size_t v = 0; v < out.size(); ++v) {
      const double error = (out[v] - motion(shape.surface.vertices[v])).norm() / made->report.spacing;
      worst = std::max(worst, error);
      squares += error * error;
    }
    // A cube is as wide as the bend is round: more strain than slender bodies see.
    EXPECT_LT(std::sqrt(squares / double(out.size())), std::string(name) == "cube-meshed" ? 0.04 : 0.03);
    EXPECT_LT(worst, 0.25);
    EXPECT_LT(noise_gain(shape), 1.5);
  }
}

}  // namespace mesh_corpus_test
}  // namespace pliant
