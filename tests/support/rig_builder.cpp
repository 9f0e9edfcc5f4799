// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rig_builder.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "pliant/geometry/blobs.hpp"
#include "tests/support/glb_builder.hpp"
#include "tests/support/linear_algebra.hpp"

namespace pliant {
namespace {

using Json = nlohmann::ordered_json;
using Quaternion = Eigen::Quaterniond;
using Matrix = Eigen::Matrix4d;

Matrix matrix_of(const Vec3& t, const Quaternion& r, double s) {
  Matrix m = Matrix::Identity();
  m.topLeftCorner<3, 3>() = s * r.toRotationMatrix();
  m.topRightCorner<3, 1>() = t;
  return m;
}

/// A channel at a time, by the words of the glTF specification.
Eigen::Vector4d sampled(const RigChannel& c, double t) {
  const bool cubic = c.interpolation == "CUBICSPLINE";
  const auto value = [&](std::size_t k) { return c.values[cubic ? 3 * k + 1 : k]; };
  if (t <= c.times.front()) return value(0);
  if (t >= c.times.back()) return value(c.times.size() - 1);
  std::size_t k = 0;
  while (c.times[k + 1] <= t) ++k;
  const double d = c.times[k + 1] - c.times[k], s = (t - c.times[k]) / d;
  if (c.interpolation == "STEP") return value(k);
  if (cubic)
    return (2 * s * s * s - 3 * s * s + 1) * value(k) +
           d * (s * s * s - 2 * s * s + s) * c.values[3 * k + 2] +
           (-2 * s * s * s + 3 * s * s) * value(k + 1) + d * (s * s * s - s * s) * c.values[3 * k + 3];
  if (c.path == "translation") return (1 - s) * value(k) + s * value(k + 1);
  return Quaternion(value(k)).normalized().slerp(s, Quaternion(value(k + 1)).normalized()).coeffs();
}

/// The binary chunk and its views, one accessor each.
struct Pack {
  Json accessors = Json::array(), views = Json::array();
  std::string data;

  int add(const std::string& bytes, int component, std::size_t count, const char* type,
          bool normalized = false) {
    data.resize((data.size() + 3) / 4 * 4, '\0');
    views.push_back({{"buffer", 0}, {"byteOffset", data.size()}, {"byteLength", bytes.size()}});
    data += bytes;
    Json accessor{
        {"bufferView", views.size() - 1}, {"componentType", component}, {"count", count}, {"type", type}};
    if (normalized) accessor["normalized"] = true;
    accessors.push_back(accessor);
    return int(accessors.size()) - 1;
  }
};

std::string floats(const double* values, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += packed(float(values[i]));
  return out;
}

Json list(const double* values, int count) {
  Json out = Json::array();
  for (int i = 0; i < count; ++i) out.push_back(values[i]);
  return out;
}

Eigen::Vector4d turn(const Vec3& axis, double degrees) {
  return Quaternion(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis.normalized())).coeffs();
}

}  // namespace

std::vector<Matrix> RigData::world(double t, bool animated) const {
  std::vector<Matrix> out;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    RigNode node = nodes[n];
    for (const RigChannel& c : channels) {
      if (!animated || c.node != int(n)) continue;
      const Eigen::Vector4d value = sampled(c, t);
      if (c.path == "rotation") node.rotation = Quaternion(value).normalized();
      if (c.path == "translation") node.translation = value.head<3>();
    }
    const Matrix local = matrix_of(node.translation, node.rotation, node.scale);
    out.push_back(node.parent < 0 ? local : Matrix(out[std::size_t(node.parent)] * local));
  }
  return out;
}

void RigData::bind_here() {
  const std::vector<Matrix> at = world(0, false);
  inverse_bind.clear();
  for (const int j : joints) inverse_bind.push_back(at[std::size_t(j)].inverse());
}

Points RigData::posed(double t) const {
  const std::vector<Matrix> at = world(t);
  Points out;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    Vec3 x{0, 0, 0};
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t j = std::size_t(joint[v][i]);
      x +=
          weight[v][i] * (at[std::size_t(joints[j])] * inverse_bind[j] * vertices[v].homogeneous()).head<3>();
    }
    out.push_back(x);
  }
  return out;
}

