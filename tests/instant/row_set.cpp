/// Sets of rows: what they contain, and the difference between telling nothing and containing nothing.
#include "zwang/instant/row_set.hpp"

#include <gtest/gtest.h>

#include "zwang/instant/instant.hpp"
#include "zwang/model/read.hpp"

namespace zwang::instant::row_set_tests {

namespace {

TEST(RowSet, contains_what_was_added_and_not_taken_away) {
  RowSet set(4, std::vector<std::uint32_t>{1, 3});
  EXPECT_EQ(set.marks(), std::vector<std::uint8_t>({0, 1, 0, 1}));
  set.add(0);
  set.remove(3);
  set.put(2, true);
  set.put(1, false);
  EXPECT_EQ(set.marks(), std::vector<std::uint8_t>({1, 0, 1, 0}));
  EXPECT_TRUE(set.contains(0));
  EXPECT_FALSE(set.contains(1));
  EXPECT_EQ(RowSet::all(2).marks(), std::vector<std::uint8_t>({1, 1}));
}

TEST(RowSet, that_tells_nothing_contains_no_row) {
  const RowSet nothing;
  const RowSet none(3);
  EXPECT_FALSE(nothing.is_told());
  EXPECT_TRUE(none.is_told());
  for (std::uint32_t row = 0; row < 5; ++row) {
    EXPECT_FALSE(nothing.contains(row));
    EXPECT_FALSE(none.contains(row));
  }
}

TEST(RowSet, is_what_its_marks_say) {
  const RowSet set = RowSet::of_marks({0, 1, 1});
  EXPECT_EQ(RowSet::of_marks(set.marks()).marks(), set.marks());
  EXPECT_TRUE(set.contains(2));
  EXPECT_FALSE(RowSet::of_marks({}).is_told());
}

TEST(RowSet, of_closed_rows_overrules_the_tolerance_row_by_row) {
  const model::Model model = model::load(
      "gravity = [0, -10]\n[points.a]\nmass = 1\nposition = [0, 1e-3]\n[constraints]\nfloor = \"a.y >= 0\"\nwall = "
      "\"a.x >= -1\"\n",
      "set.toml");
  const model::State state = model::initial_state(model);
  Options options;
  EXPECT_EQ(accelerate(model, state, options).role[0], Role::passive_in_position);
  options.closed = RowSet(model.rows());
  EXPECT_EQ(accelerate(model, state, options).role[0], Role::passive_in_position);
  options.closed.add(0);
  const Instant on_floor = accelerate(model, state, options);
  EXPECT_EQ(on_floor.role[0], Role::binding);
  EXPECT_EQ(on_floor.role[1], Role::passive_in_position);
}

}  // namespace

}  // namespace zwang::instant::row_set_tests
