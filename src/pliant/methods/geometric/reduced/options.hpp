// SPDX-License-Identifier: Apache-2.0
// Settings of a body in reduced space: `"reduction": {"samples": [files], "basis": 12}` or {"modal": 8}.
#pragma once

#include <string>
#include <vector>

#include "pliant/base/option.hpp"

namespace pliant::geometric {

enum class ModalKind { affine, pure, rotations };

struct Reduction {
  int modal = 0;
  ModalKind kind = ModalKind::affine;
  std::vector<std::string> samples = {};
  int basis = 12;
  int cubature = 0;
};

const OptionTable<Reduction>& reduction_table();

}  // namespace pliant::geometric