std::string rig_glb(const RigData& rig) {
  Pack pack;
  std::string bytes;
  Vec3 low = rig.vertices.front(), high = low;
  for (const Vec3& p : rig.vertices)
    bytes += floats(p.data(), 3), low = low.cwiseMin(p), high = high.cwiseMax(p);
  const int positions = pack.add(bytes, 5126, rig.vertices.size(), "VEC3");
  pack.accessors[std::size_t(positions)]["min"] = list(low.data(), 3);
  pack.accessors[std::size_t(positions)]["max"] = list(high.data(), 3);
  bytes.clear();
  for (const auto& j : rig.joint)
    for (const int k : j) bytes += packed(std::uint8_t(k));
  const int joints = pack.add(bytes, 5121, rig.joint.size(), "VEC4");
  bytes.clear();
  for (const auto& w : rig.weight) bytes += floats(w.data(), 4);
  const int weights = pack.add(bytes, 5126, rig.weight.size(), "VEC4");
  bytes.clear();
  for (const Triangle& t : rig.triangles)
    for (const Index v : t) bytes += packed(std::uint16_t(v));
  const int indices = pack.add(bytes, 5123, 3 * rig.triangles.size(), "SCALAR");
  bytes.clear();
  for (const Matrix& m : rig.inverse_bind) bytes += floats(m.data(), 16);
  const int matrices = pack.add(bytes, 5126, rig.inverse_bind.size(), "MAT4");

  Json channels = Json::array(), samplers = Json::array();
  for (const RigChannel& c : rig.channels) {
    const int input = pack.add(floats(c.times.data(), c.times.size()), 5126, c.times.size(), "SCALAR");
    pack.accessors[std::size_t(input)]["min"] = list(&c.times.front(), 1);
    pack.accessors[std::size_t(input)]["max"] = list(&c.times.back(), 1);
    const bool rotation = c.path == "rotation";
    bytes.clear();
    for (const auto& v : c.values) bytes += floats(v.data(), rotation ? 4 : 3);
    const int output = pack.add(bytes, 5126, c.values.size(), rotation ? "VEC4" : "VEC3");
    samplers.push_back({{"input", input}, {"output", output}, {"interpolation", c.interpolation}});
    channels.push_back({{"sampler", samplers.size() - 1}, {"target", {{"node", c.node}, {"path", c.path}}}});
  }

  Json nodes = Json::array(), roots = Json::array();
  for (std::size_t n = 0; n < rig.nodes.size(); ++n) {
    const RigNode& node = rig.nodes[n];
    Json json{{"name", node.name},
              {"translation", list(node.translation.data(), 3)},
              {"rotation", list(node.rotation.coeffs().data(), 4)}};
    if (node.scale != 1) json["scale"] = {node.scale, node.scale, node.scale};
    nodes.push_back(json);
    if (node.parent < 0) {
      roots.push_back(n);
    } else {
      nodes[std::size_t(node.parent)]["children"].push_back(n);
    }
  }
  roots.push_back(nodes.size());
  nodes.push_back({{"name", "skin"}, {"mesh", 0}, {"skin", 0}});
  Json json{{"asset",
             {{"version", "2.0"}, {"generator", "pliant"}, {"copyright", "Apache-2.0, the pliant authors"}}},
            {"scene", 0},
            {"scenes", {{{"nodes", roots}}}},
            {"nodes", nodes},
            {"meshes",
             {{{"primitives",
                {{{"attributes", {{"POSITION", positions}, {"JOINTS_0", joints}, {"WEIGHTS_0", weights}}},
                  {"indices", indices}}}}}}},
            {"skins", {{{"joints", rig.joints}, {"inverseBindMatrices", matrices}}}}};
  if (!rig.channels.empty())
    json["animations"] = {{{"name", "move"}, {"channels", channels}, {"samplers", samplers}}};
  json["accessors"] = pack.accessors;
  json["bufferViews"] = pack.views;
  json["buffers"] = {{{"byteLength", (pack.data.size() + 3) / 4 * 4}}};
  return glb_of(json.dump(), pack.data);
}

