/// Errors show the place, whatever the line looks like.
#include "zwang/error.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "zwang/base/nearest.hpp"

namespace error_tests {
namespace {

using zwang::Error;
using zwang::nearest;
using zwang::render;

/// Column of the caret, counted in characters of the last line from 1, and the character above it.
std::string character_above_caret(const std::string& text) {
  const std::size_t last = text.rfind('\n');
  const std::size_t before = text.rfind('\n', last - 1);
  const std::string line = text.substr(before + 1, last - before - 1);
  std::size_t column = text.size() - last - 2;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if ((static_cast<unsigned char>(line[k]) & 0xC0U) == 0x80U) continue;
    if (column-- > 0) continue;
    std::size_t end = k + 1;
    while (end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) ++end;
    return line.substr(k, end - k);
  }
  return "";
}

TEST(Error, shows_file_line_column_and_the_caret_below_the_column) {
  const Error error({"model.toml", 3, 9}, "unknown name `m`", "mass = \"m\"");
  EXPECT_EQ(render(error), "model.toml:3:9: error: unknown name `m`\n  mass = \"m\"\n          ^");
  EXPECT_EQ(error.message(), "unknown name `m`");
  EXPECT_STREQ(error.what(), "unknown name `m`");
}

TEST(Error, leaves_out_what_is_not_known) {
  EXPECT_EQ(render(Error({"model.toml", 0, 0}, "no mass")), "model.toml: error: no mass");
  EXPECT_EQ(render(Error({"", 0, 0}, "no mass")), "error: no mass");
  EXPECT_EQ(render(Error({"f", 2, 0}, "no mass", "a = 1")), "f:2: error: no mass\n  a = 1");
}

TEST(Error, counts_characters_and_not_bytes) {
  EXPECT_EQ(character_above_caret(render(Error({"f", 1, 6}, "e", "αβγδ=ε+1"))), "ε");
  EXPECT_EQ(character_above_caret(render(Error({"f", 1, 3}, "e", "a\tbc"))), "b");
}

TEST(Error, cuts_long_lines_around_the_caret) {
  for (const std::size_t column : {1U, 50U, 61U, 62U, 500U, 99999U, 100000U}) {
    std::string line(100000, '-');
    line[column - 1] = 'X';
    const std::string text = render(Error({"f", 1, static_cast<std::uint32_t>(column)}, "e", line));
    EXPECT_LT(text.size(), 330U);
    EXPECT_EQ(character_above_caret(text), "X") << column;
  }
}

TEST(Error, cuts_long_lines_of_wide_characters_between_characters) {
  std::string line;
  for (int k = 0; k < 1000; ++k) line += k == 700 ? "Ω" : "é";
  const std::string text = render(Error({"f", 1, 701}, "e", line));
  EXPECT_EQ(character_above_caret(text), "Ω");
  EXPECT_LT(text.size(), 500U);
}

TEST(Error, stands_broken_text) {
  const std::string text = render(Error({"f", 1, 3}, "e", std::string("a\xFF\x80") + "b\0c\x1B[31m\xE2\x82"));
  EXPECT_EQ(text.find('\xFF'), std::string::npos);
  EXPECT_EQ(text.find('\x1B'), std::string::npos);
  EXPECT_EQ(character_above_caret(text), "b");
  EXPECT_NO_THROW((void)render(Error({"f", 1, 4000000000U}, "e", "short")));
}

TEST(Nearest, finds_what_was_meant) {
  const std::vector<std::string_view> keys = {"mass", "position", "velocity", "force", "count", "for", "x"};
  const auto near = [&](std::string_view word) { return nearest(word, keys.data(), keys.size()); };
  EXPECT_EQ(near("mas"), "mass");
  EXPECT_EQ(near("masss"), "mass");
  EXPECT_EQ(near("amss"), "mass");
  EXPECT_EQ(near("Mass"), "mass");
  EXPECT_EQ(near("postion"), "position");
  EXPECT_EQ(near("velocitiy"), "velocity");
  EXPECT_EQ(near("forces"), "force");
  EXPECT_EQ(near("X"), "x");
  EXPECT_EQ(near("y"), "");
  EXPECT_EQ(near("gravity"), "");
  EXPECT_EQ(near(""), "");
  EXPECT_EQ(near(std::string(5000, 'm')), "");
  EXPECT_EQ(nearest("mass", nullptr, 0), "");
}

}  // namespace
}  // namespace error_tests
