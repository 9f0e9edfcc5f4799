// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/stored_basis.hpp"

#include <fmt/format.h>

#include <cstring>

#include "pliant/base/seal.hpp"

namespace pliant::geometric {
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
  out.basis.columns = Eigen::Map<const Basis::Columns>(numbers.data(), rows, columns);
  for (std::int64_t p = 0; p < pieces && reader.ok(); ++p) {
    Basis::Piece piece;
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

std::string basis_name(std::uint64_t key) { return fmt::format("basis-{:016x}", key); }

std::optional<StoredBasis> unpack_basis(std::string_view text, std::uint64_t key, std::string& why) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
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

std::string pack_basis(const StoredBasis& stored, std::uint64_t key) {
  Writer writer;
  writer.value(seal_of(key));
  const Basis& basis = stored.basis;
  writer.value(std::int64_t(basis.columns.rows()));
  writer.value(std::int64_t(basis.columns.cols()));
  writer.value(basis.own);
  write_sized(writer, std::vector<double>(basis.columns.data(), basis.columns.data() + basis.columns.size()));
  writer.value(std::int64_t(basis.pieces.size()));
  for (const Basis::Piece& piece : basis.pieces) {
    write_sized(writer, piece.nodes);
    writer.value(piece.first);
    writer.value(piece.count);
  }
  write_sized(writer, stored.cubature.points.nodes);
  write_sized(writer, stored.cubature.points.weights);
  writer.value(stored.cubature.error);
  write_checksum(writer);
  return {reinterpret_cast<const char*>(writer.bytes().data()), writer.bytes().size()};
}

}  // namespace pliant::geometric
