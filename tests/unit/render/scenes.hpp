// SPDX-License-Identifier: Apache-2.0
// Small scenes for the tests of the renderer.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include "pliant/geometry/shape.hpp"
#include "pliant/render/render.hpp"

namespace pliant {

inline RenderBody box_body(const Vec3& corner = {-0.5, 0, -0.5}) {
  BoxShape box;
  box.nodes = {5, 5, 5};
  box.corner = corner;
  const Shape shape = make_shape(box);
  RenderBody body;
  body.triangles = shape.surface.triangles;
  body.rest = body.positions = shape.surface.vertices;
  return body;
}

inline RenderScene one_box() {
  RenderScene scene;
  scene.bodies.push_back(box_body());
  return scene;
}

inline RenderSettings small_picture() {
  RenderSettings settings;
  settings.width = 96;
  settings.height = 64;
  return settings;
}

inline Camera framed(const RenderScene& scene, const View& view = {}, double aspect = 1.5) {
  Framing framing(view, aspect);
  for (const RenderBody& body : scene.bodies) framing.add(body.positions);
  return framing.camera();
}

/// A fresh folder that goes away with the test.
struct TemporaryFolder {
  std::filesystem::path path;
  explicit TemporaryFolder(const std::string& name)
      : path(std::filesystem::temp_directory_path() / ("pliant-" + name + "-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

}  // namespace pliant
