// SPDX-License-Identifier: Apache-2.0
// How a body of the geometric method answers impulses on its surface: the velocities B J^T r, J the rows of
// the embedding, B the response of one step.
//
// B is the step's constant matrix, A^-1 (or one V-cycle), except that parts free to turn do so. A is that of
// frozen rotations: it resists turning as if every node were tied to its orientation, so that a stiff ball
// would not roll and a stiff box would not tip. With r from the centre of mass of a part, its turning modes P
// and their shadows Z (the shadow of a mode is A^-1 M times it),
//   P w = w x r,   Z = A^-1 M P
//   B = A^-1 - Z Q^-1 Z^T + P J^-1 P^T,   Q = P^T M Z,   J = (1 + h' alpha) P^T M P
// is the exact response of the rigid body, and that of A on what is M-orthogonal to it. Translations need no
// care, A 1 = (1 + h' alpha) M 1; a V-cycle is not so exact and gets the same treatment for them:
//   ... - t t^T/q + 1 1^T/((1 + h' alpha) m),   t = V M 1,  q = 1^T M t, m the mass of the part
// where turning is about the centre that makes t and the modes M-orthogonal. B is symmetric and positive, and
// a good preconditioner: H P = (1 + h' alpha) M P when the shape is that of rest, energy.hpp.
//
// Of a part that keeps the volume it encloses (kept_volume.hpp) B also leaves out what would change that, with c its
// gradient at x: B - B c c^T B/(c . B c).
//
// In single precision A^-1 of a stiff body loses the shift of a part as a whole: the masses are h'^2 K/m
// times smaller than the stiffness. The shift is known exactly and is set:
//   sum m z = sum g/(1 + h' alpha)
//
// Members beyond the body and its parts are what is kept between calls because it is dear: shadows, columns
// of A^-1 and entries of pairs of vertices.
#pragma once

#include "pliant/contact/contact_stage.hpp"
#include "pliant/contact/response_columns.hpp"
#include "pliant/methods/geometric/kept_volume.hpp"
#include "pliant/methods/geometric/linear_system.hpp"
#include "pliant/methods/geometric/sweeps.hpp"

namespace pliant::geometric {

class ContactResponse final : public NodeResponse {
 public:
  /// The body this is the response of: all outlive this object.
  struct Body {
    const Model* model = nullptr;
    const ContactRows* rows = nullptr;
    const Arrangement* arrangement = nullptr;
    LinearSystem* system = nullptr;
    const std::vector<char>* turns = nullptr;  ///< per part: its rigid turning can be split off
    KeptVolume* kept = nullptr;                ///< null, empty: the volume is free
  };
  void attach(const Body& body) { body_ = body; }

  /// What is known of A^-1 is forgotten.
  void flush();

  /// The modes of the parts at x (4 doubles a node, in places); without split B is A^-1. Flushes
  /// when A has changed.
  void turn_about(const double* x, double mass_factor, bool split, Pool& pool);
  bool split() const { return split_; }

  /// J^-1 sum m r x v of the split parts, rad/s: how they turn as rigid bodies. velocity(place, node): m/s.
  template <class Velocity>
  void find_turning(Velocity&& velocity, Points& out) const {
    out.assign(parts_.size(), Vec3::Zero());
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Part& part = parts_[p];
      for (Index k = part.begin; k < part.end; ++k) {
        const Index node = body_.arrangement->node[std::size_t(k)];
        out[p] += body_.model->mass[std::size_t(node)] * arm(k).cross(velocity(k, node));
      }
      out[p] = mass_factor_ * (part.inverse_inertia * out[p]);
    }
  }
  /// add(place, impulse): nodal impulses that turn the split parts as torques t (N m s) do, and bend nothing: m w x r,
  /// w = J^-1 t.
  template <class Add>
  void each_torque(std::span<const Vec3> t, Add&& add) const {
    for (std::size_t p = 0; p < t.size(); ++p) {
      if (t[p].isZero(0)) continue;
      const Part& part = parts_[p];
      const Vec3 w = mass_factor_ * (part.inverse_inertia * t[p]);
      for (Index k = part.begin; k < part.end; ++k)
        add(k,
            Vec3(body_.model->mass[std::size_t(body_.arrangement->node[std::size_t(k)])] * w.cross(arm(k))));
    }
  }

  /// z = A^-1 g in, z = B g out. `outer` is g without inner forces, which have no resultant and no moment: a
  /// light part would turn by their rounding.
  void complete(const float* g, const float* outer, float* z) const;

