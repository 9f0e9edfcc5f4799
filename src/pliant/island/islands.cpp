// SPDX-License-Identifier: Apache-2.0
#include "pliant/island/islands.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/clock.hpp"
#include "pliant/island/sleeping.hpp"

namespace pliant {
namespace {

// Share of a body's size that it keeps from others, and that is as good as touching.
constexpr double kept_distance = 5e-3, touching = 1e-6;
constexpr int most_halvings = 4;
constexpr double parting = 0.02;          // of delta: between bodies that touched at the start
constexpr double default_friction = 0.5;  // of a body that gives none, as of colliders

double friction_of(const Member& m) {
  const double given = m.input.contact.friction;
  return given < 0 ? default_friction : given;
}

/// A step that is made again tells its contacts again.
void clear_log(const Member& m) {
  if (m.input.contact_log) m.input.contact_log->clear();
}

double thickness_of(const Member& m) {
  const ContactOptions& contact = m.input.contact;
  if (contact.thickness > 0) return contact.thickness;
  return m.usual > 0 ? m.usual : std::max(contact.offset, kept_distance * m.surface->size());
}

}  // namespace

void Islands::attach(std::span<const Joiner> joiners) {
  if (!members_.empty()) {
    members_before_ = std::exchange(members_, {});
    pairs_before_ = std::exchange(pairs_, {});
  }
  for (const Joiner& joiner : joiners)
    if (ContactBody* contact = joiner.method->contact_body(); contact && !joiner.triangles.empty())
      members_.push_back(make_member(joiner, *contact));
  pair_up();
  // A body that gives way may then touch the next.
  bool any = true;
  for (std::size_t k = 0; any && k < members_.size(); ++k) {
    any = false;
    for (BodyPair& pair : pairs_) any |= !pair.within_one() && are_willing(pair) && part_touching(pair);
  }
  for (BodyPair& pair : pairs_) {
    look_for_crossing(pair);
    take_memory(pair);
  }
  bonds_.find_members(members_);
  if (joiners.empty()) return;
  members_before_.clear();
  pairs_before_.clear();
}

Member Islands::make_member(const Joiner& joiner, ContactBody& contact) {
  Member m;
  m.body = joiner.body;
  m.method = joiner.method;
  m.contact = &contact;
  const std::span<const Index> number = contact.stage().numbers();
  std::vector<Triangle> triangles(joiner.triangles.begin(), joiner.triangles.end());
  for (Triangle& t : triangles)
    for (Index& v : t) v = number[std::size_t(v)];
  m.place_surface(m.x(), m.begin);
  m.at = m.end = m.begin;
  // A body that was here keeps its surface: size and tree are those of its start.
  for (Member& before : members_before_)
    if (before.method == m.method && before.surface && before.begin.size() == m.begin.size() &&
        std::ranges::equal(before.surface->moving().triangles(), triangles)) {
      m.surface = std::move(before.surface);
      if (!joiner.rest.empty()) m.self = std::move(before.self);
    }
  if (!m.surface) m.surface = std::make_unique<MeetingSurface>(m.begin, triangles);
  if (!joiner.rest.empty() && !m.self) {
    Points rest(m.begin.size(), Vec3::Zero());
    for (std::size_t v = 0; v < rest.size(); ++v) rest[std::size_t(number[v])] = joiner.rest[v];
    m.self = std::make_unique<SelfSearch>(rest, triangles);
  }
  m.usual = joiner.thickness;
  m.movable = joiner.movable;
  m.closed = joiner.closed;
  m.input.contact = joiner.contact;
  m.thickness = thickness_of(m);
  m.surface->moving().refit(m.begin, m.begin, m.thickness);
  return m;
}

void Islands::pair_up() {
  for (Index a = 0; a < Index(members_.size()); ++a)
    for (Index b = members_[std::size_t(a)].self ? a : a + 1; b < Index(members_.size()); ++b) {
      BodyPair pair;
      pair.first = a;
      pair.second = b;
      measure(pair);
      pairs_.push_back(std::move(pair));
    }
}

/// Of the same two bodies before, in the same order: keys name features of the first and of the second. A surface
/// that is gone went to the body that is here now.
void Islands::take_memory(BodyPair& pair) {
  const auto same = [&](Index before, Index now) {
    const Member& m = members_before_[std::size_t(before)];
    return m.method == members_[std::size_t(now)].method && !m.surface;
  };
  for (BodyPair& before : pairs_before_)
    if (same(before.first, pair.first) && same(before.second, pair.second))
      pair.memory = std::move(before.memory);
}

void Islands::look_again() {
  wake_all();
  for (Member& m : members_) {
    m.place_surface(m.x(), m.begin);
    m.at = m.end = m.begin;
    m.surface->moving().refit(m.begin, m.begin, m.thickness);
    if (m.self) m.self->forget();
  }
  for (BodyPair& pair : pairs_) {
    pair.memory.clear();
    look_for_crossing(pair);
  }
}

/// Tied bodies keep the distance they have where that is less than what they would keep; those that touch or overlap
/// as they are tied do not meet.
void Islands::set_bonds(std::vector<Bond> bonds, std::span<const Collider> colliders, double time) {
  bonds_.set(std::move(bonds));
  look_again();
  bonds_.tie(members_, colliders, time);
  find_bond_distances();
}

void Islands::find_bond_distances() {
  for (BodyPair& pair : pairs_) {
    pair.most_delta = std::numeric_limits<double>::infinity();
    if (!bonds_.holds(pair.first, pair.second)) continue;
    const Member &a = members_[std::size_t(pair.first)], &b = members_[std::size_t(pair.second)];
    measure(pair);
    search(pair);
    finder_.find(
        pair.motion(a, b), pair.candidates, [](const PairKey&) { return true; }, rows_);
    for (const PairRow& row : rows_) pair.most_delta = std::min(pair.most_delta, 0.9 * row.distance);
    if (pair.crossing || pair.most_delta < 10 * pair.floor) pair.most_delta = 0;
    pair.crossing = false;
  }
}

void Islands::measure(BodyPair& pair) const {
  const Member &a = members_[std::size_t(pair.first)], &b = members_[std::size_t(pair.second)];
  pair.delta = std::min((a.thickness + b.thickness) / 2, pair.most_delta);
  pair.floor = touching * std::min(a.surface->size(), b.surface->size());
}

/// Bodies that touch at the start, face on face, have no direction between them that closest points tell: one of
/// them is moved out of the other's faces by a hair. True: it was.
bool Islands::part_touching(BodyPair& pair) {
  Member &a = members_[std::size_t(pair.first)], &b = members_[std::size_t(pair.second)];
  Member& moved = b.movable ? b : a;
  search(pair);
  const double clear = parting * pair.delta;
  const double reach = a.closed && b.closed ? pair.delta : 1.5 * clear;
  Vec3 way = Vec3::Zero();  // from the second body to the first
  finder_.touches(pair.motion(a, b), pair.candidates, reach, true, way, rows_);
  if (rows_.empty()) {  // vertex on vertex: the triangles beside them together tell the way
    finder_.touches(pair.motion(a, b), pair.candidates, reach, false, way, rows_);
    for (const PairRow& row : rows_) way += row.normal;
    if (!(way.norm() > 1e-6)) return false;
    finder_.touches(pair.motion(a, b), pair.candidates, reach, false, way.normalized(), rows_);
  }
  double least = clear;
  for (const PairRow& row : rows_) {
    least = std::min(least, row.distance);
    if (row.distance < clear / 2) way += row.normal;
  }
  if (least >= clear / 2 || !moved.movable || !(way.norm() > 1e-6)) return false;
  const Vec3 hair = (&moved == &a ? 1 : -1) * (clear - least) * way.normalized();
  const Index from = Index(&moved - members_.data()), stays = &moved == &a ? pair.second : pair.first;
  find_touching_group(from, stays);
  const auto shift = [&](const Vec3& by) {
    for (std::size_t k = 0; k < members_.size(); ++k) {
      Member& m = members_[k];
      if (!done_[k] || !m.movable) continue;
      Points x = m.x(), v = m.v();
      for (Vec3& p : x) p += by;
      m.contact->place(x, v);
      m.place_surface(x, m.begin);
      m.at = m.end = m.begin;
      m.surface->moving().refit(m.begin, m.begin, m.thickness);
    }
  };
  shift(hair);
  look_for_crossing(pair);
  if (!pair.crossing) return true;
  shift(-hair);
  return false;
}

/// done_: the body and all that touch it and each other, but one. What rests on a body moves with it.
void Islands::find_touching_group(Index from, Index but) {
  done_.assign(members_.size(), 0);
  done_[std::size_t(from)] = 1;
  for (bool grown = true; grown;) {
    grown = false;
    for (BodyPair& pair : pairs_) {
      const Index a = pair.first, b = pair.second;
      if (pair.within_one() || a == but || b == but || done_[std::size_t(a)] == done_[std::size_t(b)])
        continue;
      const Member &first = members_[std::size_t(a)], &second = members_[std::size_t(b)];
      search(pair);
      finder_.touches(pair.motion(first, second), pair.candidates, pair.floor, false, Vec3::Zero(), rows_);
      if (rows_.empty()) continue;
      done_[std::size_t(a)] = done_[std::size_t(b)] = 1;
      grown = true;
    }
  }
}

std::vector<Overlap> Islands::overlaps() {
  std::vector<Overlap> out;
  for (Member& m : members_) {
    m.place_surface(m.x(), m.begin);
    m.surface->moving().refit(m.begin, m.begin, m.thickness);
  }
  for (const BodyPair& pair : pairs_)
    if (pair.crossing && !pair.within_one())
      out.push_back(leading_.look(members_[std::size_t(pair.first)], members_[std::size_t(pair.second)]));
  return out;
}

std::vector<IndexPair> Islands::crossing() const {
  std::vector<IndexPair> out;
  for (const BodyPair& pair : pairs_)
    if (pair.crossing && are_willing(pair))
      out.push_back({members_[std::size_t(pair.first)].body, members_[std::size_t(pair.second)].body});
  return out;
}

std::optional<SelfSearch::Flaws> Islands::flaws(Index body) const {
  for (const Member& m : members_)
    if (m.body == body && m.self) return m.self->flaws();
  return std::nullopt;
}

void Islands::look_for_crossing(BodyPair& pair) {
  pair.way.setZero();
  if (pair.within_one()) {
    const Member& m = members_[std::size_t(pair.first)];
    pair.crossing = m.self->crosses(m.begin);
    return;
  }
  const bool tied = pair.most_delta == 0 && bonds_.holds(pair.first, pair.second);
  pair.crossing =
      !tied && leading_.look(members_[std::size_t(pair.first)], members_[std::size_t(pair.second)]).any();
}

/// Rows that lead a pair apart in this step. It meets as soon as it has parted, and as features do not as good as
/// touch.
void Islands::lead(BodyPair& pair) {
  const Member &a = members_[std::size_t(pair.first)], &b = members_[std::size_t(pair.second)];
  pair.led.clear();
  if (leading_.look(a, b, pair.delta).any()) {
    pair.way = leading_.direction(a, b, pair.way);
    leading_.rows(a, b, pair.way, pair.delta, pair.led);
    for (PairRow& row : pair.led) row.delta = pair.delta;
    return;
  }
  pair.crossing = false;
  pair.way.setZero();
  pair.memory.clear();
}

Index Islands::root(Index member) {
  while (leader_[std::size_t(member)] != member) member = leader_[std::size_t(member)];
  return member;
}

void Islands::join(Index a, Index b) {
  a = root(a);
  b = root(b);
  leader_[std::size_t(std::max(a, b))] = std::min(a, b);
}

/// Where the surface is, and where it would be at the end if every node kept its velocity.
void Islands::foresee(Member& m) {
  const double h = m.input.h;
  m.place_surface(m.x(), m.begin);
  m.change = m.x();
  for (std::size_t i = 0; i < m.change.size(); ++i) m.change[i] += h * (m.v()[i] + h * m.input.gravity);
  for (std::size_t n = 0; n < m.input.held.size(); ++n)
    m.change[std::size_t(m.input.held[n])] = m.input.targets[n];
  m.place_surface(m.change, m.end);
  m.at = m.begin;
  if (members_.size() > 1) m.surface->moving().refit(m.begin, m.end, m.thickness);
}

void Islands::begin_step(Member& m) {
  (*aim_)(m);
  m.thickness = thickness_of(m);
  if (members_.size() > 1) {
    foresee(m);
  } else {  // it may only meet itself, and is asked for its way when the step is done
    m.place_surface(m.x(), m.begin);
    m.at = m.end = m.begin;
  }
  m.step_begin = m.begin;
  m.contact->keep(ContactBody::Slot::step);
}

void Islands::prepare(BodyPair& pair) {
  const Member &a = members_[std::size_t(pair.first)], &b = members_[std::size_t(pair.second)];
  pair.kept.assign(pair.memory.begin(), pair.memory.end());
  pair.touching = false;
  measure(pair);
  pair.friction = std::sqrt(friction_of(a) * friction_of(b));
}

void Islands::begin_step(BodyPair& pair) {
  prepare(pair);
  if (pair.crossing) pair.within_one() ? look_for_crossing(pair) : lead(pair);
  pair.near = pair.within_one() ? is_near_itself(pair) : is_near(pair);
  if (pair.near)
    join(pair.first, pair.second);
  else
    pair.memory.clear();
}

void Islands::begin_step(std::span<const Collider> colliders) {
  leader_.resize(members_.size());
  done_.assign(members_.size(), 0);
  roused_.assign(members_.size(), 0);
  stops_.clear();
  for (Index k = 0; k < Index(members_.size()); ++k) {
    leader_[std::size_t(k)] = k;
    if (Member& m = members_[std::size_t(k)]; m.asleep() && collider_stirs(m, colliders)) wake(m.body);
  }
  for (std::size_t k = 0; k < members_.size(); ++k)
    if (members_[k].asleep())
      done_[k] = 1;
    else
      begin_step(members_[k]);
  rouse_who_is_met();
  bonds_.keep();
  bonds_.each_pair([&](Index first, Index second) {
    if (second >= 0) join(first, second);
  });
  for (BodyPair& pair : pairs_)
    if (!both_asleep(pair) && !one_asleep(pair)) begin_step(pair);
}

bool Islands::both_asleep(const BodyPair& pair) const {
  return members_[std::size_t(pair.first)].asleep() && members_[std::size_t(pair.second)].asleep();
}
bool Islands::one_asleep(const BodyPair& pair) const {
  return members_[std::size_t(pair.first)].asleep() != members_[std::size_t(pair.second)].asleep();
}

void Islands::rouse(Index member) {
  const Index with = members_[std::size_t(member)].sleeps_with;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    Member& m = members_[k];
    if (m.sleeps_with != with) continue;
    m.sleeps_with = -1;
    m.quiet = 0;
    done_[k] = 0;
    roused_[k] = 1;
    begin_step(m);
  }
}

