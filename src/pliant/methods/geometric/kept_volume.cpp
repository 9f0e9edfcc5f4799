// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/kept_volume.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace pliant::geometric {
namespace {

/// How many edges have no partner that runs the other way.
std::size_t unpaired_edges(const std::vector<Triangle>& triangles) {
  std::vector<std::pair<std::pair<Index, Index>, int>> runs;
  for (const Triangle& t : triangles)
    for (int k = 0; k < 3; ++k) {
      const Index a = t[k], b = t[(k + 1) % 3];
      runs.push_back({std::minmax(a, b), a < b ? 1 : -1});
    }
  std::sort(runs.begin(), runs.end());
  std::size_t unpaired = 0;
  for (std::size_t k = 0; k < runs.size();) {
    int balance = 0;
    const auto edge = runs[k].first;
    for (; k < runs.size() && runs[k].first == edge; ++k) balance += runs[k].second;
    unpaired += balance != 0;
  }
  return unpaired;
}

constexpr double least_volume = 1e-9;  // of the cube of its extent

double extent(const Model& model, Index part) {
  Eigen::AlignedBox3d box;
  for (Index i : model.parts[part]) box.extend(model.rest[i]);
  return box.diagonal().norm();
}

double determinant(const Vec3& a, const Vec3& b, const Vec3& c) { return a.dot(b.cross(c)); }

Vec3 vector_at(const float* array, Index place) {
  const float* v = array + 4 * std::size_t(place);
  return {v[0], v[1], v[2]};
}

}  // namespace

double VolumeCubic::root() const {
  const double newton = -c[0] / c[1];  // where the tangent at 0 meets V_0
  if (c[0] == 0 || newton == 0 || !std::isfinite(newton)) return 0;
  const auto beyond = [&](double t) { return (at(t) > 0) != (c[0] > 0); };
  // The nearest change of sign, on steps that widen to both sides ...
  constexpr double first = 0.25, growth = 1.25, last = 1000;
  double near = 0, far = 0;
  for (double reach = first, before = 0; far == 0 && reach < last; before = reach, reach *= growth)
    for (const double side : {newton, -newton})
      if (far == 0 && beyond(side * reach)) {
        far = side * reach;
        near = side * before;
      }
  if (far == 0) return 0;
  // ... and Newton's method within it.
  double t = (near + far) / 2;
  for (int k = 0; k < 100; ++k) {
    (beyond(t) ? far : near) = t;
    double next = t - at(t) / (c[1] + t * (2 * c[2] + 3 * t * c[3]));
    if (!((next - near) * (next - far) < 0)) next = (near + far) / 2;
    if (next == t) break;
    t = next;
  }
  return t;
}

Result<KeptVolume> KeptVolume::make(const Model& model, std::vector<Triangle> triangles) {
  const auto refuse = [](std::string found, std::string expected, std::string hint) {
    return Error{{}, {{"geometric.keep_volume", std::move(found), std::move(expected), std::move(hint)}}};
  };
  if (triangles.empty())
    return refuse("true, but the nodes fill the shape", "false, or an operator of surfaces",
                  "operators edge, cotangent and mixed keep what a surface encloses; a body that is filled "
                  "has `volume` instead");
  if (const std::size_t open = unpaired_edges(triangles); open > 0)
    return refuse(fmt::format("true, but {} edges of the surface have a triangle on one side only, or two "
                              "that face opposite ways",
                              open),
                  "a closed surface", "only a closed surface encloses a volume: close its holes");
  KeptVolume out;
  out.triangles_ = std::move(triangles);
  out.attach(model, 0);
  for (Index p = 0; p < out.parts(); ++p)
    if (!out.parts_[p].triangles.empty() &&
        !(std::abs(out.parts_[p].rest_volume) > least_volume * std::pow(extent(model, p), 3)))
      return refuse(fmt::format("true, but part {} of the surface encloses nothing", p),
                    "a surface around a volume", "a flat or doubled sheet has no volume to keep");
  return out;
}

void KeptVolume::attach(const Model& model, std::size_t padded) {
  model_ = &model;
  parts_.assign(model.parts.size(), {});
  for (const Triangle& t : triangles_) parts_[model.part_of[t[0]]].triangles.push_back(t);
  for (Index p = 0; p < parts(); ++p) parts_[p].rest_volume = volume(p, model.rest);
  forces_.assign(model.rest.size(), Vec3::Zero());
  gradient_.assign(4 * padded, 0);
  direction_.assign(4 * padded, 0);
}

void KeptVolume::clear() {
  std::fill(gradient_.begin(), gradient_.end(), 0.0f);
  std::fill(direction_.begin(), direction_.end(), 0.0f);
}

