// SPDX-License-Identifier: Apache-2.0
// The defect: mean over surface points x of clamp(1 - w(x - delta n), 0, 1), w the
// winding number, delta = 1e-4 of the diagonal.
#include "pliant/geometry/inside.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/geometry/surface_sampling.hpp"

namespace pliant {
namespace {

constexpr double heap_defect = 0.08;  // of separate faces: a solid up to here
constexpr int points_in_all = 600, least_points = 50;

struct Component {
  std::vector<Index> triangles;
  double area = 0;
};

std::vector<Component> components_of(const Repaired& surface) {
  std::vector<Component> components(surface.report.components);
  for (Index t = 0; t < Index(surface.mesh.triangles.size()); ++t) {
    const Triangle& v = surface.mesh.triangles[t];
    const Vec3& a = surface.mesh.vertices[v[0]];
    Component& component = components[surface.component[t]];
    component.triangles.push_back(t);
    component.area += 0.5 * (surface.mesh.vertices[v[1]] - a).cross(surface.mesh.vertices[v[2]] - a).norm();
  }
  return components;
}

/// Nearly every edge is a border.
bool is_heap(const Repaired& surface) {
  const double borders = surface.report.border_edges,
               edges = 0.5 * (3.0 * double(surface.mesh.triangles.size()) + borders);
  return borders > 0.9 * edges;
}

double defect_of(const Component& component, const Repaired& surface, const TriangleTree& tree, double delta,
                 int points, RandomNumbers& random) {
  const auto samples = sample_surface(surface.mesh, component.triangles, points, random);
  if (samples.empty()) return 0.5;  // without area there is no inside: a sheet
  double sum = 0;
  for (const SurfaceSample& at : samples)
    sum += std::clamp(1 - tree.winding(at.point - delta * at.normal), 0.0, 1.0);
  return sum / double(samples.size());
}

}  // namespace

Solidity solidity(const Repaired& surface, const TriangleTree& tree) {
  const std::vector<Component> components = components_of(surface);
  const int points = std::max(least_points, points_in_all / int(std::max<std::size_t>(components.size(), 1)));
  const double delta = 1e-4 * diagonal(surface.mesh.vertices);
  Solidity result;
  result.closed = surface.report.closed;
  double area = 0;
  for (std::size_t c = 0; c < components.size(); ++c) {
    RandomNumbers random(c);
    const double defect = defect_of(components[c], surface, tree, delta, points, random);
    const bool solid = defect <= solid_defect;
    result.component_defect.push_back(defect);
    result.component_solid.push_back(solid);
    (solid ? result.any_solid : result.any_shell) = true;
    result.doubtful |= is_doubtful(defect);
    result.defect += components[c].area * defect;
    area += components[c].area;
  }
  if (area > 0) result.defect /= area;
  // Nothing holds separate faces together: they are a solid only where they close a surface well.
  if (is_heap(surface) && result.defect > heap_defect) {
    std::fill(result.component_solid.begin(), result.component_solid.end(), char(0));
    result.any_solid = false, result.any_shell = true;
  }
  return result;
}

double counted_volume(const TriMesh& mesh, const TriangleTree& tree, int points) {
  Eigen::AlignedBox3d box;
  for (const Triangle& t : mesh.triangles)
    for (const Index v : t) box.extend(mesh.vertices[v]);
  if (box.isEmpty()) return 0;
  // Cells as cubic as the box allows, at least one along each axis.
  const Vec3 size = box.sizes();
  const double cell = std::cbrt(size.prod() / points);
  Eigen::Vector3i count = Eigen::Vector3i::Ones();
  for (int axis = 0; axis < 3 && cell > 0; ++axis)
    count[axis] = int(std::clamp(std::round(size[axis] / cell), 1.0, double(points)));
  const Vec3 step = size.cwiseQuotient(count.cast<double>());
  // Anywhere in its cell: the middles would count a face along the cells wholly in or wholly out.
  RandomNumbers random(0);
  std::int64_t inside = 0;
  for (int i = 0; i < count.x(); ++i)
    for (int j = 0; j < count.y(); ++j)
      for (int k = 0; k < count.z(); ++k) {
        const double x = i + random.unit(), y = j + random.unit(), z = k + random.unit();
        inside += tree.winding(box.min() + step.cwiseProduct(Vec3(x, y, z))) > 0.5;
      }
  return double(inside) * step.prod();
}

}  // namespace pliant