/// Who is roused may come near others.
void Islands::rouse_who_is_met() {
  for (bool any = true; any;) {
    any = false;
    for (BodyPair& pair : pairs_) {
      if (!one_asleep(pair)) continue;
      measure(pair);
      if (!is_near(pair)) continue;
      rouse(members_[std::size_t(pair.first)].asleep() ? pair.first : pair.second);
      any = true;
    }
  }
}

/// Islands of this step of which all members have been at rest for long enough.
void Islands::fall_asleep() {
  for (Member& m : members_)
    if (!m.asleep()) note_rest(m, m.input.h);
  if (!may_sleep_) return;
  restless_.assign(members_.size(), 0);
  for (Index k = 0; k < Index(members_.size()); ++k) {
    const Member& m = members_[std::size_t(k)];
    if (!m.asleep() && m.quiet < quiet_time) restless_[std::size_t(root(k))] = 1;
  }
  for (const BodyPair& pair : pairs_)
    if (pair.crossing)
      restless_[std::size_t(root(pair.first))] = restless_[std::size_t(root(pair.second))] = 1;
  for (Index k = 0; k < Index(members_.size()); ++k) {
    Member& m = members_[std::size_t(k)];
    if (m.asleep() || restless_[std::size_t(root(k))]) continue;
    m.sleeps_with = root(k);
    m.report = report_asleep(m.report);
    m.place_surface(m.x(), m.begin);
    m.at = m.end = m.begin;
    m.surface->moving().refit(m.begin, m.begin, m.thickness);
  }
}

