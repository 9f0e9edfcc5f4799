// SPDX-License-Identifier: Apache-2.0
// pliant._core: what the package `pliant` is made of. Its functions are documented there.
#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.hpp"
#include "errors.hpp"
#include "pieces.hpp"
#include "pliant/base/version.hpp"
#include "pliant/io/frame_writer.hpp"
#include "pliant/io/read_mesh.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/scene/library.hpp"
#include "pliant/scene/schema.hpp"
#include "world.hpp"

namespace pliant::python {
namespace {

using namespace pybind11::literals;
using Libraries = std::vector<std::filesystem::path>;
using Arrays = std::map<std::string, py::tuple>;

void check_text(const std::string& text, const char* place) {
  if (text.find('\0') != std::string::npos) throw WrongInput(place, "a zero byte", "a name without");
}

OwnMeshes meshes_of(const Arrays& arrays) {
  OwnMeshes out;
  for (const auto& [name, mesh] : arrays) {
    if (mesh.size() != 3) throw WrongInput(name, "no mesh", "vertices, faces and normals");
    PolygonMesh& to = out[name] = mesh_of(mesh[0], mesh[1]);
    if (!mesh[2].is_none()) to.normals = points_of(mesh[2], "normals", to.vertices.size());
  }
  return out;
}

/// A file, or a shipped scene.
std::unique_ptr<World> world_of_file(const std::string& name, const Libraries& libraries,
                                     const std::vector<std::string>& sets, int threads) {
  check_text(name, "scene");
  ParsedScene parsed = value_of(read_scene(name, libraries, sets));
  std::error_code ignored;
  const bool file = std::filesystem::exists(name, ignored);
  std::string called = file ? std::filesystem::path(name).stem().string() : name;
  return std::make_unique<World>(std::move(parsed), OwnMeshes{}, threads, std::move(called));
}

/// A scene as text; names of files are seen from `folder`.
std::unique_ptr<World> world_of_text(const std::string& text, const std::string& folder, const Arrays& meshes,
                                     const std::vector<std::string>& sets, int threads) {
  check_text(folder, "folder");
  const std::string file = folder.empty() ? "scene" : (std::filesystem::path(folder) / "scene").string();
  return std::make_unique<World>(parse_scene(text, file, sets), meshes_of(meshes), threads, "scene");
}

std::vector<std::pair<std::string, std::string>> scenes(const Libraries& libraries) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const ShippedScene& scene : shipped_scenes(libraries)) out.emplace_back(scene.name, scene.description);
  return out;
}

py::tuple read_mesh_file(const std::string& name) {
  check_text(name, "file");
  const PolygonMesh mesh = value_of(read_polygons(name));
  py::list faces;
  bool triangles = true;
  for (Index f = 0; f < mesh.faces(); ++f) triangles &= mesh.corners_of(f) == 3;
  if (triangles) return py::make_tuple(array_of(mesh.vertices), array_of(fan_triangles(mesh)));
  for (Index f = 0; f < mesh.faces(); ++f) {
    const auto first = mesh.corner.begin() + mesh.face_begin[std::size_t(f)];
    faces.append(std::vector<Index>(first, first + mesh.corners_of(f)));
  }
  return py::make_tuple(array_of(mesh.vertices), faces);
}

py::array_t<std::uint8_t> render(World& world, int width, int height, double azimuth, double elevation,
                                 double zoom, const std::string& quality, bool grid,
                                 std::optional<double> ground) {
  const std::vector<std::string> words{"draft", "normal", "fine"};
  const auto word = std::find(words.begin(), words.end(), quality);
  const auto within = [](double value, double least, double most, const char* place) {
    if (!(value >= least && value <= most))
      throw WrongInput(place, fmt::format("{:g}", value), fmt::format("{:g} .. {:g}", least, most));
  };
  if (word == words.end()) throw WrongInput("quality", quality, "draft, normal or fine");
  within(width, 16, 7680, "width");
  within(height, 16, 7680, "height");
  within(azimuth, -3600, 3600, "azimuth");
  within(elevation, -89, 89, "elevation");
  within(zoom, 0.01, 1000, "zoom");
  if (ground) within(*ground, -1e6, 1e6, "ground");
  PictureOptions options{settings_of(Quality(word - words.begin())), {}, ground};
  options.settings.width = width;
  options.settings.height = height;
  options.settings.pattern = grid ? Pattern::grid : Pattern::none;
  options.view.azimuth = azimuth;
  options.view.elevation = elevation;
  options.view.zoom = zoom;
  return world.render(options);
}

