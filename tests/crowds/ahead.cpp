/// Parts of space dealt with at the same time: the same events, flights and bits as one after the other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gas.hpp"

namespace zwang::crowds::ahead_tests {

namespace {

template <class T>
void put(std::string& bits, const std::vector<T>& list) {
  const std::size_t count = list.size();
  bits.append(reinterpret_cast<const char*>(&count), sizeof count);
  for (const T& one : list) bits.append(reinterpret_cast<const char*>(&one), sizeof one);
}
void put(std::string& bits, double number) { bits.append(reinterpret_cast<const char*>(&number), sizeof number); }

/// All that an instant tells.
std::string bits_of(const Crowd& crowd) {
  std::string bits;
  for (const motion::Event& event : crowd.events()) {
    put(bits, event.time);
    put(bits, event.lost);
    put(bits, event.rows);
    put(bits, event.position);
    put(bits, event.velocity);
    put(bits, event.variables);
    for (const motion::RowValue& value : event.impulses) {
      put(bits, value.first);
      put(bits, value.second);
    }
  }
  for (const Flight& flight : crowd.flights()) {
    put(bits, flight.member);
    put(bits, flight.start);
    for (const double x : flight.position) put(bits, x);
    for (const double v : flight.velocity) put(bits, v);
  }
  put(bits, static_cast<double>(crowd.steps()));
  return bits;
}

struct Followed {
  std::vector<std::string> instants;
  std::vector<model::Pair> met;
  motion::Account account;
  Ahead ahead;
};

Followed followed(const model::Model& left, unsigned threads, const AheadOptions& options = {}) {
  Crowd crowd(left);
  crowd.use_threads(threads, options);
  Followed out;
  while (crowd.advance()) out.instants.push_back(bits_of(crowd));
  out.met = crowd.met();
  out.account = crowd.account();
  out.ahead = crowd.ahead();
  return out;
}

void expect_same(const Followed& one, const Followed& other) {
  ASSERT_EQ(one.instants.size(), other.instants.size());
  for (std::size_t k = 0; k < one.instants.size(); ++k)
    ASSERT_EQ(one.instants[k], other.instants[k]) << "instant " << k;
  ASSERT_EQ(one.met.size(), other.met.size());
  for (std::size_t k = 0; k < one.met.size(); ++k) {
    ASSERT_EQ(one.met[k].first, other.met[k].first);
    ASSERT_EQ(one.met[k].second, other.met[k].second);
  }
  EXPECT_EQ(one.account.present.state.position, other.account.present.state.position);
  EXPECT_EQ(one.account.present.state.velocity, other.account.present.state.velocity);
  EXPECT_EQ(one.account.energy.lost, other.account.energy.lost);
  EXPECT_EQ(one.account.why, other.account.why);
}

Gas gas_of(unsigned side, double spacing, double until) {
  Gas gas;
  gas.count = side * side;
  gas.side = side;
  gas.spacing = spacing;
  gas.until = until;
  return gas;
}

}  // namespace

TEST(Ahead, any_number_of_threads_finds_the_bits_of_one) {
  for (const bool space : {false, true}) {
    Gas gas = gas_of(60, 1.5, space ? 1.0 : 1.5);
    gas.space = space;
    gas.gravity = space ? 0 : 0.4;
    const model::Model left = model::load(text_of(gas), "gas.toml", {}, model::Pairs::left);
    const Followed one = followed(left, 1);
    EXPECT_GT(one.instants.size(), 500U);
    EXPECT_EQ(one.ahead.stretches, 0U);
    for (const unsigned threads : {2U, 3U, 5U}) {
      const Followed more = followed(left, threads);
      expect_same(one, more);
      // (Much is dealt with ahead, or this says nothing.)
      EXPECT_GT(more.ahead.turns, one.instants.size() / 8) << threads;
      EXPECT_GT(more.ahead.waited, 0U);
    }
  }
}

TEST(Ahead, what_was_done_too_early_is_taken_back) {
  // Nobody waits for those who wait: what they change comes too late for those who went on beside them.
  const model::Model left = model::load(text_of(gas_of(48, 1.3, 1)), "gas.toml", {}, model::Pairs::left);
  const Followed one = followed(left, 1);
  for (const double turns : {0.1, 0.4, 1.6}) {
    const Followed more = followed(left, 3, {turns, false});
    expect_same(one, more);
    EXPECT_GT(more.ahead.taken_back, 5U) << turns;
  }
  // In long stretches nearly everybody waits in the end.
  for (const double turns : {0.5, 2.0}) expect_same(one, followed(left, 3, {turns, true}));
}

TEST(Ahead, a_crowd_that_is_put_aside_in_the_midst_goes_on_to_the_same_bits) {
  const model::Model left = model::load(text_of(gas_of(40, 1.4, 1)), "gas.toml", {}, model::Pairs::left);
  const Followed one = followed(left, 1);
  Crowd crowd(left);
  crowd.use_threads(2);
  std::size_t k = 0;
  std::size_t saved = 0;
  while (crowd.advance()) {
    ASSERT_LT(k, one.instants.size());
    ASSERT_EQ(bits_of(crowd), one.instants[k]) << "instant " << k;
    if (++k % 157 != 0) continue;
    // (What is kept is what one thread keeps.)
    Crowd alone(left);
    if (saved < 3) {
      for (std::size_t n = 0; n < k; ++n) ASSERT_TRUE(alone.advance());
      EXPECT_EQ(crowd.account().present.state.position, alone.account().present.state.position);
    }
    const std::string kept = crowd.save();
    if (saved < 3) {
      EXPECT_EQ(kept, alone.save());
    }
    ++saved;
    if (saved % 2 == 0) continue;
    crowd = Crowd::restore(left, {}, kept);
    crowd.use_threads(2 + static_cast<unsigned>(saved % 3));
  }
  EXPECT_EQ(k, one.instants.size());
  EXPECT_GT(saved, 5U);
  EXPECT_EQ(crowd.account().present.state.position, one.account.present.state.position);
}

TEST(Ahead, what_happens_everywhere_at_one_instant_is_told_as_one_alone_tells_it) {
  // Neighbours in pairs run into each other, all at once, and at the walls, and again.
  std::string text = text_of(gas_of(44, 1.5, 3));
  const std::size_t from = text.find("velocity = ");
  text.replace(from, text.find('\n', from) - from, "velocity = [\"1 - 2*(i - 2*floor(i/2))\", 0]");
  const model::Model left = model::load(text, "gas.toml", {}, model::Pairs::left);
  const Followed one = followed(left, 1);
  expect_same(one, followed(left, 3));
  expect_same(one, followed(left, 4, {1, false}));
}

TEST(Ahead, more_than_two_that_touch_stop_whoever_is_ahead) {
  // Rows of three that touch and rest, among others that fly.
  std::string text = text_of(gas_of(40, 1.5, 1.2));
  const std::size_t place = text.find("[constraints]");
  text.insert(place,
              "[points.c]\ncount = 6\nmass = 1\nposition = [\"10*s + i - 2 - 3*floor((i - 1)/3)\", \"(7 + 20*floor((i "
              "- 1)/3))*s + 0.55*s\"]\n");
  text += "";
  const std::size_t row = text.find("[simulation]");
  text.insert(
      row,
      "between = { for = \"i = 1..6, j = i+1..6\", condition = \"distance(c[i], c[j]) >= 1\", restitution = 1 }\n"
      "both = { for = \"i = 1..n, j = 1..6\", condition = \"distance(b[i], c[j]) >= 0.1\", restitution = 1 }\n");
  const model::Model left = model::load(text, "gas.toml", {}, model::Pairs::left);
  const Followed one = followed(left, 1);
  expect_same(one, followed(left, 2));
  expect_same(one, followed(left, 3, {0.5, false}));
  EXPECT_GT(one.instants.size(), 500U);
}

}  // namespace zwang::crowds::ahead_tests
