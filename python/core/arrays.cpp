// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "errors.hpp"

namespace pliant::python {
namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Whole = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

constexpr Index no_corner = -1;

std::string shape_text(const py::array& array) {
  std::string sizes;
  for (py::ssize_t k = 0; k < array.ndim(); ++k)
    sizes += fmt::format("{}{}", k > 0 ? ", " : "", array.shape(k));
  if (array.ndim() == 1) sizes += ",";
  return fmt::format("an array of shape ({}) of {}", sizes, std::string(py::str(array.dtype())));
}

std::string type_text(py::handle value) { return Py_TYPE(value.ptr())->tp_name; }

/// The value as an array of one of these kinds of numbers ("f" floating, "i" and "u" whole, "b" truth values).
std::optional<py::array> array_like(py::handle value, const char* kinds) {
  const auto array = py::array::ensure(value);
  if (!array) return std::nullopt;
  // an empty list is an array of floating-point numbers, and fits everywhere
  if (!std::strchr(kinds, array.dtype().kind()) && array.size() > 0) return std::nullopt;
  return array;
}

std::string found_text(py::handle value) {
  const auto array = py::array::ensure(value);
  return array ? shape_text(array) : "a " + type_text(value);
}

static_assert(sizeof(Vec3) == 3 * sizeof(double));

Numbers numbers_of(py::handle value, const std::string& place, const std::string& expected) {
  const auto array = array_like(value, "fiub");
  if (!array) throw WrongInput(place, found_text(value), expected);
  auto numbers = Numbers::ensure(*array);
  if (!numbers) throw WrongInput(place, found_text(value), expected);
  return numbers;
}

void check_finite(const Points& points, const std::string& place) {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite())
      throw WrongInput(fmt::format("{}[{}]", place, i), "a number that is not finite", "finite numbers");
}

/// One face.
void add_face(const std::int64_t* corners, std::size_t count, const std::string& place, Dirt dirt,
              PolygonMesh& mesh) {
  const auto vertices = std::int64_t(mesh.vertices.size());
  for (std::size_t k = 0; k < count; ++k) {
    const bool exists = corners[k] >= 0 && corners[k] < vertices;
    if (!exists && dirt == Dirt::refused)
      throw WrongInput(place, fmt::format("vertex {}", corners[k]),
                       fmt::format("vertices 0 .. {}, those there are", vertices - 1));
    mesh.corner.push_back(exists ? Index(corners[k]) : no_corner);
  }
  mesh.face_begin.push_back(Index(mesh.corner.size()));
}

void add_ragged_faces(py::handle faces, Dirt dirt, PolygonMesh& mesh) {
  const char* const expected = "whole numbers: an (m, 3) array, or a list of faces";
  if (!py::isinstance<py::sequence>(faces) || py::isinstance<py::str>(faces))
    throw WrongInput("faces", found_text(faces), expected);
  std::size_t number = 0;
  for (const py::object face : py::reinterpret_borrow<py::sequence>(faces)) {
    const std::string place = fmt::format("faces[{}]", number++);
    const auto array = array_like(face, "iu");
    if (!array || array->ndim() != 1) throw WrongInput(place, found_text(face), "vertex indices");
    const auto corners = Whole::ensure(*array);
    if (!corners) throw WrongInput(place, found_text(face), "vertex indices");
    add_face(corners.data(), std::size_t(corners.size()), place, dirt, mesh);
  }
}

}  // namespace

Points points_of(py::handle value, const std::string& place, std::optional<std::size_t> count, Dirt dirt) {
  const std::string expected = count ? fmt::format("{} positions: an array of shape ({}, 3)", *count, *count)
                                     : "positions: an array of shape (n, 3)";
  const Numbers numbers = numbers_of(value, place, expected);
  const bool fits = numbers.ndim() == 2 && numbers.shape(1) == 3;
  if (!fits || (count && std::size_t(numbers.shape(0)) != *count))
    throw WrongInput(place, shape_text(numbers), expected);
  Points points(std::size_t(numbers.shape(0)));
  if (!points.empty()) std::copy_n(numbers.data(), numbers.size(), points.front().data());
  if (dirt == Dirt::refused) check_finite(points, place);
  return points;
}

