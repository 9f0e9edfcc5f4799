// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/address.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace pliant::view {
namespace address_test {

const std::string token = "AbCdEfGhIjKlMnOpQrStUv";

TEST(Address, has_tokens_of_128_random_bits) {
  std::set<std::string> seen;
  std::set<char> last;
  for (int i = 0; i < 200; ++i) {
    const std::string made = make_token();
    EXPECT_EQ(made.size(), 22u);
    EXPECT_TRUE(usable_token(made)) << made;
    seen.insert(made);
    last.insert(made.back());
  }
  EXPECT_EQ(seen.size(), 200u);
  EXPECT_EQ(last.size(), 4u) << "the last character holds the two bits that are left of 128";
}

TEST(Address, takes_only_tokens_that_are_long_and_plain) {
  EXPECT_TRUE(usable_token(token));
  EXPECT_FALSE(usable_token("short"));
  EXPECT_FALSE(usable_token(std::string(65, 'a')));
  EXPECT_FALSE(usable_token("AbCdEfGhIjKl/../StUv"));
  EXPECT_FALSE(usable_token("AbCdEfGhIjKl StUvwxy"));
}

TEST(Address, leads_nowhere_without_the_token) {
  const std::vector<std::string> targets = {"",
                                            "/",
                                            "*",
                                            "/index.html",
                                            "/health",
                                            "//",
                                            "/" + token,
                                            token + "/",
                                            "/x" + token + "/",
                                            "/" + token.substr(1) + "/",
                                            "/" + token + "x/",
                                            "/abcdefghijklmnopqrstuv/",
                                            "http://127.0.0.1/" + token + "/",
                                            "//" + token + "/",
                                            "/%41" + token.substr(1) + "/"};
  for (const std::string& target : targets) EXPECT_FALSE(below_token(target, token)) << target;
}

TEST(Address, is_split_into_path_and_query) {
  EXPECT_EQ(below_token("/" + token + "/", token)->path, "");
  EXPECT_EQ(below_token("/" + token + "/assets/a%2Db.js", token)->path, "assets/a-b.js");
  const auto mesh = below_token("/" + token + "/mesh?name=my%20bunny+1.obj&x&name=other&y=%C3%A9", token);
  ASSERT_TRUE(mesh);
  EXPECT_EQ(mesh->path, "mesh");
  EXPECT_EQ(mesh->query.at("name"), "my bunny 1.obj");
  EXPECT_EQ(mesh->query.at("x"), "");
  EXPECT_EQ(mesh->query.at("y"), "\xc3\xa9");
}

TEST(Address, refuses_broken_escapes_and_hidden_zeros) {
  for (const char* rest : {"%", "%4", "%zz", "a%00b", "?a=%", "?%0"})
    EXPECT_FALSE(below_token("/" + token + "/" + rest, token)) << rest;
}

TEST(Address, knows_its_two_hosts) {
  EXPECT_TRUE(own_host("127.0.0.1:8080", 8080));
  EXPECT_TRUE(own_host("localhost:8080", 8080));
  for (const char* host :
       {"", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:80801", "LOCALHOST:8080", "evil.example:8080",
        "127.0.0.1:8080.evil.example", "[::1]:8080", "127.0.0.1:8080 "})
    EXPECT_FALSE(own_host(host, 8080)) << host;
}

TEST(Address, compares_texts) {
  EXPECT_TRUE(same_text("", ""));
  EXPECT_TRUE(same_text("abc", "abc"));
  EXPECT_FALSE(same_text("abc", "abd"));
  EXPECT_FALSE(same_text("xbc", "abc"));
  EXPECT_FALSE(same_text("abc", "abcd"));
}

}  // namespace address_test
}  // namespace pliant::view
