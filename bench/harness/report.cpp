// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/report.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace pliant::bench {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Stages& s) {
  return {{"rotation", s.rotation}, {"rhs", s.rhs}, {"solve", s.solve}, {"embed", s.embed}};
}

template <class T>
void take(const Json& json, const char* key, T& value) {
  if (!json.contains(key))
    throw std::runtime_error(fmt::format("a bench row lacks \"{}\": {}", key, json.dump()));
  json.at(key).get_to(value);
}

const Row* find(const std::vector<Row>& rows, const std::string& name) {
  for (const Row& row : rows)
    if (row.name == name) return &row;
  return nullptr;
}

std::string optional_cell(const std::optional<double>& value, int width, int digits) {
  return value ? fmt::format("{:>{}.{}f}", *value, width, digits) : fmt::format("{:>{}}", "", width);
}

struct Asked {
  double value = 0;
  bool at_least = false;  ///< else at most
};

/// One line; NaN misses what was asked.
void add_line(Summary& summary, const std::string& what, double ratio, Asked asked) {
  const bool met = asked.at_least ? ratio >= asked.value : ratio <= asked.value;
  summary.missed += !met;
  summary.text += fmt::format("  {:<78} {:>8.2f}x   asked: at {} {}x{}\n", what, ratio,
                              asked.at_least ? "least" : "most", asked.value, met ? "" : "   MISSED");
}

void add_scaling(const std::vector<Row>& rows, Summary& summary) {
  const Row* small = find(rows, "geometric/solid-14k");
  const Row* large = find(rows, "geometric/solid-100k");
  if (!small || !large) return;
  const double nodes = double(large->nodes) / small->nodes;
  add_line(summary, "solid-100k over solid-14k, cost per node and step, minimum",
           large->ms_min / small->ms_min / nodes, {1.5});
  add_line(summary, "solid-100k over solid-14k, cost per node and step, median",
           large->ms_median / small->ms_median / nodes, {1.5});
  if (small->setup_ms && large->setup_ms)
    add_line(summary, "solid-100k over solid-14k, set-up", *large->setup_ms / *small->setup_ms, {15});
}

void add_set_up(const Row& row, Summary& summary) {
  const std::string what =
      fmt::format("set-up of a mesh body of {} triangles over Embree's build, {} thread{} both",
                  row.more.at("triangles").get<int>(), row.threads, row.threads == 1 ? "" : "s");
  add_line(summary, what, row.more.at("over_embree").get<double>(), {30});
  add_line(summary, "the same in processor time", row.more.at("over_embree_cpu").get<double>(), {30});
  summary.text += "  its stages, ms of processor time:";
  for (const auto& [name, ms] : row.more.at("set_up_stages_cpu_ms").items())
    summary.text +=
        fmt::format("{} {} {:.0f}", summary.text.back() == ':' ? "" : ",", name, ms.get<double>());
  summary.text += fmt::format(", Embree {:.0f}\n", row.more.at("embree_cpu_ms_min").get<double>());
}

void add_large(const std::vector<Row>& rows, Summary& summary) {
  const Row* small = find(rows, "geometric/solid-20k");
  const Row* large = find(rows, "geometric/solid-1m");
  if (small && large)
    add_line(summary, "solid-1m over solid-20k, cost per node and step, minimum",
             large->ms_min / small->ms_min * small->nodes / large->nodes, {2});
  if (small && large && small->iterations && large->iterations)
    add_line(summary, "solid-1m over solid-20k, cost per node and conjugate-gradient iteration, median",
             large->ms_median / small->ms_median * small->nodes / large->nodes * *small->iterations /
                 *large->iterations,
             {2});
  if (small && large && small->more.contains("cpu_ms_min") && large->more.contains("cpu_ms_min"))
    add_line(summary, "solid-1m over solid-20k, processor time per node and step, minimum",
             large->more["cpu_ms_min"].get<double>() / small->more["cpu_ms_min"].get<double>() *
                 small->nodes / large->nodes,
             {2});
  if (large && large->peak_bytes)
    add_line(summary, "solid-1m, peak memory over 12 GB", double(*large->peak_bytes) / 12e9, {1});
}

