// SPDX-License-Identifier: Apache-2.0
// Every function of pliant/methods.hpp with arguments that nobody should pass.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "include/pliant/methods.hpp"
#include "include/pliant/shapes.hpp"
#include "tests/support/hostile_values.hpp"
#include "tests/support/throwing_checks.hpp"

namespace pliant {
namespace hostile_methods_test {

Shape small_box() { return make_shape(BoxShape{.size = {0.4, 0.4, 0.4}, .nodes = {3, 3, 3}}); }

/// Settings of each method that build a small box.
std::vector<MethodOptions> all_settings() {
  return {geometric::Options{},
          metric::Options{},
          cage::Options{.cells = {1, 1, 1}, .clearance = 0.2},
          meshless::Options{},
          fem::Options{.element = fem::ElementKind::hexahedron},
          rigid::Options{}};
}

/// One that was built keeps finite nodes for two steps of gravity, or says why not.
void expect_steps(Result<std::unique_ptr<Method>> made, const std::string& what) {
  if (!made) {
    EXPECT_TRUE(are_told(made.error().problems)) << what;
    return;
  }
  Pool pool(1);
  for (int step = 1; step <= 2; ++step) {
    const StepReport report =
        (*made)->advance({.time = step / 60.0, .gravity = {0, -9.81, 0}, .contact = {}, .pool = &pool});
    EXPECT_TRUE(all_finite((*made)->nodes())) << what << " " << report.trouble;
    if (!report.ok()) return;
  }
}

TEST(HostileMethods, every_method_builds_the_box_of_these_tests) {
  ASSERT_EQ(all_settings().size(), 6u);
  for (const MethodOptions& settings : all_settings()) {
    const auto made = build_method(small_box(), 1000, {}, settings);
    EXPECT_TRUE(made) << made.error().text();
  }
}

TEST(HostileMethods, densities_and_dampings_are_taken_or_told) {
  const Shape box = small_box();
  for (const MethodOptions& settings : all_settings())
    for (const double bad : hostile_numbers()) {
      if (!(bad > 0) || !std::isfinite(bad)) {
        EXPECT_FALSE(build_method(box, bad, {}, settings)) << bad;
      }
      if (!(bad >= 0) || !std::isfinite(bad)) {
        EXPECT_FALSE(build_method(box, 1000, {.mass = bad}, settings)) << bad;
        EXPECT_FALSE(build_method(box, 1000, {.stiffness = bad}, settings)) << bad;
      }
    }
}

TEST(HostileMethods, shapes_with_problems_are_refused_with_them) {
  const Shape none = make_shape(BoxShape{.nodes = {1, 9, 9}});
  Shape bent = small_box();
  bent.graph.edges[3].b = 1 << 30;
  for (const MethodOptions& settings : all_settings()) {
    const auto refused = build_method(none, 1000, {}, settings);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().problems[0].place, "shape.nodes");
    EXPECT_FALSE(build_method(bent, 1000, {}, settings));
    EXPECT_FALSE(build_method({}, 1000, {}, settings));
  }
}

/// Each option of a table with values of its own type.
template <class O>
void try_each_option(const OptionTable<O>& table, const O& fine) {
  const Shape box = small_box();
  for (const AnyOption& option : table.all()) {
    const OptionValue now = option.get(&fine);
    std::vector<OptionValue> values;
    if (std::holds_alternative<double>(now))
      for (const double bad : hostile_numbers()) values.emplace_back(bad);
    if (std::holds_alternative<int>(now))
      for (const int bad : hostile_counts()) values.emplace_back(bad);
    if (std::holds_alternative<std::array<int, 3>>(now))
      for (const int bad : hostile_counts()) values.emplace_back(std::array{bad, 1, 1});
    if (std::holds_alternative<Vec3>(now))
      for (const Vec3& bad : hostile_points()) values.emplace_back(bad);
    if (std::holds_alternative<bool>(now)) values = {OptionValue(true), OptionValue(false)};
    if (std::holds_alternative<std::string>(now)) {
      if (option.facts.choices.empty()) values.emplace_back(std::string("no/such/file"));
      for (const std::string& word : option.facts.choices) values.emplace_back(word);
    }
    for (const OptionValue& value : values) {
      O settings = fine;
      option.set(&settings, value);
      expect_steps(build_method(box, 1000, {}, settings), option.name);
    }
  }
}

TEST(HostileMethods, options_of_geometric_are_taken_or_told) {
  try_each_option(geometric::option_table(), geometric::Options{});
  for (const double bad : hostile_numbers()) {
    expect_steps(build_method(small_box(), 1000, {},
                              geometric::Options{.plasticity = geometric::Plasticity{{bad, bad, bad}}}),
                 "plasticity");
    expect_steps(build_method(small_box(), 1000, {},
                              geometric::Options{.fibres = {.direction = Vec3(bad, 0, 0), .strength = 1}}),
                 "fibres");
    expect_steps(build_method(small_box(), 1000, {},
                              geometric::Options{.fibres = {.strength = 1, .field = {Vec3(bad, 0, 0)}}}),
                 "field");
    expect_steps(build_method(small_box(), 1000, {},
                              geometric::Options{.adaptive = geometric::Adaptive{.threshold = bad}}),
                 "adaptive");
    geometric::row_moduli({.stiffness = bad, .poisson = bad, .volume = bad});
  }
  for (const int bad : hostile_counts())
    expect_steps(
        build_method(small_box(), 1000, {},
                     geometric::Options{.reduction = geometric::Reduction{.modal = bad, .cubature = bad}}),
        "reduction");
  EXPECT_FALSE(build_method(small_box(), 1000, {}, geometric::Options{.op = geometric::Operator(99)}));
  EXPECT_FALSE(build_method(small_box(), 1000, {}, geometric::Options{.integrator = Integrator(-1)}));
  EXPECT_FALSE(build_method(small_box(), 1000, {},
                            geometric::Options{.reduction = geometric::Reduction{.samples = {"no"}}}));
  for (const auto* table : {&geometric::plasticity_table().all(), &geometric::fibre_table().all(),
                            &geometric::sheet_table().all(), &geometric::adaptive_table().all()})
    EXPECT_FALSE(table->empty());
}

TEST(HostileMethods, options_of_metric_are_taken_or_told) {
  try_each_option(metric::option_table(), metric::Options{});
  for (const double bad : hostile_numbers()) {
    expect_steps(build_method(small_box(), 1000, {}, metric::Options{.keys = {{0, 1}, {bad, bad}}}), "keys");
    expect_steps(
        build_method(small_box(), 1000, {}, metric::Options{.plasticity = PlasticLaw{bad, bad, bad}}),
        "plasticity");
    metric::factor_at({}, bad);
    metric::factor_at({{0, bad}, {bad, 1}, {-1, 2}}, bad);
    const metric::Options options{.strength = bad, .area = bad, .volume = bad, .threshold = bad};
    metric::in_pascals(options), metric::area_of(options), metric::volume_of(options),
        metric::threshold_of(options);
  }
  metric::integrator_of({.integrator = metric::Integrator(99)});
  metric::matrix_of({.integrator = metric::Integrator(99)});
  EXPECT_FALSE(metric::key_table().all().empty());
  EXPECT_FALSE(metric::plasticity_table().all().empty());
}

TEST(HostileMethods, options_of_cage_are_taken_or_told) {
  const cage::Options fine{.cells = {1, 1, 1}, .clearance = 0.2};
  try_each_option(cage::option_table(), fine);
  EXPECT_FALSE(build_method(small_box(), 1000, {}, cage::Options{}));
  EXPECT_FALSE(build_method(small_box(), 1000, {}, cage::Options{.mesh = {{Vec3(0, 0, 0)}, {{0, 1, 2}}}}));
  EXPECT_FALSE(build_method(small_box(), 1000, {}, cage::Options{.mesh = {{Vec3(0, 0, 0)}, {}}}));
  for (const int bad : hostile_counts()) cage::points_for(fine, bad);
  EXPECT_FALSE(cage::plasticity_table().all().empty());
}

TEST(HostileMethods, options_of_meshless_and_fem_are_taken_or_told) {
  try_each_option(meshless::option_table(), meshless::Options{});
  try_each_option(fem::option_table(), fem::Options{.element = fem::ElementKind::hexahedron});
  try_each_option(fem::option_table(), fem::Options{});
  try_each_option(rigid::option_table(), rigid::Options{});
  Skeleton bone;
  bone.joints = {{.position = {0.2, 0.1, 0.2}, .turns = {}, .moves = {}},
                 {.parent = 0, .position = {0.2, 0.3, 0.2}, .turns = {}, .moves = {}}};
  Bones bones;
  EXPECT_FALSE(build_method(small_box(), 1000, {}, meshless::Options{.bones = bones}));
  bones.spacing = 0.1, bones.zone = 0.05;
  bones.skeleton = bone;
  const auto made = build_method(small_box(), 1000, {}, meshless::Options{.bones = bones});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().text().find("make_flesh"), std::string::npos) << made.error().text();
  for (const int parent : hostile_counts()) {
    bones.skeleton = bone;
    bones.skeleton.joints[1].parent = parent;
    expect_steps(build_method(small_box(), 1000, {}, meshless::Options{.bones = bones}), "parent");
    expect_steps(build_method(small_box(), 1000, {}, fem::Options{.bones = bones}), "parent");
  }
  for (const double bad : hostile_numbers()) {
    bones.skeleton = bone;
    bones.skeleton.joints[1].position = Vec3(0.2, bad, 0.2);
    expect_steps(build_method(small_box(), 1000, {}, meshless::Options{.bones = bones}), "joint");
    expect_steps(build_method(small_box(), 1000, {}, fem::Options{.bones = bones}), "joint");
    Bones wide;
    wide.spacing = bad, wide.zone = bad, wide.radius = bad, wide.skeleton = bone;
    expect_steps(build_method(small_box(), 1000, {}, meshless::Options{.bones = wide}), "zone");
    expect_steps(build_method(small_box(), 1000, {}, meshless::Options{.regions = {{"nobody", bad}}}),
                 "regions");
    expect_steps(
        build_method(small_box(), 1000, {}, meshless::Options{.finer = {{.radius = bad, .ratio = bad}}}),
        "finer");
  }
  for (const auto* table :
       {&meshless::region_table().all(), &meshless::finer_table().all(), &meshless::plasticity_table().all()})
    EXPECT_FALSE(table->empty());
}

