// SPDX-License-Identifier: Apache-2.0
// With B_n = (G_n, X_n, s) the place of node n in the bind pose (rotation, position, scale), R_n(t) and
// t_n(t) its animated rotation and translation relative to its parent p, the turn and the move of a joint in
// the axes of the bind pose are
//
//   exp(v_n) = G_p R_n(t) G_n^-1,     m_n = s_p G_p t_n(t) - (X_n - X_p)
//
// with the unanimated nodes above in place of p for a root. Both are linear in the file's values, so keys and
// tangents are turned one by one and the interpolation stays the file's.
#include "pliant/io/glb_skin.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <set>

#include "pliant/io/glb_nodes.hpp"
#include "pliant/io/glb_reader.hpp"
#include "pliant/io/mesh_problems.hpp"
#include "pliant/io/text_scan.hpp"

namespace pliant {
namespace {

using namespace glb;

constexpr double same_scale = 1e-3;  // relative; exporters write singles

/// A similarity: x -> scale rotation x + position.
struct Similarity {
  Quat rotation = Quat::Identity();
  Vec3 position{0, 0, 0};
  double scale = 1;
};

Similarity similarity(const Transform& m, const std::string& place) {
  const Mat3 a = m.topLeftCorner<3, 3>();
  const double determinant = a.determinant();
  if (!(determinant > 0 && std::isfinite(determinant)))
    refuse(place, "a mirrored or flattened transform", "one that keeps the shape",
           "apply mirrors and scales before exporting");
  Similarity out;
  out.scale = std::cbrt(determinant);
  if (!((a.transpose() * a / (out.scale * out.scale) - Mat3::Identity()).cwiseAbs().maxCoeff() <
        10 * same_scale))
    refuse(place, "a scale that differs between directions", "the same in all directions",
           "apply scales before exporting");
  out.rotation = Quat(Mat3(a / out.scale)).normalized();
  out.position = m.topRightCorner<3, 1>();
  if (!out.position.allFinite()) refuse(place, "numbers that overflow", "finite ones");
  return out;
}

/// One channel of the animation: times and values, with tangents when cubic.
struct Channel {
  bool there = false;
  Interpolation interpolation = Interpolation::linear;
  std::vector<double> times;
  std::vector<Eigen::Vector4d> value, in, out;  ///< x y z w, or x y z 0
};

struct Animated {
  Channel rotation, translation;
};

class RigReader {
 public:
  RigReader(std::string_view bytes, std::string animation)
      : file_(bytes), nodes_(glb_nodes(file_)), wanted_(std::move(animation)) {}

  Rig read() {
    read_skins();
    read_animation();
    choose_nodes();
    bind_others();
    add_joints();
    GlbSurface surface = glb_surface(file_, true);
    set_weights(surface.bindings);
    rig_.mesh = std::move(surface.mesh);
    add_tips();
    check_finite();
    if (rig_.skeleton.bones().empty())
      refuse("skins", fmt::format("{} joints and no bone", rig_.skeleton.joints.size()),
             "joints at different places");
    return std::move(rig_);
  }

 private:
  std::string node_place(Index node) const { return fmt::format("nodes.{}", node); }

  void read_skins() {
    const std::size_t count = nodes_.parent.size();
    has_bind_.assign(count, 0);
    bind_.resize(count);
    std::set<std::int64_t> used;
    for (std::size_t n = 0; n < count; ++n) {
      const Json& node = file_.row("nodes", std::int64_t(n), "nodes");
      if (member(node, "mesh") && member(node, "skin"))
        used.insert(count_of(node, "skin", node_place(Index(n))));
    }
    if (used.empty()) refuse("nodes", "no mesh with a skin", "a mesh that is bound to joints");
    for (const std::int64_t s : used) {
      const GlbSkin skin = glb_skin(file_, nodes_, s, "nodes.skin");
      const std::string at = fmt::format("skins.{}", s);
      if (skin.inverse_bind.empty())
        refuse(at + ".inverseBindMatrices", "nothing", "the bind pose of the joints");
      for (std::size_t k = 0; k < skin.joints.size(); ++k) {
        const std::size_t n = std::size_t(skin.joints[k]);
        const Similarity bind = similarity(skin.placing * skin.inverse_bind[k].inverse(),
                                           fmt::format("{}.inverseBindMatrices, matrix {}", at, k));
        if (has_bind_[n]) check_same(bind_[n], bind, fmt::format("{}.joints.{}", at, k));
        has_bind_[n] = 1;
        bind_[n] = bind;
      }
    }
  }