void add_world(py::module_& module) {
  py::class_<World>(module, "World")
      .def(py::init(&world_of_file), "name"_a, "libraries"_a, "sets"_a, "threads"_a)
      .def(py::init(&world_of_text), "text"_a, "folder"_a, "meshes"_a, "sets"_a, "threads"_a)
      .def("step", &World::step, "n"_a)
      .def("steps_done", &World::steps_done)
      .def("time", &World::time)
      .def("bodies", &World::bodies)
      .def("name", &World::name)
      .def("notes", &World::notes)
      .def("body_name", &World::body_name, "body"_a)
      .def("describe", &World::describe, "body"_a)
      .def("faces", &World::faces, "body"_a)
      .def("rest_surface", &World::rest_surface, "body"_a)
      .def("rest_nodes", &World::rest_nodes, "body"_a)
      .def("embedding", &World::embedding, "body"_a)
      .def(
          "surface", [](py::object self, int body) { return self.cast<World&>().surface(body, self); },
          "body"_a)
      .def("x", &World::x, "body"_a)
      .def("v", &World::v, "body"_a)
      .def("masses", &World::masses, "body"_a)
      .def("volume_ratio", &World::volume_ratio, "body"_a)
      .def("contacts", &World::contacts)
      .def("metrics", &World::metrics)
      .def("place", &World::place, "body"_a, "x"_a, "v"_a)
      .def("set_forces", &World::set_forces, "body"_a, "forces"_a)
      .def("forces", &World::forces, "body"_a)
      .def("node_forces", &World::node_forces, "body"_a, "surface_forces"_a)
      .def("hold", &World::hold, "body"_a, "nodes"_a, "targets"_a)
      .def("release", &World::release, "body"_a, "nodes"_a)
      .def("held", &World::held, "body"_a)
      .def("select", &World::select, "body"_a, "selector_json"_a)
      .def("set", &World::set, "path"_a, "json"_a)
      .def("scene_json", &World::scene_json)
      .def("pose", &World::pose, "body"_a, "time"_a, "tolerance"_a, "iterations"_a, "from_here"_a)
      .def("checkpoint", &World::checkpoint)
      .def(
          "restore", [](World& world, const py::bytes& bytes) { world.restore(bytes); }, "bytes"_a)
      .def("record", &World::record, "folder"_a, "formats"_a, "contacts"_a)
      .def("finish", &World::finish, "recording"_a, "status"_a, "failure"_a)
      .def("recorded", &World::recorded, "recording"_a)
      .def("around", &World::around)
      .def("render", render, "width"_a, "height"_a, "azimuth"_a, "elevation"_a, "zoom"_a, "quality"_a,
           "grid"_a, "ground"_a);
  py::class_<Recording, std::shared_ptr<Recording>>(module, "Recording")
      .def("open", &Recording::open)
      .def("frames", &Recording::frames);
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  translate_errors();
  register_contacts();
  add_world(module);
  add_pieces(module);
  module.def("version", [] { return std::string(version()); });
  module.def("scenes", scenes, "libraries"_a);
  module.def("schema", scene_schema);
  module.def("methods", [] { return method_names(); });
  module.def("formats",
             [] { return std::vector<std::string>(frame_formats().begin(), frame_formats().end()); });
  module.def("read_mesh", read_mesh_file, "file"_a);
}

}  // namespace pliant::python
