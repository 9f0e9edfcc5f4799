// SPDX-License-Identifier: Apache-2.0
// Types, results and errors, the check handler, the thread pool and the hook for a job system, states as bytes, the
// version.
#pragma once

#include "pliant/base/archive.hpp"
#include "pliant/base/check_handler.hpp"
#include "pliant/base/job_system.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/base/result.hpp"
#include "pliant/base/types.hpp"
#include "pliant/base/version.hpp"