  void check_same(const Similarity& a, const Similarity& b, const std::string& place) const {
    const double far = (a.position - b.position).norm();
    if (far > 1e-3 * (1e-9 + a.position.norm() + b.position.norm()) ||
        std::abs(a.rotation.dot(b.rotation)) < 0.9999)
      refuse(place, "a joint that another skin binds at another place", "one bind pose for all skins");
  }

  // ---- the animation ----

  void read_animation() {
    animated_.resize(nodes_.parent.size());
    const std::size_t count = file_.rows("animations");
    if (count == 0 && wanted_.empty()) return;
    std::string names;
    for (std::size_t a = 0; a < count; ++a) {
      const Json& json = file_.row("animations", std::int64_t(a), "animations");
      const Json* told = member(json, "name");
      const std::string name =
          told && told->is_string() ? told->get<std::string>() : fmt::format("animation {}", a);
      if (wanted_.empty() || name == wanted_) {
        rig_.animation = name;
        return read_channels(json, fmt::format("animations.{}", a));
      }
      names += (a > 0 ? ", " : "") + name;
    }
    refuse("animations", fmt::format("no '{}'", wanted_), count > 0 ? "one of " + names : "it in the file");
  }

  void read_channels(const Json& animation, const std::string& place) {
    const Json* channels = member(animation, "channels");
    const Json* samplers = member(animation, "samplers");
    if (!channels || !channels->is_array()) refuse(place + ".channels", "nothing", "a list");
    if (!samplers || !samplers->is_array()) refuse(place + ".samplers", "nothing", "a list");
    for (std::size_t c = 0; c < channels->size(); ++c) {
      const std::string at = fmt::format("{}.channels.{}", place, c);
      const Json& channel = (*channels)[c];
      const Json* target = member(channel, "target");
      if (!target) refuse(at + ".target", "nothing", "an object");
      if (!member(*target, "node")) continue;  // glTF: passed over
      const std::int64_t node = count_of(*target, "node", at + ".target");
      file_.row("nodes", node, at + ".target.node");
      const Json* path = member(*target, "path");
      const std::int64_t sampler = count_of(channel, "sampler", at);
      if (std::uint64_t(sampler) >= samplers->size())
        refuse(at + ".sampler", fmt::format("{}", sampler),
               fmt::format("one of the {} samplers", samplers->size()));
      const std::string from = fmt::format("{}.samplers.{}", place, sampler);
      const Json& json = (*samplers)[std::size_t(sampler)];
      Animated& to = animated_[std::size_t(node)];
      if (path && *path == "rotation") {
        to.rotation = read_sampler(json, from, "VEC4", 4);
      } else if (path && *path == "translation") {
        to.translation = read_sampler(json, from, "VEC3", 3);
      } else if (path && *path == "scale") {
        check_scale(read_sampler(json, from, "VEC3", 3), Index(node), at);
      } else if (!path || *path != "weights") {
        refuse(at + ".target.path", path ? shown(*path) : "nothing",
               "rotation, translation, scale or weights");
      }
    }
  }

  Channel read_sampler(const Json& json, const std::string& place, const char* type,
                       std::size_t components) const {
    Channel out;
    out.there = true;
    const Json* told = member(json, "interpolation");
    if (told && *told == "STEP") {
      out.interpolation = Interpolation::step;
    } else if (told && *told == "CUBICSPLINE") {
      out.interpolation = Interpolation::cubic;
    } else if (told && *told != "LINEAR") {
      refuse(place + ".interpolation", shown(*told), "LINEAR, STEP or CUBICSPLINE");
    }
    const Values times = file_.values(count_of(json, "input", place), place + ".input", "SCALAR", 1);
    if (times.type != type_float)
      refuse(place + ".input", fmt::format("component type {}", times.type), "5126 (float)");
    if (times.count == 0) refuse(place + ".input", "no keys", "one or more");
    const bool quaternion = components == 4;
    const Values values =
        file_.values(count_of(json, "output", place), place + ".output", type, components, quaternion);
    if (values.type != type_float && !quaternion)
      refuse(place + ".output", fmt::format("component type {}", values.type), "5126 (float)");
    const std::size_t each = out.interpolation == Interpolation::cubic ? 3 : 1;
    if (values.count / each != times.count || values.count % each != 0)
      refuse(place + ".output", fmt::format("{} values for {} keys", values.count, times.count),
             each == 3 ? "three a key" : "one a key");
    const auto at = [&](std::size_t k) {
      Eigen::Vector4d v = Eigen::Vector4d::Zero();
      for (std::size_t i = 0; i < components; ++i) v[Eigen::Index(i)] = values.real(k, i);
      if (!v.allFinite())
        refuse(fmt::format("{}.output, value {}", place, k), "a number that is not finite", "finite ones");
      return v;
    };
    for (std::size_t k = 0; k < times.count; ++k) {
      const double time = times.real(k, 0);
      if (!std::isfinite(time) || (k > 0 && !(time > out.times.back())))
        refuse(fmt::format("{}.input, key {}", place, k), fmt::format("{}", time),
               "a time after the one before");
      out.times.push_back(time);
      if (each == 3) out.in.push_back(at(3 * k)), out.out.push_back(at(3 * k + 2));
      out.value.push_back(at(each == 3 ? 3 * k + 1 : k));
      if (quaternion && !(out.value.back().norm() > 1e-6))
        refuse(fmt::format("{}.output, key {}", place, k), "a quaternion without length",
               "a unit quaternion");
    }
    return out;
  }