TEST(HostileMethods, settings_of_no_method_are_refused) {
  struct Foreign {};
  const auto refused = build_method(small_box(), 1000, {}, Foreign{});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().problems[0].place, "method");
}

TEST(HostileMethods, methods_refuse_steps_of_nonsense_and_keep_their_state) {
  const ThrowingChecks checks;
  Pool pool(1);
  for (const MethodOptions& settings : all_settings()) {
    auto made = build_method(small_box(), 1000, {}, settings);
    ASSERT_TRUE(made);
    Method& method = **made;
    const std::string name = method.describe().name;
    const Points before = method.nodes().x;
    const auto refuses = [&](const StepInput& input) {
      EXPECT_FALSE(method.advance(input).ok()) << name;
      EXPECT_EQ(method.nodes().x, before) << name;
    };
    const std::array<Index, 1> first{0}, beyond{1 << 30}, below{-1};
    const std::array<Vec3, 1> target{Vec3(0, 0, 0)}, nowhere{Vec3::Constant(not_a_number)};
    for (const double h : {not_a_number, infinite, -1.0, 0.0})
      refuses({.h = h, .contact = {}, .pool = &pool});
    refuses({.gravity = Vec3::Constant(not_a_number), .contact = {}, .pool = &pool});
    for (const auto& held : {beyond, below})
      refuses({.held = held, .targets = target, .contact = {}, .pool = &pool});
    refuses({.held = first, .contact = {}, .pool = &pool});
    refuses({.held = first, .targets = nowhere, .contact = {}, .pool = &pool});
    for (const Grab& grab : {Grab{1 << 30, {0, 0, 0}, 1}, Grab{-1, {0, 0, 0}, 1}, Grab{0, nowhere[0], 1},
                             Grab{0, {0, 0, 0}, not_a_number}})
      refuses({.grabs = std::span(&grab, 1), .contact = {}, .pool = &pool});
    refuses({.forces = target, .contact = {}, .pool = &pool});
    EXPECT_THROW(method.advance({.contact = {}, .pool = nullptr}), CheckThrown) << name;
    RelaxMemory memory;
    EXPECT_THROW(method.relax({.contact = {}, .pool = nullptr}, 1e-3, memory), CheckThrown) << name;
    RelaxMemory again;
    const Grab far{1 << 30, {0, 0, 0}, 1};
    EXPECT_FALSE(method.relax({.grabs = std::span(&far, 1), .contact = {}, .pool = &pool}, 1e-3, again)
                     .trouble.empty())
        << name;
  }
}

