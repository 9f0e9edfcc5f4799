// SPDX-License-Identifier: Apache-2.0
#include "pliant/island/island_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/math/symmetric_eigen.hpp"

namespace pliant {
namespace {

constexpr double impact_speed = 0.005;  // g h: slower approach is no impact
constexpr int most_rounds = 12;         // of linearisation, where the step cannot be made in halves
constexpr double hopeless =
    0.9;  // of the way is left after three rounds: surfaces do not get past each other
constexpr Index most_rows = 3000;
constexpr double lively_turn = 0.01, violent_turn = 0.3;  // rad in a step: with a history, and without
constexpr double deep = 0.05;                             // of delta: less is left alone
constexpr double least_inertia = 1e-3;  // of the largest: about such an axis a body does not turn
constexpr double most_turn = 0.3;       // rad in a step, of a couple
constexpr int few_rounds =
    6;  // of a step that can; one that takes more has no couples: rows do not know of their turns
constexpr double most_lift = 0.1;                        // of delta in a step
constexpr double round_margin = 0.1, most_margin = 0.3;  // of delta: distance asked for, a round
constexpr double approach_share =
    5e-5;  // of the speed at which surfaces meet, that contact problems may leave

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
    m.v_begin = m.v();
    m.mass = 0;
    for (const double mass : m.method->nodes().mass) m.mass += mass;
    m.held.assign(m.x().size(), 0);
    for (const Index i : m.input.held) m.held[std::size_t(i)] = 1;
  }
  for (BodyPair* pair : pairs_) {
    pair->hits.clear();
    pair->touching = false;
  }
  const Outcome::What without_end = last ? Outcome::failed : Outcome::stuck;

  find_ground();
  find_rows(true);
  build_problem();
  // More rows than can be held in memory: the way ends before they are solved.
  const auto too_many = [&] { return problem_.size() > most_rows; };
  rounds_ = 0;
  if (too_many()) {
    if (!last) return {Outcome::stuck, 0};
    shorten(1);
    finish();
    return {};
  }
  double left = 1;
  scale_tolerance();
  for (rounds_ = 1;; ++rounds_) {
    if (!begin() || (impact() && !begin()) || !answers_) return {without_end, failed_};
    if (!descend() || !finite()) return {without_end, failed_};
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
    if (!too_many()) continue;
    if (!last) return {Outcome::stuck, 0};
    shorten(left);
    finish();
    return {};
  }
  move_apart();
  finish();
  return {};
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
    finder_.find(
        motion, pair->candidates, [&](const PairKey& key) { return recall(pair->known, key) != nullptr; },
        pair->rows);
    finder_.add(motion, pair->hits, pair->rows);
  }
}

void IslandStep::build_problem() {
  std::vector<IslandProblem::Row>& rows = problem_.rows();
  rows.clear();
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
      for (const int second : {0, 1}) {
        const Index of_all = second ? pair->second : pair->first;
        Member& m = member(of_all);
        Contact contact;
        contact.normal = row.normal;
        contact.friction = pair->friction;
        for (int p = 0; p < 4; ++p)
          if (row.of_second(p) == bool(second) && row.weight[std::size_t(p)] != 0)
            contact.row.add(row.vertex[std::size_t(p)], row.weight[std::size_t(p)]);
        contact.key.vertex = contact.row.list[0].vertex;
        out.shares[std::size_t(second)] = {slot_[std::size_t(of_all)], Index(m.contacts.size())};
        m.contacts.push_back(contact);
      }
      rows.push_back(out);
    }
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
    const Points& v = at == At::descent ? m->end_v : m->v();
    const std::vector<double>& mass = m->method->nodes().mass;
    Vec3 momentum = Vec3::Zero();
    for (std::size_t i = 0; i < v.size(); ++i) momentum += mass[i] * v[i];
    m->mean_v = momentum / m->mass;
  }
  for (const IslandProblem::Row& row : problem_.rows()) {
    if (row.impulse.isZero(0)) continue;
    Vec3 between = Vec3::Zero();
    int bodies = 0;
    for (const IslandProblem::Share& share : row.shares)
      if (share.part >= 0) {
        Member& m = *members_[std::size_t(share.part)];
        const Contact& contact = m.contacts[std::size_t(share.contact)];
        m.rows().add(contact, row.impulse, m.wanted);
        between += m.rows().observe(contact, at == At::descent ? m.end_x : m.x());
        if (at != At::begin) between -= (bodies == 0 ? 1 : -1) * m.rate() * m.mean_v;
        ++bodies;
      }
    if (bodies < 2 || !exact) continue;
    for (const IslandProblem::Share& share : row.shares)
      members_[std::size_t(share.part)]->couple -= between.cross(row.impulse) / 2;
  }
  for (Member* m : members_)
    if (!m->couple.isZero(0)) add_couple(*m, at == At::descent ? m->end_x : m->x());
}

