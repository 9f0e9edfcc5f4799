// SPDX-License-Identifier: Apache-2.0
// A host's own threads instead of a pool's: an engine that has a job system hands it in, and pliant starts no
// thread.
//
//   struct Jobs final : pliant::JobSystem {
//     int threads() const override { return engine.workers() + 1; }
//     void run(int parts, void (*part)(void*, int), void* context) override {
//       engine.parallel_for(parts, [=](int i) { part(context, i); });
//     }
//   };
//   pliant::Simulation world(std::move(bodies), {.jobs = &jobs});
#pragma once

namespace pliant {

class JobSystem {
 public:
  virtual ~JobSystem() = default;

  /// How many threads may work at a time, the caller included. A word for summaries: no result depends on it.
  virtual int threads() const = 0;

  /// Calls part(context, i) for each i of 0 .. parts - 1 exactly once, in any order, by any threads, and returns
  /// when all calls have returned: their writes are then seen by the caller. A part throws nothing, waits for no
  /// other part and calls no function of the job system. It takes 1 to 100 microseconds, so that a step has hundreds of
  /// calls. Called by one thread at a time.
  virtual void run(int parts, void (*part)(void* context, int index), void* context) = 0;
};

}  // namespace pliant
