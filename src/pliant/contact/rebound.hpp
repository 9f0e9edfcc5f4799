// SPDX-License-Identifier: Apache-2.0
// Restitution of soft bodies. A coefficient e says how fast a body leaves what it hit, as a share of how fast
// it came. It is a property of the whole impact, which may last many steps, and not of a surface vertex in one
// step: vertices that are thrown up at once meet the rest of the body coming down, and the body bounces less
// for more e. A soft body rebounds by its own elasticity. So contact itself is inelastic, the impact runs its
// course, and when it is over the part that hit gets what it lacks to e as a rigid body:
//   1. A point that gets an impulse starts an impact when its part, as a rigid body, approaches there with
//      a > 2 g h. With the gap d that is left, it touches with a^2 + 2 g_n d.
//   2. The impact of a part with a collider is over when no point of it is approached any more, and the
//      impulse of the step has fallen to twice the weight (it rests, or it has left), or when the impulses sum
//      up to more than any rebound needs.
//   3. Then impulses r_c along the normals, at the points c that were hit, with
//        0 <= r_c  complementary to  u_c - e a_c >= 0,   u = u(rigid) + sum of the rigid response to r
//      change the velocity of the part by u + w x (x - centre). They are shortened where the body would have
//      more energy than when the impact began, in the frame of the collider. Other parts count with their weight:
//      one that still falls gains nothing.
// A body that leaves faster by itself is left alone: it rebounds with the larger of e and what its elasticity
// returns.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "pliant/contact/collider.hpp"
#include "pliant/contact/contact.hpp"
#include "pliant/contact/contact_rows.hpp"
#include "pliant/physics/step.hpp"

namespace pliant {

/// A part of a body as a rigid body.
struct PartMotion {
  double mass = 0;  ///< kg
  Vec3 centre{0, 0, 0}, velocity{0, 0, 0};
  Vec3 turning{0, 0, 0};  ///< rad/s
  Mat3 inverse_inertia = Mat3::Zero();

  Vec3 velocity_at(const Vec3& x) const { return velocity + turning.cross(x - centre); }
};
/// part_of: of every node.
PartMotion part_motion(Index part, std::span<const Index> part_of, std::span<const double> mass,
                       std::span<const Vec3> x, std::span<const Vec3> v);
/// The same from sums: the angular momentum about the centre and the moments sum m (x - c)(x - c)^T.
PartMotion part_motion(double mass, const Vec3& centre, const Vec3& momentum, const Vec3& angular,
                       const Mat3& second);

/// The whole body: its parts may exchange nothing, but their energy is known as a sum.
struct WholeBody {
  double energy = 0;  ///< kinetic and elastic, J; the weight apart
  double mass = 0;    ///< kg
  Vec3 centre{0, 0, 0}, velocity{0, 0, 0};
};

/// What the rebound asks of a body at the end of a step, before or after the step is accepted.
class ReboundBody {
 public:
  virtual ~ReboundBody() = default;
  virtual Index points() const = 0;  ///< how many contact points there are
  virtual Index part(const ContactKey& key) const = 0;
  /// Where the contact point is.
  virtual Vec3 place(const ContactKey& key, Instant instant) const = 0;
  virtual PartMotion motion(Index part, Instant instant) const = 0;
  virtual WholeBody whole(Instant instant) const = 0;
  /// The velocities of the part at the end of the step change by u + w x (x - centre): after the step.
  virtual void kick(Index part, const Vec3& u, const Vec3& w, const Vec3& centre) = 0;
  /// The same as by a force within the step: positions change with them.
  virtual void push(Index part, const Vec3& u, const Vec3& w, const Vec3& centre) = 0;
};

/// Of a body of nodes. elastic(x): its elastic energy with nodes at x, J.
template <class Elastic>
class ReboundNodes final : public ReboundBody {
 public:
  struct Nodes {
    std::span<const Index> part;
    std::span<const double> mass;
    std::span<const Vec3> x, v;    ///< at the beginning of the step
    std::span<Vec3> end_x, end_v;  ///< at its end
    std::span<Vec3> kicked;        ///< what kick() changed of end_v
    double h = 0;                  ///< end_x changes by it times end_v, s
  };
  ReboundNodes(const ContactRows& rows, const Nodes& nodes, Elastic elastic)
      : rows_(rows), nodes_(nodes), elastic_(std::move(elastic)) {}

