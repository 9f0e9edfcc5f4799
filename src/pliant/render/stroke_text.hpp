// SPDX-License-Identifier: Apache-2.0
// A small pen-stroke alphabet, so that a legend needs no font file: a-z, 0-9 and . , - + / % ( ).
#pragma once

#include <string_view>

#include "pliant/render/color.hpp"
#include "pliant/render/image.hpp"

namespace pliant {

/// Width of the text in pixels; height is that of a capital or digit. Capitals are drawn as small letters.
float text_width(std::string_view text, float height);
/// Draws with the baseline starting at (x, y), y down.
void draw_text(Image& image, std::string_view text, float x, float y, float height, const Color& color);
/// Mixes a colour into a pixel, amount 0 .. 1; outside the picture nothing happens.
void blend(Image& image, int x, int y, const Color& color, float amount);

}  // namespace pliant
