// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/prepare.hpp"

#include <fmt/format.h>

#include "pliant/base/clock.hpp"
#include "pliant/base/hash.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/methods/geometric/reduced/build.hpp"
#include "pliant/methods/geometric/reduced/sample_fit.hpp"
#include "pliant/methods/geometric/reduced/stored_basis.hpp"

namespace pliant::geometric {
namespace {

template <class T>
std::uint64_t hash_array(const std::vector<T>& values, std::uint64_t so_far) {
  return hash_bytes(values.data(), values.size() * sizeof(T), so_far);
}
template <class T>
std::uint64_t hash_value(const T& value, std::uint64_t so_far) {
  return hash_bytes(&value, sizeof value, so_far);
}

/// The surfaces of all samples, or what is wrong with them. They stand as the body's own mesh does.
Result<std::vector<Points>> read_samples(const Options& options, const Shape& shape, Making& making) {
  std::vector<Points> out;
  Error error;
  const std::vector<std::string>& files = options.reduction->samples;
  for (std::size_t s = 0; s < files.size(); ++s) {
    const std::string key = fmt::format("geometric.reduction.samples.{}", s);
    const std::string place = making.files.place(files[s]);
    Result<PolygonMesh> mesh = making.files.mesh(files[s]);
    if (!mesh) {
      for (Problem problem : mesh.error().problems) {
        problem.place =
            fmt::format("{}: {}{}{}", key, place, problem.place.empty() ? "" : ": ", problem.place);
        error.problems.push_back(std::move(problem));
      }
      continue;
    }
    if (making.placement) place_like(*making.placement, *mesh);
    if (mesh->vertices.size() != shape.surface.vertices.size())
      error.problems.push_back(
          {key, fmt::format("{} with {} vertices", place, mesh->vertices.size()),
           fmt::format("the {} vertices of the body's surface, in its order", shape.surface.vertices.size()),
           "`pliant run --format obj` writes surfaces in the body's own order"});
    out.push_back(std::move(mesh->vertices));
  }
  if (!error.problems.empty()) return error;
  return out;
}

/// Everything that decides a basis.
std::uint64_t key_of(const Model& model, const std::vector<HeldPiece>& pieces, const Reduction& reduction,
                     const Gather& embedding, const std::vector<Points>& samples) {
  std::uint64_t key = hash_array(model.rest, hash_seed);
  key = hash_array(model.mass, key);
  for (const auto& e : model.edges) key = hash_value(e.b, hash_value(e.a, key));
  key = hash_array(model.edge_weight, key);
  key = hash_array(model.relief, key);
  key = hash_value(model.laplacian_weight, key);
  for (const HeldPiece& piece : pieces)
    key = hash_value(piece.moves, hash_value(piece.nodes.size(), hash_array(piece.nodes, key)));
  key = hash_value(reduction.modal, key);
  key = hash_value(reduction.kind, key);
  key = hash_value(reduction.cubature, key);
  if (reduction.modal > 0) return key;
  key = hash_value(reduction.basis, key);
  key = hash_array(embedding.column, key);
  key = hash_array(embedding.weight, key);
  for (const Points& sample : samples) key = hash_array(sample, key);
  return key;
}

Result<StoredBasis> make_stored(const Model& model, const std::vector<HeldPiece>& pieces,
                                const Reduction& reduction, const Gather& embedding,
                                const std::vector<Points>& samples) {
  std::vector<Points> nodes;
  if (reduction.modal == 0) {
    Result<std::vector<Points>> fits = fit_samples(model, embedding, samples);
    if (!fits) return fits.error();
    nodes = std::move(*fits);
  }
  Result<Basis> basis = make_basis(model, pieces, reduction, nodes);
  if (!basis) return basis.error();
  StoredBasis out{std::move(*basis), {}};
  if (reduction.cubature > 0 && reduction.cubature < model.nodes())
    out.cubature = train_cubature(model, out.basis, reduction.cubature);
  return out;
}

std::string cubature_text(const TrainedCubature& cubature) {
  if (cubature.points.nodes.empty()) return "";
  constexpr double large = 0.1;
  return fmt::format(", {} cubature nodes with {:.2g} of error{}", cubature.points.nodes.size(),
                     cubature.error, cubature.error > large ? " (too few to carry the body: take more)" : "");
}

/// From the cache, or made and put there; a note says which.
Result<StoredBasis> stored_basis(const Reduction& reduction, const BodyPlan& plan, const Model& model,
                                 const std::vector<Points>& samples) {
  const FileAccess& files = plan.making->files;
  std::vector<std::string>& notes = plan.making->notes;
  const Gather& embedding = plan.shape.embedding;
  std::vector<HeldPiece> pieces;
  for (const HeldNodes& held : plan.held) pieces.push_back({held.nodes, held.moves});
  const std::uint64_t key = key_of(model, pieces, reduction, embedding, samples);
  const std::string name = basis_name(key), place = files.cache_place(name);
  const auto text = [&](const StoredBasis& stored) {
    return fmt::format("{} columns for {} nodes{}", stored.basis.columns.cols(), model.nodes(),
                       cubature_text(stored.cubature));
  };
  if (const auto kept = files.read_cache(name)) {
    std::string damaged = "cannot be read";
    if (std::optional<StoredBasis> stored = *kept ? unpack_basis(**kept, key, damaged) : std::nullopt) {
      notes.push_back(fmt::format("basis of {}, read from {}", text(*stored), place));
      return std::move(*stored);
    }
    notes.push_back(fmt::format("the cached basis {} {}; it is made anew", place, damaged));
  }
  const auto start = Clock::now();
  Result<StoredBasis> stored = make_stored(model, pieces, reduction, embedding, samples);
  if (!stored) return stored;
  const double ms = milliseconds_since(start);
  const std::string trouble = files.write_cache(name, pack_basis(*stored, key));
  notes.push_back(
      fmt::format("basis of {}, computed in {:.0f} ms, {}", text(*stored), ms,
                  trouble.empty() ? fmt::format("kept in {}", place) : fmt::format("not kept: {}", trouble)));
  return stored;
}

}  // namespace

Result<std::unique_ptr<Method>> build_prepared_reduced(const Options& options, const BodyPlan& plan) {
  const Result<std::vector<Points>> samples = read_samples(options, plan.shape, *plan.making);
  if (!samples) return samples.error();
  Result<Rows> rows = make_rows(plan.shape, plan.density, options);
  if (!rows) return rows.error();
  Result<Model> model = reducible_model(std::move(*rows), options);
  if (!model) return model.error();
  Result<StoredBasis> stored = stored_basis(*options.reduction, plan, *model, *samples);
  if (!stored) return stored.error();
  Cubature cubature =
      stored->cubature.points.nodes.empty() ? every_node(*model) : std::move(stored->cubature.points);
  return build_reduced(std::move(*model),
                       {{plan.shape.embedding, plan.shape.contact}, plan.shape.graph.cells}, plan.damping,
                       options, std::move(stored->basis), std::move(cubature));
}

}  // namespace pliant::geometric
