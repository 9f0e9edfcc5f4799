// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/registry.hpp"

#include "pliant/base/check.hpp"
#include "pliant/methods/cage/body.hpp"
#include "pliant/methods/cage/build.hpp"
#include "pliant/methods/fem/body.hpp"
#include "pliant/methods/fem/build.hpp"
#include "pliant/methods/geometric/body.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/methods/meshless/body.hpp"
#include "pliant/methods/meshless/build.hpp"
#include "pliant/methods/metric/body.hpp"
#include "pliant/methods/metric/build.hpp"

namespace pliant {
namespace {

template <class B, class Options>
bool take_live(Method& method, const Damping& damping, const Options& options) {
  auto* body = dynamic_cast<B*>(&method);  // not a geometric body in reduced space
  if (body) body->set_live(damping, options);
  return body != nullptr;
}

struct Entry {
  std::string name;
  Result<std::unique_ptr<Method>> (*build)(const Shape&, double, const Damping&, const MethodOptions&);
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
      {"geometric",
       [](const Shape& shape, double density, const Damping& damping, const MethodOptions& options) {
         return geometric::build(shape, density, damping, options.geometric);
       }},
      {"metric",
       [](const Shape& shape, double density, const Damping& damping, const MethodOptions& options) {
         return metric::build(shape, density, damping, options.metric);
       }},
      {"cage",
       [](const Shape& shape, double density, const Damping& damping, const MethodOptions& options) {
         return cage::build(shape, density, damping, options.cage);
       }},
      {"meshless",
       [](const Shape& shape, double density, const Damping& damping, const MethodOptions& options) {
         return meshless::build(shape, density, damping, options.meshless);
       }},
      {"fem", [](const Shape& shape, double density, const Damping& damping, const MethodOptions& options) {
         return fem::build(shape, density, damping, options.fem);
       }}};
  return all;
}

}  // namespace

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Entry& entry : entries()) list.push_back(entry.name);
    return list;
  }();
  return names;
}

Result<std::unique_ptr<Method>> build_method(const std::string& name, const Shape& shape, double density,
                                             const Damping& damping, const MethodOptions& options) {
  for (const Entry& entry : entries())
    if (entry.name == name) return entry.build(shape, density, damping, options);
  check_failed("a registered method", __FILE__, __LINE__);
}

bool set_live(const std::string& name, Method& method, const Damping& damping, const MethodOptions& options) {
  if (name == "geometric") return take_live<geometric::Body>(method, damping, options.geometric);
  if (name == "metric") return take_live<metric::Body>(method, damping, options.metric);
  if (name == "cage") return take_live<cage::Body>(method, damping, options.cage);
  if (name == "meshless") return take_live<meshless::Body>(method, damping, options.meshless);
  if (name == "fem") return take_live<fem::Body>(method, damping, options.fem);
  check_failed("a registered method", __FILE__, __LINE__);
}

}  // namespace pliant
