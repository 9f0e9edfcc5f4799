// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/build_reduced.hpp"

#include <fmt/format.h>

#include "pliant/base/clock.hpp"
#include "pliant/base/hash.hpp"
#include "pliant/io/read_mesh.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/methods/geometric/reduced/build.hpp"
#include "pliant/methods/geometric/reduced/sample_fit.hpp"
#include "pliant/scene/basis_cache.hpp"
#include "pliant/scene/find_file.hpp"

namespace pliant {
namespace {

using geometric::HeldPiece;

template <class T>
std::uint64_t hash_array(const std::vector<T>& values, std::uint64_t so_far) {
  return hash_bytes(values.data(), values.size() * sizeof(T), so_far);
}
template <class T>
std::uint64_t hash_value(const T& value, std::uint64_t so_far) {
  return hash_bytes(&value, sizeof value, so_far);
}

/// Samples stand as the body's own mesh does: the same unit, scale, up axis, turn and shift.
void place_as(const ShapeSpec& shape, PolygonMesh& sample) {
  const auto* mesh = std::get_if<MeshSpec>(&shape.is);
  if (!mesh) return;
  convert(sample, mesh->scale * metres(mesh->unit), mesh->up);
  move(sample, rotation_matrix(mesh->rotate), mesh->translate);
}

/// The surfaces of all samples, or what is wrong with them.
Result<std::vector<Points>> read_samples(const BodySpec& body, const Shape& shape,
                                         const std::filesystem::path& folder) {
  std::vector<Points> out;
  Error error;
  const std::vector<std::string>& files = body.geometric.reduction->samples;
  for (std::size_t s = 0; s < files.size(); ++s) {
    const std::string place = fmt::format("geometric.reduction.samples.{}", s);
    const std::filesystem::path file = find_file(files[s], folder);
    Result<PolygonMesh> mesh = read_polygons(file);
    if (!mesh) {
      for (Problem problem : mesh.error().problems) {
        problem.place =
            fmt::format("{}: {}{}{}", place, file.string(), problem.place.empty() ? "" : ": ", problem.place);
        error.problems.push_back(std::move(problem));
      }
      continue;
    }
    place_as(body.shape, *mesh);
    if (mesh->vertices.size() != shape.surface.vertices.size())
      error.problems.push_back(
          {place, fmt::format("{} with {} vertices", file.string(), mesh->vertices.size()),
           fmt::format("the {} vertices of the body's surface, in its order", shape.surface.vertices.size()),
           "`pliant run --format obj` writes surfaces in the body's own order"});
    out.push_back(std::move(mesh->vertices));
  }
  if (!error.problems.empty()) return error;
  return out;
}

/// A pin that rests for ever where the shape has it needs no motion of its own.
std::vector<HeldPiece> pieces_of(const BodySpec& body, const std::vector<Hold>& holds) {
  const InitialSpec& start = body.initial;
  const bool placed = start.rotate.degrees != 0 || start.translate != Vec3::Zero();
  std::vector<HeldPiece> out;
  for (const Hold& hold : holds)
    out.push_back({hold.nodes, placed || !hold.motion.keys.empty() || hold.release < not_given});
  return out;
}

/// Everything that decides a basis.
std::uint64_t key_of(const geometric::Model& model, const std::vector<HeldPiece>& pieces,
                     const geometric::Reduction& reduction, const Gather& embedding,
                     const std::vector<Points>& samples) {
  std::uint64_t key = hash_array(model.rest, hash_seed);
  key = hash_array(model.mass, key);
  for (const auto& e : model.edges) key = hash_value(e.b, hash_value(e.a, key));
  key = hash_array(model.edge_weight, key);
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

Result<StoredBasis> make_stored(const geometric::Model& model, const std::vector<HeldPiece>& pieces,
                                const geometric::Reduction& reduction, const Gather& embedding,
                                const std::vector<Points>& samples) {
  std::vector<Points> nodes;
  if (reduction.modal == 0) {
    Result<std::vector<Points>> fits = geometric::fit_samples(model, embedding, samples);
    if (!fits) return fits.error();
    nodes = std::move(*fits);
  }
  Result<geometric::Basis> basis = geometric::make_basis(model, pieces, reduction, nodes);
  if (!basis) return basis.error();
  StoredBasis out{std::move(*basis), {}};
  if (reduction.cubature > 0 && reduction.cubature < model.nodes())
    out.cubature = geometric::train_cubature(model, out.basis, reduction.cubature);
  return out;
}

std::string cubature_text(const geometric::TrainedCubature& cubature) {
  if (cubature.points.nodes.empty()) return "";
  constexpr double large = 0.1;
  return fmt::format(", {} cubature nodes with {:.2g} of error{}", cubature.points.nodes.size(),
                     cubature.error, cubature.error > large ? " (too few to carry the body: take more)" : "");
}

/// From the cache, or made and put there; a note says which.
Result<StoredBasis> stored_basis(const BodySpec& body, const Shape& shape, const geometric::Model& model,
                                 const std::vector<HeldPiece>& pieces, const std::vector<Points>& samples,
                                 std::vector<std::string>& notes) {
  const geometric::Reduction& reduction = *body.geometric.reduction;
  const std::uint64_t key = key_of(model, pieces, reduction, shape.embedding, samples);
  const std::filesystem::path folder = cache_folder(), file = basis_file(folder, key);
  const auto text = [&](const StoredBasis& stored) {
    return fmt::format("{} columns for {} nodes{}", stored.basis.columns.cols(), model.nodes(),
                       cubature_text(stored.cubature));
  };
  std::string damaged;
  if (!folder.empty()) {
    if (std::optional<StoredBasis> stored = read_basis(file, key, damaged)) {
      notes.push_back(fmt::format("{}: basis of {}, read from {}", body.name, text(*stored), file.string()));
      return std::move(*stored);
    }
    if (!damaged.empty())
      notes.push_back(
          fmt::format("{}: the cached basis {} {}; it is made anew", body.name, file.string(), damaged));
  }
  const auto start = Clock::now();
  Result<StoredBasis> stored = make_stored(model, pieces, reduction, shape.embedding, samples);
  if (!stored) return stored;
  const double ms = milliseconds_since(start);
  const std::string trouble = folder.empty() ? "no cache folder is set: PLIANT_CACHE, XDG_CACHE_HOME or HOME"
                                             : write_basis(file, key, *stored);
  notes.push_back(fmt::format(
      "{}: basis of {}, computed in {:.0f} ms, {}", body.name, text(*stored), ms,
      trouble.empty() ? fmt::format("kept in {}", file.string()) : fmt::format("not kept: {}", trouble)));
  return stored;
}

}  // namespace

Result<std::unique_ptr<Method>> build_reduced_method(const BodySpec& body, const Shape& shape,
                                                     const std::vector<Hold>& holds,
                                                     const ReducedSurroundings& around) {
  const Result<std::vector<Points>> samples = read_samples(body, shape, around.folder);
  if (!samples) return samples.error();
  for (const Points& sample : *samples) around.fingerprint = hash_array(sample, around.fingerprint);
  Result<geometric::Rows> rows = geometric::make_rows(shape, body.density, body.geometric);
  if (!rows) return rows.error();
  Result<geometric::Model> model = geometric::reducible_model(std::move(*rows), body.geometric);
  if (!model) return model.error();
  Result<StoredBasis> stored =
      stored_basis(body, shape, *model, pieces_of(body, holds), *samples, around.notes);
  if (!stored) return stored.error();
  geometric::Cubature cubature = stored->cubature.points.nodes.empty() ? geometric::every_node(*model)
                                                                       : std::move(stored->cubature.points);
  return geometric::build_reduced(std::move(*model), {shape.embedding, shape.graph.cells, shape.contact},
                                  body.damping, body.geometric, std::move(stored->basis),
                                  std::move(cubature));
}

}  // namespace pliant
