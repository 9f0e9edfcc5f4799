// SPDX-License-Identifier: Apache-2.0
// The whole public set. Programs that need less include one of the headers below.
//
//   auto scene = pliant::load_scene("bar.json");
//   if (!scene) { std::cerr << scene.error().text(); return 2; }
//   for (int i = 0; i < 60; ++i)
//     if (auto failure = scene->simulation.step()) { std::cerr << failure->text(); return 1; }
//   const pliant::Points& surface = scene->simulation.bodies()[0].surface();
#pragma once

#include "pliant/common.hpp"
#include "pliant/files.hpp"
#include "pliant/methods.hpp"
#include "pliant/scenes.hpp"
#include "pliant/shapes.hpp"
#include "pliant/simulation.hpp"