double KeptVolume::volume(Index part, const Points& x) const {
  const Vec3 origin = x[model_->parts[part][0]];  // near the body little cancels
  double sum = 0;
  for (const auto& [a, b, c] : parts_[part].triangles)
    sum += determinant(x[a] - origin, x[b] - origin, x[c] - origin);
  return sum / 6;
}

/// A third of the area vectors around a node.
void KeptVolume::aim(const Points& x, const Arrangement& arrangement) {
  std::fill(forces_.begin(), forces_.end(), Vec3::Zero());
  for (const auto& [a, b, c] : triangles_) {
    const Vec3 share = (x[b] - x[a]).cross(x[c] - x[a]) / 6;
    for (Index i : {a, b, c}) forces_[i] += share;
  }
  for (Index k = 0; k < arrangement.free; ++k)
    for (int c = 0; c < 3; ++c) gradient_[4 * std::size_t(k) + c] = float(forces_[arrangement.node[k]][c]);
}

void KeptVolume::aimed(const Arrangement& arrangement) {
  for (Index p = 0; p < parts(); ++p) {
    parts_[p].response = 0;
    for (Index i : model_->parts[p]) {
      const Index k = arrangement.place[i];
      if (k < arrangement.free)
        parts_[p].response += vector_at(gradient_.data(), k).dot(vector_at(direction_.data(), k));
    }
  }
}

VolumeCubic KeptVolume::cubic(const Part& part, const Points& x, const Arrangement& arrangement) const {
  const Vec3 origin = x[part.triangles[0][0]];
  const auto direction = [&](Index i) -> Vec3 {
    const Index k = arrangement.place[i];
    return k < arrangement.free ? vector_at(direction_.data(), k) : Vec3(Vec3::Zero());
  };
  double c[4] = {0, 0, 0, 0};
  for (const Triangle& t : part.triangles) {
    const Vec3 a = x[t[0]] - origin, b = x[t[1]] - origin, d = x[t[2]] - origin;
    const Vec3 u = direction(t[0]), v = direction(t[1]), w = direction(t[2]);
    const Vec3 bd = b.cross(d), vw = v.cross(w), mixed = b.cross(w) + v.cross(d);
    c[0] += a.dot(bd);
    c[1] += u.dot(bd) + a.dot(mixed);
    c[2] += u.dot(mixed) + a.dot(vw);
    c[3] += u.dot(vw);
  }
  VolumeCubic out;
  for (int k = 0; k < 4; ++k) out.c[k] = c[k] / 6;
  return out;
}

double KeptVolume::find_steps(const Points& x, const Arrangement& arrangement) {
  double largest = 0;
  for (Index p = 0; p < parts(); ++p) {
    Part& part = parts_[p];
    part.step = 0;
    if (!(part.response > 0)) continue;
    VolumeCubic cubic = this->cubic(part, x, arrangement);
    cubic.c[0] = volume(p, x) - part.rest_volume;
    part.step = cubic.root();
    largest = std::max(largest, std::abs(cubic.c[0] / part.rest_volume));
  }
  return largest;
}

Vec3 KeptVolume::step(Index node, const Arrangement& arrangement) const {
  const Index k = arrangement.place[node];
  if (k >= arrangement.free) return Vec3::Zero();
  return parts_[model_->part_of[node]].step * vector_at(direction_.data(), k);
}

void KeptVolume::add_steps(float* y, const Arrangement& arrangement) const {
  for (Index k = 0; k < arrangement.free; ++k) {
    const double t = parts_[model_->part_of[arrangement.node[k]]].step;
    for (int c = 0; c < 3; ++c) {
      const std::size_t at = 4 * std::size_t(k) + c;
      y[at] += float(t * direction_[at]);
    }
  }
}

void KeptVolume::project(float* g, float* z, const Arrangement& arrangement) const {
  for (Index p = 0; p < parts(); ++p) {
    if (!(parts_[p].response > 0)) continue;
    double along = 0;
    for (Index i : model_->parts[p])
      if (const Index k = arrangement.place[i]; k < arrangement.free)
        along += vector_at(gradient_.data(), k).dot(vector_at(z, k));
    const double l = along / parts_[p].response;
    for (Index i : model_->parts[p]) {
      const Index k = arrangement.place[i];
      if (k >= arrangement.free) continue;
      for (int c = 0; c < 3; ++c) {
        const std::size_t at = 4 * std::size_t(k) + c;
        z[at] -= float(l * direction_[at]);
        if (g) g[at] -= float(l * gradient_[at]);
      }
    }
  }
}

}  // namespace pliant::geometric
