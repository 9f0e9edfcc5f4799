// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/holds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pliant/base/check.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::geometric {
namespace {

constexpr double same_place = 1e-6;  // of the body's size

}  // namespace

ReducedHolds::ReducedHolds(const ReducedModel& model)
    : active_(model.basis.pieces.size(), 0), prescribed_(Coordinates::Zero(model.columns(), 3)) {
  held_.reserve(model.full.rest.size());
  targets_.reserve(model.full.rest.size());
}

std::string ReducedHolds::take(const ReducedModel& model, const StepInput& input) {
  PLIANT_CHECK(input.held.size() == input.targets.size());
  const std::size_t count = input.held.size();
  const bool same =
      known_ && count == held_.size() &&
      (count == 0 || (std::memcmp(input.held.data(), held_.data(), count * sizeof(Index)) == 0 &&
                      std::memcmp(input.targets.data(), targets_.data(), count * sizeof(Vec3)) == 0));
  StepInput checked = input;
  if (same) checked.held = {}, checked.targets = {};
  std::string trouble = trouble_of(checked, model.nodes());
  if (same || !trouble.empty()) return trouble;
  known_ = false;
  trouble = choose_pieces(model, input);
  if (trouble.empty()) trouble = aim_pieces(model, input);
  if (!trouble.empty()) return trouble;
  held_.assign(input.held.begin(), input.held.end());
  targets_.assign(input.targets.begin(), input.targets.end());
  known_ = true;
  return {};
}

std::string ReducedHolds::choose_pieces(const ReducedModel& model, const StepInput& input) {
  const std::vector<Basis::Piece>& pieces = model.basis.pieces;
  std::fill(active_.begin(), active_.end(), 0);
  std::size_t expected = 0;
  for (Index i : input.held) {
    const Index piece = model.piece_of[i];
    if (piece < 0)
      return fmt::format("node {} is held, but the basis of this reduced body was made without it", i);
    if (!active_[piece]) expected += pieces[piece].nodes.size();
    active_[piece] = 1;
  }
  if (expected != input.held.size())
    return fmt::format("{} of {} nodes of a held piece: a reduced body holds pieces whole", input.held.size(),
                       expected);
  for (std::size_t p = 0; p < active_.size(); ++p)
    if (!active_[p] && pieces[p].count == 0)
      return fmt::format(
          "the pin with node {} is let go, but the basis of this reduced body was made with it",
          pieces[p].nodes.front());
  return {};
}

std::string ReducedHolds::aim_pieces(const ReducedModel& model, const StepInput& input) {
  const Basis& basis = model.basis;
  prescribed_.setZero();
  for (std::size_t n = 0; n < input.held.size(); ++n) {
    const Index i = input.held[n];
    const Basis::Piece& piece = basis.pieces[model.piece_of[i]];
    const Vec3 u = input.targets[n] - model.full.rest[i];
    for (Index c = piece.first; c < piece.first + piece.count; ++c)
      prescribed_.row(c) += basis.columns(i, c) * u.transpose();
  }
  for (std::size_t n = 0; n < input.held.size(); ++n) {
    const Index i = input.held[n];
    const Basis::Piece& piece = basis.pieces[model.piece_of[i]];
    Vec3 place = model.full.rest[i];
    for (Index c = piece.first; c < piece.first + piece.count; ++c)
      place += basis.columns(i, c) * prescribed_.row(c).transpose();
    if (!((place - input.targets[n]).norm() <= same_place * (model.size + input.targets[n].norm())))
      return piece.count > 0
                 ? fmt::format(
                       "the piece with node {} does not move as one: a reduced body follows rigid "
                       "and affine motion of a handle",
                       i)
                 : fmt::format(
                       "node {} is moved, but the basis of this reduced body was made with it at rest", i);
  }
  return {};
}

std::vector<Eigen::Index> ReducedHolds::unknown_columns(const ReducedModel& model) const {
  std::vector<Eigen::Index> unknown;
  for (Eigen::Index c = 0; c < model.basis.own; ++c) unknown.push_back(c);
  for (std::size_t p = 0; p < active_.size(); ++p)
    for (Index c = 0; !active_[p] && c < model.basis.pieces[p].count; ++c)
      unknown.push_back(model.basis.pieces[p].first + c);
  return unknown;
}

}  // namespace pliant::geometric
