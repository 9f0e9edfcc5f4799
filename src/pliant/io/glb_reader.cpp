// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/glb_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "pliant/io/glb_nodes.hpp"
#include "pliant/io/mesh_problems.hpp"

namespace pliant {
namespace {

using namespace glb;

constexpr std::int64_t mode_triangles = 4, mode_strip = 5, mode_fan = 6;

/// Vertices that primitives of one node share.
struct SharedVertices {
  std::int64_t positions, texcoords;  ///< accessors; -1 = none
  Index first, count, first_texcoord;
};

class GlbReader {
 public:
  GlbReader(const GlbFile& file, bool bindings) : file_(file), want_bindings_(bindings) {}

  GlbSurface read() {
    place_scene();
    if (!textured_) {
      mesh_.texcoords.clear();
      mesh_.corner_texcoord.clear();
    }
    return {std::move(mesh_), std::move(bindings_)};
  }

 private:
  // ---- the scene ----

  struct Visit {
    std::int64_t node;
    Transform parent;
    std::string place;
  };

  void push(const Json* list, const Transform& parent, const std::string& place) {
    if (!list) return;
    if (!list->is_array()) refuse(place, shown(*list), "a list of nodes");
    for (std::size_t i = list->size(); i-- > 0;) {
      const std::string at = fmt::format("{}.{}", place, i);
      if (!(*list)[i].is_number_unsigned()) refuse(at, shown((*list)[i]), "the number of a node");
      const std::uint64_t node = (*list)[i].get<std::uint64_t>();
      visits_.push_back({std::int64_t(std::min(node, std::uint64_t(1) << 62)), parent, at});
    }
  }

  /// All nodes of the scene, parents before children, in the order of the file's lists. Where the scene lists none,
  /// or the file has no scene, all nodes without a parent; without nodes the meshes as they are.
  void place_scene() {
    const Json* scenes = member(file_.root(), "scenes");
    if (scenes && scenes->is_array() && !scenes->empty()) {
      const std::int64_t scene = count_of(file_.root(), "scene", "", 0);
      const Json& json = file_.row("scenes", scene, "scene");
      push(member(json, "nodes"), Transform::Identity(), fmt::format("scenes.{}.nodes", scene));
      if (visits_.empty())
        mesh_.remarks.push_back(fmt::format("scene {} lists no node: {}.", scene, all_meshes()));
    } else if (file_.rows("nodes") > 0) {
      mesh_.remarks.push_back(fmt::format("the file has no scene: {}.", all_meshes()));
    }
    if (visits_.empty()) push_roots();
    if (visits_.empty()) return place_library();
    walk();
  }

  const char* all_meshes() const {
    return file_.rows("nodes") > 0 ? "all its nodes are read" : "its meshes are read as they are";
  }

  /// The nodes that are nobody's child.
  void push_roots() {
    if (file_.rows("nodes") == 0) return;
    if (nodes_.parent.empty()) nodes_ = glb_nodes(file_);
    for (std::size_t n = nodes_.parent.size(); n-- > 0;)
      if (nodes_.parent[n] < 0)
        visits_.push_back({std::int64_t(n), Transform::Identity(), fmt::format("nodes.{}", n)});
  }

  void walk() {
    std::vector<char> seen(file_.rows("nodes"), 0);
    while (!visits_.empty()) {
      const Visit visit = std::move(visits_.back());
      visits_.pop_back();
      const Json& json = file_.row("nodes", visit.node, visit.place);
      if (seen[std::size_t(visit.node)]++)
        refuse(visit.place, fmt::format("node {} a second time", visit.node), "a tree of nodes");
      const std::string place = fmt::format("nodes.{}", visit.node);
      const Transform transform = visit.parent * local_transform(json, place);
      if (member(json, "mesh")) {
        const bool skinned = member(json, "skin") != nullptr;
        joints_.clear();
        add_mesh(count_of(json, "mesh", place), skinned ? skin_placing(json, place) : transform, place);
      }
      push(member(json, "children"), transform, place + ".children");
    }
  }

  /// The transforms above a skinned mesh do not count, those of its joints do.
  Transform skin_placing(const Json& node, const std::string& place) {
    if (nodes_.parent.empty()) nodes_ = glb_nodes(file_);
    GlbSkin skin = glb_skin(file_, nodes_, count_of(node, "skin", place), place + ".skin");
    joints_ = std::move(skin.joints);
    return skin.placing;
  }

  /// A file without a scene is a library: its meshes as they are.
  void place_library() {
    const Json* meshes = member(file_.root(), "meshes");
    for (std::size_t m = 0; meshes && m < meshes->size(); ++m)
      add_mesh(std::int64_t(m), Transform::Identity(), "meshes");
  }