TEST(HostileMethods, spans_of_a_wrong_length_go_to_the_check_handler) {
  const ThrowingChecks checks;
  Pool pool(1);
  for (const MethodOptions& settings : all_settings()) {
    auto made = build_method(small_box(), 1000, {}, settings);
    ASSERT_TRUE(made);
    Method& method = **made;
    const std::string name = method.describe().name;
    Points one(1, Vec3::Zero());
    EXPECT_THROW(method.place(one, one), CheckThrown) << name;
    EXPECT_THROW(method.surface(one), CheckThrown) << name;
    EXPECT_THROW(method.surface_in_parallel(one, pool), CheckThrown) << name;
    EXPECT_THROW(method.pull_back(one, one), CheckThrown) << name;
    EXPECT_THROW(method.elastic_forces(one), CheckThrown) << name;
    std::vector<float> activity;
    try {
      method.activity(activity);
    } catch (const CheckThrown&) {  // of those that can tell
    }
    method.driven_until(), method.contact_body(), method.inverted_cells(), method.embedding();
    EXPECT_TRUE(std::isfinite(method.elastic_energy()));
    EXPECT_TRUE(std::isfinite(method.mass_damping()));
  }
}

TEST(HostileMethods, bytes_that_are_no_state_are_refused) {
  for (const MethodOptions& settings : all_settings()) {
    auto made = build_method(small_box(), 1000, {}, settings);
    ASSERT_TRUE(made);
    Writer writer;
    (*made)->save(writer);
    const std::vector<std::byte> whole = writer.bytes();
    for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 37) {
      const std::vector<std::byte> cut(whole.begin(), whole.begin() + std::ptrdiff_t(size));
      Reader reader(cut);
      EXPECT_FALSE((*made)->load(reader)) << (*made)->describe().name << " " << size;
    }
  }
}

