// SPDX-License-Identifier: Apache-2.0
#include "pliant/island/island_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/island/leading_apart.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/physics/metrics.hpp"

namespace pliant {
namespace {

constexpr double impact_speed = 0.005;  // g h: slower approach is no impact
constexpr int most_rounds = 12;         // of linearisation, where the step cannot be made in halves
constexpr double hopeless =
    0.9;  // of the way is left after three rounds: surfaces do not get past each other
constexpr std::size_t most_by_node = 20000;  // contacts of a body without a W
// Contacts of a sheet, and those with itself of any body: for so many, steps by node cost less than a W of all. Solids
// in contact with others keep W: nodes that move one by one in the position pass would put energy into them.
constexpr std::size_t many_contacts = 300, many_with_itself = 40;
// rad in a step at which a body gets another model: with a history, where one is rigid, and else.
constexpr double lively_turn = 0.01, rigid_turn = 0.03, violent_turn = 0.3;
constexpr double deep = 0.05;           // of delta: less is left alone
constexpr double least_inertia = 1e-3;  // of the largest: about such an axis a body does not turn
constexpr double most_turn = 0.3;       // rad in a step, of a couple
constexpr int few_rounds =
    6;  // of a step that can; one that takes more has no couples: rows do not know of their turns
constexpr double most_lift = 0.1;                        // of delta in a step
constexpr double round_margin = 0.1, most_margin = 0.3;  // of delta: distance asked for, a round
constexpr double approach_share =
    5e-5;  // of the speed at which surfaces meet, that contact problems may leave

constexpr double energy_gain = 0.1;  // of the energy, that a step of thrown bodies may put in

template <class Keyed>
const Vec3* recall(const std::vector<Keyed>& memory, const PairKey& key) {
  const auto at = std::lower_bound(memory.begin(), memory.end(), key,
                                   [](const Keyed& m, const PairKey& k) { return m.key < k; });
  return at != memory.end() && at->key == key ? &at->force : nullptr;
}

bool finds(const std::vector<PairRow>& rows, const PairKey& key) {
  const auto at = std::lower_bound(rows.begin(), rows.end(), key,
                                   [](const PairRow& row, const PairKey& k) { return row.key < k; });
  return at != rows.end() && at->key == key;
}

bool in_one_part(const MeetingSurface& s, const PairRow& row) {
  return s.component(row.vertex[0]) == s.component(row.vertex[3]);
}

bool has_many_contacts(const Member& m) {
  const auto with_itself = [](const Contact& contact) { return contact.within_one(); };
  return (!m.closed && m.contacts.size() > many_contacts) ||
         std::size_t(std::count_if(m.contacts.begin(), m.contacts.end(), with_itself)) > many_with_itself;
}

}  // namespace

IslandStep::Outcome IslandStep::run(std::span<Member* const> members, std::span<BodyPair* const> pairs,
                                    std::span<Member> all, bool last, PairSearch& search, Pool& pool) {
  members_ = members;
  pairs_ = pairs;
  all_ = all;
  search_ = &search;
  pool_ = &pool;
  h_ = members[0]->input.h;
  sweeps_ = 0;
  residual_ = 0;
  answers_ = true;
  most_sweeps_ = 0;
  tolerance_ = std::numeric_limits<double>::infinity();
  fastest_ = 0;
  slot_.assign(all.size(), -1);
  for (std::size_t k = 0; k < members_.size(); ++k) {
    Member& m = *members_[k];
    slot_[std::size_t(&m - all_.data())] = Index(k);
    most_sweeps_ = std::max(most_sweeps_, 4 * m.input.contact.sweeps);
    tolerance_ = std::min(tolerance_, m.input.contact.tolerance);
    m.contact->begin_straight(m.input);
    m.contact->keep(ContactBody::Slot::attempt);
    m.report = {};
    m.at = m.begin;
    m.node_begin = m.node_at = m.x();
    m.v_begin = m.v_start = m.v();
    for (const Vec3& v : m.v_begin) fastest_ = std::max(fastest_, v.norm());
    m.log.clear();
    m.mass = 0;
    for (const double mass : m.contact->nodes().mass) m.mass += mass;
    m.held.assign(m.x().size(), 0);
    for (const Index i : m.input.held) m.held[std::size_t(i)] = 1;
  }
  for (BodyPair* pair : pairs_) {
    pair->hits.clear();
    pair->touching = false;
    pair->free = 1;
  }
  tied_.clear();
  if (bonds_)
    for (TiedPoint& p : bonds_->points()) {
      const Index of = bonds_->member(p);
      if (p.broken || of < 0 || slot_[std::size_t(of)] < 0) continue;
      p.impulse = h_ * p.force;
      tied_.push_back(&p);
    }
  const Outcome::What without_end = last ? Outcome::failed : Outcome::stuck;
  double most_energy = std::numeric_limits<double>::infinity();
  if (!last && is_thrown()) most_energy = energy() + energy_gain * std::abs(energy());

  find_ground();
  find_rows(true);
  build_problem();
  // More rows than can be held in memory: the way ends before they are solved.
  const auto too_many = [&] {
    return std::any_of(members_.begin(), members_.end(), [](const Member* m) {
      return m->contacts.size() > (m->contact->by_node() ? most_by_node : m->contact->most_contacts());
    });
  };
  double left = 1;
  scale_tolerance();
  for (rounds_ = 1;; ++rounds_) {
    if (!begin()) return {without_end, failed_};
    if (too_many()) {
      if (!last) return {Outcome::stuck, 0};
      shorten(left);
      finish();
      return {};
    }
    if ((impact() && !begin()) || !answers_) return {without_end, failed_};
    if (!descend() || !finite()) return {without_end, failed_};
    if (std::isfinite(most_energy) && energy() > most_energy) return {Outcome::stuck, 0};
    solved_ = true;
    const bool final = rounds_ == (last ? most_rounds : few_rounds);
    const double free = commit(last && final);
    if (free >= 1) break;
    left *= 1 - free;
    if (!last && (final || (rounds_ >= 3 && left > hopeless))) return {Outcome::stuck, 0};
    if (final) {
      shorten(left);
      break;
    }
    find_rows(false);
    build_problem();
  }
  if (solved_)
    for (Member* m : members_) m->contact->pass_history(m->applied);
  move_apart();
  finish();
  return {};
}

/// Tolerance of contact problems, m/s. Folds of hundreds of contacts are solved no better than they move.
double IslandStep::enough() const {
  constexpr double share = 3e-4;  // of the fastest node's speed
  const bool by_node =
      std::any_of(members_.begin(), members_.end(), [](const Member* m) { return m->contact->by_node(); });
  return by_node ? std::max(tolerance_, share * fastest_) : tolerance_;
}

// What hits at such a speed turns and is drawn out by more than a model about one place can tell.
bool IslandStep::is_thrown() const {
  double least = std::numeric_limits<double>::infinity();
  for (const Member* m : members_) {
    least = std::min(least, m->contact->stage().size());
    if (!m->input.grabs.empty() || !m->input.forces.empty()) return false;
    for (std::size_t n = 0; n < m->input.held.size(); ++n)
      if (m->input.targets[n] != m->node_begin[std::size_t(m->input.held[n])]) return false;
    for (const Collider& c : m->input.colliders)
      if (c.moves()) return false;
  }
  return fastest_ * h_ > least;
}

double IslandStep::energy() const {
  double sum = 0;
  for (const Member* m : members_) {
    const NodeState& nodes = m->method->nodes();
    sum += kinetic_energy(nodes) + m->method->elastic_energy() -
           total_mass(nodes) * m->input.gravity.dot(centre_of_mass(nodes));
  }
  return sum;
}

bool IslandStep::finite() {
  if (!answers_) return false;
  for (Member* m : members_) {
    double sum = 0;
    for (std::size_t i = 0; i < m->x().size(); ++i) sum += m->x()[i].squaredNorm() + m->v()[i].squaredNorm();
    if (std::isfinite(sum)) continue;
    m->report.trouble =
        "contact with other bodies has no finite answer: forces or speeds of bodies that meet are beyond "
        "what "
        "numbers can hold; lower them, or make the step shorter";
    failed_ = Index(m - all_.data());
    return false;
  }
  return true;
}

/// As if every body kept its velocity; held nodes reach their targets.
void IslandStep::find_ground() {
  for (Member* m : members_) {
    Points& end = m->change;
    end = m->node_begin;
    for (std::size_t i = 0; i < end.size(); ++i) end[i] += h_ * (m->v_begin[i] + h_ * m->input.gravity);
    for (std::size_t n = 0; n < m->input.held.size(); ++n)
      end[std::size_t(m->input.held[n])] = m->input.targets[n];
    m->ground.clear();
    m->more_ground.clear();
    m->ground_impulses.clear();
    if (m->input.colliders.empty()) continue;
    ContactStage& stage = m->contact->stage();
    stage.clear();
    stage.find(m->input, {.begin = m->node_begin, .end = end, .held = m->held}, m->contact->kept_memory());
    m->ground.assign(stage.contacts().begin(), stage.contacts().end());
    m->sides.assign(stage.sides().begin(), stage.sides().end());
    for (const Contact& c : m->ground) {
      const ContactMemory* known = pliant::recall(m->contact->kept_memory().memories, c.key);
      m->ground_impulses.push_back(known ? Vec3(h_ * known->force) : Vec3(Vec3::Zero()));
    }
  }
}

/// Bodies that are pushed by others touch more than they would alone. True: something deep was found. The rows of
/// the present problem stay as they are: the next one has it.
bool IslandStep::find_more_ground(Member& m) {
  if (m.input.colliders.empty()) return false;
  ContactStage& stage = m.contact->stage();
  stage.clear();
  stage.find(m.input, {.begin = m.node_begin, .end = m.x(), .held = m.held}, m.contact->kept_memory());
  const double slop = m.input.contact.slop * stage.size();
  m.more_ground.clear();
  for (const Contact& c : stage.contacts()) {
    const auto at = std::lower_bound(m.ground.begin(), m.ground.end(), c.key,
                                     [](const Contact& a, const ContactKey& key) { return a.key < key; });
    if (at != m.ground.end() && at->key == c.key) continue;
    const Vec3 way = m.rows().observe(c, m.x()) - m.rows().observe(c, m.node_begin) - h_ * c.velocity;
    if (c.gap + c.normal.dot(way) <= -slop) m.more_ground.push_back(c);
  }
  stage.clear();
  return !m.more_ground.empty();
}

void IslandStep::add_ground(Member& m) {
  for (const Contact& c : m.more_ground) {
    const auto at = std::lower_bound(m.ground.begin(), m.ground.end(), c.key,
                                     [](const Contact& a, const ContactKey& key) { return a.key < key; });
    m.ground_impulses.insert(m.ground_impulses.begin() + (at - m.ground.begin()), Vec3::Zero());
    m.ground.insert(at, c);
  }
  m.more_ground.clear();
}

/// Rows at `at`, with the impulses that are known: of the last step, or of the rows before.
void IslandStep::find_rows(bool first) {
  for (BodyPair* pair : pairs_) {
    const PairMotion motion = pair->motion(member(pair->first), member(pair->second));
    if (first) {
      pair->known.assign(pair->memory.begin(), pair->memory.end());
      for (PairMemory& m : pair->known) m.force *= h_;
    }
    if (pair->crossing) {
      pair->rows.assign(pair->led.begin(), pair->led.end());
      continue;
    }
    finder_.find(
        motion, pair->candidates, [&](const PairKey& key) { return recall(pair->known, key) != nullptr; },
        pair->rows);
    finder_.add(motion, pair->hits, pair->rows);
  }
}

void IslandStep::build_problem() {
  std::vector<IslandProblem::Row>& rows = problem_.rows();
  rows.clear();
  solved_ = false;
  for (Member* m : members_) {
    m->contacts.clear();
    add_ground(*m);
  }
  for (std::size_t k = 0; k < members_.size(); ++k) {
    Member& m = *members_[k];
    for (std::size_t c = 0; c < m.ground.size(); ++c) {
      const Contact& contact = m.ground[c];
      rows.push_back({.normal = contact.normal,
                      .friction = contact.friction,
                      .impulse = m.ground_impulses[c],
                      .shares = {{{Index(k), Index(m.contacts.size())}, {}}}});
      m.contacts.push_back(contact);
    }
  }
  for (BodyPair* pair : pairs_) {
    pass_on(*pair);
    for (std::size_t c = 0; c < pair->rows.size(); ++c) {
      const PairRow& row = pair->rows[c];
      IslandProblem::Row out{
          .normal = row.normal, .friction = pair->friction, .impulse = pair->impulses[c], .shares = {}};
      // Within one body both sides are one row; but parts of it that nothing joins turn each for itself.
      const bool as_one = pair->within_one() && in_one_part(*member(pair->first).surface, row);
      for (int second = 0; second < (as_one ? 1 : 2); ++second) {
        const Index of_all = second ? pair->second : pair->first;
        Member& m = member(of_all);
        Contact contact;
        contact.normal = row.normal;
        contact.friction = pair->friction;
        for (int p = 0; p < 4; ++p)
          if ((as_one || row.of_second(p) == bool(second)) && row.weight[std::size_t(p)] != 0)
            contact.row.add(row.vertex[std::size_t(p)], row.weight[std::size_t(p)]);
        contact.key.vertex = contact.row.list[0].vertex;
        out.shares[std::size_t(second)] = {slot_[std::size_t(of_all)], Index(m.contacts.size())};
        m.contacts.push_back(contact);
      }
      rows.push_back(out);
    }
  }
  add_bonds();
}

/// The last rows. Those of two bodies have the weights of contacts; the velocity that they want stands for that of a
/// collider.
void IslandStep::add_bonds() {
  std::vector<IslandProblem::Row>& rows = problem_.rows();
  first_tied_ = rows.size();
  for (const TiedPoint* p : tied_) {
    IslandProblem::Row out{.friction = -1, .impulse = p->impulse, .shares = {}};
    const auto add = [&](std::size_t share, Index of_all, const Contact& contact) {
      Member& m = member(of_all);
      out.shares[share] = {slot_[std::size_t(of_all)], Index(m.contacts.size())};
      m.contacts.push_back(contact);
    };
    const Index other = bonds_->other(*p);
    Contact of_first;
    of_first.row.add(p->vertex, 1);
    of_first.key.vertex = p->vertex;
    if (other < 0) {
      const std::span<const Collider> colliders = member(bonds_->member(*p)).input.colliders;
      of_first.velocity =
          (bonds_->place(*p, colliders, Instant::end) - bonds_->place(*p, colliders, Instant::begin)) / h_;
    }
    add(0, bonds_->member(*p), of_first);
    if (other >= 0) {
      const Triangle& t = member(other).surface->moving().triangles()[std::size_t(p->triangle)];
      Contact of_second;
      for (int k = 0; k < 3; ++k)
        if (p->barycentric[k] != 0) of_second.row.add(t[k], -p->barycentric[k]);
      of_second.key.vertex = of_second.row.list[0].vertex;
      add(1, other, of_second);
    }
    rows.push_back(out);
  }
}

/// What bonds lack at x^ is made good in the step.
void IslandStep::set_bond_targets() {
  std::size_t c = first_tied_;
  for (const TiedPoint* p : tied_) {
    const IslandProblem::Row& row = problem_.rows()[c++];
    Member& first = member(bonds_->member(*p));
    Contact& contact = first.contacts[std::size_t(row.shares[0].contact)];
    Vec3 lack = first.rows().observe(contact, first.hat);
    double rate = first.rate();
    if (const Index of = bonds_->other(*p); of >= 0) {
      const Member& other = member(of);
      rate = std::min(rate, other.rate());
      lack += other.rows().observe(other.contacts[std::size_t(row.shares[1].contact)], other.hat) -
              bonds_->offset(*p, other, other.at);
    } else {
      lack -= bonds_->place(*p, first.input.colliders, Instant::end);
    }
    contact.velocity = -lack / rate;
  }
}

/// The known impulses for the rows as they are now. A vertex that has slid to another triangle keeps its own.
void IslandStep::pass_on(BodyPair& pair) {
  pair.impulses.assign(pair.rows.size(), Vec3::Zero());
  std::size_t c = 0;
  for (const PairMemory& known : pair.known) {
    while (c < pair.rows.size() && pair.rows[c].key < known.key) ++c;
    if (c < pair.rows.size() && pair.rows[c].key == known.key) pair.impulses[c] = known.force;
  }
  for (const PairMemory& known : pair.known) {
    if (known.key.kind == PairKey::edge_edge || known.force.isZero(0) || finds(pair.rows, known.key))
      continue;
    const auto heir = std::find_if(pair.rows.begin(), pair.rows.end(), [&](const PairRow& row) {
      return row.key.has_vertex_of(known.key) &&
             pair.impulses[std::size_t(&row - pair.rows.data())].isZero(0);
    });
    if (heir != pair.rows.end()) pair.impulses[std::size_t(heir - pair.rows.begin())] = known.force;
  }
}

bool IslandStep::nothing_outside() const {
  return std::all_of(members_.begin(), members_.end(), [](const Member* m) {
    return m->ground.empty() && m->input.held.empty() && m->input.grabs.empty();
  });
}

/// wanted = J^T r, and couples. Of the moment of an impulse a step of h' counts what shifts the body about where
/// its centre was, c - h' V, and what turns it about the centre c at the end: the impulse acts at p - h' V. Those
/// points of two bodies are not the same, so equal impulses on them turn the island. Each body gets the couple
/// that moves its impulse to the middle between them. Not where something outside holds or carries the island and takes
/// its moment anyway: the couple goes with the velocity of a body across the forces, and pushes a pressed one over.
void IslandStep::collect_impulses(At at) {
  const bool exact = rounds_ <= few_rounds && nothing_outside();
  for (Member* m : members_) {
    m->wanted.assign(m->x().size(), Vec3::Zero());
    m->couple.setZero();
    const Points& v = ends(*m, at) ? m->end_v : m->v();
    const std::span<const double> mass = m->contact->nodes().mass;
    Vec3 momentum = Vec3::Zero();
    for (std::size_t i = 0; i < v.size(); ++i) momentum += mass[i] * v[i];
    m->mean_v = momentum / m->mass;
  }
  for (const IslandProblem::Row& row : problem_.rows()) {
    if (row.impulse.isZero(0)) continue;
    Vec3 between = Vec3::Zero();
    int bodies = 0;
    bool within_one = false;
    for (const IslandProblem::Share& share : row.shares)
      if (share.part >= 0) {
        Member& m = *members_[std::size_t(share.part)];
        const Contact& contact = m.contacts[std::size_t(share.contact)];
        m.rows().add(contact, row.impulse, m.wanted);
        between += m.rows().observe(contact, ends(m, at) ? m.end_x : m.x());
        if (at != At::begin) between -= (bodies == 0 ? 1 : -1) * m.rate() * m.mean_v;
        within_one |= contact.within_one();
        ++bodies;
      }
    if (!exact) continue;
    if (within_one) {
      Member& m = *members_[std::size_t(row.shares[0].part)];
      if (at != At::begin) between += m.rate() * m.mean_v;
      m.couple -= between.cross(row.impulse);
    }
    if (bodies < 2) continue;
    for (const IslandProblem::Share& share : row.shares)
      members_[std::size_t(share.part)]->couple -= between.cross(row.impulse) / 2;
  }
  for (Member* m : members_)
    if (!m->couple.isZero(0)) add_couple(*m, ends(*m, at) ? m->end_x : m->x());
}

bool IslandStep::ends(const Member& m, At at) {
  return at == At::descent || (at == At::end && m.contact->ends_as_reached());
}

/// As a rigid body turns: the couple bends nothing. Nodes that carry no mass count alike.
void IslandStep::add_couple(Member& m, const Points& x) {
  const ContactBody::Nodes nodes = m.contact->nodes();
  const double alike = m.mass / double(x.size());
  const auto mass_of = [&](std::size_t i) { return nodes.carry ? nodes.mass[i] : alike; };
  Vec3 center = Vec3::Zero();
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) center += mass_of(i) * x[i], sum += mass_of(i);
  center /= sum;
  Mat3 inertia = Mat3::Zero();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3 r = x[i] - center;
    inertia += mass_of(i) * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
  }
  const Vec3 w = pseudo_inverse(inertia, least_inertia) * m.couple;
  if (!(w.norm() * h_ < most_turn)) return;
  for (std::size_t i = 0; i < x.size(); ++i) m.wanted[i] += mass_of(i) * w.cross(x[i] - center);
}