  void add_mesh(std::int64_t index, const Transform& transform, const std::string& place) {
    const Json& json = file_.row("meshes", index, place + ".mesh");
    const Json* primitives = member(json, "primitives");
    if (!primitives || !primitives->is_array())
      refuse(fmt::format("meshes.{}.primitives", index), primitives ? shown(*primitives) : "nothing",
             "a list");
    shared_.clear();
    for (std::size_t p = 0; p < primitives->size(); ++p)
      add_primitive((*primitives)[p], transform, fmt::format("meshes.{}.primitives.{}", index, p));
  }

  void add_primitive(const Json& json, const Transform& transform, const std::string& place) {
    const std::int64_t mode = count_of(json, "mode", place, mode_triangles);
    if (mode > mode_fan) refuse(place + ".mode", fmt::format("{}", mode), "0 to 6");
    if (mode < mode_triangles) return;  // points and lines
    const Json* attributes = member(json, "attributes");
    if (!attributes) refuse(place + ".attributes", "nothing", "POSITION");
    const std::int64_t positions = count_of(*attributes, "POSITION", place + ".attributes");
    const std::int64_t texcoords =
        member(*attributes, "TEXCOORD_0") ? count_of(*attributes, "TEXCOORD_0", place + ".attributes") : -1;
    const std::size_t before = mesh_.vertices.size();
    const SharedVertices vertices = vertices_of(positions, texcoords, transform, place + ".attributes");
    if (want_bindings_ && mesh_.vertices.size() > before)
      add_bindings(*attributes, std::size_t(vertices.count), place + ".attributes");
    const bool mirrored = transform.topLeftCorner<3, 3>().determinant() < 0;
    if (!member(json, "indices")) {
      return add_faces(mode, std::size_t(vertices.count), vertices, mirrored, place,
                       [](std::size_t k) { return std::uint32_t(k); });
    }
    const std::string at = place + ".indices";
    const Values indices = file_.values(count_of(json, "indices", place), at, "SCALAR", 1);
    if (indices.type == type_float) refuse(at, "floats", "whole numbers (5121, 5123 or 5125)");
    add_faces(mode, indices.count, vertices, mirrored, at,
              [&indices](std::size_t k) { return indices.whole(k, 0); });
  }

  /// Instances multiply data: more than a file can hold itself is allowed up to 10 million.
  void limit(std::size_t have, std::size_t more, std::size_t least, std::size_t per_byte,
             const std::string& place) const {
    const std::size_t most = std::max(least, per_byte * file_.size());
    if (more > most || have > most - more)
      refuse(place, fmt::format("{} vertices or corners in all instances", have + more),
             fmt::format("at most {}", most));
  }

  SharedVertices vertices_of(std::int64_t positions, std::int64_t texcoords, const Transform& transform,
                             const std::string& place) {
    for (const SharedVertices& s : shared_)
      if (s.positions == positions && s.texcoords == texcoords) return s;
    const Values xyz = file_.values(positions, place + ".POSITION", "VEC3", 3);
    if (xyz.type != type_float)
      refuse(place + ".POSITION", fmt::format("component type {}", xyz.type), "5126 (float)",
             "quantised positions (KHR_mesh_quantization) are not read");
    limit(mesh_.vertices.size(), xyz.count, 10'000'000, 1, place);
    SharedVertices out{positions, texcoords, Index(mesh_.vertices.size()), Index(xyz.count), -1};
    for (std::size_t k = 0; k < xyz.count; ++k) {
      const Vec3 p(xyz.real(k, 0), xyz.real(k, 1), xyz.real(k, 2));
      const Vec3 placed = (transform * p.homogeneous()).head<3>();
      if (!placed.allFinite())
        refuse(fmt::format("{}.POSITION, vertex {}, byte {} of the binary chunk", place, k,
                           xyz.offset + k * xyz.stride),
               "a coordinate that is not finite", "finite coordinates");
      mesh_.vertices.push_back(placed);
    }
    if (texcoords >= 0) out.first_texcoord = add_texcoords(texcoords, xyz.count, place + ".TEXCOORD_0");
    shared_.push_back(out);
    return out;
  }

