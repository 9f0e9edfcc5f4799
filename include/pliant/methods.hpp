// SPDX-License-Identifier: Apache-2.0
// How a body deforms: the methods, their options, and the interface of a body's method.
#pragma once

#include "pliant/methods/cage/options.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/methods/fem/options.hpp"
#include "pliant/methods/geometric/options.hpp"
#include "pliant/methods/meshless/options.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/methods/metric/options.hpp"
#include "pliant/methods/rigid/options.hpp"
#include "pliant/physics/damping.hpp"
#include "pliant/physics/metrics.hpp"
