/// The reader against the TOML standard, where the library beneath it needs help: texts in three quotes that go on behind a backslash.
#include <gtest/gtest.h>

#include "zwang/error.hpp"
#include "zwang/model/read.hpp"

namespace zwang::model::toml_tests {

namespace {

const std::string point = "[points.a]\nmass = 1\nposition = [0, 0]\n";

Error error_of(const std::string& text) {
  try {
    static_cast<void>(load(text, "m.toml"));
  } catch (const Error& error) {
    return error;
  }
  return {{"", 0, 0}, "no error"};
}

}  // namespace

TEST(Toml, a_line_that_goes_on_behind_a_backslash_may_begin_with_any_character) {
  for (const auto& [written, meant] :
       {std::pair{"title = \"\"\"\\\n§ 1\"\"\"\n", "§ 1"},
        std::pair{"title = \"\"\"a \\\n  \t\n   ü\\\n力 b\"\"\"\n", "a ü力 b"},
        std::pair{"title = \"\"\"\\\r\n\xF0\x9F\x8C\x8D\"\"\"\n", "\xF0\x9F\x8C\x8D"},
        std::pair{"title = \"\"\"§\n§\"\"\"\n", "§\n§"}, std::pair{"title = '''\\\n§'''\n", "\\\n§"}}) {
    EXPECT_EQ(load(written + point, "m.toml").title, meant);
  }
}

TEST(Toml, places_behind_such_a_character_are_those_of_the_file) {
  const Error unknown =
      error_of(point + "[constraints]\nwall = { condition = \"\"\"a.x <= \\\n  0\"\"\", bogus = 1 }\n");
  const Error behind =
      error_of(point + "[constraints]\nwall = { condition = \"\"\"a.x <= \\\n  §\"\"\", bogus = 1 }\n");
  EXPECT_EQ(behind.place().line, 6U);
  EXPECT_EQ(behind.place().column, unknown.place().column) << behind.message();
  EXPECT_EQ(behind.message(), unknown.message());
  const Error inside = error_of(point + "[constraints]\nwall = \"\"\"a.x <= \\\n  §\"\"\"\n");
  EXPECT_EQ(inside.place().line, 6U) << inside.message();
  EXPECT_EQ(inside.place().column, 3U) << inside.message();
}

TEST(Toml, what_is_no_toml_is_said_where_it_is) {
  const Error behind = error_of("title = \"\"\"\\\n§\"\"\" x\n" + point);
  EXPECT_EQ(behind.place().line, 2U) << behind.message();
  EXPECT_EQ(behind.place().column, 6U) << behind.message();
}

}  // namespace zwang::model::toml_tests
