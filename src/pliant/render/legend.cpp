// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/legend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/render/render.hpp"
#include "pliant/render/stroke_text.hpp"

namespace pliant {
void draw_legend(Image& image, const Legend& legend, LegendPlace place) {
  const Color ink = color_of(0x2b3138);
  const float unit = float(std::min(image.width, image.height));
  const float text = std::max(0.022f * unit, 8.0f), edge = 0.05f * unit;
  const float width = 0.42f * unit, height = std::max(0.02f * unit, 5.0f), radius = height / 2;
  const float left = edge,
              bottom = place == LegendPlace::below ? float(image.height) - edge - 1.9f * text
                                                   : edge + 1.9f * text + height,
              top = bottom - height;
  for (int y = int(top) - 1; y <= int(bottom) + 1; ++y)
    for (int x = int(left) - 1; x <= int(left + width) + 1; ++x) {
      const float px = float(x) + 0.5f, py = float(y) + 0.5f;
      const float nearest = std::clamp(px, left + radius, left + width - radius);
      const float outside = std::hypot(px - nearest, py - (top + bottom) / 2) - radius;
      blend(image, x, y, ramp((px - left) / width), std::clamp(0.5f - outside, 0.0f, 1.0f));
    }
  draw_text(image, legend.label, left, top - 0.9f * text, text * 1.1f, ink);
  const double span = legend.max - legend.min;
  for (int k = 0; k <= 2; ++k) {
    const std::string value = fmt::format("{:.4g}", legend.min + span * k / 2);
    const float shift = text_width(value, text) * float(k) / 2;
    draw_text(image, value, left + width * float(k) / 2 - shift, bottom + 1.7f * text, text, ink);
  }
}

}  // namespace pliant
