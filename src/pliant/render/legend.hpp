// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/render/image.hpp"

namespace pliant {

struct Legend;

enum class LegendPlace { below, above };

/// A colour bar with label and values in the lower or upper left corner.
void draw_legend(Image& image, const Legend& legend, LegendPlace place = LegendPlace::below);

}  // namespace pliant
