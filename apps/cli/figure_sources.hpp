// SPDX-License-Identifier: Apache-2.0
// Where the pictures of a figure come from: each scene with its changed values, each run folder and each mesh
// once, however many panels show it.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "pliant/geometry/skeleton.hpp"
#include "pliant/render/figure_spec.hpp"
#include "pliant/scene/parse.hpp"
#include "scene_record.hpp"

namespace pliant::cli {

struct Source {
  std::string place;                 ///< of the panel that named it first: "panels.0"
  std::string key;                   ///< what decides it
  std::optional<ParsedScene> scene;  ///< to be run; none: a run folder or a mesh
  std::string scene_name;            ///< path or name for load_scene
  std::vector<std::string> sets;
  int mode = 0;
  double amplitude = 0;
  std::set<int> frames;  ///< of the scene that are needed
  bool activity = false;
  Record record;  ///< of those frames; of a run folder: of all

  // Files that a panel with a run or a mesh names.
  std::optional<CageMark> cage;
  std::optional<Skeleton> skeleton;

  int last_frame() const;
  double end() const;  ///< s
  /// The frame of the scene or run nearest to a time.
  int frame_at(double time) const;
  /// Where a needed frame is in the record.
  int index_of(int frame) const;
};

/// A panel and what it shows.
struct Panel {
  PanelSpec spec;
  int source = 0;
  std::vector<int> frames;  ///< of its source, one a picture
  std::vector<int> ghosts;  ///< frames of its source; -1 = the shape at rest
};

struct Figure {
  FigureSpec spec;
  std::vector<std::unique_ptr<Source>> sources;
  std::vector<Panel> panels;
  double fps = 0;  ///< of an animation
  int pictures = 1;

  Source& source(const Panel& panel) { return *sources[std::size_t(panel.source)]; }
  const Source& source(const Panel& panel) const { return *sources[std::size_t(panel.source)]; }
};

/// Reads the file and all it names, and simulates nothing. Throws InputError with everything that is wrong.
Figure read_figure(const std::filesystem::path& file, bool animated);

/// Runs every scene once, as far as its panels need.
void run_sources(Figure& figure, const std::filesystem::path& file, int threads, bool quiet);

/// The label with its {METRIC}s filled in, for a picture of the panel.
std::string label_of(const Figure& figure, const Panel& panel, int picture);

}  // namespace pliant::cli
