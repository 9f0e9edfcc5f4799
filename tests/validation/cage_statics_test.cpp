// SPDX-License-Identifier: Apache-2.0
// Statics of the cage method: tight bends from rest in one go, and what it was made for, local deformations
// that keep detail, against hexahedra on the same box [Martin09, Fig. 1 and 5].
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>

#include "pliant/geometry/bumpy_bar.hpp"
#include "pliant/geometry/cage.hpp"
#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/geometry/voxel_quadrature.hpp"
#include "pliant/methods/cage/build.hpp"
#include "tests/support/hexahedral_pose.hpp"

namespace pliant {
namespace cage_statics_test {

struct Rest {
  int iterations = 0;  ///< until forces are balanced to 1e-7 of those that act
  int still = 0;       ///< until a step moves the cage by less than 1e-9 of the size
  int points = 0;
  double residual = 1;
  int inverted = 0;
};

/// A bumpy bar of 6 m in a cage of 58 vertices; what is beyond `cut` on one side is held, on the other turned
/// by so many degrees, along an arc that keeps the length between.
Rest bend(double cut, double degrees, int points) {
  BumpyBar bar;
  bar.resolution = {32, 48};
  Pool pool{1};
  Result<MeshShape> solid = make_mesh_shape(bumpy_bar_surface(bar), {.nodes = 2000, .solid = true}, pool);
  EXPECT_TRUE(solid);
  cage::Options options{.cells = {2, 2, 6}, .stiffness = 1000, .precision = cage::Precision::twice};
  const Shape shape = with_quadrature(solid->shape, points);
  auto built = cage::build(shape, 1, {}, options);
  EXPECT_TRUE(built);
  Method& body = **built;
  const double angle = degrees * M_PI / 180, radius = 2 * cut / angle;
  const Mat3 turn = Eigen::AngleAxisd(-angle, Vec3::UnitX()).toRotationMatrix();
  const Vec3 end(0, radius * (1 - std::cos(angle)), -cut + radius * std::sin(angle));
  std::vector<Index> held;
  Points targets;
  int left = 0;
  for (Index i = 0; i < Index(shape.graph.positions.size()); ++i) {
    const Vec3& p = shape.graph.positions[std::size_t(i)];
    if (shape.graph.volumes[std::size_t(i)] > 0 || std::abs(p.z()) < cut) continue;
    held.push_back(i);
    targets.push_back(p.z() < 0 ? p : Vec3(end + turn * (p - Vec3(0, 0, cut))));
    left += p.z() < 0;
  }
  std::vector<Index> sizes;
  for (const Index i : held)
    sizes.push_back(shape.graph.positions[std::size_t(i)].z() < 0 ? left : Index(held.size()) - left);
  StepInput in;
  in.pool = &pool;
  in.held = held;
  in.targets = targets;
  in.hold_sizes = sizes;
  RelaxMemory memory;
  Rest out;
  for (const double volume : shape.graph.volumes) out.points += volume > 0;
  for (int step = 1; step <= 100 && out.still == 0; ++step) {
    const Relaxation now = body.relax(in, 0, memory);
    EXPECT_TRUE(now.trouble.empty()) << now.trouble;
    if (now.residual <= 1e-7 && out.iterations == 0) out.iterations = step;
    if (now.stuck || now.change < 1e-9) out.still = step;
    out.residual = now.residual;
  }
  out.inverted = *body.inverted_cells();
  return out;
}

TEST(CageStatics, bends_and_a_tight_neck_converge_from_rest_in_one_go) {
  for (const int points : {232, 676})
    for (const auto& [cut, degrees] : {std::pair{2.4, 90.0}, {2.4, 120.0}, {0.8, 90.0}}) {
      const Rest at = bend(cut, degrees, points);
      EXPECT_LE(at.residual, 1e-7) << cut << " " << degrees;
      EXPECT_GT(at.iterations, 0) << cut << " " << degrees;
      EXPECT_LE(at.iterations, 60) << cut << " " << degrees;
      EXPECT_GT(at.still, 0) << cut << " " << degrees;
      EXPECT_EQ(at.inverted, 0);
      std::cout << fmt::format(
          "{} points, {:.1f} m free, {:.0f} degrees: {} steps to 1e-7 of the forces, {} until a step is "
          "below "
          "1e-9 of the size; {:.1e} of the forces left\n",
          at.points, 2 * cut, degrees, at.iterations, at.still, at.residual);
    }
}

struct Distortion {
  double mean = 0, p95 = 0, most = 0;  ///< singular values' ratio of the triangles' maps
  double kink = 0;                     ///< degrees
  double volume = 0;                   ///< share of that at rest
};

double enclosed(const Points& x, std::span<const Triangle> triangles) {
  double six = 0;
  for (const Triangle& t : triangles)
    six += x[std::size_t(t[0])].dot(x[std::size_t(t[1])].cross(x[std::size_t(t[2])]));
  return six / 6;
}

Distortion distortion(const Points& rest, const Points& now, std::span<const Triangle> triangles) {
  std::vector<std::pair<double, double>> ratios;
  double area = 0, sum = 0;
  const auto normal = [](const Points& x, const Triangle& t) {
    const Vec3 a = x[std::size_t(t[0])];
    return Vec3((x[std::size_t(t[1])] - a).cross(x[std::size_t(t[2])] - a));
  };
  std::map<std::pair<Index, Index>, Index> across;
  Distortion out;
  for (Index f = 0; f < Index(triangles.size()); ++f) {
    const Triangle& t = triangles[std::size_t(f)];
    Eigen::Matrix2d from;
    Eigen::Matrix<double, 3, 2> to;
    const Vec3 v = rest[std::size_t(t[1])] - rest[std::size_t(t[0])],
               w = rest[std::size_t(t[2])] - rest[std::size_t(t[0])];
    const Vec3 x = v.normalized(), y = v.cross(w).normalized().cross(x);
    from << x.dot(v), x.dot(w), y.dot(v), y.dot(w);
    to << now[std::size_t(t[1])] - now[std::size_t(t[0])], now[std::size_t(t[2])] - now[std::size_t(t[0])];
    const Eigen::Matrix<double, 3, 2> map = to * from.inverse();
    // The singular values are the roots of the eigenvalues of map^T map.
    const Eigen::Matrix2d squared = map.transpose() * map;
    const double mean = squared.trace() / 2,
                 apart = std::hypot((squared(0, 0) - squared(1, 1)) / 2, squared(0, 1));
    const Eigen::Vector2d s(std::sqrt(mean + apart), std::sqrt(std::max(mean - apart, 0.0)));
    const double weight = v.cross(w).norm() / 2;
    ratios.push_back({s[0] / s[1], weight});
    area += weight;
    sum += weight * s[0] / s[1];
    for (int k = 0; k < 3; ++k) {
      const Index a = t[k], b = t[(k + 1) % 3];
      const auto [other, first] = across.insert({{std::min(a, b), std::max(a, b)}, f});
      if (first) continue;
      const auto angle = [&](const Points& p) {
        const Vec3 m = normal(p, t), n = normal(p, triangles[std::size_t(other->second)]);
        const double turn = std::atan2(m.cross(n).norm(), m.dot(n));
        return m.cross(n).dot(p[std::size_t(b)] - p[std::size_t(a)]) > 0 ? turn : -turn;
      };
      out.kink =
          std::max(out.kink, std::abs(std::remainder(angle(now) - angle(rest), 2 * M_PI)) * 180 / M_PI);
    }
  }
  std::sort(ratios.begin(), ratios.end());
  double below = 0;
  for (const auto& [ratio, weight] : ratios) {
    below += weight;
    if (below >= 0.95 * area) {
      out.p95 = ratio;
      break;
    }
  }
  out.mean = sum / area;
  out.most = ratios.back().first;
  out.volume = enclosed(now, triangles) / enclosed(rest, triangles);
  return out;
}

/// A bar of 6 m with fine bumps, held on two or three parts of its surface that go to their ends in ten
/// steps.
struct Experiment {
  std::string name;
  /// The part of a surface vertex, or -1; and where it is at a share of the way.
  std::function<int(const Vec3&)> part;
  std::function<Vec3(int part, const Vec3&, double share)> target;
};

enum class Turn { arc, joint };

/// The head is turned by 90 degrees against the body; 1.6 m around `middle` are free. Along an arc that keeps
/// their length, or about a joint in the middle.
Experiment neck(double middle, Turn turn = Turn::arc) {
  constexpr double cut = 0.8;
  return {"neck",
          [=](const Vec3& p) {
            if (std::abs(p.z() - middle) <= cut) return -1;
            return p.z() < middle ? 0 : 1;
          },
          [=](int part, const Vec3& p, double share) -> Vec3 {
            if (part == 0 || share == 0) return p;
            const double angle = share * M_PI / 2, radius = 2 * cut / angle;
            const Eigen::AngleAxisd about(-angle, Vec3::UnitX());
            const Vec3 joint(0, 0, middle);
            if (turn == Turn::joint) return joint + about * (p - joint);
            const Vec3 end(0, radius * (1 - std::cos(angle)), middle - cut + radius * std::sin(angle));
            return end + about * (p - joint - Vec3(0, 0, cut));
          }};
}

/// A patch of radius 0.3 m in the middle is pulled by 1 m; half a metre of one end or of both is held.
Experiment patch(bool both_ends = false) {
  return {"patch",
          [=](const Vec3& p) {
            if (p.z() < -2.5 || (both_ends && p.z() > 2.5)) return 0;
            return (p - Vec3(0, 0.75, 0)).norm() < 0.3 ? 1 : -1;
          },
          [](int part, const Vec3& p, double share) -> Vec3 {
            return part == 1 ? Vec3(p + Vec3(0, share, 0)) : p;
          }};
}

/// What is told of a row.
struct Posed {
  Distortion at;
  double elastic = 0, springs = 0;  ///< energies, J
  int freedoms = 0;
  double residual = 0;  ///< of the forces
  double energy() const { return elastic + springs; }
};

constexpr double young = 1000, spring = 100;  // Pa; N/m a held vertex
constexpr int increments = 10;

/// An experiment with its quadrature points, and the box that cages and hexahedra fill.
struct Prepared {
  Prepared(const Experiment& of, const Shape& solid, int points) : shape(with_quadrature(solid, points)) {
    constexpr double clearance = 0.2;  // m
    const Points& rest = shape.graph.positions;
    for (Index i = 0; i < Index(rest.size()); ++i) {
      const Vec3& p = rest[std::size_t(i)];
      const bool on_side = p.head<2>().norm() > 0.69;  // m, below the bumps
      if (shape.graph.volumes[std::size_t(i)] > 0 || !on_side || of.part(p) < 0) continue;
      held.push_back(i);
      for (int k = 1; k <= increments; ++k)
        targets[std::size_t(k - 1)].push_back(of.target(of.part(p), p, double(k) / increments));
    }
    low = high = shape.surface.vertices[0];
    for (const Vec3& p : shape.surface.vertices) low = low.cwiseMin(p), high = high.cwiseMax(p);
    low.array() -= clearance;
    high.array() += clearance;
  }
  double stretched(std::size_t k, const Vec3& at) const {
    return spring / 2 * (at - targets.back()[k]).squaredNorm();
  }

