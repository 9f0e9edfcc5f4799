// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/uploads.hpp"

#include <gtest/gtest.h>

namespace pliant::view {
namespace uploads_test {

std::vector<std::byte> tetrahedron() {
  const std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

class UploadsTest : public testing::Test {
 protected:
  std::string add() { return uploads_.add("t.obj", tetrahedron()).value->at("upload"); }
  std::size_t folders() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path())) ++count;
    return count;
  }

  TemporaryFolder folder_;
  Uploads::Time now_{};
  Uploads uploads_{folder_.path(), [this] { return now_; }};
};

TEST_F(UploadsTest, an_upload_that_nobody_used_goes_after_ten_minutes_with_its_file) {
  const std::string id = add();
  now_ += Uploads::kept_for - std::chrono::seconds(1);
  const std::string later = add();
  EXPECT_EQ(folders(), 2u);
  now_ += std::chrono::seconds(1);
  EXPECT_TRUE(uploads_.file(id).empty());
  EXPECT_EQ(folders(), 1u);
  EXPECT_FALSE(uploads_.file(later).empty());
}

TEST_F(UploadsTest, an_upload_that_became_a_body_stays) {
  const std::string id = add();
  const std::filesystem::path file = uploads_.file(id);
  ASSERT_TRUE(std::filesystem::exists(file));
  now_ += 10 * Uploads::kept_for;
  for (std::size_t k = 0; k < Uploads::most_kept + 3; ++k) add();
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_EQ(uploads_.file(id), file);
}

TEST_F(UploadsTest, of_too_many_the_oldest_go) {
  const std::string first = add();
  std::string last;
  for (std::size_t k = 0; k < Uploads::most_kept; ++k) last = add();
  EXPECT_EQ(folders(), Uploads::most_kept);
  EXPECT_TRUE(uploads_.file(first).empty());
  EXPECT_FALSE(uploads_.file(last).empty());
}

}  // namespace uploads_test
}  // namespace pliant::view
