/// Small crowds at random: each tells what one motion of all its members tells.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "gas.hpp"

namespace zwang::crowds {

namespace {

/// A box, a slope in it perhaps, points of different masses, pairs and walls that lose energy or do not.
std::string random_crowd(unsigned seed, double tolerance = 1e-12) {
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
    wall("front", "b[i].z <= 1.5");
  }
  out += fmt::format("[simulation]\nuntil = {}\nsamples = 101\ntolerance = {}\n", pull > 0 ? 6 : 4, tolerance);
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

/// Impacts that can be seen: the rows struck, by name; what follows at once is one with what was before.
std::vector<std::string> shocks(const model::Model& model, const std::vector<motion::Event>& events, double until) {
  std::vector<std::string> out;
  std::set<std::string> names;
  double last = 0;
  const auto close = [&] {
    std::string all;
    for (const std::string& name : names) all += name + " ";
    if (!names.empty()) out.push_back(all + fmt::format("at {:.6f}", last));
    names.clear();
  };
  for (const motion::Event& event : events) {
    if (event.kind != motion::EventKind::impact || event.time > until) continue;
    double hardest = 0;
    for (const motion::RowValue& one : event.impulses) hardest = std::max(hardest, std::abs(one.second));
    if (hardest < 1e-3) continue;
    if (event.time > last + 1e-9) close();
    last = event.time;
    for (const std::uint32_t row : event.rows) names.insert(model::row_name(model, row));
  }
  close();
  return out;
}

/// Until where both agree, as a part of the whole; a failure if they part without chaos.
double compare(unsigned seed) {
  const std::string text = random_crowd(seed);
  Told one;
  const std::vector<motion::Sample> whole = samples_as_one(text, 0, &one);
  const std::vector<motion::Sample> beside = samples_as_one(text, 1e-12, nullptr);
  // What rattles closes when it has become low as measured by the tolerance.
  const std::vector<motion::Sample> sharper = samples_as_one(random_crowd(seed, 1e-13), 0, nullptr);
  const std::vector<motion::Sample> blunter = samples_as_one(random_crowd(seed, 2e-11), 0, nullptr);
  const Told crowd = as_crowd(text);
  const std::vector<motion::Sample> many = samples_of(view(crowd.model, crowd.track));
  EXPECT_TRUE(one.account.status != motion::Status::finished || crowd.account.status == motion::Status::finished)
      << seed << ": " << crowd.account.why << "\n"
      << text;
  const std::uint32_t dimension = one.model.bodies[0].dimension;
  double agreed = 0;
  const std::size_t count = std::min({whole.size(), beside.size(), sharper.size(), blunter.size(), many.size()});
  for (std::size_t k = 0; k < many.size(); ++k)
    EXPECT_LT(broken_by(many[k], dimension), 1e-11) << seed << " at " << many[k].state.time;
  for (std::size_t k = 0; k < count; ++k) {
    // What a start that is off by a rounding or ten does not tell, nobody can.
    double doubt = 0;
    for (const std::vector<motion::Sample>* other : {&beside, &sharper, &blunter})
      doubt = std::max({doubt, distance_of(whole[k], (*other)[k]), speed_between(whole[k], (*other)[k])});
    if (doubt > 1e-7) break;
    const double off = distance_of(whole[k], many[k]);
    const double off_speed = speed_between(whole[k], many[k]);
    agreed = whole[k].state.time;
    if (off > 1e-9 + 100 * doubt || off_speed > 1e-5 + 1000 * doubt) {
      ADD_FAILURE() << seed << " at " << agreed << ": off by " << off << " and " << off_speed << ", doubt " << doubt
                    << "\n"
                    << text;
      return agreed;
    }
  }
  // Where pairs rattle and close, each closes when it has become low enough, and how low that is the history says.
  double until = agreed;
  for (const motion::Event& event : one.events) {
    const bool of_pairs = std::any_of(event.rows.begin(), event.rows.end(), [&](std::uint32_t row) {
      return model::row_name(one.model, row).starts_with("apart");
    });
    if (event.kind == motion::EventKind::accumulation && of_pairs) until = std::min(until, event.time);
  }
  const std::vector<std::string> told = shocks(crowd.model, crowd.events, until);
  const std::vector<std::string> as_one = shocks(one.model, one.events, until);
  for (std::size_t k = 0; k < std::max(told.size(), as_one.size()); ++k) {
    const std::string mine = k < told.size() ? told[k] : "nothing";
    const std::string its = k < as_one.size() ? as_one[k] : "nothing";
    EXPECT_EQ(mine, its) << seed << ": shock " << k << "\n" << text;
    if (mine != its) break;
  }
  return agreed / one.model.simulation.until;
}

}  // namespace

TEST(RandomCrowds, are_followed_as_one_motion_follows_them) {
  double agreed = 0;
  const unsigned count = 40;
  for (unsigned seed = 0; seed < count; ++seed) agreed += compare(seed) / count;
  EXPECT_GT(agreed, 0.5);
}

TEST(RandomCrowdsSoak, are_followed_as_one_motion_follows_them) {
  for (unsigned seed = 1000; seed < 2000; ++seed) compare(seed);
}

}  // namespace zwang::crowds