/// Every body predicts its end, from its kept state.
bool IslandStep::begin() {
  // Bodies that are led apart are moved as wholes: node by node they would be drawn out of shape, and fly off.
  const bool led =
      std::any_of(pairs_.begin(), pairs_.end(), [](const BodyPair* pair) { return pair->crossing; });
  for (Member* m : members_) {
    m->contact->prefer_nodes(!led && has_many_contacts(*m));
    m->contact->restore(ContactBody::Slot::attempt);
    StepInput input = m->input;
    input.colliders = {};
    input.contact_log = nullptr;
    if (const std::string trouble = m->contact->begin(input); !trouble.empty()) {
      m->report.trouble = trouble;
      failed_ = Index(m - all_.data());
      return false;
    }
    m->hat.assign(m->contact->hat().begin(), m->contact->hat().end());
  }
  return true;
}

bool IslandStep::couple(About about) {
  parts_.clear();
  for (Member* m : members_) {
    SurfaceResponse& response =
        about == About::model || (about == About::end && m->contact->ends_as_reached())
            ? m->contact->response()
            : m->contact->response_at_rest(m->input);
    response.fill(m->contacts, m->problem, *pool_);
    if (!m->problem.positive()) {
      m->report.trouble =
          "contact with other bodies has no answer: they squeeze or turn the body too far in a step; take "
          "more substeps, "
          "slower handles, or a lighter or softer neighbour";
      failed_ = Index(m - all_.data());
      answers_ = false;
    }
    parts_.push_back({&m->problem});
  }
  if (answers_) problem_.prepare(parts_);
  return answers_;
}