RigData tube_rig() {
  RigData rig;
  const Quaternion lean(Eigen::AngleAxisd(0.4, Vec3(1, 2, 3).normalized()));
  rig.nodes = {{"armature", -1, Vec3(0.3, 0, -1), Quaternion(Eigen::AngleAxisd(-1.2, Vec3(1, 0, 0))), 0.5},
               {"root", 0, Vec3(0, 0.2, 0), lean, 1},
               {"middle", 1, Vec3(0.1, 2, 0), lean.conjugate(), 1},
               {"end", 2, Vec3(0, 2, 0), Quaternion::Identity(), 1}};
  rig.joints = {1, 2, 3};
  const std::vector<Matrix> at = rig.world(0, false);
  for (int ring = 0; ring < 4; ++ring)
    for (int k = 0; k < 4; ++k) {
      const double along = ring / 3.0, angle = k * std::numbers::pi / 2;
      const Vec3 offset = 0.3 * Vec3(std::cos(angle), 0, std::sin(angle));
      const Vec3 a = at[1].topRightCorner<3, 1>(), b = at[3].topRightCorner<3, 1>();
      rig.vertices.push_back(a + along * 1.2 * (b - a) + offset);
      rig.joint.push_back({0, 1, 2, 0});
      rig.weight.push_back(ring == 0   ? std::array<double, 4>{1, 0, 0, 0}
                           : ring == 1 ? std::array<double, 4>{0.5, 0.5, 0, 0}
                           : ring == 2 ? std::array<double, 4>{0, 0.75, 0.25, 0}
                                       : std::array<double, 4>{0, 0, 1, 0});
    }
  for (Index ring = 0; ring < 3; ++ring)
    for (Index k = 0; k < 4; ++k) {
      const Index a = 4 * ring + k, b = 4 * ring + (k + 1) % 4;
      rig.triangles.push_back({a, b, b + 4});
      rig.triangles.push_back({a, b + 4, a + 4});
    }
  rig.bind_here();
  const Eigen::Vector4d zero = Eigen::Vector4d::Zero();
  const Eigen::Vector4d spin(0.2, 0.1, -0.1, 0.05);
  rig.channels = {
      {1,
       "rotation",
       "CUBICSPLINE",
       {0, 1, 2},
       {zero, lean.coeffs(), spin, -spin, turn({0, 1, 1}, 80), spin, spin, turn({1, 0, 1}, -30), zero}},
      {1, "translation", "LINEAR", {0, 2}, {Eigen::Vector4d(0, 0.2, 0, 0), Eigen::Vector4d(1, 0.5, -0.3, 0)}},
      {2,
       "rotation",
       "LINEAR",
       {0, 0.5, 1.5, 2},
       {turn({0, 0, 1}, 10), -turn({0, 0, 1}, 170), turn({0, 1, 1}, 260), turn({1, 1, 0}, 20)}},
      {3, "rotation", "STEP", {0, 1}, {turn({1, 0, 0}, 0), turn({1, 0, 0}, 90)}}};
  return rig;
}

