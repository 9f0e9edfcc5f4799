// SPDX-License-Identifier: Apache-2.0
// The experiments of Kelager, Fleron and Erleben 2005 as numbers: nodes 1 m apart and 1 kg each, strengths
// 200, 300, 400, 50 J times k (the paper gives none), contact of the nodes themselves. "After" is after the load is gone and the
// body has settled.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <functional>
#include <memory>

#include "pliant/contact/collider.hpp"
#include "pliant/methods/metric/body.hpp"
#include "tests/support/rigid_fit.hpp"

namespace pliant::metric {

/// The nodes of a box, or those of it that the mask keeps.
inline NodeGraph masked_graph(std::array<int, 3> nodes, const std::function<bool(const Vec3&)>& keep = {}) {
  NodeGraph graph;
  for (int k = 0; k < nodes[2]; ++k)
    for (int j = 0; j < nodes[1]; ++j)
      for (int i = 0; i < nodes[0]; ++i)
        if (const Vec3 p(i, j, k); !keep || keep(p)) graph.positions.push_back(p);
  graph.volumes.assign(graph.positions.size(), 1.0);
  return graph;
}

struct Outcome {
  double volume = 1;
  int inverted = 0;
  double shape = 0;  ///< rms distance to the rest shape after the best rigid fit, over the rms radius
};

/// One body and what acts on it.
class Experiment {
 public:
  Experiment(const NodeGraph& graph, const Options& options, double drag = 1)
      : model_(make(graph, options)), body_(model_, {all(model_)}, {.mass = drag, .stiffness = 0}, options) {}

  Body& body() { return body_; }
  const Points& rest() const { return model_.rest; }
  std::vector<Index> where(const std::function<bool(const Vec3&)>& which) const {
    std::vector<Index> out;
    for (Index i = 0; i < model_.nodes(); ++i)
      if (which(model_.rest[i])) out.push_back(i);
    return out;
  }
  /// Lifts the whole body before it starts.
  void raise(double by) {
    Points x = rest();
    for (Vec3& p : x) p.y() += by;
    body_.place(x, Points(x.size(), Vec3::Zero()));
  }
  void run(double seconds) {
    StepInput input;
    input.h = h;
    input.gravity = gravity;
    input.colliders = colliders;
    input.held = held;
    input.pool = &pool_;
    Points targets(held.size());
    for (int k = 1; k <= int(std::lround(seconds / h)); ++k) {
      for (std::size_t n = 0; n < held.size(); ++n) targets[n] = target(held[n], k * h);
      input.targets = targets;
      for (Collider& c : colliders) c.aim(0, h);
      const StepReport report = body_.advance(input);
      ASSERT_TRUE(report.ok()) << report.trouble;
    }
  }
  /// No load any more.
  void let_go() {
    gravity.setZero();
    colliders.clear();
    held.clear();
  }
  Outcome outcome() const {
    const Points &x = body_.nodes().x, &X = model_.rest;
    const CellState cells = cell_state(model_, x);
    const std::vector<double> ones(X.size(), 1);
    Vec3 centre = Vec3::Zero();
    for (const Vec3& p : X) centre += p / double(X.size());
    double size = 0;
    for (const Vec3& p : X) size += (p - centre).squaredNorm() / double(X.size());
    return {cells.volume_ratio, cells.inverted, shape_error(x, X, ones) / std::sqrt(size)};
  }

  double h = 0.005;
  Vec3 gravity{0, 0, 0};
  std::vector<Collider> colliders;
  std::vector<Index> held;
  std::function<Vec3(Index, double)> target = [this](Index i, double) { return rest()[i]; };

 private:
  static Model make(const NodeGraph& graph, const Options& options) {
    Result<Model> model = make_model(graph, 1, options);
    EXPECT_TRUE(model) << model.error().text();
    return std::move(*model);
  }
  static Gather all(const Model& model) {
    std::vector<Index> nodes(model.rest.size());
    for (Index i = 0; i < model.nodes(); ++i) nodes[i] = i;
    return pick(nodes);
  }

