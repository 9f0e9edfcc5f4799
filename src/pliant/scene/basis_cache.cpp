// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/basis_cache.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "pliant/base/seal.hpp"
#include "pliant/io/atomic_file.hpp"
#include "pliant/io/read_file.hpp"

namespace pliant {
namespace {

Seal seal_of(std::uint64_t key) {
  return {.magic = {'p', 'l', 'i', 'a', 'n', 't', 'p', 'h'}, .version = 1, .key = key};
}

/// An array whose size stands before it; more than the file holds is refused before memory is taken.
template <class T>
void read_sized(Reader& reader, std::size_t most_bytes, std::vector<T>& out) {
  std::uint64_t size = 0;
  reader.value(size);
  if (!reader.ok() || size > most_bytes / sizeof(T)) size = 0;
  out.resize(size);
  reader.array(out);
}
template <class T>
void write_sized(Writer& writer, const std::vector<T>& values) {
  writer.value(std::uint64_t(values.size()));
  writer.array(values);
}

bool within(const std::vector<Index>& nodes, Index count) {
  for (Index i : nodes)
    if (i < 0 || i >= count) return false;
  return true;
}

bool read_payload(Reader& reader, std::size_t bytes, StoredBasis& out) {
  std::int64_t rows = 0, columns = 0, pieces = 0;
  reader.value(rows);
  reader.value(columns);
  reader.value(out.basis.own);
  std::vector<double> numbers;
  read_sized(reader, bytes, numbers);
  reader.value(pieces);
  if (!reader.ok() || rows <= 0 || columns <= 0 || pieces < 0 || rows > 2147483647 || columns > 2147483647 ||
      rows * columns != std::int64_t(numbers.size()) || pieces > rows || out.basis.own > columns)
    return false;
  out.basis.columns = Eigen::Map<const geometric::Basis::Columns>(numbers.data(), rows, columns);
  for (std::int64_t p = 0; p < pieces && reader.ok(); ++p) {
    geometric::Basis::Piece piece;
    read_sized(reader, bytes, piece.nodes);
    reader.value(piece.first);
    reader.value(piece.count);
    if (!within(piece.nodes, Index(rows)) || piece.first < 0 || piece.count < 0 ||
        piece.first + piece.count > columns)
      return false;
    out.basis.pieces.push_back(std::move(piece));
  }
  read_sized(reader, bytes, out.cubature.points.nodes);
  read_sized(reader, bytes, out.cubature.points.weights);
  reader.value(out.cubature.error);
  return reader.ok() && within(out.cubature.points.nodes, Index(rows)) &&
         out.cubature.points.nodes.size() == out.cubature.points.weights.size();
}

}  // namespace

std::filesystem::path cache_folder() {
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::filesystem::path(text ? text : "");
  };
  if (const auto own = value("PLIANT_CACHE"); !own.empty()) return own;
  if (const auto shared = value("XDG_CACHE_HOME"); !shared.empty()) return shared / "pliant";
  if (const auto home = value("HOME"); !home.empty()) return home / ".cache" / "pliant";
  return {};
}

std::filesystem::path basis_file(const std::filesystem::path& folder, std::uint64_t key) {
  return folder / fmt::format("basis-{:016x}", key);
}

std::optional<StoredBasis> read_basis(const std::filesystem::path& file, std::uint64_t key,
                                      std::string& why) {
  why.clear();
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::nullopt;
  const Result<std::string> text = read_file(file);
  if (!text) {
    why = "cannot be read";
    return std::nullopt;
  }
  std::vector<std::byte> bytes(text->size());
  std::memcpy(bytes.data(), text->data(), text->size());
  Reader reader(bytes);
  Seal found;
  const SealTrouble trouble = read_seal(bytes, seal_of(key), reader, found);
  why = trouble == SealTrouble::other_version || trouble == SealTrouble::other_key ? "is of another version"
                                                                                   : "is damaged";
  if (trouble != SealTrouble::none) return std::nullopt;
  StoredBasis out;
  if (!read_payload(reader, bytes.size(), out)) return std::nullopt;
  why.clear();
  return out;
}

std::string write_basis(const std::filesystem::path& file, std::uint64_t key, const StoredBasis& stored) {
  Writer writer;
  writer.value(seal_of(key));
  const geometric::Basis& basis = stored.basis;
  writer.value(std::int64_t(basis.columns.rows()));
  writer.value(std::int64_t(basis.columns.cols()));
  writer.value(basis.own);
  write_sized(writer, std::vector<double>(basis.columns.data(), basis.columns.data() + basis.columns.size()));
  writer.value(std::int64_t(basis.pieces.size()));
  for (const geometric::Basis::Piece& piece : basis.pieces) {
    write_sized(writer, piece.nodes);
    writer.value(piece.first);
    writer.value(piece.count);
  }
  write_sized(writer, stored.cubature.points.nodes);
  write_sized(writer, stored.cubature.points.weights);
  writer.value(stored.cubature.error);
  write_checksum(writer);
  const std::string_view contents(reinterpret_cast<const char*>(writer.bytes().data()),
                                  writer.bytes().size());
  const std::optional<Error> error = write_file(file, contents);
  return error ? error->text() : "";
}

}  // namespace pliant
