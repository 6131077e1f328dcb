/// Designs: which samples there are, in which order, and what cannot be one.
#include "zwang/sweeps/design.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <filesystem>
#include <fstream>

#include "zwang/error.hpp"

namespace zwang::sweeps::design_tests {
namespace {

std::vector<double> sample(const Design& design, std::uint64_t k) {
  std::vector<double> values(design.width());
  design.sample(k, values.data());
  return values;
}

Design design_of(const std::vector<std::string>& texts, std::uint64_t count = 0, std::uint64_t seed = 0) {
  std::vector<Spec> specs;
  for (const std::string& text : texts) specs.push_back({text});
  return read_design(specs, count, seed);
}

TEST(Design, of_values_the_last_varies_fastest) {
  const Design design = design_of({"a=1,2", "b=0..1:3"});
  ASSERT_EQ(design.total, 6U);
  const std::vector<std::vector<double>> wanted = {{1, 0}, {1, 0.5}, {1, 1}, {2, 0}, {2, 0.5}, {2, 1}};
  for (std::uint64_t k = 0; k < 6; ++k) EXPECT_EQ(sample(design, k), wanted[k]);
}

TEST(Design, a_grid_has_its_ends_and_short_decimals_between) {
  const Design design = design_of({"a=0.1..0.7:7"});
  const double wanted[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
  for (std::uint64_t k = 0; k < 7; ++k) EXPECT_EQ(sample(design, k)[0], wanted[k]);
  const Design down = design_of({"a=1..-1:3"});
  EXPECT_EQ(sample(down, 1)[0], 0);
  EXPECT_EQ(sample(down, 2)[0], -1);
}

TEST(Design, values_may_be_expressions_of_numbers) {
  const Design design = design_of({"a=pi/2, -2^2, sqrt(2), 1e-3"});
  EXPECT_EQ(sample(design, 0)[0], 3.14159265358979323846 / 2);
  EXPECT_EQ(sample(design, 1)[0], -4);
  EXPECT_EQ(sample(design, 3)[0], 1e-3);
}

TEST(Design, every_combination_gets_its_draws_and_they_are_those_of_the_number_of_the_sample) {
  const Design alone = design_of({"v~uniform(2,4)"}, 12, 7);
  const Design among = design_of({"a=1,2,3", "v~uniform(2,4)", "w~normal(0,1)", "s~sobol(0,1)"}, 4, 7);
  ASSERT_EQ(among.total, 12U);
  for (std::uint64_t k = 0; k < 12; ++k) {
    EXPECT_EQ(sample(among, k)[1], sample(alone, k)[0]);
    EXPECT_EQ(sample(among, k)[0], 1.0 + static_cast<double>(k / 4));
  }
  EXPECT_EQ(sample(design_of({"s~sobol(0,1)"}, 12, 7), 9)[0], sample(among, 9)[3]);
  EXPECT_NE(sample(design_of({"v~uniform(2,4)"}, 12, 8), 0)[0], sample(alone, 0)[0]);
}

TEST(Design, a_table_is_an_axis_of_several_names) {
  const std::string file = (std::filesystem::temp_directory_path() / "zwang-design-test.csv").string();
  std::ofstream(file) << "\xEF\xBB\xBF"
                      << "a, \"b\"\r\n1,2\r\n\r\n3,4e-1\r\n";
  const Design design = read_design({{"c=5,6"}, spec_of("@" + file)}, 0, 0);
  ASSERT_EQ(design.total, 4U);
  EXPECT_EQ(design.names(), (std::vector<std::string>{"c", "a", "b"}));
  EXPECT_EQ(sample(design, 1), (std::vector<double>{5, 3, 0.4}));
  EXPECT_EQ(sample(design, 2), (std::vector<double>{6, 1, 2}));
  std::ofstream(file) << "a,b\n1\n";
  EXPECT_THROW(static_cast<void>(read_design({spec_of("@" + file)}, 0, 0)), Error);
  std::filesystem::remove(file);
  EXPECT_THROW(static_cast<void>(spec_of("@" + file)), Error);
}

TEST(Design, what_cannot_be_read_is_an_error_with_its_place) {
  const std::pair<const char*, unsigned> wrong[] = {{"", 1},
                                                    {"a", 1},
                                                    {"=1", 1},
                                                    {"a=", 3},
                                                    {"2a=1", 1},
                                                    {"a b=1", 1},
                                                    {"a=1,,2", 5},
                                                    {"a=1..2", 3},
                                                    {"a=1..2:1", 8},
                                                    {"a=1..2:2.5", 8},
                                                    {"a=..2:3", 3},
                                                    {"a=1..:3", 6},
                                                    {"a=1..2:3:4", 3},
                                                    {"a=1..2:1e300", 8},
                                                    {"a=x", 3},
                                                    {"a=1,inf", 5},
                                                    {"a=[1,2]", 3},
                                                    {"a~", 3},
                                                    {"a~uniform", 10},
                                                    {"a~uniform(1", 10},
                                                    {"a~uniform(1)", 10},
                                                    {"a~uniform(2,1)", 13},
                                                    {"a~normal(1,-1)", 12},
                                                    {"a~cauchy(1,2)", 3},
                                                    {"a~sobol(1,2,3)", 8},
                                                    {"a=-1e308..1e308:3", 3}};
  for (const auto& [text, column] : wrong) {
    try {
      static_cast<void>(design_of({text}));
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.place().file, "--over") << text;
      EXPECT_EQ(error.place().column, column) << text << ": " << error.message();
      EXPECT_EQ(error.excerpt(), text);
    }
  }
  EXPECT_THROW(static_cast<void>(design_of({"a=1", "a=2"})), Error);
  EXPECT_THROW(static_cast<void>(design_of({"a=1"}, 5)), Error);
  EXPECT_THROW(static_cast<void>(design_of({"a=0..1:100000", "b=0..1:100000"})), Error);
  EXPECT_THROW(static_cast<void>(design_of({"a=0..1:100000", "b~uniform(0,1)"}, 100000)), Error);
}

TEST(Design, no_text_does_harm) {
  EXPECT_TRUE(rc::check("specs of any characters are read or refused", [](const std::vector<int>& picks) {
    constexpr std::string_view alphabet = "aL=~.,:()@[]0123456789e-+ uniformsobl\xC3\xA9\n\"";
    std::string text;
    for (const int pick : picks) text += alphabet[static_cast<std::size_t>(std::abs(pick % 1000)) % alphabet.size()];
    if (text.starts_with("@")) return;
    try {
      const Design design = design_of({text});
      std::vector<double> values(design.width());
      design.sample(design.total - 1, values.data());
    } catch (const Error&) {
    }
  }));
}

}  // namespace
}  // namespace zwang::sweeps::design_tests
