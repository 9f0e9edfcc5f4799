// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/build.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <filesystem>
#include <random>

#include "pliant/scene/build_colliders.hpp"
#include "pliant/scene/layout.hpp"
#include "pliant/scene/validate.hpp"

namespace pliant {
namespace {

struct MakeShape {
  Shape operator()(const SphereShape& sphere) const {
    return make_shape(EllipsoidShape{Vec3::Constant(sphere.radius), sphere.nodes, sphere.center});
  }
  template <class S>
  Shape operator()(const S& shape) const {
    return make_shape(shape);
  }
};

bool any_within(const Problems& problems, const std::string& place) {
  for (const Problem& problem : problems)
    if (problem.place == place || problem.place.rfind(place + ".", 0) == 0) return true;
  return false;
}

std::string corner_text(const Vec3& p) { return fmt::format("[{:g}, {:g}, {:g}]", p.x(), p.y(), p.z()); }

Problem selects_nothing(const Shape& shape, const std::string& place) {
  const Bounds bounds = bounds_of(shape.graph.positions);
  return {place, "a selection without nodes", "at least one node of the body",
          fmt::format("the body reaches from {} to {}, with {} nodes and {} surface vertices",
                      corner_text(bounds.min), corner_text(bounds.max), shape.graph.positions.size(),
                      shape.surface.vertices.size())};
}

/// Selected nodes; reports an empty selection and vertices that do not exist.
std::vector<Index> selected(const Selector& selector, const Shape& shape, const std::string& place,
                            Problems& problems) {
  if (const auto* vertices = std::get_if<SelectVertices>(&selector.is))
    for (std::size_t k = 0; k < vertices->indices.size(); ++k)
      if (vertices->indices[k] >= int(shape.surface.vertices.size()))
        problems.push_back(
            {fmt::format("{}.vertices.{}", place, k),
             std::to_string(vertices->indices[k]),
             fmt::format("an index below {}, the vertices of the surface", shape.surface.vertices.size()),
             {}});
  std::vector<Index> nodes = select_nodes(selector, shape);
  if (nodes.empty()) problems.push_back(selects_nothing(shape, place));
  return nodes;
}

/// The holds of a body: pins, then handles. A node belongs to one of them at most.
class HoldBuilder {
 public:
  HoldBuilder(const Shape& shape, std::string place, Problems& problems)
      : shape_(shape), place_(std::move(place)), problems_(problems), owner_(shape.graph.positions.size()) {}

  void add(const std::string& what, const Selector& select, Motion motion, double release) {
    const std::string at = place_ + "." + what;
    if (any_within(problems_, at)) return;
    Hold hold{selected(select, shape_, at + ".select", problems_), std::move(motion), release};
    for (const Index node : hold.nodes) {
      std::string& owner = owner_[std::size_t(node)];
      if (!owner.empty()) {
        problems_.push_back({at + ".select",
                             fmt::format("a node at {} that {} holds already",
                                         corner_text(shape_.graph.positions[node]), owner),
                             "nodes that nothing else holds",
                             {}});
        break;
      }
      owner = what;
    }
    holds_.push_back(std::move(hold));
  }
  std::vector<Hold> take() { return std::move(holds_); }