/// Of the contact point of a row, m/s, over the colliders.
Vec3 IslandStep::velocity_of(Index c, bool at_begin) const {
  Vec3 u = Vec3::Zero();
  for (const IslandProblem::Share& share : problem_.rows()[std::size_t(c)].shares)
    if (share.part >= 0) {
      const Member& m = *members_[std::size_t(share.part)];
      const Contact& contact = m.contacts[std::size_t(share.contact)];
      u += m.rows().observe(contact, at_begin           ? m.v_begin
                                     : ends(m, At::end) ? m.end_v
                                                        : m.v()) -
           contact.velocity;
    }
  return u;
}

/// The velocities of the beginning are made admissible, as of bodies that always moved with the change.
bool IslandStep::impact() {
  const bool any_history =
      std::any_of(members_.begin(), members_.end(), [&](const Member* m) { return m->rate() != h_; });
  if (!any_history || problem_.size() == 0) return false;
  std::size_t c = 0;
  double fastest = 0;
  const auto gap = [&](std::size_t row, double of) {
    problem_.rows()[row].bias = std::max(0.0, of) / h_;
    fastest = std::min(
        fastest, problem_.rows()[row].normal.dot(velocity_of(Index(row), true)) + problem_.rows()[row].bias);
  };
  for (const Member* m : members_)
    for (const Contact& contact : m->ground) gap(c++, contact.gap);
  for (const BodyPair* pair : pairs_)
    for (const PairRow& row : pair->rows)
      gap(c++, std::max(0.0, row.distance - row.delta) - way_of(*pair, row));
  const double slow = std::max(impact_speed * members_[0]->input.gravity.norm() * h_, 10 * tolerance_);
  if (fastest >= -slow) return false;

  if (!couple(About::kick)) return false;
  before_.clear();
  for (IslandProblem::Row& row : problem_.rows()) {
    before_.push_back(row.impulse);
    row.impulse.setZero();
  }
  problem_.rebase([&](Index row) { return velocity_of(row, true); });
  sweeps_ += problem_.solve(most_sweeps_, enough()).sweeps;
  collect_impulses(At::begin);
  log_contacts();
  for (std::size_t r = 0; r < before_.size(); ++r) problem_.rows()[r].impulse = before_[r];
  for (Member* m : members_) {
    m->contact->respond(m->wanted, m->change, *pool_);
    m->contact->kick(h_);
    m->contact->keep(ContactBody::Slot::attempt);
    m->v_begin = m->v();
    for (const Vec3& r : m->wanted) m->report.contact_impulse += r;
  }
  return true;
}

