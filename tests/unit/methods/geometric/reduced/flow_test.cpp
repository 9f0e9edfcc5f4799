// SPDX-License-Identifier: Apache-2.0
// Plastic flow of reduced bodies.
#include "pliant/methods/geometric/reduced/flow.hpp"

#include "pliant/methods/geometric/plastic_flow.hpp"
#include "pliant/methods/geometric/reduced/body.hpp"
#include "pliant/methods/geometric/reduced/build.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/linear_algebra.hpp"
#include "tests/support/points.hpp"
#include "tests/unit/methods/geometric/bodies.hpp"

namespace pliant::geometric {
namespace flow_test {

using Eigen::MatrixXd;

Options plastic_options(double yield, double creep, PlasticForm form = PlasticForm::consistent) {
  Options options;
  options.plasticity = Plasticity{{.yield = yield, .creep = creep, .cap = 0.5}, form};
  return options;
}

Rows small_bar() { return jittered(lattice({3, 3, 9}, 1, 1, 1e4), 0.05); }

Basis basis_of(const Model& model, const std::vector<HeldPiece>& pieces, const MatrixXd& functions) {
  Result<Basis> basis = make_basis(model, pieces, functions);
  EXPECT_TRUE(basis) << basis.error().text();
  return std::move(*basis);
}

MatrixXd identity(const Model& model) { return MatrixXd::Identity(model.nodes(), model.nodes()); }

/// Rest vectors that no shape has: every row its own.
Points flowed(const Model& model) {
  Points d = rest_vectors(model);
  const Points noise = random_points(d.size(), 0.1, 3);
  for (std::size_t k = 0; k < d.size(); ++k) d[k] += d[k].norm() * noise[k];
  return d;
}

/// One number of a node in the layout of the sweeps.
double number(const float* array, std::size_t count, Index node, std::size_t entry) {
  const std::size_t i = std::size_t(node);
  return array[reduced_lanes * (count * (i / reduced_lanes) + entry) + i % reduced_lanes];
}

// K Z + sum C(d) (1 - R^T) + B is Phi^T g about rest vectors that flowed, and A(X) + Z^T C(d) the covariance.
TEST(ReducedFlow, what_the_sweeps_read_is_the_energy_about_rest_vectors_that_flowed) {
  const Model model = model_of(small_bar());
  const Basis basis = basis_of(model, {}, identity(model));
  const ReducedModel small = make_reduced_model(model, basis, every_node(model));
  const Points d = flowed(model), x = deformed(model.rest, 0.3);
  ReducedFlow flow;
  flow.set_all(model, basis, d);
  Rotations rotations(x.size(), Eigen::Quaterniond::Identity());
  update_rotations(model, x, rotations, d);
  Points g(x.size());
  gradient(model, x, rotations, g, d);
  MatrixXd full(model.nodes(), 3), shift(model.nodes(), 3);
  for (Index i = 0; i < model.nodes(); ++i) {
    full.row(i) = g[i].transpose();
    shift.row(i) = (x[i] - model.rest[i]).transpose();
  }
  const MatrixXd z = solve_any(basis.columns, shift);
  const std::size_t k = std::size_t(basis.columns.cols());
  MatrixXd got = small.stiffness * z + flow.offset();
  double covariance_error = 0, skew = 0;
  for (Index i = 0; i < model.nodes(); ++i) {
    MatrixXd c(Eigen::Index(k), 3);
    for (std::size_t a = 0; a < 3 * k; ++a)
      c(Eigen::Index(a / 3), Eigen::Index(a % 3)) = number(flow.pull(), 3 * k, i, a);
    got += c * (Mat3::Identity() - rotations[i].toRotationMatrix()).transpose();
    constexpr std::size_t six[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    Mat3 a = z.transpose() * c, wanted = covariance(model, x, i, d);
    for (std::size_t e = 0; e < 9; ++e)
      a(Eigen::Index(e / 3), Eigen::Index(e % 3)) += number(flow.rest(), 6, i, six[e]);
    Vec3 t;
    for (std::size_t e = 0; e < 3; ++e) t[Eigen::Index(e)] = number(flow.skew(), 3, i, e);
    Mat3 cross;
    cross << 0, -t.z(), t.y(), t.z(), 0, -t.x(), -t.y(), t.x(), 0;
    covariance_error = std::max(covariance_error, (a + cross - wanted).norm() / wanted.norm());
    skew = std::max(skew, t.norm() / wanted.norm());
  }
  EXPECT_GT(skew, 0.01);
  EXPECT_LT(covariance_error, 2e-6);
  const MatrixXd wanted = basis.columns.transpose() * full;
  EXPECT_LT((got - wanted).norm(), 1e-6 * (small.stiffness * z).norm());
  EXPECT_GT(flow.offset().norm(), 0.01 * wanted.norm());
}

/// The lower end held, the upper one moved sideways in a second, held for another and let go; a reduced body
/// has every function of the nodes, or the given modes and the handle's own.
struct Bend {
  Model model = model_of(small_bar());
  std::vector<Index> low, high;
  std::unique_ptr<Method> body;
  Pool pool;
  int yields = 0;  // of the last step
  long all = 0;    // of all steps

  static constexpr int full = -1, every_function = 0;

  Bend(const Options& options, int modes, int threads = 1) : pool(threads) {
    for (Index i = 0; i < model.nodes(); ++i) {
      if (model.rest[i].z() < 0.5) low.push_back(i);
      if (model.rest[i].z() > 7.5) high.push_back(i);
    }
    const Damping damping{1, 0};
    if (modes == full) {
      body = body_of(small_bar(), options, damping);
      return;
    }
    const std::vector<HeldPiece> pieces{{low, false}, {high, true}};
    Result<Basis> basis = modes == every_function ? make_basis(model, pieces, identity(model))
                                                  : make_basis(model, pieces, Reduction{.modal = modes}, {});
    EXPECT_TRUE(basis) << basis.error().text();
    body = build_reduced(model, {}, damping, options, std::move(*basis), every_node(model));
  }
  void run(int from, int to) {
    for (int k = from; k < to; ++k) {
      std::vector<Index> held = low;
      Points targets;
      for (Index i : low) targets.push_back(model.rest[i]);
      if (k < 60)
        for (Index i : high) {
          held.push_back(i);
          targets.push_back(model.rest[i] + std::min(1.0, k / 30.0) * Vec3(3, 0, -0.5));
        }
      StepInput input;
      input.h = 1.0 / 30;
      input.pool = &pool;
      input.held = held;
      input.targets = targets;
      const StepReport report = body->advance(input);
      ASSERT_TRUE(report.ok()) << report.trouble;
      yields = report.yields;
      all += yields;
    }
  }
  double tip() const {
    double sum = 0;
    for (Index i : high) sum += (body->nodes().x[i].x() - model.rest[i].x()) / double(high.size());
    return sum;
  }
};

// The handle's own functions are affine: the last layer of the reduced body stays a plane when it is free.
TEST(ReducedPlastic, all_functions_of_the_nodes_flow_as_the_full_body_does) {
  for (const PlasticForm form : {PlasticForm::consistent, PlasticForm::printed}) {
    Options options = plastic_options(0.02, 1, form);
    options.tolerance = 1e-4;
    options.angular_momentum = false;
    Bend whole(options, Bend::full), small(options, Bend::every_function);
    whole.run(0, 60);
    small.run(0, 60);
    EXPECT_GT(whole.all, 1000);
    EXPECT_NEAR(double(small.all) / double(whole.all), 1, 0.01);
    EXPECT_LT(farthest(whole.body->nodes().x, small.body->nodes().x), 1e-3);
    EXPECT_NEAR(small.body->elastic_energy() / whole.body->elastic_energy(), 1, 2e-3);
    EXPECT_GT(whole.body->elastic_energy(), 1);
    if (form == PlasticForm::printed) continue;
    whole.run(60, 300);
    small.run(60, 300);
    EXPECT_GT(whole.tip(), 1.5);
    EXPECT_NEAR(small.tip() / whole.tip(), 1, 0.02);
  }
}

TEST(ReducedPlastic, a_few_functions_keep_a_bend_and_an_elastic_body_does_not) {
  Bend soft(plastic_options(0.02, 1), 4), spring({}, 4);
  soft.run(0, 60);
  EXPECT_GT(soft.all, 100);
  soft.run(60, 400);
  spring.run(0, 400);
  EXPECT_GT(soft.tip(), 1.4);
  EXPECT_NEAR(spring.tip(), 0, 0.02);
  EXPECT_EQ(spring.yields, -1);
}

// What flow left is in the forces: they are the slope of the energy.
TEST(ReducedPlastic, forces_are_the_slope_of_the_energy) {
  Bend bend(plastic_options(0.02, 1), 4);
  bend.run(0, 40);
  const Points x = bend.body->nodes().x, still(x.size(), Vec3::Zero());
  const auto& columns = dynamic_cast<const ReducedBody&>(*bend.body).model().basis.columns;
  Points f(x.size());
  bend.body->elastic_forces(f);
  const double s = 1e-5;
  for (const Eigen::Index a : {0, 3, 7}) {
    double energies[2], work = 0;
    for (const int side : {0, 1}) {
      Points moved = x;
      for (std::size_t i = 0; i < x.size(); ++i)
        moved[i].x() += (side == 0 ? s : -s) * columns(Eigen::Index(i), a);
      bend.body->place(moved, still);
      energies[side] = bend.body->elastic_energy();
    }
    for (std::size_t i = 0; i < x.size(); ++i) work -= f[i].x() * columns(Eigen::Index(i), a);
    const double slope = (energies[0] - energies[1]) / (2 * s);
    EXPECT_NEAR(work, slope, 1e-5 * (std::abs(slope) + 1)) << a;
  }
}

TEST(ReducedPlastic, saves_and_loads_every_bit_and_keeps_its_shape_through_a_teleport) {
  const Options options = plastic_options(0.02, 1);
  Bend one(options, 4), two(options, 4);
  one.run(0, 45);
  Writer writer;
  one.body->save(writer);
  Reader reader(writer.bytes());
  ASSERT_TRUE(two.body->load(reader));
  EXPECT_TRUE(reader.at_end());
  one.run(45, 70);
  two.run(45, 70);
  EXPECT_EQ(one.body->nodes().x, two.body->nodes().x);
  EXPECT_EQ(one.body->elastic_energy(), two.body->elastic_energy());

  const Points x = one.body->nodes().x;
  const double energy = one.body->elastic_energy();
  one.body->place(one.model.rest, Points(x.size(), Vec3::Zero()));
  EXPECT_GT(one.body->elastic_energy(), 10);
  one.body->place(x, Points(x.size(), Vec3::Zero()));
  EXPECT_NEAR(one.body->elastic_energy() / energy, 1, 1e-6);

  Bend elastic({}, 4);
  Reader again(writer.bytes());
  EXPECT_TRUE(!elastic.body->load(again) || !again.at_end());
}

TEST(ReducedPlastic, one_and_two_threads_give_the_same_bits) {
  Bend one(plastic_options(0.02, 1), 4, 1), two(plastic_options(0.02, 1), 4, 2);
  one.run(0, 65);
  two.run(0, 65);
  EXPECT_EQ(one.body->nodes().x, two.body->nodes().x);
  EXPECT_EQ(one.all, two.all);
}

TEST(ReducedPlastic, a_free_body_keeps_both_momenta_while_it_flows_and_allocates_nothing) {
  const Model model = model_of(small_bar());
  Result<Basis> basis = make_basis(model, {}, Reduction{.modal = 3}, {});
  ASSERT_TRUE(basis);
  const auto body =
      build_reduced(model, {}, {0, 0}, plastic_options(0.01, 1), std::move(*basis), every_node(model));
  Points x = model.rest, v = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    v[i] = Vec3(0, 0.5, 0.2).cross(x[i] - Vec3(1, 1, 4)) + Vec3(1, 0, 0);
    x[i].x() += 0.03 * x[i].z() * x[i].z();
  }
  body->place(x, v);
  const Vec3 p = linear_momentum(body->nodes()), l = angular_momentum(body->nodes());
  Pool pool(1);
  StepInput input;
  input.h = 1.0 / 30;
  input.pool = &pool;
  int yields = body->advance(input).yields;
  const std::size_t before = allocations();
  for (int k = 0; k < 30; ++k) yields += body->advance(input).yields;
  EXPECT_EQ(allocations(), before);
  EXPECT_GT(yields, 100);
  EXPECT_LT((linear_momentum(body->nodes()) - p).norm(), 1e-10 * p.norm());
  EXPECT_LT((angular_momentum(body->nodes()) - l).norm(), 1e-9 * l.norm());
}

TEST(ReducedPlastic, is_refused_with_cubature_and_with_laplacian_rows) {
  Options options = plastic_options(0.02, 1);
  options.reduction = Reduction{.modal = 3, .cubature = 20};
  Result<Model> few = reducible_model(small_bar(), options);
  ASSERT_FALSE(few);
  EXPECT_NE(few.error().text().find("cubature"), std::string::npos) << few.error().text();
  options.reduction->cubature = 0;
  EXPECT_TRUE(reducible_model(small_bar(), options));
  Rows rows = small_bar();
  rows.laplacian_weight = 100;
  EXPECT_FALSE(reducible_model(rows, options));
}

}  // namespace flow_test
}  // namespace pliant::geometric
