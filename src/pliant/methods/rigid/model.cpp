// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/rigid/model.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "pliant/base/refuse.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/physics/selection.hpp"

namespace pliant::rigid {
namespace {

constexpr double flat = 1e-9;   // volume over the cube of the diagonal
constexpr double same = 1e-12;  // of the volume

/// The welded surface where there is one: the drawn one may have double vertices. Faces look outward.
TriMesh polyhedron_of(const Shape& shape) {
  TriMesh out =
      shape.graph.triangles.empty() ? shape.surface : TriMesh{shape.graph.positions, shape.graph.triangles};
  if (moments_of(out.vertices, out.triangles).volume < 0)
    for (Triangle& t : out.triangles) std::swap(t[0], t[1]);
  return out;
}

/// Moved out along its normals, everywhere as far, by what makes the volume about the wanted one.
void inflate(TriMesh& surface, double wanted) {
  const double volume = moments_of(surface.vertices, surface.triangles).volume;
  double area = 0;
  Points normal(surface.vertices.size(), Vec3::Zero());
  for (const Triangle& t : surface.triangles) {
    const auto at = [&](int k) -> const Vec3& { return surface.vertices[std::size_t(t[std::size_t(k)])]; };
    const Vec3 twice = (at(1) - at(0)).cross(at(2) - at(0));
    area += twice.norm() / 2;
    for (const Index v : t) normal[std::size_t(v)] += twice;
  }
  for (std::size_t v = 0; v < normal.size(); ++v)
    if (normal[v].norm() > 0) surface.vertices[v] += (wanted - volume) / area * normal[v].normalized();
}

/// Of the solid that the shape describes, m^3; 0: its polyhedron is all that is known.
double volume_of_shape(const Shape& shape) {
  if (shape.graph.enclosed > 0 || !shape.graph.triangles.empty()) return shape.graph.enclosed;
  return std::accumulate(shape.graph.volumes.begin(), shape.graph.volumes.end(), 0.0);
}

double diagonal(const Points& points) {
  const Bounds box = bounds_of(points);
  return (box.max - box.min).norm();
}

double mean_edge(const TriMesh& surface) {
  double sum = 0;
  for (const Triangle& t : surface.triangles)
    for (int k = 0; k < 3; ++k)
      sum += (surface.vertices[std::size_t(t[k])] - surface.vertices[std::size_t(t[(k + 1) % 3])]).norm();
  return sum / (3 * double(surface.triangles.size()));
}

}  // namespace

std::optional<Moments> enclosed_moments(const Shape& shape) {
  TriMesh surface = polyhedron_of(shape);
  Moments inside = moments_of(surface.vertices, surface.triangles);
  const double size = diagonal(surface.vertices), volume = volume_of_shape(shape);
  if (!shape.closed || !(inside.volume > flat * size * size * size)) return std::nullopt;
  if (!(std::abs(volume - inside.volume) > same * inside.volume) || volume == 0) return inside;
  inflate(surface, volume);
  inside = moments_of(surface.vertices, surface.triangles);
  inside.second *= volume / inside.volume;
  inside.volume = volume;
  return inside;
}

Result<Model> make_model(const Shape& shape, double density, const Options& options) {
  const std::optional<Moments> inside = enclosed_moments(shape);
  if (!inside)
    return refuse("shape", shape.closed ? "a surface that encloses no volume" : "an open surface",
                  "a closed surface: mass and inertia of a rigid body are those of what it encloses",
                  "close its holes, or set method to one that takes sheets");
  Model model;
  model.rest = shape.graph.positions;
  model.centre = inside->centre;
  model.mass = options.mass > 0 ? options.mass : density * inside->volume;
  const Mat3 second = model.mass / inside->volume * inside->second;
  model.inertia = second.trace() * Mat3::Identity() - second;
  for (const Vec3& x : model.rest) model.arm.push_back(x - model.centre);
  model.size = diagonal(shape.surface.vertices);
  model.edge = mean_edge(shape.surface);
  const Spectrum3 axes = spectrum(second);
  for (int k = 0; k < 3; ++k) {
    const Vec3 arm = std::sqrt(3 * std::max(axes.values[k], 0.0) / model.mass) * axes.vectors.col(k);
    model.mass_arm[std::size_t(2 * k)] = arm;
    model.mass_arm[std::size_t(2 * k + 1)] = -arm;
  }
  return model;
}

}  // namespace pliant::rigid