/// Contact problems are solved about as well as bodies move.
void IslandStep::scale_tolerance() {
  double fastest = 0;
  for (Index c = 0; c < problem_.size(); ++c)
    fastest = std::max(fastest, -problem_.rows()[std::size_t(c)].normal.dot(velocity_of(c, true)));
  if (std::isfinite(fastest)) tolerance_ = std::max(tolerance_, approach_share * fastest);
}

/// By how much a row has opened on the way so far, m.
double IslandStep::way_of(const BodyPair& pair, const PairRow& row) {
  double way = 0;
  for (int p = 0; p < 4; ++p) {
    const Member& m = member(row.of_second(p) ? pair.second : pair.first);
    const std::size_t v = std::size_t(row.vertex[std::size_t(p)]);
    way += row.weight[std::size_t(p)] * row.normal.dot(m.at[v] - m.begin[v]);
  }
  return way;
}

/// A gap may close and no more; where surfaces have come nearer on the way so far, that is not taken back. What stopped
/// them has left hardly any distance: the next rounds ask for some, or each would end at a tenth of the last.
void IslandStep::set_targets() {
  std::size_t c = 0;
  const auto along = [&](const Member& m, const Contact& contact, const Vec3& n, const Points& to) {
    return n.dot(m.rows().observe(contact, to) - m.rows().observe(contact, m.node_begin));
  };
  for (const Member* m : members_) {
    const double rate = m->rate();
    for (const Contact& contact : m->ground) {
      IslandProblem::Row& row = problem_.rows()[c++];
      const double drift =
          along(*m, contact, contact.normal, m->hat) - (h_ - rate) * contact.normal.dot(contact.velocity);
      row.bias = std::max(0.0, std::min(contact.gap / h_, (contact.gap + drift) / rate));
    }
  }
  for (const BodyPair* pair : pairs_) {
    const Member &a = member(pair->first), &b = member(pair->second);
    const double rate = std::min(a.rate(), b.rate());
    for (const PairRow& pair_row : pair->rows) {
      IslandProblem::Row& row = problem_.rows()[c++];
      const double way = way_of(*pair, pair_row);
      double drift = 0;
      for (const IslandProblem::Share& share : row.shares) {
        if (share.part < 0) continue;
        const Member& m = *members_[std::size_t(share.part)];
        drift += along(m, m.contacts[std::size_t(share.contact)], row.normal, m.hat);
      }
      const double least = std::min(most_margin, round_margin * (rounds_ - 1)) * pair_row.delta;
      // Bodies that overlap do not go deeper, and are led apart by the position pass.
      const double lack = pair->crossing ? 0 : std::max(0.0, least - pair_row.distance);
      const double gap = std::max(0.0, pair_row.distance - pair_row.delta) - lack;
      row.bias = std::max(std::min((gap - way) / h_, (gap + drift - way) / rate),
                          (std::min(0.0, -way) - lack) / rate);
    }
  }
  set_bond_targets();
}

