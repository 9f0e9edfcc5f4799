// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/entry.hpp"

#include "pliant/base/layout.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/geometric/body.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/methods/geometric/note_bending.hpp"
#include "pliant/methods/geometric/note_stiffness.hpp"
#include "pliant/methods/geometric/reduced/body.hpp"
#include "pliant/methods/geometric/reduced/prepare.hpp"
#include "pliant/methods/geometric/surface_rows.hpp"

namespace pliant {

template <>
const Layout<geometric::Plasticity>& layout_of() {
  static const auto layout = make_layout<geometric::Plasticity>(
      "plasticity", "when the body keeps a new shape, and how much of it", geometric::plasticity_table());
  return layout;
}

template <>
const Layout<geometric::Fibres>& layout_of() {
  static const auto layout =
      make_layout<geometric::Fibres>("fibres", "a direction of higher stiffness", geometric::fibre_table());
  return layout;
}

template <>
const Layout<geometric::SheetOptions>& layout_of() {
  static const auto layout = make_layout<geometric::SheetOptions>("sheet_bending", "how operator sheet bends",
                                                                  geometric::sheet_table());
  return layout;
}

template <>
const Layout<geometric::Adaptive>& layout_of() {
  static const auto layout = make_layout<geometric::Adaptive>(
      "adaptive", "which rotations the geometric method computes", geometric::adaptive_table());
  return layout;
}

template <>
const Layout<geometric::Reduction>& layout_of() {
  static const auto layout = make_layout<geometric::Reduction>(
      "reduction",
      "the body moves in a space of few motions: from samples of it, or from its vibration modes",
      geometric::reduction_table());
  return layout;
}

template <>
const Layout<geometric::Options>& layout_of() {
  using S = geometric::Options;
  static const auto layout = make_layout<S>(
      "geometric", "settings of the geometric method", geometric::option_table(),
      {optional_field("plasticity", &S::plasticity, "dents and bends that stay; none = always springs back"),
       object_field("fibres", &S::fibres, "stiffer along a direction"),
       object_field("sheet", &S::sheet, "bending of operator sheet (preset shell)"),
       optional_field("adaptive", &S::adaptive,
                      "rotations are computed only where they change; absent: everywhere"),
       optional_field("reduction", &S::reduction, "reduced space: far fewer unknowns than nodes")});
  return layout;
}

namespace geometric {
namespace {

std::vector<Problem> check(const Options& options) {
  if (!options.reduction || (options.reduction->modal > 0) != !options.reduction->samples.empty()) return {};
  return {{"geometric.reduction",
           options.reduction->modal > 0 ? "both modal and samples" : "neither modal nor samples",
           "either modal above 0 or a list of samples",
           {}}};
}

NodePlacement placement(const Options& options) {
  return operator_of(options) == Operator::volumetric ? NodePlacement::inside : NodePlacement::surface;
}

Result<std::unique_ptr<Method>> build_planned(const Options& options, const BodyPlan& plan) {
  Options read = options;
  if (plan.making && !options.fibres.file.empty()) {
    Error error;
    read.fibres.field = plan.making->files.directions(options.fibres.file, plan.shape.graph.positions.size(),
                                                      "geometric.fibres.file", error.problems);
    if (!error.problems.empty()) return error;
  }
  return plan.making && options.reduction ? build_prepared_reduced(read, plan)
                                          : build(plan.shape, plan.density, plan.damping, read);
}

/// All nodes are in one plane.
bool one_layer(const Points& nodes) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : nodes) mean += p / double(nodes.size());
  Mat3 second = Mat3::Zero();
  for (const Vec3& p : nodes) second += (p - mean) * (p - mean).transpose();
  const Vec3 values = eigenvalues(second);
  return nodes.size() > 3 && values[0] < 1e-12 * values[2] && values[1] > 1e-6 * values[2];
}

std::vector<std::string> notes(const Options& options, const BodyPlan& plan, const Method&,
                               const StepPlan& steps) {
  std::vector<std::string> out;
  if (operator_of(options) == Operator::volumetric && one_layer(plan.shape.graph.positions))
    out.push_back(
        "one layer of nodes: it bends as its edges do, too stiffly, not as its thickness says. \"preset\": "
        "\"shell\" makes it a sheet of that thickness.");
  if (auto note = note_bending(options, plan)) out.push_back(std::move(*note));
  if (!steps.colliders) return out;
  if (auto note = note_stiffness(options, plan, steps)) out.push_back(std::move(*note));
  return out;
}

/// Edges alone have none; so have bodies that take no volume rows.
std::optional<double> fixed_poisson(const Options& options) {
  if (operator_of(options) == Operator::sheet) return std::nullopt;
  const bool no_volume_rows = operator_of(options) != Operator::volumetric || options.reduction ||
                              options.adaptive || options.laplacian > 0 ||
                              options.covariance == Covariance::paper;
  if (no_volume_rows) return 0;
  if (options.volume > 0) return options.volume / (3 + 2 * options.volume);
  return std::nullopt;
}

std::optional<Problem> lacks(const Options& options, Ability ability) {
  if (ability == Ability::live && options.reduction)
    return Problem{"geometric.reduction", "the space of a reduced body is made for its own pins and handles",
                   "full space", "take away its reduction, or edit the scene"};
  return std::nullopt;
}

}  // namespace

Inside inside(const Method& method) {
  Inside out;
  const auto* body = dynamic_cast<const ReducedBody*>(&method);
  if (!body) return out;
  const Basis& basis = body->model().basis;
  for (Index c = 0; c < basis.own; ++c) {
    const Eigen::VectorXd column = basis.columns.col(c);
    out.functions.emplace_back(column.data(), column.data() + column.size());
  }
  return out;
}

const MethodEntry& entry() {
  static const MethodEntry entry = make_entry<Options>(
      "geometric", "settings of the geometric method", any_layout<Options>(),
      {.check = check,
       .placement = placement,
       .build = build_planned,
       .set_live = set_live_of<Body, Options>,  // a body in reduced space takes none
       .notes = notes,
       .abilities = {Ability::contact, Ability::live, Ability::plasticity, Ability::activity,
                     Ability::elastic},
       .lacks = lacks,
       .stiffness = [](const Options& options) { return options.stiffness; },
       .fixed_poisson = fixed_poisson,
       .remedies =
           [](const Options& options) {
             Remedies out;
             out.unsolved = options.linear_solver == LinearSolver::multigrid ? ", linear_solver: direct" : "";
             if (operator_of(options) == Operator::volumetric && options.hourglass < 1)
               out.start = "set geometric.hourglass to 1, or " + out.start;
             return out;
           }});
  return entry;
}

}  // namespace geometric
}  // namespace pliant
