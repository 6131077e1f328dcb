/// Small crowds at random: each tells what one motion of all its members tells.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "gas.hpp"
#include "zwang/crowds/met.hpp"
#include "zwang/crowds/queue.hpp"

namespace zwang::crowds::random_crowds_tests {

namespace {

/// A box, a slope in it perhaps, points of different masses, pairs and walls that lose energy or do not.
std::string random_crowd(unsigned seed) {
  std::mt19937 dice(seed);
  const auto pick = [&](unsigned count) { return static_cast<unsigned>(dice() % count); };
  const auto part = [&] { return static_cast<double>(dice() % 100'000) / 100'000; };
  const bool space = pick(5) == 0;
  const unsigned side = 2 + pick(2);
  const unsigned count = side * side - pick(side);
  const std::array<double, 5> restitutions = {1, 0.9, 0.6, 0.3, 0};
  const double between = restitutions[pick(5)];
  const double pull = pick(3) == 0 ? 0 : 0.5 + 2 * part();
  double walls = pick(2) == 0 ? between : restitutions[pick(5)];
  // (On an elastic floor what others have brought to hop low hops for ever.)
  if (pull > 0 && between < 1 && walls == 1) walls = between;
  // (Between what rebounds and what does not gaps are squared from strike to strike, and one motion of all knows the sequence only if nobody
  // else is struck meanwhile.)
  if ((between == 0) != (walls == 0)) walls = between;
  const double aside = pick(3) == 0 ? part() : 0;
  const double spacing = 1.2 + 1.5 * part();
  std::string out = fmt::format("gravity = [{}, {}{}]\n[parameters]\nm = {}\ns = {}\n", aside * pull, -pull,
                                space ? ", 0" : "", side, spacing);
  const double k = 1 + 9 * part();
  out += fmt::format("[points.b]\ncount = {}\nmass = \"1 + 0.5*sin({}*i)\"\n", count, k);
  out += fmt::format(
      "position = [\"s*(i - 0.5 - m*floor((i - 1)/m) + 0.04*sin({0}*i*i))\", "
      "\"s*(floor((i - 1)/m) + 0.5 + 0.04*cos({0}*i*i))\"",
      k);
  out += space ? ", \"sin(3*i)^2\"]\n" : "]\n";
  out += fmt::format("velocity = [\"sin({0}*i*i + i)\", \"cos(11*i*i + {0})\"", k);
  out += space ? ", \"0.5*sin(5*i)\"]\n" : "]\n";
  out += "[constraints]\n";
  out += fmt::format(
      "apart = {{ for = \"i = 1..{0}, j = i+1..{0}\", condition = \"distance(b[i], b[j]) >= 1\", "
      "restitution = {1} }}\n",
      count, between);
  const auto wall = [&](const char* name, const std::string& condition) {
    out += fmt::format("{} = {{ for = \"i = 1..{}\", condition = \"{}\", restitution = {} }}\n", name, count, condition,
                       walls);
  };
  const double width = side * spacing;
  wall("left", "b[i].x >= 0");
  wall("right", fmt::format("b[i].x <= {}", width));
  if (pick(4) == 0) {
    wall("slope", fmt::format("b[i].y >= {}*b[i].x - {}", 0.2 * part(), 0.5 + part()));
  } else {
    wall("low", "b[i].y >= 0");
  }
  wall("high", fmt::format("b[i].y <= {}", width + 1));
  if (space) {
    wall("back", "b[i].z >= -0.5");
    wall("front", "b[i].z <= 1.7");
  }
  out += fmt::format("[simulation]\nuntil = {}\nsamples = 101\n", pull > 0 ? 6 : 4);
  return out;
}

std::vector<motion::Sample> samples_of(const motion::RunView& run) {
  std::vector<motion::Sample> out;
  run.each_sample(0, [&](const motion::Sample& sample) {
    out.push_back(sample);
    return true;
  });
  return out;
}

std::vector<motion::Sample> samples_as_one(const std::string& text, double moved, Told* told) {
  model::Model model = model::load(text, "gas.toml");
  for (std::size_t k = 0; k < model.initial_position.size(); ++k)
    model.initial_position[k] += moved * std::sin(static_cast<double>(3 * k + 1));
  motion::Motion motion = motion::begin(model);
  motion::Track track;
  motion::follow(model, motion, track);
  std::vector<motion::Sample> out = samples_of(motion::view(model, track));
  if (told != nullptr) {
    told->events = track.events;
    told->account = track.account;
    told->model = std::move(model);
  }
  return out;
}

double distance_of(const motion::Sample& a, const motion::Sample& b) {
  double most = 0;
  for (std::size_t k = 0; k < a.state.position.size(); ++k)
    most = std::max(most, std::abs(a.state.position[k] - b.state.position[k]));
  return most;
}
double speed_between(const motion::Sample& a, const motion::Sample& b) {
  double most = 0;
  for (std::size_t k = 0; k < a.state.velocity.size(); ++k)
    most = std::max(most, std::abs(a.state.velocity[k] - b.state.velocity[k]));
  return most;
}

/// By how much conditions between two members are broken, most.
double broken_by(const motion::Sample& sample, std::uint32_t dimension) {
  double most = 0;
  const std::vector<double>& q = sample.state.position;
  for (std::size_t i = 0; i < q.size(); i += dimension) {
    for (std::size_t j = i + dimension; j < q.size(); j += dimension) {
      double square = 0;
      for (std::size_t c = 0; c < dimension; ++c) square += (q[i + c] - q[j + c]) * (q[i + c] - q[j + c]);
      most = std::max(most, 1 - std::sqrt(square));
    }
  }
  return most;
}

/// Impacts that can be seen: when, and the rows struck, by name; what follows at once is one with what was before.
struct Shock {
  double time = 0;
  std::set<std::string> names;
};
std::vector<Shock> shocks(const model::Model& model, const std::vector<motion::Event>& events, double until) {
  std::vector<Shock> out;
  for (const motion::Event& event : events) {
    if (event.kind != motion::EventKind::impact || event.time > until) continue;
    double hardest = 0;
    for (const motion::RowValue& one : event.impulses) hardest = std::max(hardest, std::abs(one.second));
    if (hardest < 1e-3) continue;
    if (out.empty() || event.time > out.back().time + 1e-9) out.emplace_back();
    out.back().time = event.time;
    for (const std::uint32_t row : event.rows) out.back().names.insert(model::row_name(model, row));
  }
  return out;
}

/// When several conditions first come to rest together, or a pair does: how low is low enough for that, history says.
double first_rest(const Told& told) {
  for (const motion::Event& event : told.events) {
    const bool hops = event.rows.size() == 1 && !model::row_name(told.model, event.rows[0]).starts_with("apart");
    if (event.kind == motion::EventKind::accumulation && !hops) return event.time;
  }
  return told.model.simulation.until;
}

/// Until where both agree, as a part of the whole; a failure if they part without chaos.
double compare(unsigned seed) {
  const std::string text = random_crowd(seed);
  Told one;
  const std::vector<motion::Sample> whole = samples_as_one(text, 0, &one);
  const std::vector<motion::Sample> beside = samples_as_one(text, 1e-12, nullptr);
  const Told crowd = as_crowd(text);
  const std::vector<motion::Sample> many = samples_of(view(crowd.model, crowd.track));
  EXPECT_TRUE(one.account.status != motion::Status::finished || crowd.account.status == motion::Status::finished)
      << seed << ": " << crowd.account.why << "\n"
      << text;
  const std::uint32_t dimension = one.model.bodies[0].dimension;
  for (const motion::Sample& sample : many)
    EXPECT_LT(broken_by(sample, dimension), 1e-11) << seed << " at " << sample.state.time;
  const motion::EnergyBalance& energy = crowd.account.energy;
  EXPECT_NEAR(energy.initial + energy.work - energy.lost, energy.final, 1e-10 * (1 + std::abs(energy.initial))) << seed;

  const double until = std::min(first_rest(one), first_rest(crowd)) - 1e-6;
  double agreed = 0;
  const std::size_t count = std::min({whole.size(), beside.size(), many.size()});
  for (std::size_t k = 0; k < count && whole[k].state.time < until; ++k) {
    // What a start that is off by a rounding or ten does not tell, nobody can.
    const double doubt = std::max(distance_of(whole[k], beside[k]), speed_between(whole[k], beside[k]));
    if (doubt > 1e-7) break;
    const double off = distance_of(whole[k], many[k]);
    const double off_speed = speed_between(whole[k], many[k]);
    agreed = whole[k].state.time;
    if (off > 1e-9 + 100 * doubt || off_speed > 1e-8 + 1000 * doubt) {
      ADD_FAILURE() << seed << " at " << agreed << ": off by " << off << " and " << off_speed << ", doubt " << doubt
                    << "\n"
                    << text;
      return agreed;
    }
  }
  const std::vector<Shock> told = shocks(crowd.model, crowd.events, agreed);
  const std::vector<Shock> as_one = shocks(one.model, one.events, agreed);
  EXPECT_EQ(told.size(), as_one.size()) << seed << "\n" << text;
  for (std::size_t k = 0; k < std::min(told.size(), as_one.size()); ++k) {
    EXPECT_NEAR(told[k].time, as_one[k].time, 1e-8) << seed << ": shock " << k;
    const std::set<std::string>& names = as_one[k].names;
    EXPECT_TRUE(std::any_of(told[k].names.begin(), told[k].names.end(),
                            [&](const std::string& name) { return names.count(name) > 0; }))
        << seed << ": shock " << k << ", " << *told[k].names.begin() << " instead of " << *names.begin();
  }
  return agreed / one.model.simulation.until;
}

}  // namespace

TEST(RandomCrowds, are_followed_as_one_motion_follows_them) {
  double agreed = 0;
  const unsigned count = 30;
  for (unsigned seed = 0; seed < count; ++seed) agreed += compare(seed) / count;
  EXPECT_GT(agreed, 0.5);
}

/// In those that were looked into three shocks or more follow each other within picoseconds, and one motion and a crowd take others of them for one.
constexpr unsigned most_that_part = 10;

TEST(RandomCrowdsSoak, a_thousand_are_followed_as_one_motion_follows_them) {
  unsigned parted = 0;
  for (unsigned seed = 1000; seed < 2000; ++seed) {
    ::testing::TestPartResultArray found;
    {
      const ::testing::ScopedFakeTestPartResultReporter aside(
          ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &found);
      compare(seed);
    }
    if (found.size() == 0) continue;
    ++parted;
    fmt::print("{}\n", std::string(found.GetTestPartResult(0).message()).substr(0, 200));
  }
  EXPECT_LE(parted, most_that_part);
}

TEST(Queue, gives_times_in_order_whatever_was_put_and_taken_out) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    std::mt19937 dice(seed);
    constexpr std::uint32_t count = 3000;
    constexpr double infinite = std::numeric_limits<double>::infinity();
    Queue queue;
    queue.reset(count / 2);
    queue.grow(count);
    std::set<std::pair<double, std::uint32_t>> expected;
    std::vector<double> times(count, infinite);
    const auto put = [&](std::uint32_t number, double time) {
      expected.erase({times[number], number});
      times[number] = time;
      if (time < infinite) expected.insert({time, number});
      queue.put(number, time);
    };
    double now = 0;
    for (std::uint32_t k = 0; k < count; ++k) put(k, static_cast<double>(dice() % 1000) / 64);
    for (int k = 0; k < 20'000; ++k) {
      ASSERT_EQ(queue.empty(), expected.empty());
      if (!expected.empty()) {
        ASSERT_EQ(queue.first(), expected.begin()->second);
        ASSERT_EQ(queue.first_time(), expected.begin()->first);
        now = queue.first_time();
      }
      const std::uint32_t number = dice() % 3 == 0 ? static_cast<std::uint32_t>(dice() % count) : queue.first();
      // Slower and slower, most of them soon, many at the same time, some before the others, some never.
      const double scale = k < 10'000 ? 1 : 1000;
      const unsigned way = dice() % 8;
      const double later = static_cast<double>(dice() % 4096) / 64;
      put(number, way == 0 ? infinite : way == 1 ? now : way == 2 ? std::floor(now + later) : now + scale * later);
    }
  }
}

TEST(MetNumbers, knows_every_row_that_was_added) {
  MetNumbers numbers;
  EXPECT_EQ(numbers.find(7), MetNumbers::unknown);
  std::mt19937_64 dice(5);
  std::vector<std::uint64_t> rows;
  for (std::uint32_t k = 0; k < 5000; ++k) {
    rows.push_back(k % 2 == 0 ? dice() : rows.size() * 1024);
    ASSERT_EQ(numbers.find_or_add(rows.back(), k), k);
  }
  for (std::uint32_t k = 0; k < rows.size(); ++k) {
    ASSERT_EQ(numbers.find(rows[k]), k);
    ASSERT_EQ(numbers.find_or_add(rows[k], 9999), k);
  }
  EXPECT_EQ(numbers.size(), rows.size());
  EXPECT_EQ(numbers.find(3), MetNumbers::unknown);
}

}  // namespace zwang::crowds::random_crowds_tests