/// From the models of the bodies to the end of their steps. False: failed_ could not.
bool IslandStep::descend() {
  const bool any_history =
      std::any_of(members_.begin(), members_.end(), [&](const Member* m) { return m->rate() != h_; });
  const bool any_rigid = std::any_of(members_.begin(), members_.end(),
                                     [](const Member* m) { return m->contact->ends_as_reached(); });
  const double lively = any_history ? lively_turn : any_rigid ? rigid_turn : violent_turn;
  const IslandDescent::Outcome outcome = descent_.run(
      members_, problem_, {.sweeps = most_sweeps_, .tolerance = enough(), .lively = lively}, [&] {
        for (Member* m : members_) m->hat.assign(m->contact->hat().begin(), m->contact->hat().end());
        if (!couple(About::model)) return false;
        set_targets();
        return true;
      });
  sweeps_ += descent_.sweeps();
  if (!outcome.answers) return false;
  for (Member* m : members_) m->contact->reached(m->end_x, m->end_v);
  collect_impulses(At::descent);
  for (Member* m : members_) {
    StepReport report = m->contact->end(m->wanted, outcome.violent && !m->contacts.empty());
    add_earlier(report, m->report);
    m->report = report;
    if (!report.ok()) {
      failed_ = Index(m - all_.data());
      return false;
    }
    m->applied.swap(m->wanted);
    if (m->contact->ends_as_reached()) m->contact->reached(m->end_x, m->end_v);
  }
  if (!finite()) return false;
  answer_end();
  return answers_;
}

