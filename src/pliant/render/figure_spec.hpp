// SPDX-License-Identifier: Apache-2.0
// A figure as written: panels in a grid. Units, ranges and help of the keys stand in figure_spec.cpp.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/base/layout.hpp"
#include "pliant/render/coloring.hpp"
#include "pliant/render/render.hpp"

namespace pliant {

inline constexpr double not_said = std::numeric_limits<double>::infinity();

/// Which panels share a camera.
enum class CameraFit { figure, row, panel };

struct FigureCamera {
  double azimuth = View{}.azimuth, elevation = View{}.elevation;  ///< degrees
  double zoom = 1;
  View view() const { return {.azimuth = azimuth, .elevation = elevation, .zoom = zoom, .margin = 0.06}; }
};

/// A body as it was at another time, faintly.
struct GhostSpec {
  double time = not_said;  ///< s; not said: at rest
};

struct PanelSpec {
  std::string scene, run, mesh;  ///< exactly one of them
  std::vector<std::string> set;  ///< of a scene, PATH=VALUE
  double time = not_said;        ///< s; not said: the end
  std::string label;
  std::vector<std::string> show;
  double opacity = not_said;  ///< of the bodies, 0 .. 1
  Coloring color = Coloring::none;
  int mode = 0;                ///< of a scene in reduced space, from 1; 0 = none
  double amplitude = 0;        ///< m
  std::string cage, skeleton;  ///< files, of a run or a mesh
  enum class Up { y, z } up = Up::y;
  std::optional<FigureCamera> camera;
  std::vector<GhostSpec> ghosts;

  bool shows(std::string_view what) const;
  /// How much of a body covers what is in it: less than 1 where something inside is shown.
  double shown_opacity() const;
};

struct AnimationSpec {
  double from = 0, to = not_said;  ///< s; not said: the end of the shortest panel
  double fps = 15;                 ///< pictures a second
  double speed = 1;                ///< seconds of the scene a second
  int kilobytes = 2000;            ///< the file is smaller
};

struct FigureSpec {
  std::string description;
  std::string caption;
  int columns = 0;          ///< 0 = all panels in one row
  int width = 1000;         ///< pixels
  double aspect = 4.0 / 3;  ///< of a panel
  Quality quality = Quality::normal;
  Pattern pattern = Pattern::grid;
  CameraFit fit = CameraFit::figure;
  bool floor = true;
  FigureCamera camera;
  AnimationSpec animation;
  std::vector<PanelSpec> panels;

  int columns_used() const { return columns > 0 ? columns : std::max(int(panels.size()), 1); }
  int row_of(int panel) const { return panel / columns_used(); }
};

template <>
const Layout<FigureSpec>& layout_of();

/// A figure and everything that can be seen wrong with it without opening another file.
struct ParsedFigure {
  FigureSpec spec;
  Problems problems;
};
ParsedFigure parse_figure(std::string_view text);

}  // namespace pliant