/// As a rigid body turns: the couple bends nothing.
void IslandStep::add_couple(Member& m, const Points& x) {
  const std::vector<double>& mass = m.method->nodes().mass;
  Vec3 center = Vec3::Zero();
  for (std::size_t i = 0; i < x.size(); ++i) center += mass[i] * x[i];
  center /= m.mass;
  Mat3 inertia = Mat3::Zero();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3 r = x[i] - center;
    inertia += mass[i] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
  }
  const Vec3 w = pseudo_inverse(inertia, least_inertia) * m.couple;
  if (!(w.norm() * h_ < most_turn)) return;
  for (std::size_t i = 0; i < x.size(); ++i) m.wanted[i] += mass[i] * w.cross(x[i] - center);
}

/// Every body predicts its end, from its kept state.
bool IslandStep::begin() {
  for (Member* m : members_) {
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
        about == About::model ? m->contact->response() : m->contact->response_at_rest(m->input);
    response.fill(m->contacts, m->problem, *pool_);
    if (!m->problem.positive()) {
      m->report.trouble =
          "contact with other bodies has no answer: they squeeze or turn the body too far in a step; take "
          "more substeps, "
          "slower handles, or a lighter or softer neighbour";
      failed_ = Index(m - all_.data());
      answers_ = false;
    }
    parts_.push_back({&m->problem, about == About::kick ? 1 : m->scale()});
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
      u += m.rows().observe(contact, at_begin ? m.v_begin : m.v()) - contact.velocity;
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
      gap(c++, std::max(0.0, row.distance - pair->delta) - way_of(*pair, row));
  const double slow = std::max(impact_speed * members_[0]->input.gravity.norm() * h_, 10 * tolerance_);
  if (fastest >= -slow) return false;

  if (!couple(About::kick)) return false;
  before_.clear();
  for (IslandProblem::Row& row : problem_.rows()) {
    before_.push_back(row.impulse);
    row.impulse.setZero();
  }
  problem_.rebase([&](Index row) { return velocity_of(row, true); });
  sweeps_ += problem_.solve(most_sweeps_, tolerance_).sweeps;
  collect_impulses(At::begin);
  for (std::size_t r = 0; r < before_.size(); ++r) problem_.rows()[r].impulse = before_[r];
  for (Member* m : members_) {
    m->contact->respond(m->wanted, m->change, *pool_);
    m->contact->kick(m->change, h_);
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
        const Member& m = *members_[std::size_t(share.part)];
        drift += along(m, m.contacts[std::size_t(share.contact)], row.normal, m.hat);
      }
      const double least = std::min(most_margin, round_margin * (rounds_ - 1)) * pair->delta;
      const double lack = std::max(0.0, least - pair_row.distance);
      const double gap = std::max(0.0, pair_row.distance - pair->delta) - lack;
      row.bias = std::max(std::min((gap - way) / h_, (gap + drift - way) / rate),
                          (std::min(0.0, -way) - lack) / rate);
    }
  }
}