  void check_scale(const Channel& channel, Index node, const std::string& place) const {
    const Mat3 local = nodes_.local[std::size_t(node)].topLeftCorner<3, 3>();
    const Vec3 own(local.col(0).norm(), local.col(1).norm(), local.col(2).norm());
    for (const Eigen::Vector4d& value : channel.value)
      if (!((value.head<3>() - own).cwiseAbs().maxCoeff() <= same_scale * own.maxCoeff()))
        refuse(place, "a joint that changes its size", "rotations and translations only",
               "remove scale keys before exporting");
  }

  // ---- joints ----

  bool is_animated(Index node) const {
    const Animated& a = animated_[std::size_t(node)];
    return a.rotation.there || a.translation.there;
  }

  /// Joints, what lies between them, and what moves above them.
  void choose_nodes() {
    chosen_.assign(nodes_.parent.size(), 0);
    for (std::size_t n = 0; n < chosen_.size(); ++n) {
      if (!has_bind_[n]) continue;
      std::vector<Index> waiting;  // taken as soon as one above them is a joint or moves
      for (Index p = Index(n); p >= 0; p = nodes_.parent[std::size_t(p)]) {
        waiting.push_back(p);
        if (!has_bind_[std::size_t(p)] && !is_animated(p)) continue;
        for (const Index w : waiting) chosen_[std::size_t(w)] = 1;
        waiting.clear();
      }
    }
  }

  Index chosen_parent(Index node) const {
    const Index p = nodes_.parent[std::size_t(node)];
    return p >= 0 && chosen_[std::size_t(p)] ? p : -1;
  }

  /// Nodes that no skin binds stand to their neighbours as the file has them.
  void bind_others() {
    // Above the joints: from the first joint below, upwards.
    for (std::size_t k = nodes_.order.size(); k-- > 0;) {
      const Index n = nodes_.order[k], p = chosen_parent(n);
      if (p < 0 || !has_bind_[std::size_t(n)] || has_bind_[std::size_t(p)] || joint_above(p)) continue;
      bind_[std::size_t(p)] =
          similarity(matrix(bind_[std::size_t(n)]) * nodes_.local[std::size_t(n)].inverse(), node_place(n));
      has_bind_[std::size_t(p)] = 2;
    }
    for (const Index n : nodes_.order) {
      if (!chosen_[std::size_t(n)] || has_bind_[std::size_t(n)]) continue;
      const std::size_t p = std::size_t(nodes_.parent[std::size_t(n)]);
      bind_[std::size_t(n)] = similarity(matrix(bind_[p]) * nodes_.local[std::size_t(n)], node_place(n));
      has_bind_[std::size_t(n)] = 2;
    }
  }

  bool joint_above(Index node) const {
    for (Index p = node; p >= 0; p = nodes_.parent[std::size_t(p)])
      if (has_bind_[std::size_t(p)] == 1) return true;
    return false;
  }

  static Transform matrix(const Similarity& s) {
    Transform m = Transform::Identity();
    m.topLeftCorner<3, 3>() = s.scale * s.rotation.toRotationMatrix();
    m.topRightCorner<3, 1>() = s.position;
    return m;
  }