  /// Joints and weights of the vertices that were just added.
  void add_bindings(const Json& attributes, std::size_t count, const std::string& place) {
    bindings_.resize(mesh_.vertices.size());
    if (joints_.empty() || !member(attributes, "JOINTS_0") || !member(attributes, "WEIGHTS_0")) return;
    const Values joints =
        file_.values(count_of(attributes, "JOINTS_0", place), place + ".JOINTS_0", "VEC4", 4);
    const Values weights =
        file_.values(count_of(attributes, "WEIGHTS_0", place), place + ".WEIGHTS_0", "VEC4", 4);
    if (joints.type == type_float) refuse(place + ".JOINTS_0", "floats", "whole numbers (5121 or 5123)");
    for (const Values* values : {&joints, &weights})
      if (values->count != count)
        refuse(place + (values == &joints ? ".JOINTS_0" : ".WEIGHTS_0"),
               fmt::format("{} values", values->count), fmt::format("{}, one a vertex", count));
    for (std::size_t k = 0; k < count; ++k) {
      VertexBinding& binding = bindings_[bindings_.size() - count + k];
      double sum = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        const double weight = weights.real(k, i);
        if (!(weight >= 0 && std::isfinite(weight)))
          refuse(fmt::format("{}.WEIGHTS_0, vertex {}", place, k), fmt::format("{}", weight), "0 or more");
        const std::uint32_t joint = joints.whole(k, i);
        if (weight > 0 && joint >= joints_.size())
          refuse(fmt::format("{}.JOINTS_0, vertex {}", place, k), fmt::format("joint {}", joint),
                 fmt::format("one of the {} joints of its skin, counted from 0", joints_.size()));
        binding.node[i] = weight > 0 ? joints_[joint] : -1;
        binding.weight[i] = weight;
        sum += weight;
      }
      for (double& weight : binding.weight) weight = sum > 0 ? weight / sum : 0;
    }
  }

  Index add_texcoords(std::int64_t index, std::size_t vertices, const std::string& place) {
    const Values uv = file_.values(index, place, "VEC2", 2);
    if (uv.count != vertices)
      refuse(place, fmt::format("{} values", uv.count), fmt::format("{}, one a vertex", vertices));
    if (uv.type == type_u32) refuse(place, "component type 5125", "5121, 5123 or 5126 (float)");
    const Index first = Index(mesh_.texcoords.size());
    for (std::size_t k = 0; k < uv.count; ++k) {
      float value[2];
      for (std::size_t i = 0; i < 2; ++i) {
        value[i] = float(uv.real(k, i));
        if (!std::isfinite(value[i]))
          refuse(fmt::format("{}, vertex {}", place, k), "a texture coordinate that is not finite",
                 "finite ones");
      }
      mesh_.texcoords.push_back({value[0], 1 - value[1]});  // glTF counts v from the top
    }
    return first;
  }

  template <class IndexAt>
  void add_faces(std::int64_t mode, std::size_t count, const SharedVertices& vertices, bool mirrored,
                 const std::string& place, IndexAt&& index_at) {
    if (mode == mode_triangles && count % 3 != 0)
      refuse(place, fmt::format("{} corners", count), "three a triangle");
    const std::size_t triangles = mode == mode_triangles ? count / 3 : count < 3 ? 0 : count - 2;
    limit(mesh_.corner.size(), 3 * triangles, 30'000'000, 3, place);
    const auto corner = [&](std::size_t k) {
      const std::uint32_t index = index_at(k);
      if (index >= std::uint32_t(vertices.count))
        refuse(fmt::format("{}, corner {}", place, k), fmt::format("vertex {}", index),
               fmt::format("one of the {} vertices of its POSITION, counted from 0", vertices.count));
      return index;
    };
    for (std::size_t t = 0; t < triangles; ++t) {
      std::array<std::size_t, 3> k{3 * t, 3 * t + 1, 3 * t + 2};
      if (mode == mode_strip) k = {t, t + 1 + t % 2, t + 2 - t % 2};
      if (mode == mode_fan) k = {t + 1, t + 2, 0};
      if (mirrored) std::swap(k[1], k[2]);
      for (std::size_t at : k) {
        const Index v = Index(corner(at));
        mesh_.corner.push_back(vertices.first + v);
        mesh_.corner_texcoord.push_back(vertices.first_texcoord < 0 ? -1 : vertices.first_texcoord + v);
      }
      mesh_.face_begin.push_back(Index(mesh_.corner.size()));
    }
    textured_ |= triangles > 0 && vertices.first_texcoord >= 0;
  }

  const GlbFile& file_;
  bool want_bindings_;
  PolygonMesh mesh_;
  std::vector<VertexBinding> bindings_;
  bool textured_ = false;
  std::vector<Visit> visits_;           ///< nodes to be placed, the next one last
  std::vector<SharedVertices> shared_;  ///< of the mesh placed now
  GlbNodes nodes_;                      ///< filled when first needed
  std::vector<Index> joints_;           ///< of the skin of the mesh placed now
};

}  // namespace

GlbSurface glb_surface(const GlbFile& file, bool bindings) { return GlbReader(file, bindings).read(); }

Result<PolygonMesh> parse_glb(std::string_view bytes, const std::string& name) {
  MeshProblems problems(name);
  try {
    return problems.mesh_or_error(glb_surface(GlbFile(bytes), false).mesh);
  } catch (const GlbRefusal& refusal) {
    problems.at(refusal.place, refusal.found, refusal.expected, refusal.hint);
    return problems.mesh_or_error({});
  }
}

}  // namespace pliant
