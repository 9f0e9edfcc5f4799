// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/glb_reader.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/glb_builder.hpp"
#include "tests/support/mesh_messages.hpp"

namespace pliant {
namespace glb_reader_test {

using Json = nlohmann::ordered_json;

const std::string positions = packed(0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 1.f, 1.f, 0.f, 0.f, 1.f, 0.f);

/// A square of four vertices, two triangles by 16-bit indices, in a scene of one node.
struct Square {
  Json json = Json::parse(R"({
    "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
                  {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"}],
    "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 12}],
    "buffers": [{"byteLength": 60}]})");
  std::string data = positions + std::string("\0\0\1\0\2\0\0\0\2\0\3\0", 12);

  /// A new view and accessor behind the data; the accessor's number.
  int add(const std::string& bytes, int component, int count, const char* type, int stride = 0) {
    Json view{{"buffer", 0}, {"byteOffset", data.size()}, {"byteLength", bytes.size()}};
    if (stride > 0) view["byteStride"] = stride;
    json["bufferViews"].push_back(view);
    json["accessors"].push_back({{"bufferView", json["bufferViews"].size() - 1},
                                 {"componentType", component},
                                 {"count", count},
                                 {"type", type}});
    data += bytes;
    return int(json["accessors"].size()) - 1;
  }
  Json& primitive() { return json["meshes"][0]["primitives"][0]; }
  Result<PolygonMesh> read() const { return parse_glb(glb_of(json.dump(), data), "a.glb"); }
};

TEST(ReadGlb, reads_vertices_in_their_order_and_triangles) {
  const Result<PolygonMesh> mesh = Square().read();
  ASSERT_TRUE(mesh) << message(mesh);
  EXPECT_EQ(mesh->vertices, (Points{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)}));
  EXPECT_EQ(faces_of(*mesh), (Faces{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_TRUE(mesh->texcoords.empty());
}

TEST(ReadGlb, reads_indices_of_every_width_or_none) {
  Square byte, word, none;
  byte.primitive()["indices"] = byte.add(std::string("\0\1\2\0\2\3", 6), 5121, 6, "SCALAR");
  word.primitive()["indices"] = word.add(packed(0, 1, 2, 0, 2, 3), 5125, 6, "SCALAR");
  for (const Square* square : {&byte, &word})
    EXPECT_EQ(faces_of(*square->read()), (Faces{{0, 1, 2}, {0, 2, 3}}));
  none.primitive().erase("indices");
  none.json["accessors"][0]["count"] = 3;
  EXPECT_EQ(faces_of(*none.read()), (Faces{{0, 1, 2}}));
}

TEST(ReadGlb, unrolls_strips_and_fans_and_passes_over_lines) {
  Square square;
  square.primitive().erase("indices");
  square.primitive()["mode"] = 5;
  EXPECT_EQ(faces_of(*square.read()), (Faces{{0, 1, 2}, {1, 3, 2}}));
  square.primitive()["mode"] = 6;
  EXPECT_EQ(faces_of(*square.read()), (Faces{{1, 2, 0}, {2, 3, 0}}));
  square.primitive()["mode"] = 1;
  EXPECT_MESSAGE(square.read(), "no faces (0 points)");
}

TEST(ReadGlb, applies_the_transforms_of_nodes_and_keeps_faces_outward_under_mirrors) {
  Square square;
  square.json["nodes"] = Json::parse(R"([
    {"children": [1, 2], "translation": [10, 0, 0], "rotation": [0, 0, 0.70710678118654752, 0.70710678118654752]},
    {"mesh": 0, "scale": [2, 3, 4]},
    {"mesh": 0, "matrix": [-1, 0, 0, 0,  0, 1, 0, 0,  0, 0, 1, 0,  0, 0, 5, 1]}])");
  const Result<PolygonMesh> mesh = square.read();
  ASSERT_TRUE(mesh) << message(mesh);
  ASSERT_EQ(mesh->vertices.size(), 8u);
  EXPECT_LT((mesh->vertices[2] - Vec3(10 - 3, 2, 0)).norm(), 1e-12);   // (2, 3, 0) turned by 90 degrees
  EXPECT_LT((mesh->vertices[6] - Vec3(10 - 1, -1, 5)).norm(), 1e-12);  // (-1, 1, 5) turned
  EXPECT_EQ(faces_of(*mesh), (Faces{{0, 1, 2}, {0, 2, 3}, {4, 6, 5}, {4, 7, 6}}));
}

TEST(ReadGlb, joins_all_primitives_and_shares_their_vertices) {
  Square square;
  const int more = square.add(packed(0.f, 0.f, 9.f, 1.f, 0.f, 9.f, 0.f, 1.f, 9.f), 5126, 3, "VEC3");
  square.json["meshes"][0]["primitives"].push_back({{"attributes", {{"POSITION", 0}}}, {"indices", 1}});
  square.json["meshes"].push_back({{"primitives", {{{"attributes", {{"POSITION", more}}}}}}});
  square.json["nodes"] = Json::parse(R"([{"mesh": 0}, {"mesh": 1}])");
  square.json["scenes"][0]["nodes"] = {1, 0};
  const Result<PolygonMesh> mesh = square.read();
  ASSERT_TRUE(mesh) << message(mesh);
  EXPECT_EQ(mesh->vertices.size(), 7u);
  EXPECT_EQ(faces_of(*mesh), (Faces{{0, 1, 2}, {3, 4, 5}, {3, 5, 6}, {3, 4, 5}, {3, 5, 6}}));
}

TEST(ReadGlb, reads_all_nodes_of_a_file_whose_scene_lists_none_and_says_so) {
  Square square;
  square.json["nodes"] = Json::parse(R"([{"mesh": 0}, {"children": [0], "translation": [5, 0, 0]}])");
  for (const char* scenes : {R"([{"nodes": []}])", R"([{}])", R"([])"}) {
    square.json["scenes"] = Json::parse(scenes);
    const Result<PolygonMesh> mesh = square.read();
    ASSERT_TRUE(mesh) << message(mesh);
    ASSERT_EQ(mesh->vertices.size(), 4u);
    EXPECT_EQ(mesh->vertices[0], Vec3(5, 0, 0));
    ASSERT_EQ(mesh->remarks.size(), 1u);
    EXPECT_NE(mesh->remarks[0].find("all its nodes are read"), std::string::npos) << mesh->remarks[0];
  }
  square.json["scenes"] = Json::parse(R"([{}])");
  square.json.erase("nodes");
  const Result<PolygonMesh> library = square.read();
  ASSERT_TRUE(library) << message(library);
  EXPECT_EQ(library->vertices[0], Vec3(0, 0, 0));
  EXPECT_EQ(library->remarks.size(), 1u);
}

TEST(ReadGlb, turns_texture_coordinates_to_v_up_whatever_their_type) {
  const Texcoords expected{{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  Square floats, bytes, words;
  floats.primitive()["attributes"]["TEXCOORD_0"] =
      floats.add(packed(0.f, 0.f, 1.f, 0.f, 1.f, 1.f, 0.f, 1.f), 5126, 4, "VEC2");
  bytes.primitive()["attributes"]["TEXCOORD_0"] =
      bytes.add(std::string("\0\0..\xff\0..\xff\xff..\0\xff..", 16), 5121, 4, "VEC2", 4);
  words.primitive()["attributes"]["TEXCOORD_0"] =
      words.add(std::string("\0\0\0\0\xff\xff\0\0\xff\xff\xff\xff\0\0\xff\xff", 16), 5123, 4, "VEC2");
  for (const Square* square : {&floats, &bytes, &words}) {
    const Result<PolygonMesh> mesh = square->read();
    ASSERT_TRUE(mesh) << message(mesh);
    EXPECT_EQ(mesh->texcoords, expected);
    EXPECT_EQ(mesh->corner_texcoord, mesh->corner);
  }
}

TEST(ReadGlb, follows_strides_and_offsets) {
  Square square;
  std::string mixed = "....";
  for (int v = 0; v < 4; ++v) mixed += positions.substr(12 * v, 12) + "12345678";
  square.primitive()["attributes"]["POSITION"] = square.add(mixed, 5126, 4, "VEC3", 20);
  square.json["accessors"][2]["byteOffset"] = 4;
  const Result<PolygonMesh> mesh = square.read();
  ASSERT_TRUE(mesh) << message(mesh);
  EXPECT_EQ(mesh->vertices, Square().read()->vertices);
}

TEST(ReadGlb, refuses_compressed_data_by_name) {
  for (const char* extension :
       {"KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_mesh_quantization"}) {
    Square square;
    square.json["extensionsRequired"] = {"KHR_materials_unlit", extension};
    EXPECT_MESSAGE(square.read(), extension);
    EXPECT_MESSAGE(square.read(), "export the file without compression");
  }
  Square harmless;
  harmless.json["extensionsRequired"] = {"KHR_materials_unlit", "KHR_texture_transform"};
  EXPECT_TRUE(harmless.read());
  Square sparse;
  sparse.json["accessors"][0]["sparse"] = Json::object();
  EXPECT_MESSAGE(sparse.read(), "accessors.0: found a sparse accessor");
  Square quantised;
  quantised.json["accessors"][0]["componentType"] = 5123;
  EXPECT_MESSAGE(quantised.read(), "KHR_mesh_quantization");
  Square outside;
  outside.json["buffers"][0]["uri"] = "data.bin";
  EXPECT_MESSAGE(outside.read(), "buffers.0: found data outside of the binary chunk");
}

TEST(ReadGlb, names_the_place_of_what_is_wrong) {
  Square square = Square();
  square.data.replace(48 + 8, 2, packed(std::uint16_t(7)));
  EXPECT_MESSAGE(
      square.read(),
      "a.glb: meshes.0.primitives.0.indices, corner 4: found vertex 7, expected one of the 4 vertices");
  square = Square();
  square.data.replace(12, 4, packed(std::numeric_limits<float>::quiet_NaN()));
  EXPECT_MESSAGE(square.read(),
                 "POSITION, vertex 1, byte 12 of the binary chunk: found a coordinate that is not");
  square = Square();
  square.json["accessors"][0]["count"] = 10'000'000;
  EXPECT_MESSAGE(square.read(), "accessors.0: found 10000000 values of 12 bytes");
  square = Square();
  square.json["bufferViews"][1]["byteLength"] = 1000;
  EXPECT_MESSAGE(square.read(), "bufferViews.1: found bytes 48 to 1048, expected no more than the 60 bytes");
  square = Square();
  square.json["accessors"][0].erase("bufferView");
  EXPECT_MESSAGE(square.read(), "accessors.0: found no bufferView");
  square = Square();
  square.json["nodes"][0]["children"] = {0};
  EXPECT_MESSAGE(square.read(), "nodes.0.children.0: found node 0 a second time");
  square = Square();
  square.json["nodes"][0]["mesh"] = 3;
  EXPECT_MESSAGE(square.read(), "nodes.0.mesh: found 3, expected one of the 1 meshes");
  square = Square();
  square.primitive()["attributes"].erase("POSITION");
  EXPECT_MESSAGE(square.read(), "meshes.0.primitives.0.attributes.POSITION: found nothing");
  square = Square();
  square.json["accessors"][1]["count"] = 5;
  EXPECT_MESSAGE(square.read(), "found 5 corners, expected three a triangle");
}

TEST(ReadGlb, names_the_byte_where_the_container_is_wrong) {
  const Square square;
  const std::string whole = glb_of(square.json.dump(), square.data);
  EXPECT_MESSAGE(parse_glb(whole.substr(0, whole.size() - 1), "a.glb"), "the file is cut off");
  EXPECT_MESSAGE(parse_glb(whole.substr(0, 10), "a.glb"), "byte 0");
  EXPECT_MESSAGE(parse_glb("{\"asset\": {\"version\": \"2.0\"}}", "a.glb"), "byte 0: found '{\"as'");
  EXPECT_MESSAGE(parse_glb(glb_of("{\"nodes\": [}", ""), "a.glb"), "byte 32: found unreadable JSON");
  EXPECT_MESSAGE(parse_glb(glb_of("{\"nodes\": 1e999}", ""), "a.glb"), "byte 20");
  std::string old = whole;
  old[4] = 1;
  EXPECT_MESSAGE(parse_glb(old, "a.glb"), "byte 4: found version 1");
}

TEST(ReadGlb, survives_endless_nesting) {
  for (const char* open : {"[", "{\"scenes\":"}) {
    std::string json = open[0] == '{' ? open : "";
    for (int i = 0; i < 1 << 20; ++i) json += '[';
    json += std::string(1 << 20, ']') + (open[0] == '{' ? "}" : "");
    EXPECT_FALSE(parse_glb(glb_of(json, ""), "a.glb"));
  }
}

TEST(ReadGlb, bounds_the_memory_that_instances_take) {
  Square square;
  const int many = square.add(std::string(12 * 200'000, '\0'), 5126, 200'000, "VEC3");
  square.json["meshes"][0]["primitives"] = {{{"attributes", {{"POSITION", many}}}, {"indices", 1}}};
  Json nodes = Json::array(), list = Json::array();
  for (int i = 0; i < 60; ++i) {
    nodes.push_back({{"mesh", 0}});
    list.push_back(i);
  }
  square.json["nodes"] = nodes;
  square.json["scenes"][0]["nodes"] = list;
  EXPECT_MESSAGE(square.read(), "vertices or corners in all instances, expected at most 10000000");
}

}  // namespace glb_reader_test
}  // namespace pliant
