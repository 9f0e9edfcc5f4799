// SPDX-License-Identifier: Apache-2.0
// A small pen-stroke alphabet, so that legends and labels need no font file: A-Z, a-z, 0-9 and
// . , : ; - + / % = < > ( ) [ ] ^ _ ! ? ' ".
#pragma once

#include <string>
#include <string_view>

#include "pliant/render/color.hpp"
#include "pliant/render/image.hpp"

namespace pliant {

/// The characters of a text that the alphabet does not have: they would be left out as blanks.
std::string without_glyphs(std::string_view text);
/// Width of the text in pixels; height is that of a capital or digit.
float text_width(std::string_view text, float height);
/// Draws with the baseline starting at (x, y), y down. weight: 1 = thin strokes, as of a legend.
void draw_text(Image& image, std::string_view text, float x, float y, float height, const Color& color,
               float weight = 1);
/// Mixes a colour into a pixel, amount 0 .. 1; outside the picture nothing happens.
void blend(Image& image, int x, int y, const Color& color, float amount);

}  // namespace pliant
