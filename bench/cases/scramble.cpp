// SPDX-License-Identifier: Apache-2.0
#include "bench/cases/scramble.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "bench/harness/case.hpp"
#include "bench/harness/timing.hpp"
#include "pliant/geometry/repair.hpp"
#include "pliant/geometry/surface_graph.hpp"
#include "pliant/methods/geometric/build.hpp"

namespace pliant::bench {
namespace {

constexpr int seeds = 100;
constexpr double scramble_density = 1000, back = 0.01;
constexpr double negligible = 1e-9;  // of the energy of the start: what is below it may come and go

/// The rotation nearest to a, wherever it is: an iteration from the identity may stop half a turn away.
Mat3 nearest_rotation(const Mat3& a) {
  const Eigen::JacobiSVD<Mat3> svd(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Mat3 sign = Mat3::Identity();
  sign(2, 2) = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1;
  return svd.matrixU() * sign * svd.matrixV().transpose();
}

/// Root of the mean squared distance to the rest shape; of a free body after the best rigid motion.
double distance_to_rest(const Points& x, const Points& rest, bool free) {
  Vec3 shift = Vec3::Zero(), centre = Vec3::Zero();
  Mat3 turn = Mat3::Identity();
  const double n = double(x.size());
  if (free) {
    for (std::size_t i = 0; i < x.size(); ++i) shift += x[i] / n, centre += rest[i] / n;
    Mat3 a = Mat3::Zero();
    for (std::size_t i = 0; i < x.size(); ++i) a += (x[i] - shift) * (rest[i] - centre).transpose();
    turn = nearest_rotation(a);
  }
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += (x[i] - shift - turn * (rest[i] - centre)).squaredNorm() / n;
  return std::sqrt(sum);
}

Points scrambled(const Points& rest, const std::vector<Index>& held, int seed) {
  Vec3 low = rest.front(), high = low;
  for (const Vec3& p : rest) low = low.cwiseMin(p), high = high.cwiseMax(p);
  std::mt19937_64 bits{std::uint64_t(seed)};
  const auto unit = [&] { return double(bits() >> 11) * 0x1.0p-53; };
  Points x = rest;
  for (Index i = 0; i < Index(x.size()); ++i)
    if (!std::binary_search(held.begin(), held.end(), i))
      for (int c = 0; c < 3; ++c) x[i][c] = low[c] + unit() * (high[c] - low[c]);
  return x;
}

double kinetic(const NodeState& s) {
  double sum = 0;
  for (std::size_t i = 0; i < s.v.size(); ++i) sum += 0.5 * s.mass[i] * s.v[i].squaredNorm();
  return sum;
}

/// Of a body at rest in another shape. First the dent: at its sharp rim rotations are not continuous, and a
/// loop around such a place says nothing.
ScrambleCause cause_of(const ScrambleBody& body, const Points& x) {
  const NodeGraph& graph = body.shape.graph;
  constexpr double less = 0.9;  // of the volume at rest
  if (is_closed(graph.triangles) &&
      enclosed_volume(x, graph.triangles) < less * enclosed_volume(graph.positions, graph.triangles))
    return ScrambleCause::dent;
  Result<geometric::Rows> rows = geometric::make_rows(body.shape, scramble_density, body.options);
  if (!rows) throw std::runtime_error(rows.error().text());
  const Result<geometric::Model> model = geometric::make_model(std::move(*rows));
  if (!model) throw std::runtime_error(model.error().text());
  geometric::Rotations rotations(x.size(), Eigen::Quaterniond::Identity());
  geometric::update_rotations(*model, x, rotations);
  return has_full_turn(graph.edges, rotations) ? ScrambleCause::full_turn : ScrambleCause::none;
}

Row measure_scramble(const Context& context, const ScrambleBody& body) {
  std::vector<ScrambleResult> results;
  std::vector<double> per_step;
  for (int seed = 1; seed <= seeds; ++seed) {
    results.push_back(run_scramble(body, seed, context.pool));
    per_step.push_back(results.back().ms / results.back().run);
  }
  fmt::print("scramble/{}: {}\n", body.name, scramble_text(results));
  Row row{.name = "scramble/" + body.name,
          .nodes = Index(body.shape.graph.positions.size()),
          .threads = context.pool.threads()};
  row.ms_min = minimum(per_step);
  row.ms_median = median(per_step);
  row.more["seeds"] = seeds;
  row.more["returned"] = std::count_if(
      results.begin(), results.end(), [](const ScrambleResult& r) { return r.end == ScrambleEnd::returned; });
  row.more["outcome"] = scramble_text(results);
  return row;
}

}  // namespace

std::vector<ScrambleBody> scramble_bodies() {
  std::vector<ScrambleBody> out(3);
  out[0].name = "bar";
  out[0].shape = make_shape(BoxShape{.size = {0.4, 0.4, 2}, .nodes = {9, 9, 41}});
  out[0].options.stiffness = 5e6;
  for (Index i = 0; i < Index(out[0].shape.graph.positions.size()); ++i)
    if (out[0].shape.graph.positions[i].z() < 1e-9) out[0].held.push_back(i);
  out[1].name = "shell";
  out[1].shape = on_surface(make_shape(EllipsoidShape{.radii = {0.5, 0.3, 0.4}, .nodes = 17}), 0.02);
  out[1].options.stiffness = 5e6;
  out[1].options.op = geometric::Operator::edge;
  out[1].options.bending = 0.3;
  out[2].name = "torus";
  out[2].shape = make_shape(TorusShape{});
  out[2].options.stiffness = 5e6;
  return out;
}

ScrambleResult run_scramble(const ScrambleBody& body, int seed, Pool& pool) {
  auto built = geometric::build(body.shape, scramble_density, {.mass = 1, .stiffness = 0.001}, body.options);
  if (!built) throw std::runtime_error(built.error().text());
  Method& method = **built;
  const Points& rest = body.shape.graph.positions;
  method.place(scrambled(rest, body.held, seed), Points(rest.size(), Vec3::Zero()));
  Points targets;
  for (const Index i : body.held) targets.push_back(rest[i]);
  StepInput input;
  input.held = body.held;
  input.targets = targets;
  input.pool = &pool;

  const double size = diagonal(rest), start = method.elastic_energy();
  double least = start;
  ScrambleResult out;
  while (out.end != ScrambleEnd::returned && out.run < scramble_steps) {
    const StepReport report = method.advance(input);
    if (!report.ok()) throw std::runtime_error(body.name + ": " + report.trouble);
    out.ms += report.ms.total;
    ++out.run;
    out.rms = distance_to_rest(method.nodes().x, rest, body.held.empty()) / size;
    const double energy = kinetic(method.nodes()) + method.elastic_energy();
    out.most = std::max(out.most, energy / start);
    if (energy > negligible * start) out.rise = std::max(out.rise, energy / least);
    least = std::max(std::min(least, energy), negligible * start);
    if (!(out.rms < back)) out.steps = out.run + 1;
    if (out.run - out.steps >= scramble_stays) out.end = ScrambleEnd::returned;
  }
  if (out.end == ScrambleEnd::moving && kinetic(method.nodes()) < 0.01 * method.elastic_energy())
    out.end = ScrambleEnd::elsewhere;
  if (out.end == ScrambleEnd::elsewhere) out.cause = cause_of(body, method.nodes().x);
  return out;
}

bool has_full_turn(const std::vector<NodeGraph::Edge>& edges, const geometric::Rotations& rotations) {
  // A rotation is a quaternion and its negative. Neighbours choose the signs that are near each other; around
  // a loop of one full turn no choice fits.
  const Adjacency adj = adjacency(Index(rotations.size()), edges);
  std::vector<int> sign(rotations.size(), 0);
  for (Index seed = 0; seed < Index(sign.size()); ++seed) {
    if (sign[seed] != 0) continue;
    sign[seed] = 1;
    for (std::vector<Index> front{seed}; !front.empty();) {
      const Index i = front.back();
      front.pop_back();
      for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
        const Index j = adj.target[k];
        const int wanted = rotations[i].dot(rotations[j]) < 0 ? -sign[i] : sign[i];
        if (sign[j] == 0) {
          sign[j] = wanted;
          front.push_back(j);
        } else if (sign[j] != wanted) {
          return true;
        }
      }
    }
  }
  return false;
}

std::string scramble_text(const std::vector<ScrambleResult>& results) {
  int returned = 0, elsewhere = 0, moving = 0, worst = 0, turned = 0, dented = 0;
  double steps = 0, rms = 0, most = 0, rise = 1;
  for (const ScrambleResult& r : results) {
    most = std::max(most, r.most);
    rise = std::max(rise, r.rise);
    turned += r.cause == ScrambleCause::full_turn;
    dented += r.cause == ScrambleCause::dent;
    if (r.end == ScrambleEnd::returned)
      ++returned, steps += r.steps, worst = std::max(worst, r.steps);
    else
      r.end == ScrambleEnd::elsewhere ? ++elsewhere : ++moving, rms = std::max(rms, r.rms);
  }
  std::string text = fmt::format("{} of {} return", returned, results.size());
  if (returned) text += fmt::format(" in {:.0f} steps on average (worst {})", steps / returned, worst);
  if (elsewhere) text += fmt::format("; {} come to rest in another equilibrium", elsewhere);
  if (turned) text += fmt::format(", {} of them twisted by a full turn, which no motion undoes", turned);
  if (dented) text += fmt::format(", {} of them with a part that stands inwards", dented);
  if (const int rest = elsewhere - turned - dented; rest > 0)
    text += fmt::format(", {} of them for no known reason", rest);
  if (moving) text += fmt::format("; {} still move after {} steps", moving, scramble_steps);
  if (elsewhere + moving) text += fmt::format(" (rms up to {:.3f} of the diagonal)", rms);
  text += fmt::format("; energy at most {:.3g} of the start's and {:.3g} of its least before", most, rise);
  return text;
}

std::vector<Case> scramble_cases() {
  std::vector<Case> out;
  for (const std::string name : {"bar", "shell", "torus"})
    out.push_back({"scramble/" + name, [name](const Context& context) {
                     for (const ScrambleBody& body : scramble_bodies())
                       if (body.name == name) return measure_scramble(context, body);
                     throw std::runtime_error("no scramble body " + name);
                   }});
  for (Case& c : out) c.large = true;
  return out;
}

}  // namespace pliant::bench
