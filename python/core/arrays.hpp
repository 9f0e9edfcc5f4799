// SPDX-License-Identifier: Apache-2.0
// NumPy arrays and what the library takes. Everything that does not fit is WrongInput: shape, kind of number, not finite,
// indices that do not exist.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <vector>

#include "pliant/base/types.hpp"
#include "pliant/geometry/polygon_mesh.hpp"
#include "pliant/geometry/tri_mesh.hpp"

namespace pliant::python {

namespace py = pybind11;

/// Meshes as they come may have numbers that are no positions and corners that do not exist; where a function mends
/// them, they pass.
enum class Dirt { refused, passed };

/// (n, 3) numbers; n is `count` when that is given. `place` names the argument in messages.
Points points_of(py::handle value, const std::string& place, std::optional<std::size_t> count = {},
                 Dirt dirt = Dirt::refused);
/// Whole numbers below `count`, or `count` truth values.
std::vector<Index> indices_of(py::handle value, const std::string& place, std::size_t count);
/// Faces: (m, k) whole numbers, or a sequence of faces of different lengths; None: no faces.
PolygonMesh mesh_of(py::handle vertices, py::handle faces, Dirt dirt = Dirt::refused);
/// Triangles only.
TriMesh triangles_of(py::handle vertices, py::handle faces);
Vec3 vector_of(py::handle value, const std::string& place);

/// Copies.
py::array_t<double> array_of(const Points& points);
py::array_t<Index> array_of(const std::vector<Triangle>& triangles);
template <class T>
py::array_t<T> array_of(const std::vector<T>& values) {
  return py::array_t<T>(py::ssize_t(values.size()), values.data());
}
/// Of the memory of the points, which the owner keeps; read only.
py::array_t<double> view_of(const Points& points, py::handle owner);

}  // namespace pliant::python
