/// The comparison itself: what is wrong is found, what is right is not.
#include "gallery/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gallery/exact_number.hpp"

namespace compare_tests {
namespace {

using nlohmann::json;

bool agree(const char* expected, const char* answer) {
  return differences(json::parse(expected), json::parse(answer)).empty();
}

TEST(ExactNumbers, are_read_with_the_usual_precedence) {
  EXPECT_EQ(exact_number("44/49"), 44.0 / 49.0);
  EXPECT_EQ(exact_number("-2^2 + 3*(1 - 5)/4"), -7.0);
  EXPECT_EQ(exact_number("sqrt(3)/2"), std::sqrt(3.0) / 2);
  EXPECT_NEAR(*exact_number("-3*cos(pi/3) - sin(pi/6)"), -2.0, 1e-15);
  EXPECT_EQ(exact_number("1e-3"), 1e-3);
}

TEST(ExactNumbers, that_are_words_or_broken_are_refused) {
  for (const char* text : {"", "binding", "1 +", "(2", "2)", "3 4", "sqrt 2"}) EXPECT_FALSE(exact_number(text)) << text;
}

TEST(Comparison, notices_a_wrong_number) {
  EXPECT_TRUE(
      agree(R"({"accelerations": {"a": ["1/3", 0]}})", R"({"accelerations": {"a": [0.3333333333333333, 1e-15]}})"));
  EXPECT_FALSE(agree(R"({"accelerations": {"a": ["1/3", 0]}})", R"({"accelerations": {"a": [0.333333333, 0]}})"));
  EXPECT_FALSE(agree(R"({"accelerations": {"a": [1, 0]}})", R"({"accelerations": {"a": [1, 0, 0]}})"));
  EXPECT_FALSE(agree(R"({"constraint": "binding"})", R"({"constraint": 1})"));
}

TEST(Comparison, takes_its_tolerance_from_the_expectation) {
  EXPECT_TRUE(agree(R"({"tolerance": 1e-6, "constraint": 1000})", R"({"constraint": 1000.0005})"));
  EXPECT_FALSE(agree(R"({"constraint": 1000})", R"({"constraint": 1000.0005})"));
}

TEST(Comparison, notices_what_is_missing_and_what_should_be) {
  EXPECT_FALSE(agree(R"({"multipliers": {"wall": 0}})", R"({"multipliers": {}})"));
  EXPECT_FALSE(agree(R"({"absent": ["accelerations"]})", R"({"accelerations": {}})"));
  EXPECT_TRUE(agree(R"({"absent": ["accelerations"]})", R"({"status": "impact"})"));
}

TEST(Comparison, looks_for_roles_among_the_constraints_and_counts_them) {
  const char* answer = R"({"constraints": {"wall": {"role": "binding"}, "string": {"role": "leaving"}}})";
  EXPECT_TRUE(agree(R"({"roles": {"wall": "binding", "string": "leaving"}})", answer));
  EXPECT_FALSE(agree(R"({"roles": {"wall": "leaving"}})", answer));
  EXPECT_FALSE(agree(R"({"roles": {"floor": "leaving"}})", answer));
  EXPECT_TRUE(agree(R"({"role_counts": {"binding": 1, "marginal": 0}})", answer));
  EXPECT_FALSE(agree(R"({"role_counts": {"binding": 2}})", answer));
}

TEST(Comparison, takes_solutions_in_any_order_but_all_of_them) {
  const char* expected =
      R"({"solutions": [{"constraint": 1, "accelerations": {"x": 2}}, {"accelerations": {"x": -2}}]})";
  EXPECT_TRUE(agree(expected, R"({"solutions": [{"constraint": 1, "accelerations": {"x": -2}},
                                                {"constraint": 1, "accelerations": {"x": 2}}]})"));
  EXPECT_FALSE(agree(expected, R"({"solutions": [{"constraint": 1, "accelerations": {"x": 2}}]})"));
  EXPECT_FALSE(agree(expected, R"({"solutions": [{"constraint": 1, "accelerations": {"x": 2}},
                                                 {"constraint": 1, "accelerations": {"x": 2}}]})"));
  EXPECT_FALSE(agree(expected, "{}"));
}

TEST(Comparison, takes_vertices_in_any_order_and_roots_as_they_stand) {
  EXPECT_TRUE(agree(R"({"vertices": [{"multipliers": {"l": 1}}, {"multipliers": {"l": "1/2"}}]})",
                    R"({"vertices": [{"multipliers": {"l": 0.5}}, {"multipliers": {"l": 1}}]})"));
  EXPECT_FALSE(agree(R"({"vertices": [{"multipliers": {"l": 1}}]})", R"({"vertices": [{"multipliers": {"l": 2}}]})"));
  EXPECT_TRUE(agree(R"({"eigenvalues": [[-2, "3/4"]]})", R"({"eigenvalues": [[-2.0000000000000004, 0.75]]})"));
  EXPECT_FALSE(agree(R"({"eigenvalues": [[-2, "3/4"]]})", R"({"eigenvalues": [[-2, -0.75]]})"));
  EXPECT_FALSE(agree(R"({"stable": false})", R"({"stable": true})"));
  EXPECT_FALSE(agree(R"({"density": "1"})", R"({"density": "2"})"));
}

