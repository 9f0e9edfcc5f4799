// SPDX-License-Identifier: Apache-2.0
// Every function of pliant/shapes.hpp with arguments that nobody should pass: it answers with problems, or with what its
// description says, and never crashes.
#include <gtest/gtest.h>

#include <cmath>

#include "include/pliant/shapes.hpp"
#include "tests/support/hostile_values.hpp"
#include "tests/support/throwing_checks.hpp"

namespace pliant {
namespace hostile_shapes_test {

/// Refused with reasons, or sound in all its numbers.
void expect_sound(const Shape& shape) {
  if (!shape.problems.empty()) {
    EXPECT_TRUE(are_told(shape.problems));
    EXPECT_TRUE(shape.graph.positions.empty());
    EXPECT_FALSE(check_shape(shape).empty());
    return;
  }
  for (const Problem& problem : check_shape(shape))
    ADD_FAILURE() << Error{{}, {problem}}.text() << " in a shape that was made";
}

PolygonMesh cube() {
  PolygonMesh mesh;
  for (double y : {0.0, 0.4})
    for (double z : {0.0, 0.4})
      for (double x : {0.0, 0.4}) mesh.vertices.emplace_back(x, y, z);
  for (const auto& quad :
       {std::array{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}}) {
    mesh.corner.insert(mesh.corner.end(), quad.begin(), quad.end());
    mesh.face_begin.push_back(Index(mesh.corner.size()));
  }
  return mesh;
}

/// Meshes whose arrays do not fit, whose corners do not exist, whose numbers are none.
std::vector<PolygonMesh> hostile_meshes() {
  std::vector<PolygonMesh> list;
  const auto with = [&](auto&& change) { change(list.emplace_back(cube())); };
  with([](PolygonMesh& m) { m.face_begin.back() = 1000; });
  with([](PolygonMesh& m) { m.face_begin[2] = -5; });
  with([](PolygonMesh& m) { m.face_begin[2] = 20; });
  with([](PolygonMesh& m) { m.face_begin.clear(); });
  with([](PolygonMesh& m) { m.face_begin[0] = 4; });
  with([](PolygonMesh& m) { m.corner.clear(); });
  with([](PolygonMesh& m) { m.corner[3] = 99; });
  with([](PolygonMesh& m) { m.corner[3] = -1; });
  with([](PolygonMesh& m) { m.vertices.clear(); });
  for (const Vec3& at : {Vec3(Vec3::Constant(not_a_number)), Vec3(0, infinite, 0)})
    with([&](PolygonMesh& m) { m.vertices[5] = at; });
  with([](PolygonMesh& m) { m.corner_texcoord = {1, 2}; });
  with([](PolygonMesh& m) { m.corner_texcoord.assign(m.corner.size(), 7); });
  with([](PolygonMesh& m) { m.normals = {Vec3(0, 1, 0)}, m.face_begin = {0}, m.corner.clear(); });
  return list;
}

TEST(HostileShapes, built_in_shapes_are_sound_or_tell_why_not) {
  for (const double bad : hostile_numbers())
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 size(1, 1, 1), place(0, 0, 0);
      size[axis] = bad, place[axis] = bad;
      expect_sound(make_shape(BoxShape{.size = size, .nodes = {3, 3, 3}}));
      expect_sound(make_shape(BoxShape{.nodes = {3, 3, 3}, .corner = place}));
      expect_sound(make_shape(EllipsoidShape{.radii = size, .nodes = 5}));
      expect_sound(make_shape(EllipsoidShape{.nodes = 5, .center = place}));
      expect_sound(
          make_shape(CylinderShape{.radius = size[0], .height = size[1], .nodes = {5, 3}, .center = place}));
      expect_sound(
          make_shape(TorusShape{.ring_radius = size[0], .tube_radius = size[1] / 3, .nodes = {5, 8}}));
      expect_sound(make_shape(SheetShape{.size = {size[0], size[1]}, .nodes = {3, 3}, .thickness = size[2]}));
      expect_sound(
          make_shape(PlantShape{.leaves = 1, .height = size[0], .thickness = size[1], .base = place}));
    }
}

TEST(HostileShapes, counts_of_nodes_are_taken_or_told) {
  for (const int a : hostile_counts())
    for (const int b : hostile_counts()) {
      if (std::abs(double(a)) < 100 && std::abs(double(b)) < 100) {
        expect_sound(make_shape(PlantShape{.seed = a, .leaves = b}));
      }
      expect_sound(make_shape(BoxShape{.nodes = {a, b, 3}}));
      expect_sound(make_shape(CylinderShape{.nodes = {a, b}}));
      expect_sound(make_shape(TorusShape{.nodes = {a, b}}));
      expect_sound(make_shape(SheetShape{.nodes = {a, b}}));
    }
  for (const int a : hostile_counts()) {
    expect_sound(make_shape(EllipsoidShape{.nodes = a}));
    expect_sound(make_shape(PlantShape{.leaves = std::min(a, 3)}));
  }
  EXPECT_FALSE(make_shape(BoxShape{.nodes = {40000, 40000, 40000}}).problems.empty());
  EXPECT_FALSE(make_shape(PlantShape{.leaves = 1 << 30}).problems.empty());
}

TEST(HostileShapes, a_torus_thicker_than_its_ring_is_told) {
  const Shape shape = make_shape(TorusShape{.ring_radius = 1, .tube_radius = 2});
  ASSERT_EQ(shape.problems.size(), 1u);
  EXPECT_EQ(shape.problems[0].place, "tube_radius");
}

TEST(HostileShapes, cells_of_nodes_that_do_not_exist_are_told) {
  const Shape box = make_shape(BoxShape{.nodes = {3, 3, 3}});
  const Points nodes = box.graph.positions;
  const auto cells = box.graph.cells;
  for (const int bad : hostile_counts()) {
    auto changed = cells;
    changed[0][3] = bad;
    expect_sound(shape_from_cells(nodes, changed));
  }
  for (const Vec3& bad : hostile_points()) {
    Points changed = nodes;
    changed[13] = bad;
    expect_sound(shape_from_cells(changed, cells));
  }
  EXPECT_FALSE(shape_from_cells({}, {}).problems.empty());
  EXPECT_FALSE(shape_from_cells({}, cells).problems.empty());
  EXPECT_FALSE(shape_from_cells(nodes, {{0, 0, 0, 0, 0, 0, 0, 0}}).problems.empty());
  const ThrowingChecks checks;
  EXPECT_THROW(cell_volume({}, cells[0]), CheckThrown);
  EXPECT_GT(cell_volume(nodes, cells[0]), 0);
}

TEST(HostileShapes, meshes_that_do_not_fit_themselves_are_refused) {
  Pool pool(1);
  for (const PolygonMesh& mesh : hostile_meshes()) {
    EXPECT_TRUE(are_told(check_mesh(mesh)));
    const Result<MeshShape> made = make_mesh_shape(mesh, {.nodes = 100}, pool);
    EXPECT_FALSE(made);
    EXPECT_TRUE(are_told(made.error().problems));
    EXPECT_FALSE(automatic_cage(mesh, {.budget = 60}, pool));
    PolygonMesh copy = mesh;
    convert(copy, 0.5, UpAxis::z);
    move(copy, Mat3::Identity(), Vec3(1, 2, 3));
    for (const Triangle& t : fan_triangles(mesh)) EXPECT_LE(t.size(), 3u);
    is_cloud(mesh);
  }
  EXPECT_TRUE(check_mesh(cube()).empty());
}

TEST(HostileShapes, options_of_mesh_bodies_are_taken_or_told) {
  Pool pool(1);
  for (const int nodes : hostile_counts()) {
    const Result<MeshShape> made = make_mesh_shape(cube(), {.nodes = nodes}, pool);
    EXPECT_FALSE(made) << nodes;
    EXPECT_TRUE(are_told(made.error().problems));
  }
  for (const double thickness : hostile_numbers()) {
    const Result<MeshShape> made =
        make_mesh_shape(cube(), {.nodes = 60, .solid = false, .thickness = thickness}, pool);
    if (made)
      expect_sound(made->shape);
    else
      EXPECT_TRUE(are_told(made.error().problems)) << thickness;
  }
}

TEST(HostileShapes, cages_of_nonsense_are_refused_or_empty) {
  Pool pool(1);
  for (const int budget : hostile_counts())
    EXPECT_FALSE(automatic_cage(cube(), {.budget = budget}, pool)) << budget;
  for (const double clearance : hostile_numbers())
    EXPECT_FALSE(automatic_cage(cube(), {.budget = 60, .clearance = clearance}, pool)) << clearance;
  TriMesh broken{cube().vertices, {{0, 1, 99}, {-1, 2, 3}}};
  EXPECT_FALSE(automatic_cage(broken, {.budget = 60}, pool));
  EXPECT_FALSE(automatic_cage(TriMesh{}, {}, pool));
  for (const int a : hostile_counts())
    for (const int b : hostile_counts()) {
      const int vertices = box_cage_vertices({a, b, 2});
      if (a > 2 || b > 2) {
        EXPECT_EQ(vertices, 0);
      }
      EXPECT_EQ(Index(box_cage({0, 0, 0}, {1, 1, 1}, {a, b, 2}).vertices.size()), vertices);
      const Points points{Vec3(0, 0, 0), Vec3(1, 1, 1)};
      EXPECT_EQ(Index(box_cage_around(points, {a, b, 2}, 0.1).vertices.size()), vertices);
    }
  EXPECT_TRUE(box_cage(Vec3::Constant(not_a_number), {1, 1, 1}, {1, 1, 1}).vertices.empty());
  EXPECT_TRUE(box_cage_around({}, {1, 1, 1}, 0.1).vertices.empty());
  for (const double clearance : hostile_numbers())
    box_cage_around(Points{Vec3(0, 0, 0)}, {1, 1, 1}, clearance);
}

TEST(HostileShapes, surfaces_that_are_no_cage_are_told) {
  const TriMesh box = box_cage({-1, -1, -1}, {1, 1, 1}, {1, 1, 1});
  EXPECT_FALSE(check_cage(box, Points{Vec3(0, 0, 0)}));
  EXPECT_TRUE(check_cage({}, {}));
  for (const int bad : hostile_counts()) {
    TriMesh cage = box;
    cage.triangles[2][1] = bad;
    EXPECT_TRUE(check_cage(cage, Points{Vec3(0, 0, 0)}));
    cage_clearance(cage, Points{Vec3(0, 0, 0)});
  }
  for (const Vec3& bad : hostile_points()) {
    TriMesh cage = box;
    cage.vertices[3] = bad;
    check_cage(cage, Points{Vec3(0, 0, 0)});
    cage_clearance(cage, Points{bad});
    check_cage(box, Points{bad}, not_a_number);
    cage_clearance(box, Points{bad});
  }
  EXPECT_EQ(cage_clearance(box, {}).point, -1);
  EXPECT_EQ(cage_clearance({}, Points{Vec3(0, 0, 0)}).point, -1);
}

TEST(HostileShapes, blobs_of_nonsense_are_refused) {
  const Blobs fine{.parts = {{.from = {0, 0, 0}, .to = {0.3, 0, 0}}}, .resolution = 12};
  ASSERT_TRUE(blob_surface(fine));
  EXPECT_FALSE(blob_surface({}));
  EXPECT_EQ(blob_distance({}, Vec3::Zero()), infinite);
  for (const double bad : hostile_numbers())
    for (int field = 0; field < 4; ++field) {
      Blobs blobs = fine;
      (field == 0   ? blobs.parts[0].radius
       : field == 1 ? blobs.parts[0].end_radius
       : field == 2 ? blobs.blend
                    : blobs.parts[0].to.y()) = bad;
      blob_distance(blobs, Vec3(bad, 0, 0));
      if (const auto surface = blob_surface(blobs))
        EXPECT_TRUE(check_mesh(*surface).empty()) << bad << " " << field;
      else
        EXPECT_TRUE(are_told(surface.error().problems));
    }
  for (const int bad : hostile_counts()) {
    Blobs blobs = fine;
    blobs.resolution = bad;
    EXPECT_FALSE(blob_surface(blobs)) << bad;
  }
}

Skeleton two_joints() {
  Skeleton skeleton;
  skeleton.joints = {{.name = "root", .turns = {}, .moves = {}},
                     {.name = "tip", .parent = 0, .position = {0, 1, 0}, .turns = {}, .moves = {}}};
  skeleton.joints[1].turns.times = {0, 1};
  skeleton.joints[1].turns.turns = {Vec3(0, 0, 0), Vec3(0, 0, 1)};
  return skeleton;
}

TEST(HostileShapes, skeletons_that_do_not_fit_themselves_are_told) {
  const ThrowingChecks checks;
  EXPECT_TRUE(check_skeleton(two_joints()).empty());
  for (const int parent : hostile_counts()) {
    Skeleton skeleton = two_joints();
    skeleton.joints[1].parent = parent;
    const bool exists = parent == -1 || parent == 0;
    EXPECT_EQ(check_skeleton(skeleton).empty(), exists);
    if (parent > 0) {
      EXPECT_THROW(skeleton.pose(0.5), CheckThrown);
      if (parent > 1) {
        EXPECT_THROW(skeleton.bones(), CheckThrown);
      }
    }
    transform(skeleton, not_a_number, Mat3::Zero(), Vec3::Constant(infinite));
    skeleton.duration();
  }
  const auto refused = [&](auto&& change) {
    Skeleton skeleton = two_joints();
    change(skeleton.joints[1]);
    EXPECT_TRUE(are_told(check_skeleton(skeleton)));
    return skeleton;
  };
  const Skeleton fewer = refused([](Joint& j) { j.turns.turns.pop_back(); });
  EXPECT_THROW(fewer.pose(0.5), CheckThrown);
  const Skeleton cubic = refused([](Joint& j) { j.turns.interpolation = Interpolation::cubic; });
  EXPECT_THROW(cubic.pose(0.5), CheckThrown);
  const Skeleton moves = refused([](Joint& j) { j.moves.times = {0, 1}; });
  EXPECT_THROW(moves.pose(0.5), CheckThrown);
  refused([](Joint& j) { j.turns.times = {1, 0}; }).pose(0.5);
  refused([](Joint& j) { j.turns.times = {0, not_a_number}; }).pose(0.5);
  refused([](Joint& j) { j.position.x() = not_a_number; }).bones();
  for (const double t : hostile_numbers()) {
    two_joints().pose(t);
    two_joints().joints[1].turns.at(t);
    two_joints().joints[1].moves.at(t);
  }
  for (const Vec3& bad : hostile_points()) {
    lifted_rotation(bad);
    turn_near(Quat(bad.x(), bad.y(), bad.z(), 0), bad);
    align_turns({Quat(bad.x(), bad.y(), bad.z(), 0), Quat::Identity()});
  }
}

TEST(HostileShapes, selections_of_nonsense_select_nothing) {
  const Shape box = make_shape(BoxShape{.nodes = {3, 3, 3}});
  for (const Vec3& bad : hostile_points()) {
    select_nodes({SelectBox{{bad, Vec3(1, 1, 1)}}}, box);
    select_nodes({SelectSphere{.center = bad, .radius = 0.1}}, box);
    select_nodes({SelectHalfspace{.point = bad}}, box);
    select_nodes({SelectHalfspace{.normal = bad}}, box);
  }
  EXPECT_TRUE(select_nodes({SelectHalfspace{.normal = Vec3::Zero()}}, box).empty());
  EXPECT_TRUE(select_nodes({SelectSphere{.radius = not_a_number}}, box).empty());
  EXPECT_TRUE(select_nodes({SelectVertices{{-5, 1 << 30}}}, box).empty());
  EXPECT_TRUE(select_nodes({SelectAll{}}, {}).empty());
  Shape broken = box;
  broken.embedding.column[0] = 1 << 30;
  EXPECT_TRUE(select_nodes({SelectVertices{{0}}}, broken).empty());
  EXPECT_EQ(bounds_of({}).max, Vec3(0, 0, 0));
  bounds_of(hostile_points());
  EXPECT_EQ(&boundary_of(box), &box.surface);
}

/// Shapes by hand: everything in them may be wrong.
TEST(HostileShapes, shapes_that_do_not_fit_themselves_are_told) {
  const Shape box = make_shape(BoxShape{.nodes = {3, 3, 3}});
  EXPECT_TRUE(check_shape(box).empty());
  EXPECT_FALSE(check_shape({}).empty());
  const auto told = [&](auto&& change) {
    Shape shape = box;
    change(shape);
    EXPECT_TRUE(are_told(check_shape(shape)));
  };
  told([](Shape& s) { s.surface.triangles[0][0] = 1 << 30; });
  told([](Shape& s) { s.surface.vertices[0].x() = not_a_number; });
  told([](Shape& s) { s.surface.vertices.pop_back(); });
  told([](Shape& s) { s.graph.positions[0].x() = infinite; });
  told([](Shape& s) { s.graph.volumes[0] = not_a_number; });
  told([](Shape& s) { s.graph.volumes.pop_back(); });
  told([](Shape& s) { s.graph.edges[0].b = 1 << 30; });
  told([](Shape& s) { std::swap(s.graph.edges[0], s.graph.edges[1]); });
  told([](Shape& s) { s.graph.edges[0].share = not_a_number; });
  told([](Shape& s) { s.graph.cells[0][7] = -1; });
  told([](Shape& s) { s.graph.tetrahedra = {{{0, 1, 2, 999}, 1}}; });
  told([](Shape& s) { s.graph.triangles = {{0, 1, 999}}; });
  told([](Shape& s) { s.graph.thickness = -1; });
  told([](Shape& s) { s.embedding.begin.pop_back(); });
  told([](Shape& s) { s.embedding.begin[1] = 1 << 30; });
  told([](Shape& s) { s.embedding.weight.pop_back(); });
  told([](Shape& s) { s.embedding.weight[0] = not_a_number; });
  told([](Shape& s) { s.touching = {1 << 30}; });
  told([](Shape& s) { s.contact = pick({0, 1}), s.contact_triangles = {{0, 1, 2}}; });
  told([](Shape& s) { s.followers = pick({999}); });
  told([](Shape& s) { s.faces.face_begin = {0, 5}; });
  told([](Shape& s) { s.discs.triangles = {{0, 1, 2}}; });
  EXPECT_TRUE(are_told(check_mesh(TriMesh{{}, {{0, 1, 2}}})));
  EXPECT_TRUE(are_told(check_faces({{0, 1, 2}}, {}, 2)));
}

TEST(HostileShapes, small_functions_take_everything) {
  const ThrowingChecks checks;
  PolygonMesh mesh = cube();
  EXPECT_EQ(mesh.faces(), 6);
  EXPECT_EQ(mesh.corners_of(0), 4);
  for (const int bad : hostile_counts())
    if (bad < 0 || bad > 5) {
      EXPECT_THROW(mesh.corners_of(bad), CheckThrown);
    }
  mesh.face_begin.clear();
  EXPECT_EQ(mesh.faces(), 0);
  EXPECT_EQ(metres(LengthUnit(99)), 1);
}

}  // namespace hostile_shapes_test
}  // namespace pliant
