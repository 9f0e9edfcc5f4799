// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/vtu.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "pliant/io/atomic_file.hpp"
#include "pliant/io/float_frame.hpp"
#include "pliant/io/texcoords.hpp"

namespace pliant {
namespace {

constexpr std::uint8_t vtk_vertex = 1, vtk_triangle = 5, vtk_polygon = 7;

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

/// The appended block: each array behind its length in bytes.
class Appended {
 public:
  /// Offset of the array, for the header.
  template <class T>
  std::size_t add(std::span<const T> values) {
    arrays_.push_back({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    const std::size_t offset = bytes_;
    bytes_ += sizeof(std::uint64_t) + values.size_bytes();
    return offset;
  }
  void write(AtomicFile& file) const {
    for (std::string_view array : arrays_) {
      const std::uint64_t length = array.size();
      file.write(&length, sizeof(length));
      file.write(array);
    }
  }

 private:
  std::vector<std::string_view> arrays_;
  std::size_t bytes_ = 0;
};

/// Corners of all cells, where each cell ends in them, and its type.
struct Cells {
  std::vector<Index> corners, ends;
  std::vector<std::uint8_t> types;

  void add(const Index* corner, Index count) {
    corners.insert(corners.end(), corner, corner + count);
    ends.push_back(Index(corners.size()));
    types.push_back(count == 1 ? vtk_vertex : count == 3 ? vtk_triangle : vtk_polygon);
  }
};

Cells cells_of(const std::vector<Triangle>& triangles, const PolygonMesh& faces) {
  Cells cells;
  for (Index f = 0; f < faces.faces(); ++f)
    if (faces.corners_of(f) >= 3) cells.add(&faces.corner[faces.face_begin[f]], faces.corners_of(f));
  if (faces.faces() == 0)
    for (const Triangle& t : triangles) cells.add(t.data(), 3);
  if (is_cloud(faces))
    for (Index v = 0; v < Index(faces.normals.size()); ++v) cells.add(&v, 1);
  return cells;
}

}  // namespace

std::optional<Error> write_vtu(const std::filesystem::path& path, std::span<const float> xyz,
                               std::span<const float> rest, const std::vector<Triangle>& triangles,
                               double time, const PolygonMesh& faces) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();

  FloatFrame displacement(xyz.size());
  for (std::size_t i = 0; i < xyz.size(); ++i) displacement[i] = xyz[i] - rest[i];
  const std::vector<Texcoord> texcoords = vertex_texcoords(faces, xyz.size() / 3);
  const Cells cells = cells_of(triangles, faces);
  Appended data;
  const std::size_t at_displacement = data.add(std::span<const float>(displacement));
  const std::size_t at_points = data.add(xyz);
  const std::size_t at_corners = data.add(std::span<const Index>(cells.corners));
  const std::size_t at_ends = data.add(std::span<const Index>(cells.ends));
  const std::size_t at_types = data.add(std::span<const std::uint8_t>(cells.types));
  std::string uv, uv_array;
  if (!texcoords.empty()) {
    uv = " TCoords=\"uv\"";
    uv_array = fmt::format(
        "<DataArray type=\"Float32\" Name=\"uv\" NumberOfComponents=\"2\" format=\"appended\" "
        "offset=\"{}\"/>\n",
        data.add(std::span<const Texcoord>(texcoords)));
  }

  file->write(fmt::format(
      R"(<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">
<UnstructuredGrid>
<FieldData><DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">{}</DataArray></FieldData>
<Piece NumberOfPoints="{}" NumberOfCells="{}">
<PointData Vectors="displacement"{}>
<DataArray type="Float32" Name="displacement" NumberOfComponents="3" format="appended" offset="{}"/>
{}</PointData>
<Points><DataArray type="Float32" Name="Points" NumberOfComponents="3" format="appended" offset="{}"/></Points>
<Cells>
<DataArray type="Int32" Name="connectivity" format="appended" offset="{}"/>
<DataArray type="Int32" Name="offsets" format="appended" offset="{}"/>
<DataArray type="UInt8" Name="types" format="appended" offset="{}"/>
</Cells>
</Piece>
</UnstructuredGrid>
<AppendedData encoding="raw">
_)",
      time, xyz.size() / 3, cells.types.size(), uv, at_displacement, uv_array, at_points, at_corners, at_ends,
      at_types));
  data.write(*file);
  file->write("\n</AppendedData>\n</VTKFile>\n");
  return file->commit();
}

std::optional<Error> write_points_vtu(const std::filesystem::path& path, std::span<const float> xyz,
                                      const std::vector<PointArray>& arrays, double time) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  Cells cells;
  for (Index p = 0; p < Index(xyz.size() / 3); ++p) cells.add(&p, 1);
  Appended data;
  std::string vectors, named;
  for (const PointArray& array : arrays) {
    if (array.components == 3 && vectors.empty()) vectors = fmt::format(" Vectors=\"{}\"", array.name);
    named += fmt::format(
        "<DataArray type=\"Float32\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
        "offset=\"{}\"/>\n",
        xml_escaped(array.name), array.components, data.add(std::span<const float>(array.values)));
  }
  const std::size_t at_points = data.add(xyz);
  const std::size_t at_corners = data.add(std::span<const Index>(cells.corners));
  const std::size_t at_ends = data.add(std::span<const Index>(cells.ends));
  const std::size_t at_types = data.add(std::span<const std::uint8_t>(cells.types));
  file->write(fmt::format(
      R"(<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">
<UnstructuredGrid>
<FieldData><DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">{}</DataArray></FieldData>
<Piece NumberOfPoints="{}" NumberOfCells="{}">
<PointData{}>
{}</PointData>
<Points><DataArray type="Float32" Name="Points" NumberOfComponents="3" format="appended" offset="{}"/></Points>
<Cells>
<DataArray type="Int32" Name="connectivity" format="appended" offset="{}"/>
<DataArray type="Int32" Name="offsets" format="appended" offset="{}"/>
<DataArray type="UInt8" Name="types" format="appended" offset="{}"/>
</Cells>
</Piece>
</UnstructuredGrid>
<AppendedData encoding="raw">
_)",
      time, xyz.size() / 3, cells.types.size(), vectors, named, at_points, at_corners, at_ends, at_types));
  data.write(*file);
  file->write("\n</AppendedData>\n</VTKFile>\n");
  return file->commit();
}

std::optional<Error> write_pvd(const std::filesystem::path& path, const std::vector<PvdEntry>& entries) {
  std::string text =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n";
  for (const PvdEntry& entry : entries)
    text += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", entry.time,
                        xml_escaped(entry.file));
  text += "</Collection>\n</VTKFile>\n";
  return write_file(path, text);
}

}  // namespace pliant
