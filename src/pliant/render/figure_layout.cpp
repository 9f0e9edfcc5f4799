// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/figure_layout.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "pliant/base/check.hpp"
#include "pliant/render/stroke_text.hpp"

namespace pliant {
namespace {

constexpr float line_height = 1.9f;  // of a line, in heights of a capital

int even(float pixels) { return 2 * int(std::ceil(pixels / 2)); }

}  // namespace

std::vector<std::string> wrapped(const std::string& text, float height, float width) {
  std::vector<std::string> lines;
  std::istringstream paragraphs(text);
  for (std::string paragraph; std::getline(paragraphs, paragraph);) {
    std::string line, word;
    for (std::istringstream words(paragraph); words >> word;) {
      const std::string longer = line.empty() ? word : line + " " + word;
      if (!line.empty() && text_width(longer, height) > width) {
        lines.push_back(std::move(line));
        line = word;
      } else {
        line = longer;
      }
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

FigureLayout lay_out(const FigureSpec& spec, const std::vector<std::string>& labels) {
  PLIANT_CHECK(labels.size() == spec.panels.size());
  FigureLayout out;
  out.width = even(float(spec.width));
  out.text = std::clamp(0.0105f * float(out.width), 8.5f, 20.0f);
  const int columns = spec.columns_used(), gap = std::max(4, out.width / 160);
  out.panel_width = (out.width - (columns + 1) * gap) / columns;
  out.panel_height = std::max(16, int(std::lround(out.panel_width / spec.aspect)));
  const float line = line_height * out.text;
  float y = float(gap);
  for (int first = 0; first < int(labels.size()); first += columns) {
    std::size_t most = 0;
    for (int i = first; i < std::min(first + columns, int(labels.size())); ++i) {
      const int x = gap + (i - first) * (out.panel_width + gap);
      out.panels.push_back({x, int(y)});
      const auto text = wrapped(labels[std::size_t(i)], out.text, float(out.panel_width));
      for (std::size_t k = 0; k < text.size(); ++k)
        out.lines.push_back({text[k], float(x) + (float(out.panel_width) - text_width(text[k], out.text)) / 2,
                             y + float(out.panel_height) + out.text * 0.8f + float(k) * line + out.text});
      most = std::max(most, text.size());
    }
    y += float(out.panel_height) + (most > 0 ? float(most) * line + 0.9f * out.text : float(gap));
  }
  const auto caption = wrapped(spec.caption, out.text, float(out.width - 4 * gap));
  for (std::size_t k = 0; k < caption.size(); ++k)
    out.lines.push_back({caption[k], float(2 * gap), y + 1.2f * out.text + float(k) * line});
  if (!caption.empty()) y += float(caption.size()) * line + out.text;
  out.height = even(y);
  return out;
}

Image compose(const FigureLayout& layout, const std::vector<Image>& panels) {
  PLIANT_CHECK(panels.size() == layout.panels.size());
  Image out(layout.width, layout.height);
  std::fill(out.rgb.begin(), out.rgb.end(), std::uint8_t(255));
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const Image& panel = panels[i];
    PLIANT_CHECK(panel.width == layout.panel_width && panel.height == layout.panel_height);
    for (int y = 0; y < panel.height; ++y)
      std::copy_n(panel.at(0, y), 3 * panel.width, out.at(layout.panels[i].x, layout.panels[i].y + y));
  }
  const Color ink = color_of(0x22272e);
  for (const FigureLayout::Line& line : layout.lines)
    draw_text(out, line.text, line.x, line.y, layout.text, ink, 1.35f);
  return out;
}

}  // namespace pliant