namespace {

struct Limb {
  const char* name;
  int parent;  ///< joint
  Vec3 at, end;
};

/// Facing +z, 1.3 m tall.
std::vector<Limb> character_joints() {
  std::vector<Limb> out = {{"pelvis", -1, {0, 0.5, 0}, {0, 0.66, 0}},
                           {"spine", 0, {0, 0.66, 0}, {0, 0.85, 0}},
                           {"chest", 1, {0, 0.85, 0}, {0, 1.02, 0}},
                           {"head", 2, {0, 1.02, 0}, {0, 1.25, 0}},
                           {"upper arm L", 2, {0.17, 0.9, 0}, {0.37, 0.83, 0}},
                           {"lower arm L", 4, {0.37, 0.83, 0}, {0.56, 0.76, 0.02}},
                           {"upper arm R", 2, {-0.17, 0.9, 0}, {-0.37, 0.83, 0}},
                           {"lower arm R", 6, {-0.37, 0.83, 0}, {-0.56, 0.76, 0.02}},
                           {"thigh L", 0, {0.11, 0.43, 0}, {0.14, 0.25, 0.01}},
                           {"shin L", 8, {0.14, 0.25, 0.01}, {0.15, 0.08, 0}},
                           {"foot L", 9, {0.15, 0.08, 0}, {0.16, 0.06, 0.12}},
                           {"thigh R", 0, {-0.11, 0.43, 0}, {-0.14, 0.25, 0.01}},
                           {"shin R", 11, {-0.14, 0.25, 0.01}, {-0.15, 0.08, 0}},
                           {"foot R", 12, {-0.15, 0.08, 0}, {-0.16, 0.06, 0.12}},
                           {"tail", 0, {0, 0.47, -0.14}, {0, 0.46, -0.28}},
                           {"tail end", 14, {0, 0.46, -0.28}, {0, 0.54, -0.42}}};
  return out;
}

Blobs character_flesh() {
  Blobs blobs;
  blobs.blend = 0.022;
  blobs.resolution = 58;
  const auto part = [&](const Vec3& a, const Vec3& b, double r, double end) {
    blobs.parts.push_back({a, b, r, end});
  };
  part({0, 0.5, 0}, {0, 0.54, 0.01}, 0.2, 0.205);       // hips
  part({0, 0.6, 0.05}, {0, 0.68, 0.05}, 0.225, 0.21);   // belly
  part({0, 0.8, 0.01}, {0, 0.9, 0}, 0.17, 0.14);        // chest
  part({0, 1.0, 0}, {0, 1.06, 0}, 0.075, 0.085);        // neck
  part({0, 1.18, 0.01}, {0, 1.22, 0.01}, 0.18, 0.175);  // head
  part({0, 1.14, 0.16}, {0, 1.13, 0.2}, 0.075, 0.06);   // snout
  for (const double s : {1.0, -1.0}) {
    part({0.12 * s, 1.34, 0}, {0.19 * s, 1.47, -0.01}, 0.065, 0.055);  // ear
    part({0.17 * s, 0.9, 0}, {0.37 * s, 0.83, 0}, 0.075, 0.065);       // arm
    part({0.37 * s, 0.83, 0}, {0.54 * s, 0.77, 0.02}, 0.065, 0.055);
    part({0.56 * s, 0.76, 0.02}, {0.6 * s, 0.745, 0.02}, 0.065, 0.06);  // hand
    part({0.11 * s, 0.43, 0}, {0.14 * s, 0.25, 0.01}, 0.105, 0.08);     // leg
    part({0.14 * s, 0.25, 0.01}, {0.15 * s, 0.1, 0}, 0.08, 0.065);
    part({0.15 * s, 0.07, 0.0}, {0.165 * s, 0.06, 0.12}, 0.07, 0.06);  // foot
  }
  part({0, 0.47, -0.14}, {0, 0.46, -0.28}, 0.075, 0.06);  // tail
  part({0, 0.46, -0.28}, {0, 0.56, -0.44}, 0.06, 0.045);
  return blobs;
}

double distance_to(const Limb& limb, const Vec3& x) {
  const Vec3 d = limb.end - limb.at;
  const double s = std::clamp((x - limb.at).dot(d) / d.squaredNorm(), 0.0, 1.0);
  return (x - limb.at - s * d).norm();
}

/// The four nearest bones by the fourth power of their distance.
void weigh(const std::vector<Limb>& limbs, const Vec3& x, RigData& rig) {
  std::vector<std::pair<double, int>> by;
  for (std::size_t j = 0; j < limbs.size(); ++j) by.emplace_back(distance_to(limbs[j], x), int(j));
  std::sort(by.begin(), by.end());
  std::array<int, 4> joint{};
  std::array<double, 4> weight{};
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    joint[i] = by[i].second;
    weight[i] = std::pow(by[0].first / by[i].first, 4);
    sum += weight[i];
  }
  for (double& w : weight) w /= sum;
  rig.joint.push_back(joint);
  rig.weight.push_back(weight);
}

}  // namespace

