// SPDX-License-Identifier: Apache-2.0
// Colours of the renderer: linear light inside, sRGB outside.
#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace pliant {

using Color = Eigen::Vector3f;  ///< linear light, Rec. 709 primaries

/// From 8-bit sRGB written as 0xrrggbb.
Color color_of(std::uint32_t srgb);
/// The 8-bit sRGB bytes of a colour, clamped.
void encode_srgb(const Color& color, std::uint8_t* rgb);
/// Scene light to display light: a film-like toe and shoulder that keep hue and saturation.
Color tone_map(const Color& light);

/// Colours that sit well beside each other; the index wraps around.
Color palette(int index);
/// Perceptually even ramp, 0 .. 1 (clamped): dark blue over teal and green to yellow.
Color ramp(float value);

}  // namespace pliant