/// From the models of the bodies to the end of their steps. False: failed_ could not.
bool IslandStep::descend() {
  const bool any_history =
      std::any_of(members_.begin(), members_.end(), [&](const Member* m) { return m->rate() != h_; });
  const IslandDescent::Outcome outcome = descent_.run(
      members_, problem_,
      {.sweeps = most_sweeps_, .tolerance = tolerance_, .lively = any_history ? lively_turn : violent_turn},
      [&] {
        if (!couple(About::model)) return false;
        set_targets();
        return true;
      });
  sweeps_ += descent_.sweeps();
  if (!outcome.answers) return false;
  for (Member* m : members_) m->contact->reached(m->end_x, m->end_v);
  collect_impulses(At::descent);
  for (Member* m : members_) {
    m->change.resize(m->wanted.size());
    for (std::size_t i = 0; i < m->wanted.size(); ++i) m->change[i] = m->scale() * m->wanted[i];
    StepReport report = m->contact->end(m->change, outcome.violent && !m->contacts.empty());
    add_earlier(report, m->report);
    m->report = report;
    if (!report.ok()) {
      failed_ = Index(m - all_.data());
      return false;
    }
    m->applied.swap(m->wanted);
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
    const IslandProblem::Outcome outcome = problem_.solve(most_sweeps_, tolerance_);
    sweeps_ += outcome.sweeps;
    residual_ = outcome.residual;
  }
  bring();
}

/// The present states get what they lack to the impulses, by the response.
void IslandStep::bring() {
  collect_impulses(At::end);
  for (Member* m : members_) {
    const double scale = m->scale();
    double most = 0;
    m->outer.resize(m->wanted.size());
    for (std::size_t i = 0; i < m->wanted.size(); ++i) {
      m->outer[i] = scale * (m->wanted[i] - m->applied[i]);
      most = std::max(most, m->outer[i].cwiseAbs().maxCoeff());
    }
    m->applied.swap(m->wanted);
    if (!(most > 0)) continue;
    if (problem_.size() == 0) m->contact->response_at_rest(m->input);
    m->contact->respond(m->outer, m->change, *pool_);
    m->contact->move(m->change, m->rate());
  }
}

double IslandStep::free_way(BodyPair& pair) {
  const Member &a = member(pair.first), &b = member(pair.second);
  search_->find(a.surface->moving(), b.surface->moving(), pair.candidates);
  int touching = 0;
  const double free = finder_.free_way(pair.motion(a, b), pair.candidates, pair.hits, touching);
  pair.touching |= touching > 0;
  return free;
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
  return free;
}

/// Bodies stay where the free way ended.
void IslandStep::shorten(double left) {
  for (Member* m : members_) {
    m->change.resize(m->node_at.size());
    for (std::size_t i = 0; i < m->node_at.size(); ++i)
      m->change[i] = (m->node_at[i] - m->node_begin[i]) / h_;
    m->method->place(m->node_at, m->change);
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
    for (const PairRow& row : pair->rows) {
      PairMotion there = pair->motion(a, b);
      there.first_at = a.end;
      there.second_at = b.end;
      PairRow moved = row;
      PairRows::measure(there, moved);
      const double lack = pair->delta - moved.distance;
      any |= lack > deep * pair->delta;
      gaps_[c++] = std::max(-lack + deep / 2 * pair->delta, -most_lift * pair->delta);
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
  for (Member* m : members_) {
    if (free < 1)
      for (Vec3& way : m->change) way *= 0.9 * free;
    m->contact->shift(m->change);
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
  for (const IslandProblem::Row& row : problem_.rows())
    for (const IslandProblem::Share& share : row.shares)
      if (share.part >= 0 && !row.impulse.isZero(0)) {
        Member& m = *members_[std::size_t(share.part)];
        ++m.report.contacts;
        double sum = 0;
        for (const ContactTerm& term : m.contacts[std::size_t(share.contact)].terms()) sum += term.weight;
        m.report.contact_impulse += sum * row.impulse;
      }
}

}  // namespace pliant
