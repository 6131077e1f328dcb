/// Models compiled by the pattern of another one are those that are compiled from the text, in every number.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "places.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/model/watch.hpp"
#include "zwang/sweeps/sample.hpp"

namespace patterns_tests {
namespace {

using namespace zwang;
using model::Watching;

/// Every number and name of a model, in order, as text.
class Listing {
 public:
  explicit Listing(const Watching& watching) {
    const model::Model& m = watching.model;
    for (const model::Parameter& one : m.parameters) list(one.value);
    for (const model::Body& one : m.bodies) words(one.name, one.first, one.dimension);
    words(m.variables, m.switches, m.modes, m.flow, m.mass_blocks.size());
    for (const auto& block : m.mass_blocks) list(block);
    list(m.initial_position, m.initial_velocity, m.point_mass, m.constant_force);
    list(m.row_condition, m.row_group, m.row_lane, m.row_alternative, m.row_twin, m.row_start, m.row_column);
    for (const model::RowKind kind : m.row_kind) words(static_cast<int>(kind));
    for (const model::Condition& one : m.conditions) {
      words(one.name, one.text, one.restitution, one.multiplier, one.seizure, one.implied, one.at, one.first_row,
            one.rows, one.components, one.alternatives, one.compound, one.indices);
      list(one.index_values);
    }
    for (const model::RowGroup& one : m.groups) {
      slotted(one);
      words(one.holonomic, one.rheonomic, one.bend_works);
      list(one.row, one.entry_of);
      tape(one.tape);
      tape(one.bend);
    }
    for (const model::TermGroup& one : m.terms) term(one);
    for (const auto* all : {&m.outputs, &m.truths, &m.simulation.stop, &watching.states}) {
      for (const model::Observable& one : *all) {
        words(one.name, one.text);
        term(one.term);
      }
    }
    for (const model::Blow& one : m.blows) {
      words(one.at);
      list(one.variables, one.impulse, one.mark);
    }
    for (const model::Release& one : m.releases) {
      words(one.name, one.at);
      list(one.rows, one.springs, one.when);
    }
    for (const model::Joint& one : m.joints) {
      words(one.name, one.first_row, one.rows);
      list(one.first.at, one.second.at);
    }
    for (const model::Spring& one : m.springs) {
      words(one.name);
      list(one.first.at, one.second.at, one.switches);
    }
    for (const model::HalfSpace& one : m.half_spaces) {
      words(one.offset, one.moves);
      list(one.normal, one.rows);
    }
    for (const model::Rigid& one : m.rigids) list(one.inertia, one.sizes);
    list(watching.numbers, m.simulation.stop_truth);
    words(m.simulation.start, m.simulation.until, m.simulation.tolerance, m.simulation.samples, m.simulation.touch);
  }
  [[nodiscard]] std::string text() const { return out_.str(); }