Vec3 vector_of(py::handle value, const std::string& place) {
  const Numbers numbers = numbers_of(value, place, "three numbers");
  if (numbers.ndim() != 1 || numbers.shape(0) != 3)
    throw WrongInput(place, shape_text(numbers), "three numbers");
  const Vec3 vector(numbers.data()[0], numbers.data()[1], numbers.data()[2]);
  check_finite({vector}, place);
  return vector;
}

std::vector<Index> indices_of(py::handle value, const std::string& place, std::size_t count) {
  const std::string expected = fmt::format("whole numbers 0 .. {}, or {} truth values",
                                           count > 0 ? std::int64_t(count) - 1 : 0, count);
  const auto array = array_like(value, "iub");
  if (!array || array->ndim() > 1) throw WrongInput(place, found_text(value), expected);
  const bool mask = array->dtype().kind() == 'b';
  const auto numbers = Whole::ensure(*array);
  if (!numbers || (mask && std::size_t(numbers.size()) != count))
    throw WrongInput(place, found_text(value), expected);
  std::vector<Index> out;
  for (py::ssize_t k = 0; k < numbers.size(); ++k) {
    const std::int64_t number = numbers.data()[k];
    if (mask) {
      if (number != 0) out.push_back(Index(k));
      continue;
    }
    if (number < 0 || std::size_t(number) >= count)
      throw WrongInput(fmt::format("{}[{}]", place, k), fmt::format("{}", number), expected);
    out.push_back(Index(number));
  }
  return out;
}

PolygonMesh mesh_of(py::handle vertices, py::handle faces, Dirt dirt) {
  PolygonMesh mesh;
  mesh.vertices = points_of(vertices, "vertices", {}, dirt);
  if (faces.is_none()) return mesh;
  const auto array = array_like(faces, "iu");
  if (array && array->ndim() == 1 && array->size() == 0) return mesh;
  const auto corners = array && array->ndim() == 2 ? Whole::ensure(*array) : Whole();
  if (!array || array->ndim() != 2 || !corners) {
    add_ragged_faces(faces, dirt, mesh);
    return mesh;
  }
  const auto each = std::size_t(corners.shape(1));
  for (py::ssize_t f = 0; f < corners.shape(0); ++f)
    add_face(corners.data() + std::size_t(f) * each, each, fmt::format("faces[{}]", f), dirt, mesh);
  return mesh;
}

TriMesh triangles_of(py::handle vertices, py::handle faces) {
  PolygonMesh mesh = mesh_of(vertices, faces);
  for (Index f = 0; f < mesh.faces(); ++f)
    if (mesh.corners_of(f) != 3)
      throw WrongInput(fmt::format("faces[{}]", f), fmt::format("{} corners", mesh.corners_of(f)),
                       "triangles");
  std::vector<Triangle> triangles = fan_triangles(mesh);
  return {std::move(mesh.vertices), std::move(triangles)};
}

py::array_t<double> array_of(const Points& points) {
  py::array_t<double> out({py::ssize_t(points.size()), py::ssize_t(3)});
  if (!points.empty()) std::memcpy(out.mutable_data(), points.data(), points.size() * sizeof(Vec3));
  return out;
}

py::array_t<Index> array_of(const std::vector<Triangle>& triangles) {
  py::array_t<Index> out({py::ssize_t(triangles.size()), py::ssize_t(3)});
  if (!triangles.empty())
    std::memcpy(out.mutable_data(), triangles.data(), triangles.size() * sizeof(Triangle));
  return out;
}

py::array_t<double> view_of(const Points& points, py::handle owner) {
  static const double nothing = 0;
  const double* const first = points.empty() ? &nothing : points.front().data();
  py::array_t<double> view({py::ssize_t(points.size()), py::ssize_t(3)}, first, owner);
  view.attr("setflags")(py::arg("write") = false);
  return view;
}

}  // namespace pliant::python
