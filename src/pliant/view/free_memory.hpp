// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pliant::view {

/// For a program that serves pages for days, before its first thread. Every thread else gets a heap of its
/// own, and each keeps the holes that messages and builds of many sizes leave in it: under 200 000 malformed
/// messages resident memory more than doubled. The price: builds, what is published after a step and messages
/// share one heap, and may wait for each other there. The solvers' steps allocate nothing and do not wait.
void keep_one_heap();

/// Pages that the allocator holds for nobody go back to the system.
void give_back_free_memory();

}  // namespace pliant::view
