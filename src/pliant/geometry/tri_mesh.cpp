// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/tri_mesh.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>

namespace pliant {

double enclosed_volume(const Points& vertices, const std::vector<Triangle>& triangles) {
  if (vertices.empty()) return 0;
  const Vec3 origin = vertices.front();  // nearby origin: no cancellation far from (0, 0, 0)
  double six_volumes = 0;
  for (const Triangle& t : triangles)
    six_volumes += (vertices[t[0]] - origin).dot((vertices[t[1]] - origin).cross(vertices[t[2]] - origin));
  return six_volumes / 6;
}

bool is_closed(const std::vector<Triangle>& triangles) {
  std::vector<std::pair<Index, Index>> forward, backward;
  for (const Triangle& t : triangles)
    for (int k = 0; k < 3; ++k) {
      forward.emplace_back(t[k], t[(k + 1) % 3]);
      backward.emplace_back(t[(k + 1) % 3], t[k]);
    }
  std::sort(forward.begin(), forward.end());
  std::sort(backward.begin(), backward.end());
  return !triangles.empty() && forward == backward &&
         std::adjacent_find(forward.begin(), forward.end()) == forward.end();
}

Points vertex_normals(const Points& vertices, const std::vector<Triangle>& triangles) {
  Points normals(vertices.size(), Vec3::Zero());
  for (const Triangle& t : triangles) {
    const Vec3 area = (vertices[t[1]] - vertices[t[0]]).cross(vertices[t[2]] - vertices[t[0]]);
    for (Index v : t) normals[v] += area;
  }
  for (Vec3& n : normals) {
    const double length = n.norm();
    n = length > 0 ? Vec3(n / length) : Vec3(0, 1, 0);
  }
  return normals;
}

}  // namespace pliant