void add_wild(const std::vector<Row>& rows, Summary& summary) {
  if (const Row* row = find(rows, "wild/set-up-75k")) add_set_up(*row, summary);
  for (const auto& [name, most] : {std::pair{"wild/contact-100", 2.5}, {"wild/contact-369", 4.0}})
    if (const Row* row = find(rows, name))
      add_line(summary, fmt::format("{} over the contact-free step of the bar", name),
               row->more.at("times_free").get<double>(), {most});
}

void add_bullet(const std::vector<Row>& rows, Summary& summary) {
  const Row* ours = find(rows, "geometric/bar-stiff");
  const Row* bullet = find(rows, "peer/bullet-neohookean/bar");
  if (!ours || !bullet) return;
  add_line(summary, "Bullet neo-Hookean over geometric/bar-stiff, time of a step, minimum",
           bullet->ms_min / ours->ms_min, {100, true});
  add_line(summary, "Bullet neo-Hookean over geometric/bar-stiff, time of a step, median",
           bullet->ms_median / ours->ms_median, {100, true});
  if (ours->more.contains("cpu_ms_median") && bullet->more.contains("cpu_ms_median"))
    add_line(summary, "Bullet neo-Hookean over geometric/bar-stiff, processor time of a step, median",
             bullet->more["cpu_ms_median"].get<double>() / ours->more["cpu_ms_median"].get<double>(),
             {100, true});
}

void add_fem(const std::vector<Row>& rows, Summary& summary) {
  const Row* ours = find(rows, "geometric/bar-stiff");
  const Row* fem = find(rows, "fem/bar-stiff");
  if (!ours || !fem) return;
  add_line(summary, "fem over geometric/bar-stiff, time of a step, minimum", fem->ms_min / ours->ms_min,
           {40, true});
  add_line(summary, "fem over geometric/bar-stiff, time of a step, median", fem->ms_median / ours->ms_median,
           {40, true});
  if (ours->more.contains("cpu_ms_min") && fem->more.contains("cpu_ms_min"))
    add_line(summary, "fem over geometric/bar-stiff, processor time of a step, minimum",
             fem->more["cpu_ms_min"].get<double>() / ours->more["cpu_ms_min"].get<double>(), {40, true});
}

void add_factors(const std::vector<Row>& rows, Summary& summary) {
  const Row* ours = find(rows, "kernel/direct-solve/solid-14k");
  const Row* cholmod = find(rows, "peer/cholmod/solid-14k");
  if (!ours || !cholmod || !ours->setup_ms || !cholmod->setup_ms) return;
  add_line(summary, "CHOLMOD over direct solver, solve of 3 right-hand sides, solid-14k",
           cholmod->ms_min / ours->ms_min, {3, true});
  add_line(summary, "direct solver over CHOLMOD, analyse + factor, solid-14k",
           *ours->setup_ms / *cholmod->setup_ms, {3});
}

void add_limits(const std::vector<Row>& rows, Summary& summary) {
  for (const char* name :
       {"bar", "bar-26", "bar-laplacian", "bar-stiff", "volume-bar", "plastic-bar", "plastic", "shell",
        "surface-solid", "plant", "graph-14k", "solid-14k", "solid-20k", "solid-100k", "solid-1m"})
    if (const Row* row = find(rows, fmt::format("geometric/{}", name)); row && row->limit)
      add_line(summary, fmt::format("geometric/{} over its limit", name), row->ratio(), {2.5});
  for (const char* name :
       {"reduced-12/bar", "reduced-40/bar", "reduced-12/solid-14k", "reduced-40/solid-14k"})
    if (const Row* row = find(rows, fmt::format("geometric/{}", name)); row && row->limit)
      add_line(summary,
               fmt::format("geometric/{} over its limit (that of {})", name,
                           row->limit->computes() ? "arithmetic" : "bytes"),
               row->ratio(), {3});
  const Row* few = find(rows, "geometric/cubature-200/bar");
  const Row* many = find(rows, "geometric/cubature-200/solid-100k");
  if (few && many)
    add_line(summary, "cubature of 200 nodes, 100 000 nodes over 3321, time of a step",
             many->ms_min / few->ms_min, {1.5});
}

