// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/polygon_mesh.hpp"

namespace pliant {

double metres(LengthUnit unit) {
  switch (unit) {
    case LengthUnit::cm: return 0.01;
    case LengthUnit::mm: return 0.001;
    case LengthUnit::in: return 0.0254;
    case LengthUnit::ft: return 0.3048;
    default: return 1;
  }
}

void convert(PolygonMesh& mesh, double scale, UpAxis up) {
  for (Vec3& p : mesh.vertices) p = scale * (up == UpAxis::y ? p : Vec3(p.x(), p.z(), -p.y()));
}

}  // namespace pliant
