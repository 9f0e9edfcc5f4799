// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/rigid/options.hpp"

namespace pliant::rigid {

const OptionTable<Options>& option_table() {
  static const OptionTable<Options> table{
      option("mass", &Options::mass,
             {.unit = "kg",
              .min = 0,
              .max = 1e12,
              .help = "of the whole body, evenly spread over its volume; 0 = density times the volume"})};
  return table;
}

}  // namespace pliant::rigid
