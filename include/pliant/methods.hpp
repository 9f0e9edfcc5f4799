// SPDX-License-Identifier: Apache-2.0
// How a body deforms: the methods, their options, and the interface of a body's method.
#pragma once

#include "pliant/methods/method.hpp"
#include "pliant/methods/registry.hpp"
#include "pliant/physics/damping.hpp"
#include "pliant/physics/metrics.hpp"