  Model model_;
  Body body_;
  Pool pool_{1};
};

inline Collider ground(double friction = 0.5) {
  return Collider(PlaneCollider{{0, 0, 0}, {0, 1, 0}}, {}, friction, 0);
}

/// Falls, rests on the ground for the rest of 6 s; then free.
inline Outcome drop(Experiment& e, double height, double friction) {
  e.raise(height);
  e.gravity = {0, -9.81, 0};
  e.colliders = {ground(friction)};
  e.run(6);
  e.let_go();
  e.run(10);
  return e.outcome();
}

/// The three bodies of a figure.
enum class Contender { original, as_published, with_orientation };

inline Options contender(Contender which, double k, Integrator integrator = Integrator::accurate) {
  Options options;
  options.strength = 100 * k;
  options.integrator = integrator;
  options.tolerance = 1e-4;
  if (which == Contender::original) options.model = Kind::original;
  if (which != Contender::with_orientation) options.orientation = 0;
  return options;
}

/// Without friction, as the papers' projection onto the ground is.
inline Outcome drop_box(const Options& options) {
  Experiment e(masked_graph({5, 5, 5}), options);
  return drop(e, 4, 0);
}

inline Outcome drop_ball(const Options& options) {
  Experiment e(masked_graph({9, 9, 9}, [](const Vec3& p) { return (p - Vec3(4, 4, 4)).norm() <= 4.3; }),
               options);
  return drop(e, 4, 0.5);
}

/// One corner up in 0.3 s, held for 0.5 s, on the ground.
inline Outcome lift_corner(const Options& options, double height) {
  Experiment e(masked_graph({5, 5, 5}), options);
  e.gravity = {0, -9.81, 0};
  e.colliders = {ground()};
  e.run(2);
  e.held = e.where([](const Vec3& p) { return p == Vec3(4, 4, 4); });
  const Vec3 from = e.body().nodes().x[e.held[0]];
  e.target = [=](Index, double t) { return Vec3(from + Vec3(0, height * std::min(1.0, t / 0.3), 0)); };
  e.run(0.8);
  e.held.clear();
  e.run(4);
  e.let_go();
  e.run(10);
  return e.outcome();
}

/// A corner pushed into the box along the diagonal by a share of it.
inline Outcome push_corner(const Options& options, double share) {
  Experiment e(masked_graph({5, 5, 5}), options);
  e.held = e.where([](const Vec3& p) { return p == Vec3(4, 4, 4) || p == Vec3(0, 0, 0); });
  e.target = [&e, share](Index i, double t) {
    return Vec3(e.rest()[i] * (1 - share * std::min(1.0, t / 0.5)));  // the corner at 0 stays
  };
  e.run(1);
  e.let_go();
  e.run(10);
  return e.outcome();
}

/// Strength s0 for 5 s under gravity, up to 1 within 3 s; then free.
inline Outcome inflate(Options options, double s0) {
  options.keys = {{5, s0}, {8, 1}};
  Experiment e(masked_graph({7, 7, 7}), options);
  e.gravity = {0, -9.81, 0};
  e.colliders = {ground()};
  e.run(12);
  e.let_go();
  e.run(6);
  return e.outcome();
}

struct Twist {
  Outcome held, after;
};
inline Twist twist(const Options& options, double degrees) {
  Experiment e(masked_graph({7, 9, 7}), options);
  e.held = e.where([](const Vec3& p) { return p.y() == 0 || p.y() == 8; });
  e.target = [&](Index i, double t) {
    const Vec3 X = e.rest()[i], axis(3, X.y(), 3);
    if (X.y() == 0) return X;
    const double angle = degrees * M_PI / 180 * std::min(1.0, t / 2);
    return Vec3(axis + Eigen::AngleAxisd(angle, Vec3::UnitY()) * (X - axis));
  };
  e.run(4);
  Twist out;
  out.held = e.outcome();
  e.let_go();
  e.run(10);
  out.after = e.outcome();
  return out;
}

/// An ellipsoid on nine pearls.
inline Twist lily(const Options& options) {
  Experiment e(masked_graph({19, 7, 19},
                            [](const Vec3& p) {
                              return (p - Vec3(9, 3, 9)).cwiseQuotient(Vec3(9.3, 3.3, 9.3)).norm() <= 1;
                            }),
               options, 1.5);
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j)
      e.colliders.push_back(Collider(SphereCollider{{9 + 5.0 * i, -3.5, 9 + 5.0 * j}, 2}, {}, 0.5, 0));
  e.gravity = {0, -9.81, 0};
  e.run(8);
  Twist out;
  out.held = e.outcome();
  e.let_go();
  e.run(8);
  out.after = e.outcome();
  return out;
}

/// Base and three top corners pinned, the fourth pulled down by 5 in 1 s, held 1 s, released, under gravity;
/// then free.
struct Buckle {
  Outcome held, after, free;
};
inline Buckle buckle(const Options& options) {
  Experiment e(masked_graph({7, 7, 7}), options);
  e.gravity = {0, -9.81, 0};
  const auto top = [](const Vec3& p) {
    return p.y() == 6 && (p.x() == 0 || p.x() == 6) && (p.z() == 0 || p.z() == 6);
  };
  const auto pulled = [](const Vec3& p) { return p == Vec3(6, 6, 6); };
  e.held = e.where([&](const Vec3& p) { return p.y() == 0 || top(p); });
  e.target = [&, pulled](Index i, double t) {
    return Vec3(e.rest()[i] - Vec3(0, pulled(e.rest()[i]) ? 5 * std::min(1.0, t) : 0, 0));
  };
  e.run(2);
  Buckle out;
  out.held = e.outcome();
  e.held = e.where([&](const Vec3& p) { return p.y() == 0 || (top(p) && !pulled(p)); });
  e.run(8);
  out.after = e.outcome();
  e.let_go();
  e.run(8);
  out.free = e.outcome();
  return out;
}

}  // namespace pliant::metric
