// SPDX-License-Identifier: Apache-2.0
// The root of the layout tree of a scene; the branches are private to spec.cpp.
#pragma once

#include "pliant/base/layout.hpp"
#include "pliant/scene/spec.hpp"

namespace pliant {

template <>
const Layout<SceneSpec>& layout_of();

}  // namespace pliant