 private:
  void word(double x) { out_ << exact(x) << (std::signbit(x) ? "-" : "") << ' '; }
  void word(const std::string& x) { out_ << x << ' '; }
  template <class T>
  requires std::is_integral_v<T>
  void word(T x) { out_ << x << ' '; }
  template <class... T>
  void words(const T&... all) {
    (word(all), ...);
    out_ << '\n';
  }
  template <class... T>
  void list(const std::vector<T>&... all) {
    const auto one = [&](const auto& values) {
      for (const auto& value : values) word(value);
      out_ << '\n';
    };
    (one(all), ...);
  }
  void tape(const expressions::Tape& one) {
    words(one.inputs.size());
    list(one.constants, one.outputs);
    for (const expressions::Instruction& step : one.instructions)
      words(static_cast<int>(step.op), step.a, step.b, step.c, step.zero_below);
  }
  void slotted(const model::Slotted& one) {
    words(one.positions, one.velocities, one.constants, one.lanes, one.modes, one.first_switch, one.first_mode);
    list(one.position_of, one.velocity_of, one.constant_of);
    for (const expressions::Corner& corner : one.corners) {
      words(corner.text, static_cast<int>(corner.kind), corner.quiet, corner.follows, corner.inside);
      list(corner.pieces.knots);
    }
    tape(one.switching);
    tape(one.slopes);
  }
  void term(const model::TermGroup& one) {
    slotted(one);
    words(static_cast<int>(one.kind), one.uses_velocity, one.uses_time);
    list(one.target_of);
    tape(one.tape);
  }
  std::ostringstream out_;
};

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Tried {
  int again = 0;  ///< models compiled by a pattern
  int other = 0;  ///< those that had another structure, or could not be compiled
};

/// The draft by the pattern of `first`, with `second`: the same as from the text.
void compare(const model::Draft& draft, const model::Overrides& first, const model::Overrides& second,
             const std::string& what, Tried& tried) {
  model::Pattern pattern;
  Watching again;
  try {
    static_cast<void>(model::compile(draft, first, {}, {}, pattern));
    if (!model::compile_again(draft, second, {}, {}, pattern, again)) {
      ++tried.other;
      return;
    }
  } catch (const Error&) {
    ++tried.other;
    return;
  }
  ++tried.again;
  EXPECT_EQ(Listing(again).text(), Listing(model::compile(draft, second, {}, {})).text()) << what;
}

TEST(Pattern, gives_every_model_of_the_gallery_to_the_last_bit) {
  Tried tried;
  std::mt19937_64 dice(5);
  std::uniform_real_distribution<double> part(0.9, 1.1);
  for (const auto& entry : std::filesystem::directory_iterator(places::source("gallery"))) {
    const std::string text = read_file(entry.path() / "model.toml");
    // Families and contacts would take most of the time.
    if (text.find("[parameters]") == std::string::npos || text.find("count") != std::string::npos ||
        text.find("[contacts") != std::string::npos || text.find("for = ") != std::string::npos) {
      continue;
    }
    const model::Draft draft = model::read(text, "model.toml");
    const model::Model base = model::compile(draft);
    if (base.variables > 10) continue;
    for (const model::Parameter& parameter : base.parameters) {
      if (parameter.value.size() != 1) continue;
      model::Overrides changed;
      changed.parameters.emplace_back(parameter.name, exact(parameter.value[0] * part(dice)));
      compare(draft, {}, changed, entry.path().filename().string() + " " + parameter.name, tried);
    }
  }
  EXPECT_GT(tried.again, 20);
  EXPECT_GT(tried.other, 20);
}

/// A parameter of each kind of place.
constexpr const char* many_places = R"toml([parameters]
x = 0.5
speed = 1
m = 2
e = 0.5
k = 3
n = 2
until = 4
push = 0.25
[points.a]
mass = "m"
position = ["x", 1]
velocity = [0, "speed"]
force = ["-k*a.x", 0]
[points.b]
count = "n"
mass = 1
position = ["2 + i*x", 2]
[constraints]
floor = { condition = "a.y >= abs(a.x) - 3", restitution = "e" }
ties = { condition = "distance(b[i], [2*i, 0]) <= 3", for = "i = 1..n" }
[[impulses]]
on = "a"
at = "until/2"
value = ["push", 0]
[outputs]
height = "a.y - x"
[simulation]
until = "until"
)toml";

TEST(Pattern, is_left_where_the_value_stands_in_an_expression) {
  const model::Draft draft = model::read(many_places, "places.toml");
  const auto again = [&](const std::string& name, const std::string& value) {
    model::Overrides set;
    set.parameters.emplace_back(name, value);
    Tried tried;
    compare(draft, {}, set, name, tried);
    return tried.again == 1;
  };
  for (const char* name : {"speed", "m", "e", "until", "push"}) EXPECT_TRUE(again(name, "0.75")) << name;
  // In a force, in a condition's family, in an output.
  EXPECT_FALSE(again("k", "0.75"));
  EXPECT_FALSE(again("n", "3"));
  EXPECT_FALSE(again("x", "0.75"));
}

/// Parameters that are one side of a condition.
constexpr const char* sides = R"toml([parameters]
L = 1.25
M = 1.3
R = 1.6
w = -2.2
s = 0.5
[points.a]
mass = 1
position = [1, 0.5]
[points.b]
mass = 1
position = [1, 1.5]
[points.c]
mass = 1
position = [0, -1]
[points.d]
mass = 1
position = [4, -1]
[constraints]
first = "distance(a, [0, 0]) <= L"
second = "distance(b, a) <= M"
third = "distance(c, [0, 0]) <= R"
fourth = "distance(d, [3, 0]) <= 1.5"
wall = "w <= a.x + b.x"
added = "c.y + 3 >= s"
)toml";

