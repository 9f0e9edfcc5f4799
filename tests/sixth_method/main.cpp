// SPDX-License-Identifier: Apache-2.0
// The tests of a method that joins from outside: its own, and the invariants of all methods over it.
#include <gtest/gtest.h>

#include "pliant/methods/catalogue.hpp"
#include "tests/sixth_method/springs.hpp"

int main(int argc, char** argv) {
  pliant::add_method(pliant::springs::entry());
  testing::GTEST_FLAG(filter) = "SixthMethod.*:*/springs_*";
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
