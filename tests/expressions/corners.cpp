/// What is said of expressions with corners without looking at their values.
#include "zwang/expressions/corners.hpp"

#include <gtest/gtest.h>

#include "expressions/workshop.hpp"

namespace corners_tests {
namespace {

using namespace workshop;

bool is_without_jump(std::string_view text) {
  Graph graph;
  return has_no_jump(graph, build(graph, text));
}

TEST(Corners, of_continuous_functions_do_not_jump) {
  for (const char* text : {"abs(x) + max(x, y, 2)^2", "clip(x, 0, 1)*sin(y)", "sqrt(abs(x))", "abs(x)^1.5", "x + y'*t"})
    EXPECT_TRUE(is_without_jump(text)) << text;
}

TEST(Corners, that_jump_or_stand_beside_a_pole_are_not_said_to_be_continuous) {
  for (const char* text : {"sign(x)", "step(x - 1)", "floor(x)", "mod(x, 2)", "abs(x)/x", "max(x, 0)*tan(y)",
                           "abs(x)^y", "atan2(y, x)", "abs(x)*log(y)"})
    EXPECT_FALSE(is_without_jump(text)) << text;
}

TEST(Corners, of_tables_do_not_jump_unless_what_they_are_asked_for_does) {
  for (const Function function : {Function::table, Function::spline}) {
    Graph graph;
    const auto of = [&](std::string_view place) {
      std::vector<Expr> arguments = {build(graph, place)};
      for (const double number : {0.0, 1.0, 2.0, 0.0, 3.0, 0.0}) arguments.push_back(graph.number(number));
      return graph.apply(function, arguments);
    };
    EXPECT_TRUE(has_no_jump(graph, of("x - 1")));
    EXPECT_TRUE(has_no_jump(graph, of("abs(x)")));
    EXPECT_FALSE(has_no_jump(graph, of("mod(x, 2)")));
  }
}

}  // namespace
}  // namespace corners_tests