/// The contact problem about the end changes the impulses, and the response brings in the change.
void IslandStep::answer_end() {
  if (problem_.size() > 0) {
    if (!couple(About::end)) return;
    set_targets();
    problem_.rebase([&](Index c) { return velocity_of(c, false); });
    const IslandProblem::Outcome outcome = problem_.solve(most_sweeps_, enough());
    sweeps_ += outcome.sweeps;
    residual_ = outcome.residual;
  }
  bring();
}

/// The present states get what they lack to the impulses, by the response.
void IslandStep::bring() {
  collect_impulses(At::end);
  for (Member* m : members_) {
    double most = 0;
    m->outer.resize(m->wanted.size());
    for (std::size_t i = 0; i < m->wanted.size(); ++i) {
      m->outer[i] = m->wanted[i] - m->applied[i];
      most = std::max(most, m->outer[i].cwiseAbs().maxCoeff());
    }
    m->applied.swap(m->wanted);
    if (!(most > 0)) continue;
    if (problem_.size() == 0) m->contact->response_at_rest(m->input);
    m->contact->respond(m->outer, m->change, *pool_);
    m->contact->move(m->rate());
  }
}

double IslandStep::free_way(BodyPair& pair) {
  if (pair.crossing) return 1;
  const Member &a = member(pair.first), &b = member(pair.second);
  if (pair.within_one())
    a.self->find(a.at, a.end, a.thickness, pair.candidates);
  else
    search_->find(a.surface->moving(), b.surface->moving(), pair.candidates);
  int touching = 0;
  pair.free = finder_.free_way(pair.motion(a, b), pair.candidates, pair.hits, touching);
  pair.touching |= touching > 0;
  return pair.free;
}