double Islands::end_of_step() const {
  double time = 0;
  for (const Member& m : members_)
    if (!m.asleep()) time = std::max(time, m.input.time);
  return time;
}

void Islands::let_sleep(bool on) {
  may_sleep_ = on;
  if (!on) wake_all();
}

Member* Islands::member_of(Index body) {
  const auto at =
      std::find_if(members_.begin(), members_.end(), [&](const Member& m) { return m.body == body; });
  return at == members_.end() ? nullptr : &*at;
}

bool Islands::asleep(Index body) const {
  return std::any_of(members_.begin(), members_.end(),
                     [&](const Member& m) { return m.body == body && m.asleep(); });
}

void Islands::wake(Index body) {
  Member* const member = member_of(body);
  if (!member) return;
  member->quiet = 0;
  if (!member->asleep()) return;
  const Index with = member->sleeps_with;
  for (Member& other : members_)
    if (other.sleeps_with == with) other.sleeps_with = -1, other.quiet = 0;
}

void Islands::wake_all() {
  for (Member& m : members_) m.sleeps_with = -1, m.quiet = 0;
}

bool Islands::is_near(BodyPair& pair) {
  if (pair.crossing) return may_meet(pair);
  search(pair);
  if (!may_meet(pair) || pair.candidates.size() == 0) return false;
  if (!pair.memory.empty()) return true;
  const Member &a = members_[std::size_t(pair.first)], &b = members_[std::size_t(pair.second)];
  finder_.find(
      pair.motion(a, b), pair.candidates, [](const PairKey&) { return false; }, rows_);
  return !rows_.empty();
}