TEST(HostileMethods, the_catalogue_answers_for_names_that_nobody_has) {
  const ThrowingChecks checks;
  EXPECT_EQ(catalogue().size(), method_names().size());
  for (const std::string& name :
       {std::string(), std::string("nobody"), std::string(100000, 'x'), std::string("geometric\0", 10)}) {
    EXPECT_EQ(find_method(name), nullptr);
    EXPECT_THROW(method_entry(name), CheckThrown);
  }
  methods_with(Ability(99));
  methods_with(NodePlacement(99));
  static const MethodEntry late = *catalogue().front();
  EXPECT_TRUE(add_method(late)) << "the catalogue is made";
  const MethodEntry& geometric = method_entry("geometric");
  EXPECT_THROW(geometric.check(metric::Options{}), CheckThrown);
  EXPECT_THROW(MethodOptions(metric::Options{}).as<geometric::Options>(), CheckThrown);
  EXPECT_FALSE(geometric.can(geometric.defaults, Ability(99)));
}

TEST(HostileMethods, metrics_of_arrays_that_do_not_fit_go_to_the_check_handler) {
  const ThrowingChecks checks;
  const NodeState empty, bent{.x = {Vec3(0, 0, 0)}, .v = {}, .mass = {}};
  for (const auto* state : {&empty}) {
    EXPECT_EQ(total_mass(*state), 0);
    EXPECT_EQ(kinetic_energy(*state), 0);
    EXPECT_EQ(linear_momentum(*state), Vec3(0, 0, 0));
    EXPECT_EQ(centre_of_mass(*state), Vec3(0, 0, 0));
    EXPECT_EQ(angular_momentum(*state), Vec3(0, 0, 0));
    EXPECT_EQ(max_speed(*state), 0);
    EXPECT_TRUE(all_finite(*state));
  }
  EXPECT_THROW(total_mass(bent), CheckThrown);
  EXPECT_THROW(kinetic_energy(bent), CheckThrown);
  EXPECT_THROW(linear_momentum(bent), CheckThrown);
  EXPECT_THROW(centre_of_mass(bent), CheckThrown);
  EXPECT_THROW(angular_momentum(bent), CheckThrown);
  EXPECT_EQ(frame_hash({}, 7), 7u);
  frame_hash(hostile_points());
}

}  // namespace hostile_methods_test
}  // namespace pliant