/// The share of the way from `at` to the end that is free. Below 1, `at` is where it ends, and what stopped it is
/// among the hits. A way that ends too deep in colliders is not free, but in the final round.
double IslandStep::commit(bool final) {
  for (Member* m : members_) {
    m->place_surface(m->x(), m->end);
    m->surface->moving().refit(m->at, m->end, m->thickness);
  }
  double free = 1;
  for (BodyPair* pair : pairs_) free = std::min(free, free_way(*pair));
  bool more = false;
  std::size_t c = 0, g = 0;
  for (Member* m : members_) c += m->ground.size();
  for (Member* m : members_) {
    for (Vec3& r : m->ground_impulses) r = problem_.rows()[g++].impulse;
    if (!final) more |= find_more_ground(*m);
  }
  if (free >= 1 && !more) return 1;
  if (more) free = 0;  // from the same place, with what else it touches
  for (Member* m : members_) {
    for (std::size_t v = 0; v < m->at.size(); ++v) m->at[v] += free * (m->end[v] - m->at[v]);
    for (std::size_t i = 0; i < m->node_at.size(); ++i) m->node_at[i] += free * (m->x()[i] - m->node_at[i]);
  }
  for (BodyPair* pair : pairs_) {
    pair->known.clear();
    for (const PairRow& row : pair->rows) {
      const Vec3& r = problem_.rows()[c++].impulse;
      pair->known.push_back({.key = row.key, .force = r});
    }
  }
  for (TiedPoint* p : tied_) p->impulse = problem_.rows()[c++].impulse;
  return free;
}

/// The pair that was stopped first, or where nothing was asked for its way that with the most rows; where it is
/// nearest.
void IslandStep::name_stop(double left) {
  const BodyPair* worst = nullptr;
  for (const BodyPair* pair : pairs_)
    if (!worst || pair->free < worst->free ||
        (pair->free == worst->free && pair->rows.size() > worst->rows.size()))
      worst = pair;
  if (!worst) return;
  stop_ = {.first = member(worst->first).body, .second = member(worst->second).body, .missing = left};
  const std::vector<PairRow>& rows = worst->hits.empty() ? worst->rows : worst->hits;
  const auto nearest = std::min_element(
      rows.begin(), rows.end(), [](const PairRow& a, const PairRow& b) { return a.distance < b.distance; });
  if (nearest == rows.end()) return;
  const Points& at = member(worst->first).at;
  for (std::size_t k = 0; k < 4; ++k)
    if (!nearest->of_second(int(k))) stop_.place += nearest->weight[k] * at[std::size_t(nearest->vertex[k])];
}

bool IslandStep::all_straight() const {
  return std::all_of(members_.begin(), members_.end(),
                     [](const Member* m) { return m->contact->is_straight(); });
}

/// Bodies stay where the free way ended; where one of them cannot be put there, all stay where they began.
void IslandStep::shorten(double left) {
  if (!all_straight()) {
    name_stop(1);
    for (Member* m : members_) {
      m->contact->restore(ContactBody::Slot::attempt);
      m->at = m->end = m->begin;
      m->report.shortened = 1;
    }
    return;
  }
  name_stop(left);
  for (Member* m : members_) {
    m->change.resize(m->node_at.size());
    for (std::size_t i = 0; i < m->node_at.size(); ++i)
      m->change[i] = (m->node_at[i] - m->node_begin[i]) / h_;
    m->contact->place(m->node_at, m->change);
    m->end = m->at;
    m->report.shortened = left;
  }
}

void IslandStep::move_apart() {
  const std::vector<IslandProblem::Row>& rows = problem_.rows();
  gaps_.assign(rows.size(), 0);
  lengths_.assign(rows.size(), 0);
  std::size_t c = 0;
  bool any = false;
  for (const Member* m : members_)
    for (const Contact& contact : m->ground) {
      const double slop = m->input.contact.slop * m->contact->stage().size();
      const Vec3 way = m->rows().observe(contact, m->x()) - m->rows().observe(contact, m->node_begin) -
                       h_ * contact.velocity;
      const double gap = contact.gap + contact.normal.dot(way);
      any |= gap < -slop;
      gaps_[c++] = gap + slop / 2;
    }
  for (const BodyPair* pair : pairs_) {
    const Member &a = member(pair->first), &b = member(pair->second);
    const double led = LeadingApart::speed * h_ * std::min(a.surface->size(), b.surface->size());
    for (const PairRow& row : pair->rows) {
      if (pair->crossing) {
        any = true;
        gaps_[c++] = row.distance - pair->delta - led;
        continue;
      }
      PairMotion there = pair->motion(a, b);
      there.first_at = a.end;
      there.second_at = b.end;
      PairRow moved = row;
      PairRows::measure(there, moved);
      const double lack = row.delta - moved.distance;
      any |= lack > deep * row.delta;
      gaps_[c++] = std::max(-lack + deep / 2 * row.delta, -most_lift * row.delta);
    }
  }
  if (!any || !couple(About::kick)) return;
  problem_.solve_normals(gaps_, 30, lengths_);
  for (Member* m : members_) m->wanted.assign(m->x().size(), Vec3::Zero());
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (lengths_[r] > 0)
      for (const IslandProblem::Share& share : rows[r].shares)
        if (share.part >= 0) {
          Member& m = *members_[std::size_t(share.part)];
          m.rows().add(m.contacts[std::size_t(share.contact)], lengths_[r] * rows[r].normal, m.wanted);
        }
  for (Member* m : members_) {
    m->contact->respond(m->wanted, m->change, *pool_);
    m->outer = m->x();
    for (std::size_t i = 0; i < m->outer.size(); ++i) m->outer[i] += m->change[i];
    m->at.swap(m->end);
    m->place_surface(m->outer, m->end);
    m->surface->moving().refit(m->at, m->end, m->thickness);
  }
  double free = 1;
  for (BodyPair* pair : pairs_) free = std::min(free, free_way(*pair));
  shift_apart(free < 1 ? 0.9 * free : 1);
}