void add_metric(const std::vector<Row>& rows, Summary& summary) {
  for (const char* name : {"metric/soft-20", "metric/soft-40", "metric/soft-64"})
    if (const Row* row = find(rows, name); row && row->limit)
      add_line(summary, fmt::format("{} over its limit", name), row->ratio(), {3});
  // the goal for one core: ms a step of 3 to 7 iterations
  for (const auto& [name, ms] : {std::pair{"metric/soft-20", 0.2}, std::pair{"metric/soft-40", 2.5}})
    if (const Row* row = find(rows, name); row && row->threads == 1)
      add_line(summary, fmt::format("{} over {} ms", name, ms), row->ms_min / ms, {3});
  const Row* small = find(rows, "metric/stiff-20");
  const Row* large = find(rows, "metric/stiff-64");
  if (small && large)
    add_line(summary, "metric/stiff-64 over metric/stiff-20, cost per node and step, minimum",
             large->ms_min / small->ms_min * small->nodes / large->nodes, {2});
}

void add_meshless(const std::vector<Row>& rows, Summary& summary) {
  for (const char* name : {"meshless/3k", "meshless/22k"})
    if (const Row* row = find(rows, name); row && row->limit)
      add_line(summary, fmt::format("{} over its limit", name), row->ratio(), {2.5});
  if (const Row* row = find(rows, "meshless/3k"); row && row->more.contains("times_faster_than_block"))
    add_line(summary, "block matrix factored anew and solved over meshless/3k, time of a step, minimum",
             row->more["times_faster_than_block"].get<double>(), {20, true});
}

/// Bodies that meet each other and themselves.
void add_meeting(const std::vector<Row>& rows, Summary& summary) {
  const auto told = [&](const char* name, const char* key, const char* what, double unit, double most) {
    const Row* row = find(rows, name);
    if (!row) return;
    const double value = key ? row->more.at(key).get<double>() : row->ms_median;
    add_line(summary, fmt::format("{} {}", name, what), value / unit, {most});
  };
  told("together/cubes-3", "times_free", "at rest over the steps of its bodies alone", 1, 3);
  told("together/cubes-10", nullptr, "at rest over 10 ms", 10, 1);
  told("together/chain", "over_real_time", "over real time, the mean of all frames", 1, 1);
  told("together/dominoes", "over_real_time", "over real time, the mean of all frames", 1, 1);
  told("self/mat-40", nullptr, "over 100 ms a step", 100, 1);
  told("self/mat-45k", nullptr, "over 10 s a step", 1e4, 1);
  told("self/stiff-ring", "share", "that its empty test adds to a step, over 2 %", 0.02, 1);
}

}  // namespace

Json to_json(const Row& row) {
  Json json{{"case", row.name},
            {"nodes", row.nodes},
            {"threads", row.threads},
            {"ms_min", row.ms_min},
            {"ms_median", row.ms_median}};
  if (row.limit) {
    json["limit_ms"] = row.limit->ms();
    json["ratio"] = row.ratio();
    json["bytes"] = row.limit->bytes;
    json["working_set"] = row.limit->working_set;
    json["bandwidth"] = row.limit->bandwidth;
    if (row.limit->operations > 0) {
      json["operations"] = row.limit->operations;
      json["arithmetic"] = row.limit->arithmetic;
      json["limit_reading_ms"] = row.limit->reading_ms();
      json["ratio_reading"] = row.ms_min / row.limit->reading_ms();
      json["limit_computing_ms"] = row.limit->computing_ms();
    }
  }
  if (row.stages) json["stages"] = to_json(*row.stages);
  if (row.stages_median) json["stages_median"] = to_json(*row.stages_median);
  if (row.setup_ms) json["setup_ms"] = *row.setup_ms;
  if (row.iterations) json["iterations"] = *row.iterations;
  if (row.peak_bytes) json["peak_memory"] = *row.peak_bytes;
  json.update(row.more);
  return json;
}

