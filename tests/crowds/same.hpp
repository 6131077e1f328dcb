/// A crowd and one motion of all its members, compared event by event.
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

}  // namespace zwang::crowds
