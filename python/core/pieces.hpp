// SPDX-License-Identifier: Apache-2.0
// Geometry for itself, without a world: repair, inside test, Green coordinates, cages, skeletons, embeddings.
#pragma once

#include <pybind11/pybind11.h>

namespace pliant::python {

void add_pieces(pybind11::module_& module);

}  // namespace pliant::python
