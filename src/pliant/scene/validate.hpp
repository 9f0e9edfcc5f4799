// SPDX-License-Identifier: Apache-2.0
// What a single value cannot tell: names that must differ or exist, order of keys, sizes that go together.
#pragma once

#include "pliant/base/result.hpp"
#include "pliant/scene/spec.hpp"

namespace pliant {

/// Everything wrong between the values of a scene.
std::vector<Problem> validate(const SceneSpec& scene);

/// The index of the body of that name, or of the first when the name is empty; -1 when there is none.
int find_body(const SceneSpec& scene, const std::string& name);

}  // namespace pliant