  Shape shape;
  std::vector<Index> held;
  std::array<Points, increments> targets;
  Vec3 low, high;
};

/// Forces that are left over, as a share, after an increment.
double enough(int increment) { return increment + 1 < increments ? 1e-3 : 1e-6; }

Posed caged(const Prepared& in, const std::array<int, 3>& cells) {
  cage::Options options{.stiffness = young,
                        .normal_scale = cage::NormalScale::conformal,  // as the reference
                        .precision = cage::Precision::twice};
  options.hold = spring * double(in.held.size()) / (young * 6);  // all held vertices are one hold
  auto built = cage::build(in.shape, box_cage(in.low, in.high, cells), 1, {}, options);
  EXPECT_TRUE(built) << built.error().text();
  Method& body = **built;
  Pool pool{1};
  StepInput input;
  input.pool = &pool;
  input.held = in.held;
  RelaxMemory memory;
  Posed out;
  for (int k = 0; k < increments; ++k) {
    input.targets = in.targets[std::size_t(k)];
    out.residual = 1;
    for (int step = 0; step < 100 && out.residual > enough(k); ++step) {
      const Relaxation now = body.relax(input, 0, memory);
      EXPECT_TRUE(now.trouble.empty()) << now.trouble;
      out.residual = now.residual;
      if (now.stuck) break;
    }
  }
  Points surface(in.shape.surface.vertices.size());
  body.surface(surface);
  out.at = distortion(in.shape.surface.vertices, surface, in.shape.surface.triangles);
  out.elastic = body.elastic_energy();
  for (std::size_t k = 0; k < in.held.size(); ++k)
    out.springs += in.stretched(k, body.nodes().x[std::size_t(in.held[k])]);
  out.freedoms = int(body.describe().freedoms);
  return out;
}

/// The same points, material and springs.
Posed meshed(const Prepared& in, const std::array<int, 3>& cells) {
  HexahedralPose hexahedra(in.low, in.high, cells, young, cage::Options{}.poisson);
  const Points& rest = in.shape.graph.positions;
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (in.shape.graph.volumes[i] > 0) hexahedra.add_point(rest[i], in.shape.graph.volumes[i]);
  for (const Index i : in.held) hexahedra.add_spring(rest[std::size_t(i)], spring);
  Posed out;
  for (int k = 0; k < increments; ++k) {
    const Points& at = in.targets[std::size_t(k)];
    for (std::size_t s = 0; s < at.size(); ++s) hexahedra.aim(s, at[s]);
    out.residual = hexahedra.relax(enough(k), 100) >= 0 ? enough(k) : 1;
  }
  Points surface;
  for (const Vec3& p : in.shape.surface.vertices) surface.push_back(hexahedra.place(p));
  out.at = distortion(in.shape.surface.vertices, surface, in.shape.surface.triangles);
  out.elastic = hexahedra.elastic_energy();
  for (std::size_t k = 0; k < in.held.size(); ++k)
    out.springs += in.stretched(k, hexahedra.place(rest[std::size_t(in.held[k])]));
  out.freedoms = hexahedra.freedoms();
  return out;
}

/// The surface of the reference figures: 96 x 240 quads on the side. Its 46 272 triangles leave a fan for
/// each end; ours have rings, whose vertices nothing holds.
Result<MeshShape> reference_bar(Pool& pool) {
  BumpyBar bar;
  bar.resolution = {96, 240};
  return make_mesh_shape(bumpy_bar_surface(bar), {.nodes = 2000, .solid = true}, pool);
}

/// Reference figures of hexahedra, from an independent implementation.
struct Reference {
  double mean, p95, kink, volume, energy;
};
constexpr std::array<Reference, 2> neck_reference{
    {{1.278, 2.13, 93, 0.860, 4560}, {1.235, 2.10, 160, 0.929, 829}}},
    patch_reference{{{1.137, 1.36, 18, 1.054, 400}, {1.104, 1.38, 36, 1.024, 151}}};

/// Distance of hexahedra from the reference: root mean square of the logarithms of the ratios.
double apart(const std::array<Posed, 2>& found, const std::array<Reference, 2>& reference) {
  double sum = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    const Distortion& at = found[k].at;
    for (const double share :
         {(at.mean - 1) / (reference[k].mean - 1), (at.p95 - 1) / (reference[k].p95 - 1),
          at.kink / reference[k].kink, std::abs(at.volume - 1) / std::abs(reference[k].volume - 1),
          found[k].energy() / reference[k].energy})
      sum += std::log(share) * std::log(share);
  }
  return std::sqrt(sum / 10);
}

// The reference figures come without the place of the neck, the path of the head and what holds the patch's
// bar. The figures of the hexahedra depend on these, and no cage takes part. Their energy is that of body and
// springs.
TEST(CageStatics, hexahedra_tell_which_experiment_the_reference_made) {
  Pool pool{1};
  const Result<MeshShape> solid = reference_bar(pool);
  ASSERT_TRUE(solid);
  const auto hexahedra = [&](const Experiment& of) {
    return std::array{meshed({of, solid->shape, 330}, {1, 1, 3}), meshed({of, solid->shape, 676}, {2, 2, 5})};
  };
  double best = 1e9;
  for (const Turn turn : {Turn::arc, Turn::joint})
    for (const double middle : {0.0, 0.2, 0.4, 0.6, 0.8}) {
      const double now = apart(hexahedra(neck(middle, turn)), neck_reference);
      std::cout << fmt::format("neck around {:.1f} m, {}: {:.2f} apart\n", middle,
                               turn == Turn::arc ? "arc" : "joint", now);
      best = std::min(best, now);
      if (middle == 0.4 && turn == Turn::arc) {
        EXPECT_LT(now, 0.2);
      }
    }
  EXPECT_EQ(best, apart(hexahedra(neck(0.4)), neck_reference));
  const double one = apart(hexahedra(patch()), patch_reference),
               both = apart(hexahedra(patch(true)), patch_reference);
  std::cout << fmt::format("patch, one end held: {:.2f} apart, both: {:.2f}\n", one, both);
  EXPECT_LT(one, 0.2);
  EXPECT_LT(one, both);
}

struct Row {
  Experiment of;
  std::array<int, 3> cells, blocks;
  int points;
  double kink;  ///< at most, share of the hexahedra's
};

// The experiment of the reference: less distortion, and kinks of at most 0.6 of the hexahedra's, in its four
// rows. Two rows more, whose bounds only keep them from getting worse: a cage on the lattice of the
// hexahedra, with fewer freedoms than they have (0.64), and a neck in the middle of the bar (worse than
// hexahedra). There a ring of the cage lies in the middle of the neck, and the inner line of the bend folds
// at it; the hexahedra have no nodes there.
TEST(CageStatics, local_deformations_distort_less_than_hexahedra_with_the_same_points_and_springs) {
  Pool pool{1};
  const Result<MeshShape> solid = reference_bar(pool);
  ASSERT_TRUE(solid);
  const double asked = 0.6, equal_lattices = 0.8, folds = 2.4;
  for (const Row& row :
       {Row{neck(0.4), {1, 1, 3}, {1, 1, 3}, 330, asked}, Row{neck(0.4), {2, 2, 6}, {2, 2, 5}, 676, asked},
        Row{neck(0.4), {2, 2, 5}, {2, 2, 5}, 676, equal_lattices},
        Row{neck(0), {2, 2, 6}, {2, 2, 5}, 676, folds}, Row{patch(), {1, 1, 3}, {1, 1, 3}, 330, asked},
        Row{patch(), {2, 2, 6}, {2, 2, 5}, 676, asked}}) {
    const Prepared prepared(row.of, solid->shape, row.points);
    const Posed green = caged(prepared, row.cells), hexa = meshed(prepared, row.blocks);
    for (const auto& [kind, of] : {std::pair{"cage", green}, {"hexahedra", hexa}})
      std::cout << fmt::format("| {} | {} | {} | {:.3f} | {:.2f} | {:.1f} | {:.0f} | {:.3f} | {:.0f} |\n",
                               row.of.name, kind, of.freedoms, of.at.mean, of.at.p95, of.at.most, of.at.kink,
                               of.at.volume, of.energy());
    std::cout << fmt::format("  p95 {:.3f}, kink {:.2f} of the hexahedra's; forces left {:.0e}, {:.0e}\n",
                             green.at.p95 / hexa.at.p95, green.at.kink / hexa.at.kink, green.residual,
                             hexa.residual);
    EXPECT_LT(green.at.p95, hexa.at.p95);
    EXPECT_LT(green.at.kink, row.kink * hexa.at.kink);
    EXPECT_LT(green.energy(), hexa.energy());
    EXPECT_LE(green.residual, 1e-6);
    EXPECT_LE(hexa.residual, 1e-6);
  }
}

}  // namespace cage_statics_test
}  // namespace pliant