/// Asked of where the body is, not of where it would go: most bodies that might meet themselves do not, and their step
/// is checked when it is done.
bool Islands::is_near_itself(BodyPair& pair) {
  if (!may_meet(pair)) return false;
  if (!pair.memory.empty()) return true;
  Member& m = members_[std::size_t(pair.first)];
  if (m.self->clear(m.begin, m.begin, pair.delta)) return false;
  m.self->find(m.begin, m.begin, m.thickness, pair.candidates);
  PairMotion here = pair.motion(m, m);
  here.first_end = here.second_end = m.begin;
  return finder_.any_near(here, pair.candidates);
}

std::optional<Index> Islands::step(const Aim& aim, std::span<const Collider> colliders, Pool& pool) {
  aim_ = &aim;
  island_.attach(bonds_);  // a simulation may have been moved
  begin_step(colliders);
  do {
    for (Index k = 0; k < Index(members_.size()); ++k) {
      if (done_[std::size_t(k)] || root(k) != k) continue;
      if (const std::optional<Index> failed = step_island(k, pool)) {
        for (Member& m : members_)
          if (!m.asleep()) go_back(m);
        for (BodyPair& pair : pairs_)
          if (!both_asleep(pair)) pair.memory = pair.kept;
        return failed;
      }
    }
  } while (check_apart());
  look_at_touching();
  if (!bonds_.empty() && !members_.empty()) bonds_.let_go(done_, end_of_step());
  fall_asleep();
  return std::nullopt;
}