  bool any() const { return any_; }
  Index points() const override { return rows_.points().rows(); }
  Index part(const ContactKey& key) const override {
    return nodes_.part[rows_.points().column[rows_.points().begin[key.vertex]]];
  }
  Vec3 place(const ContactKey& key, Instant instant) const override {
    return rows_.observe({.key = key}, x(instant));
  }
  PartMotion motion(Index part, Instant instant) const override {
    return part_motion(part, nodes_.part, nodes_.mass, x(instant), v(instant));
  }
  WholeBody whole(Instant instant) const override {
    const std::span<const Vec3> at = x(instant), moving = v(instant);
    WholeBody out{.energy = elastic_(at)};
    for (std::size_t i = 0; i < moving.size(); ++i) {
      const double m = nodes_.mass[i];
      out.energy += m * moving[i].squaredNorm() / 2;
      out.mass += m;
      out.centre += m * at[i];
      out.velocity += m * moving[i];
    }
    out.centre /= out.mass;
    out.velocity /= out.mass;
    return out;
  }
  void kick(Index part, const Vec3& u, const Vec3& w, const Vec3& centre) override {
    if (!any_) std::fill(nodes_.kicked.begin(), nodes_.kicked.end(), Vec3::Zero());
    any_ = true;
    for (std::size_t i = 0; i < nodes_.part.size(); ++i) {
      if (nodes_.part[i] != part) continue;
      nodes_.kicked[i] += u + w.cross(nodes_.end_x[i] - centre);
      nodes_.end_v[i] += u + w.cross(nodes_.end_x[i] - centre);
    }
  }
  void push(Index part, const Vec3& u, const Vec3& w, const Vec3& centre) override {
    for (std::size_t i = 0; i < nodes_.part.size(); ++i) {
      if (nodes_.part[i] != part) continue;
      const Vec3 change = u + w.cross(nodes_.end_x[i] - centre);
      nodes_.end_v[i] += change;
      nodes_.end_x[i] += nodes_.h * change;
    }
  }

 private:
  std::span<const Vec3> x(Instant instant) const {
    return instant == Instant::begin ? nodes_.x : std::span<const Vec3>(nodes_.end_x);
  }
  std::span<const Vec3> v(Instant instant) const {
    return instant == Instant::begin ? nodes_.v : std::span<const Vec3>(nodes_.end_v);
  }

  const ContactRows& rows_;
  Nodes nodes_;
  Elastic elastic_;
  bool any_ = false;
};

class Rebound {
 public:
  /// A new step.
  void clear() { hits_.clear(); }
  /// Impulses of the step: `scale` times these, N s.
  void note(std::span<const Contact> contacts, std::span<const Vec3> impulses, double scale = 1);
  /// At the end of a step of a body that nothing holds. Returns the impulse of what was kicked, N s; the log of the
  /// input gets it, too.
  Vec3 finish(const StepInput& input, std::vector<ImpactMemory>& impacts, ReboundBody& body);

 private:
  struct Hit {
    Contact contact;
    double impulse = 0;  ///< along the normal, N s
  };
  void begin_impacts(const StepInput& input, std::vector<ImpactMemory>& impacts, ReboundBody& body);
  /// Marks what is over in over_.
  void end_impacts(const StepInput& input, std::vector<ImpactMemory>& impacts, ReboundBody& body);
  /// The rigid answer of a part whose impacts are over.
  Vec3 answer(const StepInput& input, Index part, std::span<const ImpactMemory> impacts, ReboundBody& body);

  std::vector<Hit> hits_;
  std::vector<char> over_;  // by impact
  std::vector<double> lifts_;
  std::vector<Vec3> arms_;
};

}  // namespace pliant
