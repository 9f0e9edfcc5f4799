// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/graph_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "pliant/io/atomic_file.hpp"

namespace pliant {
namespace {

/// Numbers with all digits that matter, separated by `between`.
template <class Each>
std::string listed(std::size_t count, const char* between, Each&& each) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += between;
    each(i, out);
  }
  return out;
}

std::string as_json(const NodeGraph& g) {
  std::string out = "{\n\"positions\": [\n";
  out += listed(g.positions.size(), ",\n", [&](std::size_t i, std::string& text) {
    const Vec3& p = g.positions[i];
    text += fmt::format("[{}, {}, {}]", p.x(), p.y(), p.z());
  });
  out += "\n],\n\"volumes\": [\n";
  out += listed(g.volumes.size(), ",\n",
                [&](std::size_t i, std::string& text) { text += fmt::format("{}", g.volumes[i]); });
  out += "\n],\n\"edges\": [\n";
  out += listed(g.edges.size(), ",\n", [&](std::size_t k, std::string& text) {
    const auto& e = g.edges[k];
    text += fmt::format("{{\"nodes\": [{}, {}], \"share\": {}}}", e.a, e.b, e.share);
  });
  return out + "\n]\n}\n";
}

std::string as_vtu(const NodeGraph& g) {
  const auto doubles = [](const char* name, int components, const std::string& values) {
    return fmt::format(
        "<DataArray type=\"Float64\" Name=\"{}\" NumberOfComponents=\"{}\" "
        "format=\"ascii\">\n{}\n</DataArray>\n",
        name, components, values);
  };
  const auto integers = [](const char* type, const char* name, const std::string& values) {
    return fmt::format("<DataArray type=\"{}\" Name=\"{}\" format=\"ascii\">\n{}\n</DataArray>\n", type, name,
                       values);
  };
  const std::size_t n = g.positions.size(), m = g.edges.size();
  std::string out = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
      "byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" "
      "NumberOfCells=\"{}\">\n",
      n, m);
  out +=
      "<PointData Scalars=\"volume\">\n" +
      doubles("volume", 1,
              listed(n, "\n", [&](std::size_t i, std::string& t) { t += fmt::format("{}", g.volumes[i]); })) +
      "</PointData>\n<CellData Scalars=\"share\">\n" +
      doubles(
          "share", 1,
          listed(m, "\n", [&](std::size_t k, std::string& t) { t += fmt::format("{}", g.edges[k].share); })) +
      "</CellData>\n<Points>\n" +
      doubles("Points", 3,
              listed(n, "\n",
                     [&](std::size_t i, std::string& t) {
                       t += fmt::format("{} {} {}", g.positions[i].x(), g.positions[i].y(),
                                        g.positions[i].z());
                     })) +
      "</Points>\n<Cells>\n" +
      integers("Int32", "connectivity",
               listed(m, "\n",
                      [&](std::size_t k, std::string& t) {
                        t += fmt::format("{} {}", g.edges[k].a, g.edges[k].b);
                      })) +
      integers("Int32", "offsets",
               listed(m, "\n", [&](std::size_t k, std::string& t) { t += fmt::format("{}", 2 * (k + 1)); })) +
      integers("UInt8", "types", listed(m, "\n", [](std::size_t, std::string& t) { t += "3"; }));
  return out + "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
}

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return extension;
}

}  // namespace

std::optional<Error> check_graph_name(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  if (extension == ".json" || extension == ".vtu") return std::nullopt;
  return Error{
      path.string(),
      {{"", fmt::format("a name that ends in \"{}\"", extension), "a name that ends in .json or .vtu", ""}}};
}

std::optional<Error> write_graph(const std::filesystem::path& path, const NodeGraph& graph) {
  if (auto error = check_graph_name(path)) return error;
  return write_file(path, lower_extension(path) == ".json" ? as_json(graph) : as_vtu(graph));
}

}  // namespace pliant
