// SPDX-License-Identifier: Apache-2.0
// Meshes and skeletons from files; meshes, frames and skeletons to files.
#pragma once

#include "pliant/io/frame_writer.hpp"
#include "pliant/io/read_mesh.hpp"
#include "pliant/io/skeleton_file.hpp"
#include "pliant/io/write_mesh.hpp"
