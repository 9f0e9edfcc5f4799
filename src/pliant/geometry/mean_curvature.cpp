// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/mean_curvature.hpp"

#include <fmt/format.h>

#ifdef PLIANT_GPL
#include <CGAL/Polygon_mesh_processing/connected_components.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Simple_cartesian.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/extract_mean_curvature_flow_skeleton.h>
#endif

#include "pliant/base/refuse.hpp"

namespace pliant {
#ifdef PLIANT_GPL

namespace {

using Point = CGAL::Simple_cartesian<double>::Point_3;
using Surface = CGAL::Surface_mesh<Point>;
using Flow = CGAL::Mean_curvature_flow_skeletonization<Surface>;

/// Adds the curves of one part.
void shrink(const Surface& part, MiddleCurves& out) {
  Flow::Skeleton curves;
  CGAL::extract_mean_curvature_flow_skeleton(part, curves);
  const Index first = Index(out.points.size());
  for (const auto v : CGAL::make_range(vertices(curves))) {
    const Point& p = curves[v].point;
    out.points.push_back({p.x(), p.y(), p.z()});
  }
  for (const auto e : CGAL::make_range(edges(curves)))
    out.edges.push_back({first + Index(source(e, curves)), first + Index(target(e, curves))});
}

}  // namespace

bool has_mean_curvature() { return true; }

Result<MiddleCurves> mean_curvature_curves(const TriMesh& surface) {
  namespace pmp = CGAL::Polygon_mesh_processing;
  std::vector<Point> points;
  std::vector<std::vector<std::size_t>> faces;
  for (const Vec3& p : surface.vertices) points.emplace_back(p.x(), p.y(), p.z());
  for (const Triangle& t : surface.triangles)
    faces.push_back({std::size_t(t[0]), std::size_t(t[1]), std::size_t(t[2])});
  const std::string hint = "leave --skeletonizer out: the graph of nodes needs no clean mesh";
  if (!pmp::is_polygon_soup_a_polygon_mesh(faces))
    return refuse("", "a surface whose parts touch in edges or points", "a manifold", hint);
  Surface whole;
  pmp::polygon_soup_to_polygon_mesh(points, faces, whole);
  if (!CGAL::is_closed(whole)) return refuse("", "an open surface", "a closed one", hint);
  std::vector<Surface> parts;
  pmp::split_connected_components(whole, parts);
  MiddleCurves out;
  try {
    for (const Surface& part : parts) shrink(part, out);
  } catch (const std::exception& failure) {
    return refuse("", fmt::format("a surface that CGAL cannot shrink ({})", failure.what()), "a clean one",
                  hint);
  }
  return out;
}

#else

bool has_mean_curvature() { return false; }

Result<MiddleCurves> mean_curvature_curves(const TriMesh&) {
  return refuse("", "a pliant without CGAL's skeletons", "one that was built with them",
                "configure with -DPLIANT_GPL=ON (libcgal-dev; the program is then under the GPL), or leave "
                "--skeletonizer out");
}

#endif

}  // namespace pliant
