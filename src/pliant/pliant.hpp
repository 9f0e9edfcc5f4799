// SPDX-License-Identifier: Apache-2.0
// The public set.
//
//   auto scene = pliant::load_scene("bar.json");
//   if (!scene) { std::cerr << scene.error().text(); return 2; }
//   for (int i = 0; i < 60; ++i)
//     if (auto failure = scene->simulation.step()) { std::cerr << failure->text(); return 1; }
//   const pliant::Points& surface = scene->simulation.bodies()[0].surface();
#pragma once

#include "pliant/base/archive.hpp"
#include "pliant/base/hash.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/base/result.hpp"
#include "pliant/base/types.hpp"
#include "pliant/base/version.hpp"
#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/io/read_mesh.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/methods/registry.hpp"
#include "pliant/physics/metrics.hpp"
#include "pliant/physics/selection.hpp"
#include "pliant/scene/build.hpp"
#include "pliant/scene/expect.hpp"
#include "pliant/scene/library.hpp"
#include "pliant/scene/parse.hpp"
#include "pliant/sim/checkpoint.hpp"
#include "pliant/sim/recorder.hpp"
#include "pliant/sim/simulation.hpp"
