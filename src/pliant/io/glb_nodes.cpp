// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/glb_nodes.hpp"

#include <fmt/format.h>

#include <Eigen/LU>

namespace pliant {

using namespace glb;

GlbNodes glb_nodes(const GlbFile& file) {
  const std::size_t count = file.rows("nodes");
  GlbNodes out;
  out.parent.assign(count, -1);
  out.world.assign(count, Transform::Identity());
  std::vector<std::vector<Index>> children(count);
  for (std::size_t n = 0; n < count; ++n) {
    const std::string place = fmt::format("nodes.{}", n);
    const Json& node = file.row("nodes", std::int64_t(n), place);
    out.local.push_back(local_transform(node, place));
    const Json* list = member(node, "children");
    if (!list) continue;
    const std::string at = place + ".children";
    if (!list->is_array()) refuse(at, shown(*list), "a list of nodes");
    for (std::size_t k = 0; k < list->size(); ++k) {
      const std::int64_t child = count_at(*list, k, at, "the number of a node");
      file.row("nodes", child, fmt::format("{}.{}", at, k));
      if (out.parent[std::size_t(child)] >= 0 || child == std::int64_t(n))
        refuse(fmt::format("{}.{}", at, k), fmt::format("node {} a second time", child), "a tree of nodes");
      out.parent[std::size_t(child)] = Index(n);
      children[n].push_back(Index(child));
    }
  }
  for (std::size_t n = 0; n < count; ++n)
    if (out.parent[n] < 0) out.order.push_back(Index(n));
  for (std::size_t k = 0; k < out.order.size(); ++k) {
    const std::size_t n = std::size_t(out.order[k]);
    out.world[n] =
        out.parent[n] < 0 ? out.local[n] : Transform(out.world[std::size_t(out.parent[n])] * out.local[n]);
    for (const Index child : children[n]) out.order.push_back(child);
  }
  if (out.order.size() < count) refuse("nodes", "nodes that are their own ancestors", "a tree of nodes");
  return out;
}

GlbSkin glb_skin(const GlbFile& file, const GlbNodes& nodes, std::int64_t index, const std::string& place) {
  const Json& json = file.row("skins", index, place);
  const std::string at = fmt::format("skins.{}", index);
  const Json* list = member(json, "joints");
  if (!list || !list->is_array() || list->empty())
    refuse(at + ".joints", list ? shown(*list) : "nothing", "a list of nodes");
  GlbSkin out;
  std::vector<char> is_joint(nodes.parent.size(), 0);
  for (std::size_t k = 0; k < list->size(); ++k) {
    const std::int64_t node = count_at(*list, k, at + ".joints", "the number of a node");
    file.row("nodes", node, fmt::format("{}.joints.{}", at, k));
    if (is_joint[std::size_t(node)]++)
      refuse(fmt::format("{}.joints.{}", at, k), fmt::format("node {} a second time", node), "it once");
    out.joints.push_back(Index(node));
  }
  const auto below_another = [&](Index node) {
    for (Index p = nodes.parent[std::size_t(node)]; p >= 0; p = nodes.parent[std::size_t(p)])
      if (is_joint[std::size_t(p)]) return true;
    return false;
  };
  while (below_another(out.joints[std::size_t(out.root)])) ++out.root;  // a tree has such a one
  if (!member(json, "inverseBindMatrices")) return out;
  const std::string matrices = at + ".inverseBindMatrices";
  const Values values = file.values(count_of(json, "inverseBindMatrices", at), matrices, "MAT4", 16);
  if (values.type != type_float)
    refuse(matrices, fmt::format("component type {}", values.type), "5126 (float)");
  if (values.count < out.joints.size())
    refuse(matrices, fmt::format("{} matrices", values.count),
           fmt::format("{}, one a joint", out.joints.size()));
  for (std::size_t k = 0; k < out.joints.size(); ++k) {
    Transform m;
    for (std::size_t i = 0; i < 16; ++i) m(Eigen::Index(i % 4), Eigen::Index(i / 4)) = values.real(k, i);
    if (!m.allFinite() || !(std::abs(m.topLeftCorner<3, 3>().determinant()) > 0))
      refuse(fmt::format("{}, matrix {}", matrices, k), "a matrix that has no inverse", "one that has");
    out.inverse_bind.push_back(m);
  }
  const std::size_t root = std::size_t(out.root);
  out.placing = nodes.world[std::size_t(out.joints[root])] * out.inverse_bind[root];
  if (!out.placing.allFinite()) refuse(matrices, "numbers that overflow", "finite ones");
  return out;
}

}  // namespace pliant
