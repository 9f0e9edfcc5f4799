// SPDX-License-Identifier: Apache-2.0
// Our rig file in another reader: what the file says is what others see.
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <gtest/gtest.h>

#include <assimp/Importer.hpp>
#include <set>

#include "pliant/io/glb_skin.hpp"
#include "pliant/io/read_file.hpp"
#include "tests/support/places.hpp"

namespace pliant {
namespace rig_test {

TEST(RigFile, other_readers_see_the_same_joints_weights_and_animation) {
  const std::string file = source_folder() + "/scenes/assets/rig.glb";
  Assimp::Importer importer;
  const aiScene* scene = importer.ReadFile(file, aiProcess_ValidateDataStructure);
  ASSERT_NE(scene, nullptr) << importer.GetErrorString();
  ASSERT_EQ(scene->mNumMeshes, 1u);
  ASSERT_EQ(scene->mNumAnimations, 1u);
  const aiMesh& mesh = *scene->mMeshes[0];
  const Result<Rig> rig = parse_rig(*read_file(file), file);
  ASSERT_TRUE(rig);
  EXPECT_EQ(std::size_t(mesh.mNumVertices), rig->mesh.vertices.size());

  std::set<std::string> names, animated;
  for (const Joint& joint : rig->skeleton.joints) {
    names.insert(joint.name);
    if (!joint.turns.times.empty() || !joint.moves.times.empty()) animated.insert(joint.name);
  }
  std::vector<double> sum(rig->mesh.vertices.size(), 0);
  for (unsigned b = 0; b < mesh.mNumBones; ++b) {
    const aiBone& bone = *mesh.mBones[b];
    EXPECT_TRUE(names.contains(bone.mName.C_Str())) << bone.mName.C_Str();
    for (unsigned k = 0; k < bone.mNumWeights; ++k)
      sum[bone.mWeights[k].mVertexId] += double(bone.mWeights[k].mWeight);
  }
  for (const double s : sum) EXPECT_NEAR(s, 1, 1e-5);
  for (unsigned c = 0; c < scene->mAnimations[0]->mNumChannels; ++c)
    EXPECT_TRUE(animated.contains(scene->mAnimations[0]->mChannels[c]->mNodeName.C_Str()));
}

}  // namespace rig_test
}  // namespace pliant