/// A surface that does not go on lines ends elsewhere than was asked: it is asked again.
void IslandStep::shift_apart(double share) {
  const bool as_asked = all_straight();
  for (Member* m : members_) {
    if (!as_asked) m->contact->keep(ContactBody::Slot::attempt);
    m->contact->shift(share);
  }
  if (as_asked) return;
  for (Member* m : members_) {
    m->place_surface(m->x(), m->end);
    m->surface->moving().refit(m->at, m->end, m->thickness);
  }
  double free = 1;
  for (BodyPair* pair : pairs_) free = std::min(free, free_way(*pair));
  if (free >= 1) return;
  for (Member* m : members_) m->contact->restore(ContactBody::Slot::attempt);
}

/// What the rows do, to the logs of the step: impulses that act several times add up. Of two bodies the first has
/// the record.
void IslandStep::log_contacts() {
  std::size_t c = 0;
  for (Member* m : members_)
    for (const Contact& contact : m->ground) {
      const Vec3 to = m->rows().observe(contact, m->x());
      const Vec3 way = to - m->rows().observe(contact, m->node_begin) - h_ * contact.velocity;
      m->log.add({.key = contact.key,
                  .point = to,
                  .normal = contact.normal,
                  .gap = contact.gap + contact.normal.dot(way),
                  .impulse = problem_.rows()[c++].impulse});
    }
  for (const BodyPair* pair : pairs_)
    for (const PairRow& row : pair->rows) {
      const IslandProblem::Row& solved = problem_.rows()[c++];
      if (solved.impulse.isZero(0)) continue;
      Member &a = member(pair->first), &b = member(pair->second);
      const Vec3 to = a.rows().observe(a.contacts[std::size_t(solved.shares[0].contact)], a.x());
      const Vec3 of_b = b.rows().observe(b.contacts[std::size_t(solved.shares[1].contact)], b.x());
      a.log.add({.key = {row.key.first, -1 - row.key.kind, row.key.second},
                 .other = b.body,
                 .nearest = row.nearest_of_first(),
                 .point = to,
                 .normal = row.normal,
                 .gap = row.normal.dot(to + of_b) - pair->delta,
                 .impulse = solved.impulse});
    }
}

/// Restitution of the impacts with colliders, and what the steps tell of all contacts.
void IslandStep::tell_contacts() {
  log_contacts();
  for (Member* m : members_) {
    ContactStage& stage = m->contact->stage();
    if (!m->input.colliders.empty()) {
      m->report.penetration = stage.depth(m->input, m->x());
      stage.rebound().clear();
      stage.rebound().note(m->ground, m->ground_impulses);
      StepInput input = m->input;
      input.contact_log = &m->log;
      m->report.contact_impulse += m->contact->rebound(input, m->node_begin, m->v_start);
    }
    if (m->input.contact_log)
      for (const ContactRecord& record : m->log.records()) m->input.contact_log->add(record);
  }
}

void IslandStep::finish() {
  std::size_t c = 0;
  for (Member* m : members_) {
    for (std::size_t k = 0; k < m->ground.size(); ++k) m->ground_impulses[k] = problem_.rows()[c++].impulse;
    if (!m->input.colliders.empty()) {
      remember(m->ground, m->ground_impulses, h_, m->contact->memory().memories);
      m->contact->memory().sides = m->sides;
    }
    m->report.contacts = 0;
    m->report.contact_sweeps = sweeps_;
    m->report.contact_residual = residual_;
    m->report.rounds = rounds_;
  }
  for (BodyPair* pair : pairs_) {
    pair->memory.clear();
    for (const PairRow& row : pair->rows) {
      const Vec3& r = problem_.rows()[c++].impulse;
      if (!r.isZero(0)) pair->memory.push_back({.key = row.key, .force = r / h_});
    }
  }
  for (TiedPoint* p : tied_) {
    p->impulse = problem_.rows()[c++].impulse;
    if (solved_) p->force = p->impulse / h_;
  }
  for (const IslandProblem::Row& row : problem_.rows())
    for (const IslandProblem::Share& share : row.shares)
      if (share.part >= 0 && !row.impulse.isZero(0) && row.friction >= 0) {
        Member& m = *members_[std::size_t(share.part)];
        ++m.report.contacts;
        double sum = 0;
        for (const ContactTerm& term : m.contacts[std::size_t(share.contact)].terms()) sum += term.weight;
        m.report.contact_impulse += sum * row.impulse;
      }
  if (solved_) tell_contacts();
}

}  // namespace pliant
