// SPDX-License-Identifier: Apache-2.0
// Types, results and errors, the thread pool, states as bytes, hashes, the version.
#pragma once

#include "pliant/base/archive.hpp"
#include "pliant/base/hash.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/base/result.hpp"
#include "pliant/base/types.hpp"
#include "pliant/base/version.hpp"