std::optional<Index> Islands::step_island(Index leader, Pool& pool) {
  joined_.clear();
  joined_pairs_.clear();
  for (Index k = 0; k < Index(members_.size()); ++k)
    if (root(k) == leader) {
      joined_.push_back(&members_[std::size_t(k)]);
      clear_log(members_[std::size_t(k)]);
      done_[std::size_t(k)] = 1;
    }
  const bool meets = joined_.size() > 1 || is_bonded(leader) || steps_as_island(leader);
  if (Member& m = *joined_[0]; !meets && (m.contact->meets_colliders_alone() || m.input.colliders.empty())) {
    m.report = m.method->advance(m.input);
    return m.report.ok() ? std::nullopt : std::optional(leader);
  }
  for (BodyPair& pair : pairs_)
    if (may_meet(pair) && root(pair.first) == leader && root(pair.second) == leader)
      joined_pairs_.push_back(&pair);
  if (members_.size() == 1) foresee(members_[0]);
  for (BodyPair* pair : joined_pairs_)
    if (pair->within_one()) search(*pair);
  for (Member* m : joined_) {
    m->whole = m->input;
    m->earlier = {};
  }
  // Of a step that is made again.
  std::erase_if(stops_, [&](const Stop& stop) {
    return std::any_of(joined_.begin(), joined_.end(),
                       [&](const Member* m) { return m->body == stop.first; });
  });
  const Clock::time_point begin = Clock::now();
  const std::optional<Index> failed = march(0, joined_[0]->input.time, joined_[0]->input.h, pool);
  // What the bodies themselves did not spend is shared among them.
  double rest = milliseconds_since(begin);
  for (const Member* m : joined_) rest -= m->report.ms.total;
  for (Member* m : joined_) {
    m->input = m->whole;
    m->begin = m->step_begin;
    m->report.ms.contact += rest / double(joined_.size());
    m->report.ms.total += rest / double(joined_.size());
  }
  return failed;
}

