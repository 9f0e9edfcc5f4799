// SPDX-License-Identifier: Apache-2.0
// A scene that Python steps. One thread at a time is inside; others wait. What takes time runs without Python's lock.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "pliant/render/props.hpp"
#include "pliant/render/render.hpp"
#include "pliant/scene/build.hpp"
#include "pliant/sim/contact_forces.hpp"
#include "pliant/sim/throw_watch.hpp"
#include "recording.hpp"

namespace pliant::python {

namespace py = pybind11;

/// How a world is pictured.
struct PictureOptions {
  RenderSettings settings;
  View view;
  std::optional<double> ground;  ///< m
};

class World {
 public:
  /// Building a scene may take seconds: Ctrl-C stops it. `meshes` stand for files of the scene.
  World(ParsedScene parsed, OwnMeshes meshes, int threads, std::string name);

  // ---- time
  /// n steps. Failures are FailedStep; the world stays in its last good state. Ctrl-C stops between two steps.
  void step(std::int64_t n);
  std::int64_t steps_done();
  double time();

  // ---- what there is
  std::size_t bodies() const { return scene_.simulation.bodies().size(); }
  const std::string& name() const { return scene_.name; }
  const std::vector<std::string>& notes() const { return scene_.notes; }
  std::string body_name(int body) const { return at(body).name(); }
  py::dict describe(int body);
  py::array_t<Index> faces(int body) const;
  py::array_t<double> rest_surface(int body) const;
  py::array_t<double> rest_nodes(int body) const;
  py::tuple embedding(int body) const;
  /// A view of memory that lives as long as the world (`owner`, its Python object). It shows the surface as it was when
  /// this was called last.
  py::array_t<double> surface(int body, py::handle owner);
  py::array_t<double> x(int body);
  py::array_t<double> v(int body);
  py::array_t<double> masses(int body);
  py::object volume_ratio(int body);
  py::array contacts();
  /// Columns, frames, times, bodies, cells of the state now.
  py::tuple metrics();

  // ---- changes between steps
  void place(int body, py::handle x, py::handle v);
  void set_forces(int body, py::handle forces);
  py::array_t<double> forces(int body);
  /// Forces on vertices of the surface as forces on nodes, N.
  py::array_t<double> node_forces(int body, py::handle surface_forces);
  /// These nodes stay at the targets, where they are without any; whatever held them before lets go.
  void hold(int body, py::handle nodes, py::handle targets);
  void release(int body, py::handle nodes);
  py::array_t<Index> held(int body);
  py::array_t<Index> select(int body, const std::string& selector_json);
  /// A live option by the path that --set takes; others are refused.
  void set(const std::string& path, const std::string& json);
  std::string scene_json();

  /// Static solve of one body; Ctrl-C stops it.
  py::dict pose(int body, std::optional<double> time, double tolerance, int iterations, bool from_here);

  // ---- state
  py::bytes checkpoint();
  /// Bytes of checkpoint(), or of the file `checkpoint` of a run folder.
  void restore(const std::string& bytes);

  // ---- what is kept
  std::shared_ptr<Recording> record(const std::string& folder, std::vector<std::string> formats,
                                    bool contacts);
  void finish(Recording& recording, const std::string& status, const std::string& failure);
  py::tuple recorded(const Recording& recording);

  py::array_t<std::uint8_t> render(const PictureOptions& options);
  /// Colliders where they are now: places, triangles, and the height of a level plane, which is no surface.
  py::tuple around();

 private:
  /// One thread's time inside.
  class Use;

  const Body& at(int body) const;
  std::size_t nodes_of(int body) const { return at(body), nodes_[std::size_t(body)]; }
  /// Wakes it.
  Body& change(int body);
  void advance();
  void end_frame();
  const Points& surface_now(int body);
  void changed() { ++version_; }
  void set_holds(int body, std::vector<PlacedHold> holds);
  void check_live(const ParsedScene& next, const std::string& path) const;
  Image picture(const PictureOptions& options);
  Props props_near(const Vec3& low, const Vec3& high) const;

  ParsedScene parsed_;
  Scene scene_;
  Recorder start_;  ///< knows where probes were at the start
  ThrowWatch throws_;
  std::shared_ptr<Recording> recording_;
  int steps_in_frame_ = 0;
  std::uint64_t version_ = 1;            ///< of the state
  std::vector<std::uint64_t> shown_;     ///< version that the surface of a body shows
  std::vector<const Points*> surfaces_;  ///< of the bodies, where they are for good; null: nobody asked
  std::vector<std::size_t> nodes_;       ///< how many each body has
  bool broken_ = false;                  ///< by a programmer error
  std::mutex mutex_;
  std::atomic<std::thread::id> inside_{};
};

/// The type of the rows of contacts, for the start of the module.
void register_contacts();

/// Columns of rows: names, frame, time, body, (rows, columns) numbers.
py::tuple columns_of(const Recorder& recorder);

}  // namespace pliant::python
