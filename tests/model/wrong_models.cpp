/// Every wrong model is refused with a message that says what is wrong, and a caret where it is.
#include "wrong_models.hpp"

#include <gtest/gtest.h>

#include <set>

#include "zwang/model/read.hpp"

namespace wrong_models_tests {
namespace {

using zwang::Error;

struct Marked {
  std::string text;
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

/// Takes the sign § out of a text and tells where it stood.
Marked take_mark(std::string text) {
  const std::size_t at = text.find("§");
  EXPECT_NE(at, std::string::npos);
  text.erase(at, std::string_view("§").size());
  Marked out{text, 1, 1};
  for (const char c : text.substr(0, at)) {
    if (c == '\n') {
      ++out.line;
      out.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      ++out.column;
    }
  }
  return out;
}

class WrongModel : public testing::TestWithParam<wrong_models::Case> {};

TEST_P(WrongModel, is_refused_with_its_place_and_reason) {
  const Marked marked = take_mark(GetParam().text);
  try {
    static_cast<void>(zwang::model::load(marked.text, "model.toml"));
    FAIL() << "the model was accepted";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find(GetParam().message), std::string::npos) << error.message();
    EXPECT_EQ(error.place().file, "model.toml");
    EXPECT_EQ(error.place().line, marked.line) << zwang::render(error);
    EXPECT_EQ(error.place().column, marked.column) << zwang::render(error);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, WrongModel, testing::ValuesIn(wrong_models::cases()),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(WrongModels, have_different_names) {
  std::set<std::string_view> names;
  const std::vector<wrong_models::Case> cases = wrong_models::cases();
  for (const wrong_models::Case& one : cases) EXPECT_TRUE(names.insert(one.name).second) << one.name;
}

TEST(WrongModels, a_line_of_a_hundred_megabytes_is_refused_quickly) {
  const std::string text = "title = \"" + std::string(100'000'000, 'x') + "\"\n" + wrong_models::two_points;
  try {
    static_cast<void>(zwang::model::load(text, "model.toml"));
    FAIL() << "the model was accepted";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("a line may have at most 16 MiB"), std::string::npos) << error.message();
    EXPECT_EQ(error.place().line, 1U);
  }
}

TEST(WrongModels, deep_parentheses_are_refused_without_harm) {
  for (const std::size_t depth : {std::size_t{1000}, std::size_t{200'000}}) {
    const std::string text =
        wrong_models::condition(std::string(depth, '(') + "a.x" + std::string(depth, ')') + " = 0");
    EXPECT_THROW(static_cast<void>(zwang::model::load(text, "model.toml")), Error);
  }
}

TEST(WrongModels, moderately_deep_parentheses_are_fine) {
  const std::string text = wrong_models::condition(std::string(120, '(') + "a.x" + std::string(120, ')') + " = 0");
  EXPECT_NO_THROW(static_cast<void>(zwang::model::load(text, "model.toml")));
}

TEST(WrongModels, an_override_of_an_unknown_parameter_names_the_nearest) {
  zwang::model::Overrides overrides;
  overrides.parameters = {{"lenght", "2"}};
  try {
    static_cast<void>(zwang::model::load(wrong_models::parameter("length = 1"), "model.toml", overrides));
    FAIL() << "the override was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "the model has no parameter `lenght`; did you mean `length`?");
    EXPECT_EQ(error.place().file, "--set lenght");
  }
}

TEST(WrongModels, an_override_that_is_no_expression_points_into_the_command_line) {
  zwang::model::Overrides overrides;
  overrides.parameters = {{"k", "1 + "}};
  try {
    static_cast<void>(zwang::model::load(wrong_models::parameter("k = 1"), "model.toml", overrides));
    FAIL() << "the override was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.place().file, "--set k");
    EXPECT_EQ(error.excerpt(), "1 + ");
  }
}

}  // namespace
}  // namespace wrong_models_tests
