// SPDX-License-Identifier: Apache-2.0
// Settings of the rigid method (docs/methods/rigid.md).
#pragma once

#include "pliant/base/option.hpp"

namespace pliant::rigid {

struct Options {
  double mass = 0;  ///< kg; 0 = density times the volume
};

const OptionTable<Options>& option_table();

}  // namespace pliant::rigid
