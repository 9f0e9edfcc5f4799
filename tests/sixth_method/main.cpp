// SPDX-License-Identifier: Apache-2.0
// The tests of a method that joins from outside: its own, and the invariants of all methods over it.
#include <gtest/gtest.h>

#include <iostream>

#include "pliant/methods/catalogue.hpp"
#include "tests/sixth_method/springs.hpp"

int main(int argc, char** argv) {
  if (const auto refused = pliant::add_method(pliant::springs::entry()))
    return std::cerr << refused->text(), 2;
  testing::GTEST_FLAG(filter) = "SixthMethod.*:*/springs_*";
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