TEST(Pattern, takes_another_number_as_a_side_of_a_condition) {
  const model::Draft draft = model::read(sides, "sides.toml");
  const auto again = [&](const std::vector<std::pair<std::string, std::string>>& values) {
    model::Overrides set;
    for (const auto& [name, value] : values) set.parameters.emplace_back(name, value);
    Tried tried;
    compare(draft, {}, set, values[0].first + " = " + values[0].second, tried);
    return tried.again == 1;
  };
  EXPECT_TRUE(again({{"M", "1.2"}}));
  EXPECT_TRUE(again({{"w", "-2.7"}}));
  EXPECT_TRUE(again({{"M", "1.2"}, {"w", "-3.3"}, {"L", "1.25"}}));
  EXPECT_TRUE(again({{"L", "1.4"}, {"R", "1.7"}}));
  // What it is added to has a number of its own; another sign; a number that stands elsewhere; two conditions that become of one shape.
  EXPECT_FALSE(again({{"s", "0.6"}}));
  EXPECT_FALSE(again({{"w", "0"}}));
  EXPECT_FALSE(again({{"w", "2"}}));
  EXPECT_FALSE(again({{"M", "3"}}));
  EXPECT_FALSE(again({{"L", "1.7"}, {"R", "1.7"}}));
  // One shape at first, and no longer.
  model::Overrides same;
  same.parameters = {{"L", "1.5"}};
  for (const char* value : {"1.25", "1.5", "1.75"}) {
    model::Overrides set;
    set.parameters.emplace_back("L", value);
    Tried tried;
    compare(draft, same, set, value, tried);
    EXPECT_EQ(tried.again, std::string_view(value) == "1.5" ? 1 : 0) << value;
  }
}

TEST(Pattern, gives_random_conditions_to_the_last_bit) {
  std::mt19937_64 dice(17);
  const auto pick = [&](std::initializer_list<const char*> words) {
    return std::string(words.begin()[dice() % words.size()]);
  };
  Tried tried;
  for (int k = 0; k < 150; ++k) {
    std::string text = "[parameters]\nL = 1.5\nM = 2.5\n[points.a]\nmass = 1\nposition = [0.75, 0.5]\n";
    text += "[points.b]\nmass = 1\nposition = [-0.5, 0.25]\n[constraints]\n";
    for (int j = 0; j < 3; ++j) {
      const std::string left =
          pick({"distance(a, b)", "distance(a, [0, 0])", "a.x - b.y", "norm(a - b)^2", "a.x*b.x + a.y", "L*a.x",
                "abs(a.x)", "a.x + M", "a.x^2 + 2.5*a.y^2", "atan(a.x)", "a.x/M - b.x", "max(a.x, b.x)"});
      const std::string right = pick({"L", "M", "2*L", "1.5", "L"});
      text += "c" + std::to_string(j) + " = \"" + (dice() % 3 == 0 ? right + " >= " + left : left + " <= " + right) +
              "\"\n";
    }
    const model::Draft draft = model::read(text, "random.toml");
    for (const char* value : {"1.75", "2.5", "1", "0.3", "-1.5"}) {
      model::Overrides set;
      set.parameters.emplace_back("L", value);
      compare(draft, {}, set, text + value, tried);
    }
  }
  EXPECT_GT(tried.again, 50);
  EXPECT_GT(tried.other, 100);
}

TEST(Pattern, of_another_sample_does_not_change_a_sweep) {
  sweeps::Recipe recipe;
  recipe.file = "places.toml";
  recipe.text = many_places;
  recipe.over = {{"k=1,2"}, {"n=1,2"}, {"speed=0.5..1.5:3"}, {"e=0.25,1.5"}};
  recipe.records = {"a.x", "b[1].y", "max(a.y)"};
  const sweeps::Sweep sweep(recipe);
  std::uint64_t next = 0;
  int failed = 0;
  static_cast<void>(sweep.follow(0, sweep.design().total, [&](sweeps::Row& row) {
    // Alone every sample begins with the pattern of the first.
    sweeps::Row alone;
    static_cast<void>(sweep.follow(next, alone));
    EXPECT_EQ(row.sample, next);
    EXPECT_EQ(row.status, alone.status);
    EXPECT_EQ(row.why, alone.why);
    for (std::size_t k = 0; k < row.records.size(); ++k)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(row.records[k]), std::bit_cast<std::uint64_t>(alone.records[k]));
    // And from the text.
    if (row.status != sweeps::no_model) {
      model::Overrides set;
      for (std::size_t k = 0; k < row.parameters.size(); ++k)
        set.parameters.emplace_back(sweep.design().names()[k], exact(row.parameters[k]));
      const model::Model whole = model::compile(model::read(many_places, "places.toml"), set);
      motion::Motion motion = motion::begin(whole);
      while (motion::advance(motion)) {
      }
      EXPECT_EQ(row.records[0], motion.state.position[0]);
      EXPECT_EQ(row.steps, motion.steps);
    } else {
      ++failed;
    }
    ++next;
  }));
  EXPECT_EQ(next, 24U);
  EXPECT_EQ(failed, 12);
}

}  // namespace
}  // namespace patterns_tests