 private:
  const Shape& shape_;
  std::string place_;
  Problems& problems_;
  std::vector<std::string> owner_;
  std::vector<Hold> holds_;
};

std::vector<Hold> make_holds(const BodySpec& body, const Shape& shape, const std::string& place,
                             Problems& problems) {
  HoldBuilder builder(shape, place, problems);
  for (std::size_t i = 0; i < body.pins.size(); ++i)
    builder.add(fmt::format("pins.{}", i), body.pins[i].select, {}, body.pins[i].release);
  for (std::size_t i = 0; i < body.handles.size(); ++i) {
    const HandleSpec& handle = body.handles[i];
    builder.add(fmt::format("handles.{}", i), handle.select, {handle.motion, handle.ease}, handle.release);
  }
  return builder.take();
}

Vec3 rest_centre(const NodeGraph& graph) {
  Vec3 sum = Vec3::Zero();
  double volume = 0;
  for (std::size_t i = 0; i < graph.positions.size(); ++i) {
    sum += graph.volumes[i] * graph.positions[i];
    volume += graph.volumes[i];
  }
  return sum / volume;
}

/// Every node that nothing holds goes to a uniformly random place of the bounding box, at rest. The numbers
/// come straight from the generator's bits, so that they are the same with every standard library.
void scramble(Start& start, const std::vector<Hold>& holds, int seed) {
  const Bounds box = bounds_of(start.x);
  std::vector<char> held(start.x.size(), 0);
  for (const Hold& hold : holds)
    for (const Index node : hold.nodes) held[std::size_t(node)] = 1;
  std::mt19937_64 bits{std::uint64_t(seed)};
  const auto unit = [&] { return double(bits() >> 11) * 0x1.0p-53; };
  for (std::size_t i = 0; i < start.x.size(); ++i) {
    if (held[i]) continue;
    for (int c = 0; c < 3; ++c) start.x[i][c] = box.min[c] + unit() * (box.max[c] - box.min[c]);
    start.v[i].setZero();
  }
}

Start make_start(const InitialSpec& initial, const NodeGraph& graph, const std::vector<Hold>& holds) {
  const Vec3 centre = rest_centre(graph);
  const Mat3 turn = initial.rotate.degrees == 0 ? Mat3(Mat3::Identity()) : rotation_matrix(initial.rotate);
  const bool turned = initial.rotate.degrees != 0;
  Start start;
  for (const Vec3& X : graph.positions) {
    const Vec3 arm = turn * (X - centre);
    start.x.push_back((turned ? Vec3(centre + arm) : X) + initial.translate);
    start.v.push_back(initial.velocity + initial.spin.cross(arm));
  }
  if (initial.scramble) scramble(start, holds, initial.scramble->seed);
  return start;
}

ContactOptions contact_of(const BodySpec& body) {
  ContactOptions contact = body.contact;
  if (body.friction < not_given) contact.friction = body.friction;
  return contact;
}

/// What is known of a body before its method is built.
struct Draft {
  std::optional<Shape> shape;  ///< none when its description is wrong
  std::vector<Hold> holds;
};

std::vector<Probe> make_probes(const SceneSpec& spec, const std::vector<Draft>& drafts, Problems& problems) {
  std::vector<Probe> probes;
  for (std::size_t i = 0; i < spec.probes.size(); ++i) {
    const ProbeSpec& probe = spec.probes[i];
    const int body = find_body(spec, probe.body);
    const std::string place = fmt::format("probes.{}", i);
    if (body < 0 || !drafts[std::size_t(body)].shape || any_within(problems, place)) continue;
    probes.push_back({probe.name, body,
                      selected(probe.select, *drafts[std::size_t(body)].shape, place + ".select", problems)});
  }
  return probes;
}

}  // namespace

Result<Scene> build_scene(const ParsedScene& parsed, int threads) {
  if (!parsed.readable) return parsed.error();
  const SceneSpec& spec = parsed.spec;
  Problems known = parsed.problems;
  const Problems invalid = validate(spec);
  known.insert(known.end(), invalid.begin(), invalid.end());
  const std::size_t before = parsed.problems.size();
  const auto all_problems = [&] { return parsed.error({known.begin() + long(before), known.end()}); };

  std::vector<Draft> drafts(spec.bodies.size());
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    const std::string place = fmt::format("bodies.{}", i);
    if (any_within(known, place + ".shape")) continue;
    drafts[i].shape = std::visit(MakeShape{}, spec.bodies[i].shape.is);
    drafts[i].holds = make_holds(spec.bodies[i], *drafts[i].shape, place, known);
  }
  std::vector<Probe> probes = make_probes(spec, drafts, known);
  BuiltColliders built;
  if (!any_within(known, "colliders"))
    built =
        build_colliders(spec.colliders, std::filesystem::path(parsed.file).parent_path(), parsed.fingerprint);
  known.insert(known.end(), built.problems.begin(), built.problems.end());
  if (!known.empty()) return all_problems();

  std::vector<Body> bodies;
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    const BodySpec& body = spec.bodies[i];
    const Shape& shape = *drafts[i].shape;
    auto method = build_method(body.method, shape, body.density, body.damping, body);
    if (!method) {
      for (Problem problem : method.error().problems) {
        problem.place = fmt::format("bodies.{}{}{}", i, problem.place.empty() ? "" : ".", problem.place);
        known.push_back(std::move(problem));
      }
      continue;
    }
    const Start start = make_start(body.initial, shape.graph, drafts[i].holds);
    bodies.emplace_back(body.name, shape, std::move(*method), std::move(drafts[i].holds), start,
                        contact_of(body));
  }
  if (!known.empty()) return all_problems();
  const SimulationOptions options{spec.step_length(), spec.gravity, threads};
  return Scene{std::filesystem::path(parsed.file).stem().string(), spec, built.fingerprint,
               Simulation(std::move(bodies), options, std::move(built.colliders)), std::move(probes)};
}

}  // namespace pliant
