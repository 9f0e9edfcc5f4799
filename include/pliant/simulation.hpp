// SPDX-License-Identifier: Apache-2.0
// Bodies in time: holds and motions, colliders, steps, static poses, metrics, checkpoints.
#pragma once

#include "pliant/contact/collider.hpp"
#include "pliant/contact/mesh_collider.hpp"
#include "pliant/physics/motion.hpp"
#include "pliant/sim/body.hpp"
#include "pliant/sim/checkpoint.hpp"
#include "pliant/sim/contact_forces.hpp"
#include "pliant/sim/pose.hpp"
#include "pliant/sim/recorder.hpp"
#include "pliant/sim/simulation.hpp"
