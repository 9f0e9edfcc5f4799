// SPDX-License-Identifier: Apache-2.0
// Whatever the bytes: a rig whose skeleton can be posed and whose vertices stay finite, or an error that says
// something.
#include "pliant/io/glb_skin.hpp"
#include "tests/fuzz/check_mesh.hpp"
#include "tests/fuzz/check_skeleton.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const pliant::Result<pliant::Rig> rig = pliant::parse_rig(pliant::as_text(data, size), "fuzz.glb");
  if (!rig) {
    pliant::demand(!rig.error().problems.empty() && !rig.error().text().empty());
    return 0;
  }
  pliant::check_mesh(rig->mesh);
  pliant::check_skeleton(rig->skeleton);
  pliant::demand(rig->weights.size() == rig->mesh.vertices.size());
  for (const pliant::SkinWeights& weights : rig->weights)
    for (const pliant::Index joint : weights.joint)
      pliant::demand(joint >= -1 && joint < pliant::Index(rig->skeleton.joints.size()));
  pliant::skinned(rig->skeleton, rig->weights, rig->mesh.vertices, 0.5);
  return 0;
}
