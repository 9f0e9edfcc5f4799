// SPDX-License-Identifier: Apache-2.0
// Where the panels, labels and caption of a figure stand, in pixels.
#pragma once

#include <string>
#include <vector>

#include "pliant/render/figure_spec.hpp"
#include "pliant/render/image.hpp"

namespace pliant {

struct FigureLayout {
  struct Line {
    std::string text;
    float x = 0, y = 0;  ///< where its baseline starts
  };
  struct Corner {
    int x = 0, y = 0;
  };
  int width = 0, height = 0;              ///< even
  int panel_width = 0, panel_height = 0;  ///< of every panel
  float text = 0;                         ///< height of a capital
  std::vector<Corner> panels;             ///< upper left corners
  std::vector<Line> lines;                ///< labels, centred below their panels, and the caption
};

/// labels: one a panel, as they are shown.
FigureLayout lay_out(const FigureSpec& spec, const std::vector<std::string>& labels);

/// The words in lines of at most this width; a longer word has a line of its own. `\n` starts a new line.
std::vector<std::string> wrapped(const std::string& text, float height, float width);

/// The pictures of the panels on white, with labels and caption.
Image compose(const FigureLayout& layout, const std::vector<Image>& panels);

}  // namespace pliant