void Islands::go_back(Member& m) {
  clear_log(m);
  bonds_.go_back(Index(&m - members_.data()));
  m.contact->restore(ContactBody::Slot::step);
  m.begin = m.step_begin;
}

/// The step that ends at `end`, or its halves.
std::optional<Index> Islands::march(int halvings, double end, double h, Pool& pool) {
  if (halvings > 0) prepare_part(end, h);
  const IslandStep::Outcome out =
      island_.run(joined_, joined_pairs_, members_, halvings >= most_halvings, search_, pool);
  if (out.what == IslandStep::Outcome::failed) return out.member;
  if (out.what == IslandStep::Outcome::done) {
    if (joined_[0]->report.shortened > 0) {
      stops_.push_back(island_.stop());
      stops_.back().missing *= h / joined_[0]->whole.h;
    }
    for (Member* m : joined_) {
      m->report.shortened *= h / m->whole.h;
      add_earlier(m->report, m->earlier);
      m->earlier = m->report;
    }
    return std::nullopt;
  }
  for (Member* m : joined_)
    m->contact->restore(halvings > 0 ? ContactBody::Slot::part : ContactBody::Slot::step);
  if (const std::optional<Index> failed = march(halvings + 1, end - h / 2, h / 2, pool)) return failed;
  return march(halvings + 1, end, h / 2, pool);
}

