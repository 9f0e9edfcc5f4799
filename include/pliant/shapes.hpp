// SPDX-License-Identifier: Apache-2.0
// Bodies at rest: built-in shapes, any mesh, cages, skeletons, and selections of nodes.
#pragma once

#include "pliant/geometry/blobs.hpp"
#include "pliant/geometry/cage.hpp"
#include "pliant/geometry/cage_check.hpp"
#include "pliant/geometry/check_geometry.hpp"
#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/geometry/plant.hpp"
#include "pliant/geometry/polygon_mesh.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/geometry/skeleton.hpp"
#include "pliant/physics/selection.hpp"