  void add_joints() {
    joint_of_.assign(nodes_.parent.size(), -1);
    std::set<std::string> names;
    for (const Index n : nodes_.order) {
      if (!chosen_[std::size_t(n)]) continue;
      const Index p = chosen_parent(n);
      Joint joint;
      joint.name = name_of(n, names);
      joint.parent = p < 0 ? -1 : joint_of_[std::size_t(p)];
      joint.position = bind_[std::size_t(n)].position;
      // What the node hangs on: the bind pose of its parent, or the nodes above as they stand.
      Similarity above;
      if (p >= 0) {
        above = bind_[std::size_t(p)];
      } else if (const Index still = nodes_.parent[std::size_t(n)]; still >= 0) {
        above = similarity(nodes_.world[std::size_t(still)], node_place(still));
      }
      const Vec3 arm = p < 0 ? Vec3(bind_[std::size_t(n)].position - above.position)
                             : Vec3(bind_[std::size_t(n)].position - bind_[std::size_t(p)].position);
      const Similarity local = similarity(nodes_.local[std::size_t(n)], node_place(n));
      check_scales(above, local, n);
      joint.turns = turns_of(n, above, local);
      joint.moves = moves_of(n, above, local, arm);
      joint_of_[std::size_t(n)] = Index(rig_.skeleton.joints.size());
      rig_.skeleton.joints.push_back(std::move(joint));
    }
  }

  void check_scales(const Similarity& above, const Similarity& local, Index n) const {
    const double as_file = above.scale * local.scale, bound = bind_[std::size_t(n)].scale;
    if (std::abs(as_file - bound) > 10 * same_scale * bound)
      refuse(node_place(n),
             fmt::format("a joint {:.3g} times as large as when it was bound", as_file / bound),
             "the size of the bind pose", "apply scales before exporting");
  }

  std::string name_of(Index node, std::set<std::string>& names) const {
    const Json* told = member(file_.row("nodes", node, "nodes"), "name");
    const std::string own = told && told->is_string() && !told->get<std::string>().empty()
                                ? told->get<std::string>()
                                : fmt::format("node {}", node);
    std::string name = own;
    for (int k = 2; !names.insert(name).second; ++k) name = fmt::format("{} {}", own, k);
    return name;
  }

  /// Keys of a joint that stands as it was bound say nothing.
  static constexpr double small_turn = 1e-5;  // rad; singles in the file

  TurnKeys turns_of(Index n, const Similarity& above, const Similarity& local) const {
    const Quat back = bind_[std::size_t(n)].rotation.conjugate();
    const Channel& channel = animated_[std::size_t(n)].rotation;
    TurnKeys keys;
    if (!channel.there) {
      const Points one = align_turns({above.rotation * local.rotation * back});
      if (one[0].norm() > small_turn) keys = {Interpolation::step, {0.0}, one, {}, {}};
      return keys;
    }
    keys.interpolation = channel.interpolation;
    keys.times = channel.times;
    const auto turned = [&](const Eigen::Vector4d& v) { return (above.rotation * Quat(v) * back).coeffs(); };
    std::vector<Quat> rotations;
    for (const Eigen::Vector4d& value : channel.value) rotations.push_back(Quat(turned(value)));
    if (channel.interpolation != Interpolation::cubic) {
      keys.turns = align_turns(rotations);
      return keys;
    }
    // Splines run through the components as the file has them: signs stay, only all together may change.
    const double sign = rotations.front().w() < 0 ? -1 : 1;
    for (std::size_t k = 0; k < rotations.size(); ++k) {
      const double length = rotations[k].norm();
      const Quat q(Eigen::Vector4d(sign * rotations[k].coeffs() / length));
      keys.turns.push_back(turn_near(q, k > 0 ? keys.turns.back() : Vec3(Vec3::Zero())));
      keys.in.push_back(sign / length * turned(channel.in[k]));
      keys.out.push_back(sign / length * turned(channel.out[k]));
    }
    return keys;
  }

  MoveKeys moves_of(Index n, const Similarity& above, const Similarity& local, const Vec3& arm) const {
    const Channel& channel = animated_[std::size_t(n)].translation;
    const auto turned = [&above](const Vec3& v) { return Vec3(above.scale * (above.rotation * v)); };
    MoveKeys keys;
    keys.interpolation = channel.there ? channel.interpolation : Interpolation::step;
    keys.times = channel.there ? channel.times : std::vector<double>{0};
    if (!channel.there) keys.moves.push_back(turned(local.position) - arm);
    for (const Eigen::Vector4d& value : channel.value) keys.moves.push_back(turned(value.head<3>()) - arm);
    for (const Eigen::Vector4d& value : channel.in) keys.in.push_back(turned(value.head<3>()));
    for (const Eigen::Vector4d& value : channel.out) keys.out.push_back(turned(value.head<3>()));
    double far = 0;
    for (const auto* list : {&keys.moves, &keys.in, &keys.out})
      for (const Vec3& v : *list) far = std::max(far, v.norm());
    return far > 1e-5 * (arm.norm() + 1e-6) ? keys : MoveKeys{};
  }