/// Held nodes go to their targets in a straight line; colliders are where they are in this part of the step.
void Islands::prepare_part(double end, double h) {
  const double part = h / (joined_[0]->whole.time - (end - h));
  colliders_.assign(joined_[0]->whole.colliders.begin(), joined_[0]->whole.colliders.end());
  for (Collider& collider : colliders_) collider.aim(end - h, end);
  for (Member* m : joined_) {
    m->input.h = h;
    m->input.time = end;
    m->input.colliders = colliders_;
    m->targets.assign(m->whole.targets.begin(), m->whole.targets.end());
    for (std::size_t n = 0; n < m->targets.size(); ++n) {
      const Vec3& from = m->x()[std::size_t(m->whole.held[n])];
      m->targets[n] = from + part * (m->targets[n] - from);
    }
    m->input.targets = m->targets;
    m->contact->keep(ContactBody::Slot::part);
    foresee(*m);
  }
  for (BodyPair* pair : joined_pairs_) search(*pair);
}

bool Islands::steps_as_island(Index member) {
  return std::any_of(pairs_.begin(), pairs_.end(), [&](const BodyPair& pair) {
    return pair.near && (pair.first == member || pair.second == member);
  });
}

/// Bodies stepped apart, and their ways are free.
bool Islands::ends_apart(BodyPair& pair) {
  Member &a = members_[std::size_t(pair.first)], &b = members_[std::size_t(pair.second)];
  if (pair.within_one() && a.self->clear(a.begin, a.end, pair.delta)) return true;
  search(pair);
  rows_.clear();
  int touches = 0;
  const double free = finder_.free_way(pair.motion(a, b), pair.candidates, rows_, touches);
  pair.touching |= touches > 0;
  return free >= 1;
}

bool Islands::check_apart() {
  roused_.assign(members_.size(), 0);
  for (Member& m : members_) {
    if (m.asleep()) continue;
    m.place_surface(m.x(), m.end);
    m.at = m.begin;
    if (members_.size() > 1) m.surface->moving().refit(m.begin, m.end, m.thickness);
  }
  bool any = false;
  for (BodyPair& pair : pairs_) {
    if (both_asleep(pair)) continue;
    const bool together =
        pair.within_one() ? steps_as_island(pair.first) : root(pair.first) == root(pair.second);
    if (together || !may_meet(pair) || ends_apart(pair)) continue;
    any = true;
    pair.near = true;
    if (one_asleep(pair)) rouse(members_[std::size_t(pair.first)].asleep() ? pair.first : pair.second);
    for (Index k = 0; k < Index(members_.size()); ++k)
      if (root(k) == root(pair.first) || root(k) == root(pair.second)) done_[std::size_t(k)] = 0;
    join(pair.first, pair.second);
  }
  for (std::size_t k = 0; any && k < members_.size(); ++k)
    if (!done_[k]) go_back(members_[k]);
  for (BodyPair& pair : pairs_) {
    const int roused = roused_[std::size_t(pair.first)] + roused_[std::size_t(pair.second)];
    if (roused == 1) prepare(pair);
    if (roused == 2) begin_step(pair);
  }
  for (BodyPair& pair : pairs_)
    if (any && !done_[std::size_t(pair.first)] && !done_[std::size_t(pair.second)]) {
      pair.memory = pair.kept;
      search(pair);
    }
  return any;
}

/// Features that began a way as good as touching may have passed each other: whether the bodies cross now is asked
/// with exact signs. Those that do are told and do not meet until they have parted.
void Islands::look_at_touching() {
  for (BodyPair& pair : pairs_) {
    if (!pair.touching || pair.crossing) continue;
    for (const Index k : {pair.first, pair.second}) {
      Member& m = members_[std::size_t(k)];
      m.place_surface(m.x(), m.begin);
      m.surface->moving().refit(m.begin, m.begin, m.thickness);
    }
    look_for_crossing(pair);
    if (!pair.crossing || pair.within_one()) continue;
    const Overlap overlap =
        leading_.look(members_[std::size_t(pair.first)], members_[std::size_t(pair.second)]);
    stops_.push_back({.first = overlap.first, .second = overlap.second, .place = overlap.place});
  }
}