Json to_json(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) list.push_back(to_json(row));
  return list;
}

Row row_from_json(const Json& json) {
  Row row;
  take(json, "case", row.name);
  take(json, "nodes", row.nodes);
  take(json, "threads", row.threads);
  take(json, "ms_min", row.ms_min);
  take(json, "ms_median", row.ms_median);
  for (const auto& [key, value] : json.items()) {
    if (key == "setup_ms")
      row.setup_ms = value.get<double>();
    else if (key == "peak_memory")
      row.peak_bytes = value.get<std::size_t>();
    else if (key != "case" && key != "nodes" && key != "threads" && key != "ms_min" && key != "ms_median")
      row.more[key] = value;
  }
  return row;
}

std::string table_head() {
  return fmt::format(
      "{:<34}{:>8}{:>4}{:>10}{:>10}{:>9}{:>9}{:>9}{:>9}{:>6}{:>10}{:>8}{:>10} {:<5}{:>8}{:>10}{:>8}\n",
      "case", "nodes", "thr", "min ms", "median", "rotation", "rhs", "solve", "embed", "its", "MB moved",
      "GB/s", "limit ms", "by", "ratio", "set-up ms", "peak MB");
}

std::string table_line(const Row& row) {
  const auto stage = [&](double Stages::*member) {
    return row.stages ? std::optional<double>((*row.stages).*member) : std::nullopt;
  };
  const auto limit = [&](auto&& get) {
    return row.limit ? std::optional<double>(get(*row.limit)) : std::nullopt;
  };
  std::string text = fmt::format("{:<34}{:>8}{:>4}{:>10.4f}{:>10.4f}", row.name, row.nodes, row.threads,
                                 row.ms_min, row.ms_median);
  text += optional_cell(stage(&Stages::rotation), 9, 4) + optional_cell(stage(&Stages::rhs), 9, 4) +
          optional_cell(stage(&Stages::solve), 9, 4) + optional_cell(stage(&Stages::embed), 9, 4);
  text += optional_cell(row.iterations, 6, 1);
  text += optional_cell(limit([](const Limit& l) { return double(l.bytes) / 1e6; }), 10, 3);
  text += optional_cell(limit([](const Limit& l) { return l.bandwidth / 1e9; }), 8, 1);
  text += optional_cell(limit([](const Limit& l) { return l.ms(); }), 10, 4);
  text += fmt::format(" {:<5}", !row.limit              ? ""
                                : row.limit->in_turn    ? "both"
                                : row.limit->computes() ? "flops"
                                                        : "bytes");
  text += optional_cell(limit([&](const Limit&) { return row.ratio(); }), 8, 2);
  text += optional_cell(row.setup_ms, 10, 1);
  text += optional_cell(row.peak_bytes ? std::optional<double>(double(*row.peak_bytes) / 1e6) : std::nullopt,
                        8, 0);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text + "\n";
}

Summary summarize(const std::vector<Row>& rows) {
  Summary summary;
  add_limits(rows, summary);
  add_scaling(rows, summary);
  add_large(rows, summary);
  add_wild(rows, summary);
  add_meshless(rows, summary);
  add_metric(rows, summary);
  add_fem(rows, summary);
  add_bullet(rows, summary);
  add_factors(rows, summary);
  add_meeting(rows, summary);
  if (!summary.text.empty()) summary.text.insert(0, "Summary\n");
  return summary;
}

}  // namespace pliant::bench