  /// The problem's matrix, levers and parts for these contacts.
  void fill(std::span<const Contact> contacts, ContactProblem& problem, Pool& pool) override;

  /// out = B J^T r, in the caller's order of nodes; a split part gets exactly the momentum and the spin of
  /// its impulses. `on_nodes` = J^T r.
  void respond(std::span<const Vec3> on_nodes, Points& out, Pool& pool);
  void displace(std::span<const Contact> contacts, std::span<const Vec3> r, std::span<Vec3> x,
                Pool& pool) override;
  /// B J^T r of the last displace.
  const Points& displaced() const { return displaced_; }

  std::size_t memory_bytes() const;

 private:
  struct Part {
    Index begin = 0, end = 0;  ///< places
    bool turns = true;
    double mass = 0;  ///< kg, times 1 + h' alpha
    Vec3 center{0, 0, 0};
    Mat3 inverse_inertia = Mat3::Zero(), inverse_shadow = Mat3::Zero();  ///< J^-1, Q^-1
    Vec3 shift{0, 0, 0};     ///< from the centre of mass to that of the shadow t of the translations
    double shadow_mass = 0;  ///< q
  };
  Vec3 arm(Index place) const {
    const float* at = arm_.data() + 4 * std::size_t(place);
    return {at[0], at[1], at[2]};
  }
  bool keeps_volume() const { return body_.kept && !body_.kept->empty(); }
  /// complete() without what keeps the volume.
  void complete_freely(const float* g, const float* outer, float* z) const;
  /// c and B c at x.
  void aim_volume(const double* x, Pool& pool);
  /// Drops what is known of pairs of vertices.
  void forget_entries();
  /// The places of each part.
  void find_parts();
  /// Centres, arms and inertias of the parts at x.
  void turn_parts(const double* x);
  /// z = A^-1 M r of all parts, and Q.
  void cast_shadows(Pool& pool);
  /// t = V M 1 of a V-cycle V.
  void find_shift_shadow(Pool& pool);
  /// Takes the mean of a part's shadow out, which is zero but for rounding.
  void take_out_mean(const Part& part);
  /// Gives a column the exact shift of the part; weight: of the vertex in the part.
  void keep_shift(const Part& part, double weight, std::span<float> column) const;
  /// Columns A^-1 j of the wanted vertices.
  void need_columns(Pool& pool);
  /// j of a vertex times a column.
  double product(Index vertex, std::span<const float> column) const;
  /// s of two vertices, from their columns.
  double entry(Index a, Index b) const;
  /// Keeps vertices that are known among the wanted ones, while they are few.
  void keep_known();
  /// Entries of all pairs of wanted vertices.
  void grow_entries();
  /// s of the contacts, where the problem does not hold them already.
  void copy_entries(std::span<const Contact> contacts, ContactProblem& problem);
  /// The same of contacts whose rows have several vertices: s_cd = sum a_k a_l s of the vertices k and l.
  void weigh_entries(std::span<const Contact> contacts, ContactProblem& problem);

  Body body_;
  bool split_ = false, exact_ = true;  // exact: A^-1, not a V-cycle
  bool whole_ = false;                 // nothing is held or grabbed: parts shift freely
  double mass_factor_ = 1;
  std::uint64_t version_ = 0;  // of A
  std::vector<Part> parts_;
  Floats arm_, shadow_, load_, answer_;  // r, z = A^-1 M r (4 a node); scratch
  Floats shift_shadow_;                  // t, one a node; V-cycle only
  bool shift_shadow_known_ = false;

  ResponseColumns columns_;      // A^-1 j, free nodes in places
  std::vector<Index> wanted_;    // vertices of the contacts, ascending
  Points on_nodes_, displaced_;  // of displace: J^T r, B J^T r
  Points places_;                // of aim_volume

  // Entries j_a . A^-1 j_b of pairs of vertices, kept while they are asked for.
  std::vector<Index> known_, next_known_, rank_of_;  // vertices, ascending; of a vertex, its row or -1
  std::vector<float> entries_, next_entries_;
  struct Filled {
    const ContactProblem* problem = nullptr;
    std::vector<Index> vertices;  // of its rows
  };
  std::array<Filled, 2> filled_;  // what problems hold already
  std::vector<float> weighed_;    // of a contact: its answer at every known vertex
};

}  // namespace pliant::geometric
