// SPDX-License-Identifier: Apache-2.0
#include "tests/invariants/method_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "pliant/geometry/lattice_shape.hpp"
#include "pliant/geometry/surface_graph.hpp"
#include "pliant/geometry/tetrahedral_shape.hpp"
#include "pliant/geometry/voxel_quadrature.hpp"
#include "pliant/methods/cage/build.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/methods/fem/build.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/methods/geometric/reduced/build.hpp"
#include "pliant/methods/geometric/reduced/cubature.hpp"
#include "pliant/methods/geometric/surface_rows.hpp"
#include "pliant/methods/meshless/build.hpp"
#include "pliant/methods/metric/build.hpp"
#include "pliant/methods/metric/padded_grid.hpp"
#include "pliant/methods/rigid/build.hpp"
#include "pliant/physics/selection.hpp"
#include "tests/support/test_surfaces.hpp"

namespace pliant {
namespace {

MethodCase geometric_case(std::string name, geometric::Options options) {
  return {.name = std::move(name),
          .build = [options](const Shape& shape) -> std::unique_ptr<Method> {
            auto body = geometric::build(shape, 1000, {.mass = 0, .stiffness = 0}, options);
            EXPECT_TRUE(body) << body.error().text();
            return body ? std::move(*body) : nullptr;
          },
          .meets_colliders = true};
}

/// The vertices of the shape's surface are the nodes.
MethodCase surface_case(std::string name, geometric::Options options) {
  MethodCase out = geometric_case(std::move(name), options);
  out.surface_nodes = true;
  const geometric::Operator op = geometric::operator_of(options);
  out.solid_by_surface = op == geometric::Operator::cotangent || op == geometric::Operator::mixed;
  // Under Laplacian rows a rotation hangs on a hundredth of edge rows: single precision shows more.
  if (out.solid_by_surface) out.rest_tolerance = 1e-5, out.node_order_tolerance = 2e-4;
  return out;
}

/// Two modes times the affine functions, and those themselves: 12 columns. Reduced bodies meet colliders in the step of their
/// island (tests/validation/methods_meet_test.cpp), not in one of their own.
MethodCase reduced_case(std::string name, geometric::Options options, int cubature,
                        geometric::ModalKind kind = geometric::ModalKind::affine) {
  options.reduction = geometric::Reduction{.modal = 2, .kind = kind, .cubature = cubature};
  MethodCase made = geometric_case(std::move(name), options);
  made.meets_colliders = false;
  made.any_node_order = false;
  made.holds_any_nodes = false;
  return made;
}

/// In the space of two samples, bent and twisted copies of the shape, and the affine functions.
MethodCase sampled_case(std::string name) {
  MethodCase made = reduced_case(std::move(name), {}, 0);
  made.build = [](const Shape& shape) -> std::unique_ptr<Method> {
    geometric::Options options;
    options.reduction.emplace();
    Points bent = shape.graph.positions, twisted = bent;
    const Bounds box = bounds_of(bent);
    const double length = (box.max - box.min).maxCoeff();
    for (Vec3& p : bent) p.y() += 0.3 * length * std::pow((p - box.min).maxCoeff() / length, 2);
    for (Vec3& p : twisted)
      p = box.min + Eigen::AngleAxisd((p - box.min).z() / length, Vec3::UnitZ()) * (p - box.min);
    auto rows = geometric::make_rows(shape, 1000, options);
    auto model = geometric::reducible_model(std::move(*rows), options);
    EXPECT_TRUE(model) << model.error().text();
    auto basis = geometric::make_basis(*model, {}, *options.reduction, {bent, twisted});
    EXPECT_TRUE(basis) << basis.error().text();
    geometric::Cubature all = geometric::every_node(*model);
    return geometric::build_reduced(std::move(*model), {{shape.embedding, shape.contact}, shape.graph.cells},
                                    {.mass = 0, .stiffness = 0}, options, std::move(*basis), std::move(all));
  };
  return made;
}

/// Rotations are handed on from the body's first end: another order of nodes has another one.
MethodCase adaptive_case(std::string name, geometric::Options options) {
  options.adaptive = geometric::Adaptive{.threshold = 0.03};
  MethodCase made = geometric_case(std::move(name), options);
  made.any_node_order = false;
  return made;
}

/// Contact does not know the multiplier of the volume. A start without the volume is brought to it in the
/// first step, which does work: 0.046 of the energy, measured.
MethodCase kept_volume_case(std::string name, geometric::Options options) {
  options.keep_volume = true;
  MethodCase made = surface_case(std::move(name), options);
  made.meets_colliders = false;
  made.energy_growth = 0.1;
  return made;
}

/// Solved so tightly that what is kept is kept; Euler's method alone loses angular momentum. They, too, meet colliders
/// in the step of their island.
MethodCase fem_case(std::string name, fem::Options options, double angular_tolerance = 1e-10) {
  options.tolerance = 1e-12;
  return {.name = std::move(name),
          .build = [options](const Shape& shape) -> std::unique_ptr<Method> {
            auto body = fem::build(shape, 1000, {.mass = 0, .stiffness = 0}, options);
            EXPECT_TRUE(body) << body.error().text();
            return body ? std::move(*body) : nullptr;
          },
          .angular_tolerance = angular_tolerance};
}

/// Small turns only: of larger ones angular momentum is lost. Twice the measured.
MethodCase linear_fem_case(std::string name) {
  MethodCase made = fem_case(std::move(name), {.model = fem::Material::linear}, 0.23);
  made.turns = false;
  return made;
}

/// In a mesh.
MethodCase fem_mesh_case(std::string name, fem::Options options) {
  MethodCase made = fem_case(std::move(name), options);
  made.tetrahedra = true;
  return made;
}

/// Without bones: polar rotations. Pins and handles hold the field, not the nodes' parameters.
MethodCase meshless_case(std::string name) {
  meshless::Options options;
  options.iterations = 8;
  options.refinements = 1;
  return {.name = std::move(name),
          .build = [options](const Shape& shape) -> std::unique_ptr<Method> {
            auto body = meshless::build(shape, 1000, {.mass = 0, .stiffness = 0}, options);
            EXPECT_TRUE(body) << body.error().text();
            return body ? std::move(*body) : nullptr;
          },
          .meets_colliders = true,
          .holds_any_nodes = false};
}

/// A bone from the node in the middle to the nearest one: its samples are these nodes.
Skeleton bone_in(const Points& nodes) {
  const Vec3 middle = std::accumulate(nodes.begin(), nodes.end(), Vec3(0, 0, 0)) / double(nodes.size());
  // By place alone where several are equally near: the order of nodes must not matter.
  const auto nearest = [&](const Vec3& to) {
    const auto rank = [&](const Vec3& p) {
      return std::tuple(std::llround(1e6 * (p - to).norm()), p.x(), p.y(), p.z());
    };
    return *std::ranges::min_element(nodes, {}, [&](const Vec3& p) {
      return p == to ? std::tuple(std::numeric_limits<long long>::max(), 0.0, 0.0, 0.0) : rank(p);
    });
  };
  Skeleton skeleton;
  skeleton.joints.resize(2);
  skeleton.joints[0].name = "root";
  skeleton.joints[0].position = nearest(middle + Vec3(1e-4, 2e-4, 3e-4));
  skeleton.joints[1].name = "tip";
  skeleton.joints[1].parent = 0;
  skeleton.joints[1].position = nearest(skeleton.joints[0].position);
  return skeleton;
}

/// Flesh that a bone at rest holds; its rotations are diffused from the bone.
MethodCase boned_case(std::string name) {
  MethodCase made = meshless_case(std::move(name));
  made.build = [](const Shape& shape) -> std::unique_ptr<Method> {
    meshless::Options options;
    options.bones.emplace();
    options.bones->skeleton = bone_in(shape.graph.positions);
    const meshless::Flesh flesh = meshless::make_flesh(shape, options);
    EXPECT_EQ(flesh.shape.graph.positions, shape.graph.positions);
    auto body = meshless::build(flesh.shape, 1000, {.mass = 0, .stiffness = 0}, flesh.options);
    EXPECT_TRUE(body) << body.error().text();
    return body ? std::move(*body) : nullptr;
  };
  made.free = false;
  made.node_order_tolerance = 1.2e-4;  // twice the measured: the rows of rotations are solved by iteration
  return made;
}

/// On a lattice, or on the shape's own edges.
MethodCase metric_case(std::string name, metric::Options options) {
  return {.name = std::move(name),
          .build = [options](const Shape& shape) -> std::unique_ptr<Method> {
            auto body = metric::build(shape, 1000, {.mass = 0, .stiffness = 0}, options);
            EXPECT_TRUE(body) << body.error().text();
            return body ? std::move(*body) : nullptr;
          },
          .lattice = options.lattice == metric::Lattice::grid,
          .meets_colliders = true,
          .gradient_tolerance = 1e-4};  // of the fourth degree: less straight than others
}

/// Soft: light nodes at a round surface ask for hundreds of substeps else. All are so soft that their spin
/// stretches them.
MethodCase metric_soft_case(std::string name, metric::Integrator integrator) {
  return metric_case(std::move(name), {.stiffness = 1e3, .integrator = integrator});
}

/// In a box of 2 x 2 x 4 cells. What it holds it holds by springs. In contact it keeps less than others: twice the measured
/// 0.13 of the impulses are missing where one cage holds two boxes, and 4.5 mm.
MethodCase cage_case(std::string name, cage::Options options, bool meets_colliders = false) {
  options.cells = {2, 2, 4};
  return {.name = std::move(name),
          .build = [options](const Shape& shape) -> std::unique_ptr<Method> {
            auto body = cage::build(shape, 1000, {.mass = 0, .stiffness = 0}, options);
            EXPECT_TRUE(body) << body.error().text();
            return body ? std::move(*body) : nullptr;
          },
          .quadrature = true,
          .meets_colliders = meets_colliders,
          .holds_any_nodes = false,
          .contact_momentum = 0.25,
          .deepest = 0.009,
          .quiet_contact = false};
}

/// Its mass is inside, at no node.
MethodCase rigid_case() {
  return {.name = "rigid",
          .build = [](const Shape& shape) -> std::unique_ptr<Method> {
            auto body = rigid::build(shape, 1000, {.mass = 0, .stiffness = 0}, {});
            EXPECT_TRUE(body) << body.error().text();
            return body ? std::move(*body) : nullptr;
          },
          .surface_nodes = true,
          .solid_by_surface = true,
          .meets_colliders = true,
          .elastic = false};
}

/// A method of the catalogue that has no case of its own: its defaults.
MethodCase entry_case(const MethodEntry& entry) {
  return {.name = entry.name,
          .build = [&entry](const Shape& shape) -> std::unique_ptr<Method> {
            auto body = entry.build(entry.defaults, {.shape = shape, .damping = {.mass = 0, .stiffness = 0}});
            EXPECT_TRUE(body) << body.error().text();
            return body ? std::move(*body) : nullptr;
          },
          .surface_nodes = entry.placement(entry.defaults) == NodePlacement::surface,
          .lattice = entry.placement(entry.defaults) == NodePlacement::lattice,
          .meets_colliders = entry.can(entry.defaults, Ability::contact),
          .elastic = entry.can(entry.defaults, Ability::elastic)};
}

}  // namespace

Shape shape_for(const MethodCase& method, const Shape& shape) {
  if (method.lattice && !metric::make_grid(shape.graph)) {
    Pool pool(1);
    const Bounds box = bounds_of(shape.graph.positions);
    return on_lattice(shape.surface, moments_of(shape.graph.positions, shape.graph.volumes),
                      std::min((box.max - box.min).maxCoeff() / 12, (box.max - box.min).minCoeff()), pool);
  }
  if (method.tetrahedra) {
    Pool pool(1);
    MeshShapeOptions options;
    options.nodes = 400;
    auto made = make_tetrahedral_shape(as_polygons(shape.surface), options, pool);
    EXPECT_TRUE(made) << made.error().text();
    return std::move(made->shape);
  }
  if (method.quadrature) return with_quadrature(shape, 220);
  return method.surface_nodes ? on_surface(shape, 0.05) : shape;
}

namespace {

std::vector<MethodCase> made_cases() {
  using namespace geometric;
  std::vector<MethodCase> cases{
      geometric_case("geometric", {}),
      geometric_case("geometric_multigrid", {.linear_solver = LinearSolver::multigrid}),
      geometric_case("geometric_euler", {.integrator = Integrator::euler}),
      geometric_case("geometric_calibrated_weights", {.weights = Weights::calibrated}),
      geometric_case("geometric_with_laplacian_rows", {.laplacian = 10}),
      geometric_case("geometric_papers_scheme",
                     {.integrator = Integrator::euler, .step_solver = StepSolver::local_global}),
      geometric_case("geometric_volume", {.volume = 4}),
      geometric_case("geometric_fibres", {.fibres = {.direction = {1, 2, 0}, .strength = 3}}),
      surface_case("geometric_shell", {.preset = Preset::shell}),
      surface_case("geometric_edge_shell", {.op = Operator::edge}),
      surface_case("geometric_surface_solid", {.preset = Preset::surface_solid}),
      kept_volume_case("geometric_shell_keeps_volume", {.op = Operator::edge}),
      geometric_case("geometric_plastic", {.plasticity = Plasticity{{.yield = 0.02}, {}}}),
      geometric_case("geometric_plastic_volume",
                     {.volume = 4, .plasticity = Plasticity{{.yield = 0.02}, {}}}),
      adaptive_case("geometric_adaptive", {}),
      reduced_case("geometric_reduced_plastic", {.plasticity = Plasticity{{.yield = 0.02}, {}}}, 0),
      reduced_case("geometric_reduced", {}, 0),
      reduced_case("geometric_reduced_euler", {.integrator = Integrator::euler}, 0),
      reduced_case("geometric_reduced_cubature", {}, 40),
      reduced_case("geometric_reduced_rotations", {}, 0, ModalKind::rotations),
      sampled_case("geometric_reduced_samples"),
      metric_case("metric", {}),
      metric_case("metric_stable", {.integrator = metric::Integrator::stable}),
      metric_case("metric_accurate", {.integrator = metric::Integrator::accurate}),
      metric_soft_case("metric_soft", metric::Integrator::bdf2),
      metric_soft_case("metric_soft_stable", metric::Integrator::stable),
      metric_soft_case("metric_lively", metric::Integrator::lively),
      metric_case("metric_original", {.model = metric::Kind::original}),
      metric_case("metric_mesh", {.lattice = metric::Lattice::mesh}),
      meshless_case("meshless"),
      boned_case("meshless_bones"),
      cage_case("cage", {}, true),
      cage_case("cage_double", {.precision = cage::Precision::twice}),
      cage_case("cage_consistent", {.normals = cage::Normals::consistent}),
      fem_case("fem", {}),
      fem_case("fem_euler", {.integrator = fem::Integrator::euler}, 0.15),  // measured 0.118
      linear_fem_case("fem_linear"),
      fem_mesh_case("fem_mesh", {}),
      fem_case("fem_hexahedron", {.element = fem::ElementKind::hexahedron}),
      rigid_case(),
  };
  for (const MethodEntry* entry : catalogue())
    if (std::none_of(cases.begin(), cases.end(), [&](const MethodCase& c) { return c.name == entry->name; }))
      cases.push_back(entry_case(*entry));
  return cases;
}

}  // namespace

const std::vector<MethodCase>& method_cases() {
  static const std::vector<MethodCase> cases = made_cases();
  return cases;
}

}  // namespace pliant
