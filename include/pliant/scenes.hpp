// SPDX-License-Identifier: Apache-2.0
// Scenes as JSON files: find, read, check, build, expect.
#pragma once

#include "pliant/scene/build.hpp"
#include "pliant/scene/expect.hpp"
#include "pliant/scene/library.hpp"
#include "pliant/scene/parse.hpp"
