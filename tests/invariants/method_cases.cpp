// SPDX-License-Identifier: Apache-2.0
#include "tests/invariants/method_case.hpp"

#include <gtest/gtest.h>

#include "pliant/methods/fem/build.hpp"
#include "pliant/methods/geometric/build.hpp"

namespace pliant {
namespace {

MethodCase geometric_case(std::string name, geometric::Options options) {
  return {.name = std::move(name),
          .build = [options](const Shape& shape) -> std::unique_ptr<Method> {
            auto body = geometric::build(shape, 1000, {.mass = 0, .stiffness = 0}, options);
            EXPECT_TRUE(body) << body.error().text();
            return body ? std::move(*body) : nullptr;
          },
          .meets_colliders = true};
}

/// Two modes times the affine functions, and those themselves: 12 columns.
MethodCase reduced_case(std::string name, geometric::Options options, int cubature) {
  options.reduction = geometric::Reduction{.modal = 2, .cubature = cubature};
  MethodCase made = geometric_case(std::move(name), options);
  made.meets_colliders = false;
  made.any_node_order = false;
  made.holds_any_nodes = false;
  return made;
}

/// Solved so tightly that what is kept is kept; implicit integrators alone lose angular momentum.
MethodCase fem_case(std::string name, fem::Options options, double angular_tolerance) {
  options.tolerance = 1e-12;
  return {.name = std::move(name),
          .build = [options](const Shape& shape) -> std::unique_ptr<Method> {
            auto body = fem::build(shape, 1000, {.mass = 0, .stiffness = 0}, options);
            EXPECT_TRUE(body) << body.error().text();
            return body ? std::move(*body) : nullptr;
          },
          .angular_tolerance = angular_tolerance};
}

}  // namespace

std::vector<MethodCase> method_cases() {
  using namespace geometric;
  return {
      geometric_case("geometric", {}),
      geometric_case("geometric_multigrid", {.linear_solver = LinearSolver::multigrid}),
      geometric_case("geometric_euler", {.integrator = Integrator::euler}),
      geometric_case("geometric_calibrated_weights", {.weights = Weights::calibrated}),
      geometric_case("geometric_with_laplacian_rows", {.laplacian = 10}),
      geometric_case("geometric_papers_scheme",
                     {.integrator = Integrator::euler, .step_solver = StepSolver::local_global}),
      reduced_case("geometric_reduced", {}, 0),
      reduced_case("geometric_reduced_euler", {.integrator = Integrator::euler}, 0),
      reduced_case("geometric_reduced_cubature", {}, 40),
      fem_case("fem", {}, 0.15),
      fem_case("fem_bdf2", {.integrator = fem::Integrator::bdf2}, 0.005),
  };
}

}  // namespace pliant