  /// Single numbers of the file are finite; products of huge ones need not be.
  void check_finite() const {
    for (const Joint& joint : rig_.skeleton.joints) {
      bool finite = joint.position.allFinite();
      for (const auto* list : {&joint.turns.turns, &joint.moves.moves, &joint.moves.in, &joint.moves.out})
        for (const Vec3& v : *list) finite &= v.allFinite();
      for (const auto* list : {&joint.turns.in, &joint.turns.out})
        for (const Eigen::Vector4d& v : *list) finite &= v.allFinite();
      if (!finite) refuse("joint " + in_quotes(joint.name), "numbers that overflow", "finite ones");
    }
  }

  // ---- vertices ----

  void set_weights(const std::vector<VertexBinding>& bindings) {
    rig_.weights.resize(bindings.size());
    for (std::size_t v = 0; v < bindings.size(); ++v)
      for (std::size_t i = 0; i < 4; ++i) {
        if (bindings[v].node[i] < 0) continue;
        rig_.weights[v].joint[i] = joint_of_[std::size_t(bindings[v].node[i])];
        rig_.weights[v].weight[i] = bindings[v].weight[i];
      }
  }

  /// A joint at the end of a limb has no bone of its own in the file: it is given one that reaches through
  /// 0.8 of the vertices that follow it.
  void add_tips() {
    Skeleton& skeleton = rig_.skeleton;
    const std::size_t count = skeleton.joints.size();
    std::vector<char> leaf(count, 1);
    std::vector<double> sum(count, 0), reach(count, 0);
    Points centre(count, Vec3(0, 0, 0));
    std::set<std::string> names;
    for (const Joint& joint : skeleton.joints) {
      names.insert(joint.name);
      if (joint.parent >= 0) leaf[std::size_t(joint.parent)] = 0;
    }
    const auto each = [this](auto&& call) {
      for (std::size_t v = 0; v < rig_.weights.size(); ++v)
        for (std::size_t i = 0; i < 4; ++i)
          if (rig_.weights[v].joint[i] >= 0 && rig_.weights[v].weight[i] > 0)
            call(std::size_t(rig_.weights[v].joint[i]), rig_.weights[v].weight[i], rig_.mesh.vertices[v]);
    };
    each([&](std::size_t j, double weight, const Vec3& x) {
      sum[j] += weight;
      centre[j] += weight * (x - skeleton.joints[j].position);
    });
    for (std::size_t j = 0; j < count; ++j)
      if (sum[j] > 0) centre[j] /= sum[j];
    each([&](std::size_t j, double weight, const Vec3& x) {
      const double length = centre[j].norm();
      if (weight >= 0.5 && length > 0)
        reach[j] = std::max(reach[j], (x - skeleton.joints[j].position).dot(centre[j]) / length);
    });
    for (std::size_t j = 0; j < count; ++j) {
      const double length = std::min(0.8 * reach[j], 1.6 * centre[j].norm());
      if (!leaf[j] || !(length > 0)) continue;
      Joint tip;
      tip.name = skeleton.joints[j].name + " tip";
      for (int k = 2; !names.insert(tip.name).second; ++k)
        tip.name = fmt::format("{} tip {}", skeleton.joints[j].name, k);
      tip.parent = Index(j);
      tip.position = skeleton.joints[j].position + length * centre[j].normalized();
      skeleton.joints.push_back(std::move(tip));
    }
  }

  const GlbFile file_;
  const GlbNodes nodes_;
  const std::string wanted_;
  Rig rig_;
  std::vector<char> has_bind_;  ///< 1 = a skin binds it, 2 = worked out
  std::vector<Similarity> bind_;
  std::vector<Animated> animated_;
  std::vector<char> chosen_;
  std::vector<Index> joint_of_;
};

}  // namespace

Result<Rig> parse_rig(std::string_view bytes, const std::string& name, const std::string& animation) {
  MeshProblems problems(name);
  try {
    Rig rig = RigReader(bytes, animation).read();
    Result<PolygonMesh> mesh = problems.mesh_or_error(std::move(rig.mesh));
    if (!mesh) return mesh.error();
    rig.mesh = std::move(*mesh);
    return rig;
  } catch (const GlbRefusal& refusal) {
    problems.at(refusal.place, refusal.found, refusal.expected, refusal.hint);
    return problems.mesh_or_error({}).error();
  }
}

}  // namespace pliant
