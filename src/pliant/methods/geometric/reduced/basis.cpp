// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/basis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "pliant/base/check.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/geometric/free_stiffness.hpp"
#include "pliant/physics/momentum.hpp"

namespace pliant::geometric {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double dependent = 1e-6;  // of a column's own length: what is left counts as nothing

Error refuse(std::string found, std::string expected, std::string hint) {
  return Error{{}, {{"geometric.reduction", std::move(found), std::move(expected), std::move(hint)}}};
}

VectorXd masses(const Model& model) {
  return Eigen::Map<const VectorXd>(model.mass.data(), Eigen::Index(model.mass.size()));
}

MatrixXd beside(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd out(a.rows(), a.cols() + b.cols());
  out << a, b;
  return out;
}

/// The columns without those that depend on earlier ones, orthonormal under the weights.
MatrixXd orthonormal(const MatrixXd& columns, const VectorXd& weight) {
  MatrixXd out(columns.rows(), columns.cols());
  Eigen::Index kept = 0;
  for (Eigen::Index c = 0; c < columns.cols(); ++c) {
    VectorXd column = columns.col(c);
    const double before = std::sqrt(column.dot(weight.cwiseProduct(column)));
    for (int round = 0; round < 2; ++round)
      column -= out.leftCols(kept) * (out.leftCols(kept).transpose() * weight.cwiseProduct(column));
    const double after = std::sqrt(column.dot(weight.cwiseProduct(column)));
    if (after > dependent * before) out.col(kept++) = column / after;
  }
  return out.leftCols(kept);
}

std::vector<unsigned char> held_mask(const Model& model, const std::vector<HeldPiece>& pieces) {
  std::vector<unsigned char> held(model.rest.size(), 0);
  for (const HeldPiece& piece : pieces)
    for (Index i : piece.nodes) {
      PLIANT_CHECK(i >= 0 && i < model.nodes() && !held[i]);
      held[i] = 1;
    }
  return held;
}

/// The body may turn or move as a whole.
bool may_move_as_one(const Model& model, const std::vector<HeldPiece>& pieces) {
  RigidFreedom freedom((model.rest.back() - model.rest.front()).norm());
  for (const HeldPiece& piece : pieces) {
    if (piece.moves) return true;
    for (Index i : piece.nodes) freedom.hold(model.rest[i]);
  }
  return freedom.turns() > 0;
}

/// Orthonormal affine functions of a piece's nodes, zero elsewhere.
MatrixXd piece_functions(const Model& model, const std::vector<Index>& nodes) {
  const Eigen::Index count = Eigen::Index(nodes.size());
  Vec3 centre = Vec3::Zero();
  for (Index i : nodes) centre += model.rest[i] / double(count);
  MatrixXd local(count, 4);
  for (Eigen::Index r = 0; r < count; ++r) local.row(r) << 1, (model.rest[nodes[r]] - centre).transpose();
  // Lengths are relative to the piece's own, so that a flat piece has no third direction by round-off.
  const double size = local.rightCols(3).norm();
  for (int c = 1; c < 4; ++c)
    if (local.col(c).norm() < dependent * size) local.col(c).setZero();
  const MatrixXd small = orthonormal(local, VectorXd::Ones(count));
  MatrixXd out = MatrixXd::Zero(model.nodes(), small.cols());
  for (Eigen::Index r = 0; r < count; ++r) out.row(nodes[r]) = small.row(r);
  return out;
}

/// What all bases share: held nodes, the factor, columns of pieces and of rigid motion.
class Builder {
 public:
  Builder(const Model& model, const std::vector<HeldPiece>& pieces)
      : model_(model), pieces_(pieces), held_(held_mask(model, pieces)) {}

  std::string prepare() {
    if (model_.parts.size() > 1)
      return fmt::format("a body of {} parts that nothing joins", model_.parts.size());
    stiffness_ = std::make_unique<FreeStiffness>(model_, held_);
    return stiffness_->trouble();
  }

  const FreeStiffness& stiffness() const { return *stiffness_; }

  /// The functions without what they are at held nodes.
  MatrixXd vanishing(const MatrixXd& functions) const {
    if (pieces_.empty()) return functions;
    return functions - stiffness_->extend(functions);
  }

  /// functions: zero at held nodes.
  Basis finish(const MatrixXd& functions) const {
    MatrixXd own = functions;
    if (may_move_as_one(model_, pieces_)) own = beside(vanishing(affine_functions(model_)), own);
    own = orthonormal(own, masses(model_));
    Basis out;
    out.own = Index(own.cols());
    MatrixXd all = std::move(own);
    for (const HeldPiece& piece : pieces_) {
      Basis::Piece kept{piece.nodes, Index(all.cols()), 0};
      if (piece.moves) {
        const MatrixXd columns = stiffness_->extend(piece_functions(model_, piece.nodes));
        kept.count = Index(columns.cols());
        all = beside(all, columns);
      }
      out.pieces.push_back(std::move(kept));
    }
    out.columns = all;
    return out;
  }