bool Islands::may_meet(const BodyPair& pair) const {
  if (pair.most_delta == 0 && bonds_.holds(pair.first, pair.second)) return false;
  if (pair.within_one() && (pair.crossing || !members_[std::size_t(pair.first)].input.contact.self))
    return false;
  return are_willing(pair);
}

bool Islands::are_willing(const BodyPair& pair) const {
  return members_[std::size_t(pair.first)].input.contact.bodies &&
         members_[std::size_t(pair.second)].input.contact.bodies;
}

/// Candidates of the surfaces as they were refitted; within one, of its way from `at` to the end.
void Islands::search(BodyPair& pair) {
  if (pair.within_one()) {
    Member& m = members_[std::size_t(pair.first)];
    return m.self->find(m.at, m.end, m.thickness, pair.candidates);
  }
  const Member &a = members_[std::size_t(pair.first)], &b = members_[std::size_t(pair.second)];
  pair.candidates.clear();
  if (a.surface->moving().tree().bounds().overlaps(b.surface->moving().tree().bounds()))
    search_.find(a.surface->moving(), b.surface->moving(), pair.candidates);
}

void Islands::save(Writer& writer) const {
  writer.value(std::uint64_t(members_.size()));
  for (const Member& m : members_) {
    writer.value(m.body);
    writer.value(m.asleep() ? members_[std::size_t(m.sleeps_with)].body : Index(-1));
    writer.value(m.quiet);
  }
  writer.value(std::uint64_t(pairs_.size()));
  for (const BodyPair& pair : pairs_) {
    writer.value(members_[std::size_t(pair.first)].body);
    writer.value(members_[std::size_t(pair.second)].body);
    writer.value(char(pair.crossing));
    for (int c = 0; c < 3; ++c) writer.value(pair.way[c]);
    writer.array(pair.memory);
    writer.value(pair.most_delta);
  }
  bonds_.save(writer);
}

/// The body settings may be others than when the state was saved, and so the bodies that meet: pairs that are here
/// now and were not then are seen anew.
bool Islands::load(Reader& reader) {
  look_again();
  std::uint64_t count = 0;
  reader.value(count);
  for (std::uint64_t k = 0; reader.ok() && k < count; ++k) {
    Index body = -1, with = -1;
    double quiet = 0;
    reader.value(body);
    reader.value(with);
    reader.value(quiet);
    Member* const member = member_of(body);
    Member* const leader = member_of(with);
    if (!member) continue;
    member->quiet = quiet;
    member->sleeps_with = leader ? Index(leader - members_.data()) : -1;
  }
  reader.value(count);
  for (std::uint64_t k = 0; reader.ok() && k < count; ++k) {
    BodyPair saved;
    char crossing = 0;
    reader.value(saved.first);
    reader.value(saved.second);
    reader.value(crossing);
    for (int c = 0; c < 3; ++c) reader.value(saved.way[c]);
    reader.list(saved.memory);
    reader.value(saved.most_delta);
    const auto before = [](const PairMemory& a, const PairMemory& b) { return a.key < b.key; };
    if (!std::is_sorted(saved.memory.begin(), saved.memory.end(), before)) return false;
    for (BodyPair& pair : pairs_) {
      if (members_[std::size_t(pair.first)].body != saved.first ||
          members_[std::size_t(pair.second)].body != saved.second)
        continue;
      pair.crossing = crossing != 0;
      pair.way = saved.way;
      pair.most_delta = saved.most_delta;
      pair.memory = std::move(saved.memory);
      break;
    }
  }
  return reader.ok() && bonds_.load(reader);
}

}  // namespace pliant
