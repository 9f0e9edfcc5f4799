// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/render/image.hpp"

namespace pliant {

struct Legend;

/// A colour bar with label and values in the lower left corner.
void draw_legend(Image& image, const Legend& legend);

}  // namespace pliant
