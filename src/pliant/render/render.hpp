// SPDX-License-Identifier: Apache-2.0
// CPU ray tracing of bodies on a studio floor. No GPU, no display; the same picture for every thread count.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pliant/base/parallel.hpp"
#include "pliant/base/types.hpp"
#include "pliant/render/camera.hpp"
#include "pliant/render/color.hpp"
#include "pliant/render/image.hpp"

namespace pliant {

struct RenderBody {
  std::vector<Triangle> triangles;
  Points rest;       ///< X, m; creases and the painted grid come from here
  Points positions;  ///< x, m
  Color color = palette(0);
  std::vector<float> scalar;  ///< one a vertex, shown in place of color when the scene has a legend
  /// False: a thing that stands around. No lines are painted on it, and it does not set the scale of floor
  /// and shading.
  bool soft = true;
  bool visible = true;  ///< false: only its size counts
};

/// What the colours mean when bodies are coloured by a scalar.
struct Legend {
  std::string label;  ///< "speed (m/s)"
  double min = 0, max = 1;
};

struct RenderScene {
  std::vector<RenderBody> bodies;
  double ground = 0;  ///< height of the floor, m
  std::optional<Legend> legend;
};

enum class Pattern { grid, none };

struct RenderSettings {
  int width = 960, height = 540;
  int samples_across = 2;  ///< 1 .. 4: a pixel is averaged over the square of this many eye rays
  int packets = 2;         ///< lots of 8 light rays for each pixel (5 to the sky, 3 to the key light)
  Pattern pattern = Pattern::grid;  ///< lines painted on the rest shape, so that bending and twisting show
  bool legend = true;               ///< drawn, where the scene has one
};
enum class Quality { draft, normal, fine };
RenderSettings settings_of(Quality quality);

/// Keeps what frames share: topology, creases, acceleration structure. Bodies may move between frames but
/// keep their triangles.
class Renderer {
 public:
  explicit Renderer(RenderScene scene);
  Renderer(Renderer&&) noexcept;
  ~Renderer();

  /// New positions (and scalars) of one body; takes effect at the next render.
  void move(int body, const Points& positions, std::vector<float> scalar = {});
  Image render(const Camera& camera, const RenderSettings& settings, Pool& pool);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One picture.
Image render(const RenderScene& scene, const Camera& camera, const RenderSettings& settings, Pool& pool);

}  // namespace pliant
