// SPDX-License-Identifier: Apache-2.0
// What a method of nodes without any memory does beside its step: the rest of Method for methods of tests.
#pragma once

#include "pliant/geometry/shape.hpp"
#include "pliant/methods/method.hpp"

namespace pliant {

class PlainNodes : public Method {
 public:
  const NodeState& nodes() const override { return nodes_; }
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override {
    nodes_.x.assign(x.begin(), x.end());
    nodes_.v.assign(v.begin(), v.end());
  }
  void surface(std::span<Vec3> vertices) const override { gather(embedding_, nodes_.x, vertices); }
  const Gather& embedding() const override { return embedding_; }
  void pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const override {
    scatter_add(embedding_, surface_forces, node_forces);
  }
  void save(Writer& writer) const override {
    writer.array(nodes_.x);
    writer.array(nodes_.v);
  }
  bool load(Reader& reader) override {
    reader.array(nodes_.x);
    reader.array(nodes_.v);
    return reader.ok();
  }
  double mass_damping() const override { return 0; }

 protected:
  PlainNodes(const Shape& shape, double density) : embedding_(shape.embedding) {
    nodes_.x = shape.graph.positions;
    nodes_.v.assign(nodes_.x.size(), Vec3::Zero());
    for (const double volume : shape.graph.volumes) nodes_.mass.push_back(density * volume);
  }

  NodeState nodes_;

 private:
  Gather embedding_;
};

}  // namespace pliant