 private:
  const Model& model_;
  const std::vector<HeldPiece>& pieces_;
  std::vector<unsigned char> held_;
  std::unique_ptr<FreeStiffness> stiffness_;
};

/// The functions times 1, x, y, z.
MatrixXd times_affine(const MatrixXd& functions, const MatrixXd& affine) {
  MatrixXd out(functions.rows(), 4 * functions.cols());
  for (Eigen::Index c = 0; c < functions.cols(); ++c)
    for (int a = 0; a < 4; ++a) out.col(4 * c + a) = functions.col(c).cwiseProduct(affine.col(a));
  return out;
}

/// What a modal basis is made of; zero at held nodes.
MatrixXd modal_functions(const Builder& builder, const Model& model, const Reduction& reduction) {
  const MatrixXd modes = builder.stiffness().modes(reduction.modal), affine = affine_functions(model);
  if (reduction.kind == ModalKind::pure) return modes;
  // The body turned as a whole, x = T X: three functions x, y, z whatever the rotations T are.
  if (reduction.kind == ModalKind::rotations) return beside(modes, builder.vanishing(affine.rightCols(3)));
  return times_affine(modes, affine);
}

/// The leading principal components of the columns in the M inner product: eigenvectors of the Gram matrix.
MatrixXd principal(const MatrixXd& columns, const VectorXd& mass, int count) {
  const MatrixXd heavy = mass.asDiagonal() * columns;
  const SpectrumX gram = dense_spectrum(columns.transpose() * heavy);
  const VectorXd& values = gram.values;
  const Eigen::Index all = values.size();
  Eigen::Index kept = 0;
  while (kept < std::min<Eigen::Index>(count, all) &&
         values[all - 1 - kept] > dependent * dependent * values[all - 1])
    ++kept;
  MatrixXd out(columns.rows(), kept);
  for (Eigen::Index c = 0; c < kept; ++c)
    out.col(c) = columns * gram.vectors.col(all - 1 - c) / std::sqrt(values[all - 1 - c]);
  return out;
}

/// The component columns x - X of all samples.
MatrixXd displacements(const Model& model, const std::vector<Points>& samples) {
  MatrixXd out(model.nodes(), 3 * Eigen::Index(samples.size()));
  for (std::size_t s = 0; s < samples.size(); ++s) {
    PLIANT_CHECK(Index(samples[s].size()) == model.nodes());
    for (Index i = 0; i < model.nodes(); ++i)
      out.block<1, 3>(i, 3 * Eigen::Index(s)) = (samples[s][i] - model.rest[i]).transpose();
  }
  return out;
}

Error no_basis(const std::string& trouble) {
  return refuse(trouble, "a body of one part with free nodes",
                "a reduced body is one piece: `join` links the parts of a mesh");
}

}  // namespace

MatrixXd affine_functions(const Model& model) {
  Vec3 centre = Vec3::Zero();
  double mass = 0, size = 0;
  for (Index i = 0; i < model.nodes(); ++i) {
    centre += model.mass[i] * model.rest[i];
    mass += model.mass[i];
  }
  centre /= mass;
  for (const Vec3& X : model.rest) size = std::max(size, (X - centre).norm());
  MatrixXd out(model.nodes(), 4);
  for (Index i = 0; i < model.nodes(); ++i) out.row(i) << 1, (model.rest[i] - centre).transpose() / size;
  return out;
}

Result<Basis> make_basis(const Model& model, const std::vector<HeldPiece>& pieces, const Reduction& reduction,
                         const std::vector<Points>& samples) {
  Builder builder(model, pieces);
  if (const std::string trouble = builder.prepare(); !trouble.empty()) return no_basis(trouble);
  if (builder.stiffness().free() == 0) return no_basis("a body whose nodes are all held");
  if (reduction.modal > 0) return builder.finish(modal_functions(builder, model, reduction));
  if (samples.empty())
    return refuse("neither modes nor samples", "modal above 0, or at least one sample", "");
  const MatrixXd components =
      principal(builder.vanishing(displacements(model, samples)), masses(model), reduction.basis);
  if (components.cols() == 0)
    return refuse("samples that do not differ from the body at rest", "deformed samples", "");
  return builder.finish(components);
}

Result<Basis> make_basis(const Model& model, const std::vector<HeldPiece>& pieces,
                         const MatrixXd& functions) {
  Builder builder(model, pieces);
  if (const std::string trouble = builder.prepare(); !trouble.empty()) return no_basis(trouble);
  return builder.finish(builder.vanishing(functions));
}

}  // namespace pliant::geometric