TEST(Comparison, holds_every_member_of_a_continuum_to_what_they_share) {
  const char* expected = R"({"every_solution": {"accelerations": {"a": [null, 1]}}})";
  EXPECT_TRUE(
      agree(expected, R"({"solutions": [{"accelerations": {"a": [1, 1]}}, {"accelerations": {"a": [2, 1]}}]})"));
  EXPECT_FALSE(
      agree(expected, R"({"solutions": [{"accelerations": {"a": [1, 1]}}, {"accelerations": {"a": [1, 2]}}]})"));
  EXPECT_FALSE(
      agree(expected, R"({"solutions": [{"accelerations": {"a": [1, 1]}}, {"accelerations": {"a": [1, 1]}}]})"));
  EXPECT_FALSE(agree(expected, R"({"solutions": [{"accelerations": {"a": [1, 1]}}]})"));
}

TEST(Comparison, takes_a_certificate_of_contradiction_up_to_a_positive_factor) {
  EXPECT_TRUE(agree(R"({"farkas": {"a": 1, "b": 2}})", R"({"farkas": {"a": 10, "b": 20}})"));
  EXPECT_FALSE(agree(R"({"farkas": {"a": 1, "b": 2}})", R"({"farkas": {"a": -1, "b": -2}})"));
  EXPECT_FALSE(agree(R"({"farkas": {"a": 1, "b": 2}})", R"({"farkas": {"a": 1}})"));
}

TEST(Comparison, takes_all_events_in_their_order_and_leaves_grazes_out) {
  const char* answer = R"({"events": [{"time": 1.0, "kind": "impact", "constraints": ["wall"]},
                                      {"time": 1.5, "kind": "graze", "constraints": ["floor"]},
                                      {"time": 2.0, "kind": "release", "constraints": ["wall"]}]})";
  EXPECT_TRUE(agree(R"({"events": [{"time": 1, "constraints": ["wall"]}, {"time": 2, "kind": "release"}]})", answer));
  EXPECT_TRUE(agree(R"({"events": [{"time": 1}, {"kind": "graze", "time": 1.5}, {"time": 2}]})", answer));
  EXPECT_FALSE(agree(R"({"events": [{"time": 1}, {"kind": "graze", "time": 1.6}, {"time": 2}]})", answer));
  EXPECT_FALSE(agree(R"({"events": [{"time": 1}]})", answer));
  EXPECT_FALSE(agree(R"({"events": [{"time": 1}, {"time": 2}, {"time": 3}]})", answer));
  EXPECT_FALSE(agree(R"({"events": [{"time": 1, "constraints": ["floor"]}, {"time": 2}]})", answer));
  EXPECT_FALSE(agree(R"({"events": [{"time": 1}, {"time": 2, "kind": "impact"}]})", answer));
  EXPECT_FALSE(agree(R"({"events": []})", answer));
  EXPECT_TRUE(agree(R"({"events": []})", R"({"events": [{"time": 1.5, "kind": "graze"}]})"));
}

TEST(Comparison, takes_the_first_and_the_last_of_many_events_and_counts_them) {
  const char* answer = R"({"events": [{"time": 1.0, "kind": "impact"}, {"time": 1.5, "kind": "impact"},
                                      {"time": 2.0, "kind": "accumulation"}]})";
  EXPECT_TRUE(agree(R"({"first_events": [{"time": 1}, {"time": 1.5}]})", answer));
  EXPECT_TRUE(agree(R"({"last_events": [{"time": 2, "kind": "accumulation"}]})", answer));
  EXPECT_FALSE(agree(R"({"first_events": [{"time": 1.5}]})", answer));
  EXPECT_FALSE(agree(R"({"last_events": [{"time": 1.5}]})", answer));
  EXPECT_FALSE(agree(R"({"last_events": [{}, {}, {}, {}]})", answer));
  EXPECT_TRUE(agree(R"({"event_counts": {"impact": 2, "accumulation": 1, "release": 0}})", answer));
  EXPECT_FALSE(agree(R"({"event_counts": {"impact": 3}})", answer));
}

TEST(Comparison, lets_a_part_have_a_tolerance_of_its_own) {
  const char* answer = R"({"events": [{"time": 1.0001, "kind": "impact"}], "final": {"time": 2.0001}})";
  EXPECT_TRUE(agree(R"({"events": [{"tolerance": 1e-3, "time": 1}]})", answer));
  EXPECT_TRUE(agree(R"({"final": {"tolerance": 1e-3, "time": 2}})", answer));
  EXPECT_FALSE(agree(R"({"events": [{"tolerance": 1e-3, "time": 1}], "final": {"time": 2}})", answer));
}

TEST(Comparison, looks_into_the_samples_of_a_run_and_into_both_sides_of_a_comparison) {
  const char* run = R"({"samples": [{"time": 1.0, "rho": {"edge": 0.5}}, {"time": 2.0, "rho": {"edge": 0.25}}]})";
  EXPECT_TRUE(agree(R"({"samples": [{"rho": {"edge": "1/2"}}, {"time": 2, "rho": {"edge": "1/4"}}]})", run));
  EXPECT_FALSE(agree(R"({"samples": [{"rho": {"edge": "1/2"}}, {"rho": {"edge": "1/3"}}]})", run));
  EXPECT_FALSE(agree(R"({"samples": [{"rho": {"edge": "1/2"}}]})", run));
  const char* both = R"({"straightest": {"final": {"time": 1.0}}, "variational": {"final": {"rho": {"edge": 2.0}}},
                         "distance": [[0.0, 0.0], [1.0, 1e-15]], "laws_agree": true})";
  EXPECT_TRUE(agree(R"({"distance": [[0, 0], [1, 0]], "laws_agree": true})", both));
  EXPECT_FALSE(agree(R"({"distance": [[0, 0], [1, 0.5]]})", both));
  EXPECT_FALSE(agree(R"({"laws_agree": false})", both));
  EXPECT_FALSE(agree(R"({"variational": {"final": {"rho": {"edge": 1}}}})", both));
}

}  // namespace
}  // namespace compare_tests
