/// A crowd compared event by event: with one motion of all its members, and with itself put aside again and again.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gas.hpp"

namespace zwang::crowds {

inline std::vector<std::string> names(const model::Model& model, const std::vector<std::uint32_t>& rows) {
  std::vector<std::string> out;
  for (const std::uint32_t row : rows) out.push_back(model::row_name(model, row));
  std::sort(out.begin(), out.end());
  return out;
}

/// The events until small differences have grown.
inline void expect_same(const std::string& text, double within, double until) {
  const Told crowd = as_crowd(text);
  const Told one = as_one(text);
  ASSERT_EQ(words(crowd.account.status), words(one.account.status)) << crowd.account.why << one.account.why;
  EXPECT_EQ(words(one.account.status), "finished") << one.account.why;
  EXPECT_FALSE(one.events.empty());
  for (std::size_t k = 0; k < one.events.size() && one.events[k].time < until; ++k) {
    ASSERT_LT(k, crowd.events.size());
    ASSERT_EQ(words(crowd.events[k].kind), words(one.events[k].kind)) << one.events[k].time;
    ASSERT_EQ(names(crowd.model, crowd.events[k].rows), names(one.model, one.events[k].rows)) << one.events[k].time;
    ASSERT_NEAR(crowd.events[k].time, one.events[k].time, within);
    ASSERT_NEAR(crowd.events[k].lost, one.events[k].lost, within);
    ASSERT_EQ(crowd.events[k].impulses.size(), one.events[k].impulses.size());
    for (std::size_t v = 0; v < crowd.events[k].variables.size(); ++v) {
      EXPECT_NEAR(crowd.events[k].velocity[v], one.events[k].velocity[crowd.events[k].variables[v]], within);
      EXPECT_NEAR(crowd.events[k].position[v], one.events[k].position[crowd.events[k].variables[v]], within);
    }
  }
}

/// A crowd that is put aside every now and then goes on to the same bits; for more turns than `least`.
inline void expect_same_when_put_aside(const std::string& text, std::size_t least) {
  const model::Model left = model::load(text, "gas.toml", {}, model::Pairs::left);
  Crowd through(left);
  Crowd aside(left);
  std::size_t turns = 0;
  while (through.advance()) {
    if (++turns % 41 == 0) aside = Crowd::restore(left, {}, aside.save());
    ASSERT_TRUE(aside.advance());
    ASSERT_EQ(through.events().size(), aside.events().size());
    for (std::size_t k = 0; k < through.events().size(); ++k) {
      ASSERT_EQ(through.events()[k].time, aside.events()[k].time);
      ASSERT_EQ(through.events()[k].rows, aside.events()[k].rows);
      ASSERT_EQ(through.events()[k].velocity, aside.events()[k].velocity);
    }
  }
  EXPECT_GT(turns, least);
  EXPECT_EQ(through.account().present.state.position, aside.account().present.state.position);
  EXPECT_EQ(through.account().energy.lost, aside.account().energy.lost);
  EXPECT_EQ(through.account().energy.work, aside.account().energy.work);
}

}  // namespace zwang::crowds