RigData character_rig() {
  RigData rig;
  const std::vector<Limb> limbs = character_joints();
  std::vector<Quaternion> frame;  // y along the bone, as animation programs have it
  rig.nodes.push_back({"armature", -1, Vec3(0, 0, 0), Quaternion::Identity(), 1});
  for (const Limb& limb : limbs) {
    frame.push_back(turn_between(Vec3(0, 1, 0), limb.end - limb.at));
    const bool root = limb.parent < 0;
    const Quaternion above = root ? Quaternion::Identity() : frame[std::size_t(limb.parent)];
    const Vec3 from = root ? Vec3(0, 0, 0) : limbs[std::size_t(limb.parent)].at;
    rig.joints.push_back(int(rig.nodes.size()));
    rig.nodes.push_back({limb.name, limb.parent + 1, above.conjugate() * (limb.at - from),
                         above.conjugate() * frame.back(), 1});
  }
  const Result<PolygonMesh> flesh = blob_surface(character_flesh());
  rig.vertices = flesh->vertices;
  rig.triangles = fan_triangles(*flesh);
  for (const Vec3& x : rig.vertices) weigh(limbs, x, rig);
  rig.bind_here();

  // Poses: turns of joints about axes of the world, in degrees, at times of one second each way.
  const auto key = [&](const char* name, std::vector<double> times,
                       std::vector<std::pair<Vec3, double>> turns) {
    std::size_t j = 0;
    while (std::string(limbs[j].name) != name) ++j;
    const Quaternion above =
        limbs[j].parent < 0 ? Quaternion::Identity() : frame[std::size_t(limbs[j].parent)];
    RigChannel c;
    c.node = int(j) + 1;
    c.times = std::move(times);
    for (const auto& [axis, degrees] : turns)
      c.values.push_back((above.conjugate() * Quaternion(turn(axis, degrees)) * frame[j]).coeffs());
    rig.channels.push_back(c);
  };
  const Vec3 x(1, 0, 0), y(0, 1, 0), z(0, 0, 1);
  // Crouch until 0.5 s, jump, land at 1.1 s, wave.
  RigChannel root;
  root.node = 1;
  root.path = "translation";
  root.interpolation = "CUBICSPLINE";
  root.times = {0, 0.5, 0.75, 1.0, 1.25, 1.6, 3};
  const std::vector<double> height = {0.5, 0.43, 0.68, 0.55, 0.445, 0.5, 0.5};
  const std::vector<double> speed = {0, 0, 0, -1.2, 0, 0, 0};
  for (std::size_t k = 0; k < height.size(); ++k)
    for (const double v : {speed[k], height[k], speed[k]}) root.values.push_back(Eigen::Vector4d(0, v, 0, 0));
  rig.channels.push_back(root);
  for (const char* side : {"L", "R"}) {
    const std::string s = side;
    key(("thigh " + s).c_str(), {0, 0.5, 0.75, 1.0, 1.25, 1.6},
        {{x, 0}, {x, -45}, {x, 10}, {x, -15}, {x, -40}, {x, 0}});
    key(("shin " + s).c_str(), {0, 0.5, 0.75, 1.0, 1.25, 1.6},
        {{x, 0}, {x, 70}, {x, 5}, {x, 25}, {x, 62}, {x, 0}});
    key(("foot " + s).c_str(), {0, 0.5, 0.75, 1.0, 1.25, 1.6},
        {{x, 0}, {x, -25}, {x, 30}, {x, 0}, {x, -25}, {x, 0}});
  }
  key("upper arm L", {0, 0.5, 0.75, 1.25, 1.7, 3}, {{z, 0}, {z, -45}, {z, 50}, {z, -30}, {z, 65}, {z, 65}});
  key("lower arm L", {0, 1.25, 1.7, 1.9, 2.1, 2.3, 2.5, 2.7, 3},
      {{z, 0}, {z, 0}, {z, 60}, {z, 15}, {z, 60}, {z, 15}, {z, 60}, {z, 15}, {z, 30}});
  key("upper arm R", {0, 0.5, 0.75, 1.25, 1.6}, {{z, 0}, {z, 45}, {z, -50}, {z, 30}, {z, 40}});
  key("lower arm R", {0, 0.5, 0.75, 1.25, 1.6}, {{y, 0}, {y, 30}, {y, 0}, {y, 30}, {y, 10}});
  key("spine", {0, 0.5, 0.75, 1.25, 1.6}, {{x, 0}, {x, 15}, {x, -6}, {x, 12}, {x, 0}});
  key("head", {0, 0.5, 0.75, 1.25, 1.6, 2, 2.5, 3},
      {{x, 0}, {x, -20}, {x, 10}, {x, -15}, {x, 0}, {z, -10}, {z, 10}, {x, 0}});
  key("tail end", {0, 0.6, 1.2, 1.8, 2.4, 3}, {{y, 0}, {y, 30}, {y, -30}, {y, 30}, {y, -30}, {y, 0}});
  return rig;
}

}  // namespace pliant
