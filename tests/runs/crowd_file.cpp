/// Crowds in their files: what is kept, how it goes on, what is noticed when it is damaged.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "crowds/gas.hpp"
#include "zwang/error.hpp"
#include "zwang/runs/database.hpp"
#include "zwang/runs/life.hpp"

namespace zwang::runs::crowd_file_tests {

namespace {

using crowds::text_of;

class CrowdFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "zwang-crowd-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  /// A run of a gas, interrupted so many looks after it began; negative: never.
  Store made(const std::string& name, const crowds::Gas& gas, int looks = -1) {
    const Task task = new_task(recipe_of(text_of(gas), "gas.toml"), (folder_ / name).string());
    Store store = Store::create(task.file, task.recipe, task.model);
    Recording recording;
    recording.go_on = [&](const Progress&) { return looks < 0 || looks-- > 0; };
    go_on(task, store, recording);
    return store;
  }
  static void alter(const std::string& path, const char* statement) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, statement, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
  }
  std::filesystem::path folder_;
};

constexpr crowds::Gas small = {.count = 49, .side = 7, .restitution = 1, .gravity = 2, .until = 4, .seed = 5};

}  // namespace

TEST_F(CrowdFile, a_gas_is_kept_as_a_crowd_with_its_pairs_as_rows) {
  const Store store = made("gas.sqlite", small);
  EXPECT_TRUE(store.is_crowd());
  EXPECT_EQ(words(store.account().status), "finished");
  const model::Model model = model_of(store);
  EXPECT_EQ(model.met.size(), store.met().size());
  EXPECT_GT(model.met.size(), 20U);
  EXPECT_LT(model.met.size(), 49U * 48 / 2);
}

TEST_F(CrowdFile, what_is_read_from_a_file_is_what_is_told_in_memory) {
  const Store store = made("gas.sqlite", small);
  const crowds::Told told = crowds::as_crowd(text_of(small));
  const model::Model model = model_of(store);
  const motion::RunView kept = store.view(model);
  const motion::RunView made = crowds::view(told.model, told.track);
  EXPECT_EQ(kept.pieces, made.pieces);
  EXPECT_EQ(kept.events, made.events);
  EXPECT_EQ(kept.samples, made.samples);
  std::vector<double> times;
  for (int k = 0; k <= 200; ++k) times.push_back(4.0 * k / 200);
  std::vector<double> x(times.size() * model.variables), v(x), y(x), w(x);
  motion::evaluate(kept, times, model.variables, x.data(), v.data());
  motion::evaluate(made, times, model.variables, y.data(), w.data());
  EXPECT_EQ(x, y);
  EXPECT_EQ(v, w);
  std::uint64_t number = 0;
  kept.each_event(0, [&](const motion::Event& event) {
    EXPECT_EQ(event.rows, told.events[number].rows);
    EXPECT_EQ(event.time, told.events[number].time);
    EXPECT_EQ(event.position.size(), model.variables) << "a short list tells the state of all";
    ++number;
    return true;
  });
  EXPECT_EQ(number, told.events.size());
}

TEST_F(CrowdFile, a_chunk_goes_on_over_checkpoints_of_which_one_is_kept) {
  const Store rarely = made("rarely.sqlite", small);
  const Task task = new_task(recipe_of(text_of(small), "gas.toml"), (folder_ / "often.sqlite").string());
  Store often = Store::create(task.file, task.recipe, task.model);
  Recording recording;
  recording.bytes = 1;
  go_on(task, often, recording);
  EXPECT_EQ(often.chunks(), rarely.chunks());
  EXPECT_EQ(often.events(), rarely.events());
  EXPECT_EQ(often.met().size(), rarely.met().size());
  EXPECT_EQ(often.checkpoint(), rarely.checkpoint());
  const model::Model model = model_of(often);
  std::vector<double> times;
  for (int k = 0; k <= 50; ++k) times.push_back(4.0 * k / 50);
  std::vector<double> x(times.size() * model.variables), v(x), y(x), w(x);
  motion::evaluate(often.view(model), times, model.variables, x.data(), v.data());
  motion::evaluate(rarely.view(model), times, model.variables, y.data(), w.data());
  EXPECT_EQ(x, y);
  EXPECT_EQ(v, w);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(often.path().c_str(), &database), SQLITE_OK);
  int lines = 0;
  const auto count = [](void* to, int, char** value, char**) {
    *static_cast<int*>(to) = 100 * std::atoi(value[0]) + std::atoi(value[1]);
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(database, "SELECT count(*), max(number) > 5 FROM checkpoints", count, &lines, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  EXPECT_EQ(lines, 101) << "many were written, one is there";

  // What was put anew has left no room behind that nobody uses.
  Database file(often.path());
  const std::int64_t page = file.whole("PRAGMA page_size");
  const std::int64_t longest = file.whole("SELECT max(length(motion)) FROM chunks");
  EXPECT_GT(longest, 8 * page) << "the chunk is many pages long";
  EXPECT_LT(2 * page * file.whole("PRAGMA freelist_count"), longest);
}

/// The same file as it was written before events lost their index and rows that are like those before them their kinds.
void make_older(const std::string& from, const std::string& to) {
  Database older(to);
  older.run("PRAGMA synchronous = OFF");
  {
    Database file(from);
    Statement each = file.prepare("SELECT 0, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid");
    while (each.step()) {
      const Line line(each, "sqlite_master");
      older.run(line.text(2).c_str());
      if (line.text(1) == "events") older.run("CREATE INDEX events_by_time ON events (time)");
    }
    older.run(fmt::format("PRAGMA application_id = {}", file.whole("PRAGMA application_id")).c_str());
  }
  older.run(fmt::format("ATTACH '{}' AS other", from).c_str());
  for (const char* table : {"run", "options", "variables", "rows", "events", "event_rows", "checkpoints", "chunks"})
    older.run(fmt::format("INSERT INTO main.{0} SELECT * FROM other.{0}", table).c_str());
  older.run("DETACH other; PRAGMA user_version = 5; BEGIN");
  std::vector<std::string> names;
  {
    Statement each = older.prepare("SELECT number, name FROM rows ORDER BY number");
    while (each.step()) names.push_back(Line(each, "rows").text(1));
  }
  const std::string_view kind = "holonomic inequality";
  Statement say = older.prepare("UPDATE rows SET kind = ?, checksum = ? WHERE number = ?");
  for (std::size_t k = 0; k < names.size(); ++k) {
    Checksum sum;
    sum.whole(static_cast<std::int64_t>(k));
    for (const std::string_view text : {std::string_view(names[k]), kind, std::string_view("rows")}) sum.text(text);
    say.put(kind).put(sum.sum()).put(static_cast<std::int64_t>(k)).run();
  }
  older.run("COMMIT");
}

/// What a file says of its motion: the events, the samples, and where it goes on from.
std::pair<std::vector<double>, std::string> told_by(const std::string& path) {
  const Store store = Store::read(path);
  const model::Model model = model_of(store);
  const motion::RunView view = store.view(model);
  std::vector<double> numbers;
  store.each_event(0, [&](const motion::Event& event) {
    numbers.push_back(event.time);
    numbers.insert(numbers.end(), event.rows.begin(), event.rows.end());
    numbers.insert(numbers.end(), event.velocity.begin(), event.velocity.end());
    return true;
  });
  view.each_sample(0, [&](const motion::Sample& sample) {
    numbers.push_back(sample.state.time);
    numbers.insert(numbers.end(), sample.state.position.begin(), sample.state.position.end());
    return true;
  });
  return {numbers, store.checkpoint()};
}

TEST_F(CrowdFile, a_file_of_the_format_before_is_read_and_goes_on) {
  const std::string path = [&] { return made("gas.sqlite", small).path(); }();
  const std::string older = (folder_ / "older.sqlite").string();
  { std::ofstream file(older); }
  make_older(path, older);
  EXPECT_GT(told_by(path).first.size(), 1000U);
  EXPECT_EQ(told_by(older), told_by(path));
  for (const std::string& one : {path, older}) {
    Store store = Store::open(one);
    EXPECT_TRUE(go_on(resumed_task(store, "4.5"), store));
  }
  EXPECT_EQ(told_by(older), told_by(path));
  EXPECT_EQ(Database(older).whole("SELECT count(*) FROM rows WHERE kind = ''"), 0) << "each says its kind";
  EXPECT_GT(Database(path).whole("SELECT count(*) FROM rows WHERE kind = ''"), 49);
}

TEST_F(CrowdFile, the_first_event_from_a_time_on_is_found_without_an_index) {
  const Store store = made("gas.sqlite", small);
  std::vector<double> times;
  store.each_event(0, [&](const motion::Event& event) {
    times.push_back(event.time);
    return true;
  });
  ASSERT_GT(times.size(), 100U);
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  for (std::size_t k = 0; k < times.size(); ++k) {
    EXPECT_EQ(store.event_time_from(times[k]), times[k]);
    const double before = k == 0 ? -1 : times[k - 1];
    if (before == times[k]) continue;
    EXPECT_EQ(store.event_time_from(std::nextafter(before, 10)), times[k]);
  }
  EXPECT_FALSE(store.event_time_from(std::nextafter(times.back(), 10)).has_value());
}

TEST_F(CrowdFile, conditions_hold_at_every_sample) {
  const Store store = made("gas.sqlite", small);
  const model::Model model = model_of(store);
  std::uint64_t samples = 0;
  store.view(model).each_sample(0, [&](const motion::Sample& sample) {
    ++samples;
    const std::vector<double>& q = sample.state.position;
    for (std::size_t i = 0; i < 49; ++i) {
      EXPECT_GE(q[2 * i], -1e-12);
      EXPECT_GE(q[2 * i + 1], -1e-12);
      for (std::size_t j = i + 1; j < 49; ++j)
        EXPECT_GE(std::hypot(q[2 * i] - q[2 * j], q[2 * i + 1] - q[2 * j + 1]), 1 - 1e-12);
    }
    return !::testing::Test::HasFailure();
  });
  EXPECT_EQ(samples, store.samples());
  EXPECT_GT(samples, 100U);
}

TEST_F(CrowdFile, a_crowd_that_was_interrupted_goes_on_to_the_same_bits) {
  for (const double restitution : {1.0, 0.7}) {
    crowds::Gas gas = small;
    gas.restitution = restitution;
    gas.count = 81;
    gas.side = 9;
    gas.until = 2;
    const Store through = made("through.sqlite", gas);
    std::string path;
    {
      const Store part = made("part.sqlite", gas, 5);
      EXPECT_EQ(words(part.account().status), "interrupted");
      path = part.path();
    }
    for (int turn = 0; turn < 100; ++turn) {
      Store store = Store::open(path);
      const Task task = resumed_task(store);
      if (!is_open(task, store.account())) break;
      int looks = 7;
      Recording recording;
      recording.go_on = [&](const Progress&) { return looks-- > 0; };
      go_on(task, store, recording);
    }
    const Store resumed = Store::read(path);
    EXPECT_EQ(words(resumed.account().status), words(through.account().status));
    EXPECT_EQ(resumed.account().present.state.position, through.account().present.state.position);
    EXPECT_EQ(resumed.account().present.state.velocity, through.account().present.state.velocity);
    EXPECT_EQ(resumed.account().energy.lost, through.account().energy.lost);
    EXPECT_EQ(resumed.events(), through.events());
    const model::Model one = model_of(through);
    const model::Model other = model_of(resumed);
    const motion::RunView a = through.view(one);
    const motion::RunView b = resumed.view(other);
    EXPECT_EQ(a.pieces, b.pieces);
    const std::vector<double> times = {0.1, 0.5, 0.9, 1.3, 1.7, 1.99};
    std::vector<double> x(times.size() * one.variables), v(x), y(x), w(x);
    motion::evaluate(a, times, one.variables, x.data(), v.data());
    motion::evaluate(b, times, one.variables, y.data(), w.data());
    EXPECT_EQ(x, y);
    EXPECT_EQ(v, w);
  }
}

TEST_F(CrowdFile, a_finished_crowd_goes_on_to_a_later_end) {
  const std::string path = [&] { return made("gas.sqlite", small).path(); }();
  {
    Store store = Store::open(path);
    EXPECT_TRUE(go_on(resumed_task(store, "6"), store));
  }
  crowds::Gas longer = small;
  longer.until = 6;
  const Store whole = made("whole.sqlite", longer);
  EXPECT_EQ(Store::read(path).account().present.state.position, whole.account().present.state.position);
}

TEST_F(CrowdFile, a_damaged_chunk_is_noticed) {
  const std::string path = [&] { return made("gas.sqlite", small).path(); }();
  alter(path, "UPDATE chunks SET motion = zeroblob(length(motion))");
  {
    const Store store = Store::read(path);
    const model::Model model = model_of(store);
    motion::Sample sample;
    try {
      static_cast<void>(motion::state_at(model, store.view(model), 1, sample));
      FAIL() << "nothing was noticed";
    } catch (const Fault& fault) {
      EXPECT_NE(std::string(fault.message()).find("checksum"), std::string::npos) << fault.message();
    }
  }
  alter(path, "UPDATE chunks SET met = zeroblob(length(met))");
  EXPECT_THROW(static_cast<void>(Store::read(path)), Fault);
}

/// Points in a row that fall on a floor, far apart.
std::string falling_row(double restitution, const std::string& more = "") {
  return fmt::format(
      "gravity = [0, -1]\n[points.a]\ncount = 70\nmass = 1\nposition = [\"2*i\", \"0.5 + 0.01*mod(i, 3)\"]\n"
      "[constraints]\napart = {{ for = \"i = 1..70, j = i+1..70\", condition = \"distance(a[i], a[j]) >= 1\", "
      "restitution = {0} }}\nfloor = {{ for = \"i = 1..70\", condition = \"a[i].y >= 0\", restitution = {0} }}\n"
      "[simulation]\nuntil = 4\n{1}",
      restitution, more);
}

TEST_F(CrowdFile, every_event_of_points_that_come_to_rest_can_be_read_again) {
  for (const double restitution : {0.0, 0.5}) {
    const Task task = new_task(recipe_of(falling_row(restitution), "row.toml"), (folder_ / "row.sqlite").string());
    Store store = Store::create(task.file, task.recipe, task.model);
    ASSERT_TRUE(store.is_crowd());
    EXPECT_TRUE(go_on(task, store));
    EXPECT_EQ(words(store.account().status), "finished");
    const model::Model model = model_of(store);
    std::uint64_t events = 0;
    store.view(model).each_event(0, [&](const motion::Event& event) {
      ++events;
      EXPECT_EQ(event.position.size(), model.variables);
      return true;
    });
    EXPECT_EQ(events, store.events());
    for (std::uint32_t i = 1; i < model.variables; i += 2) {
      EXPECT_NEAR(store.account().present.state.position[i], 0, 1e-12);
      EXPECT_NEAR(store.account().present.state.velocity[i], 0, 1e-12);
    }
  }
}

TEST_F(CrowdFile, an_event_at_the_very_end_is_told_once_when_the_run_goes_on) {
  const std::string text = falling_row(0);
  std::string path;
  {
    Recipe recipe = recipe_of(text, "row.toml");
    recipe.overrides.until = "1";  // exactly when those fall that begin at 0.5
    const Task task = new_task(recipe, (folder_ / "part.sqlite").string());
    Store store = Store::create(task.file, task.recipe, task.model);
    go_on(task, store);
    path = store.path();
    EXPECT_EQ(store.events(), 1U);
  }
  Store store = Store::open(path);
  EXPECT_TRUE(go_on(resumed_task(store, "1.5"), store));
  EXPECT_EQ(store.events(), 3U);
  EXPECT_NEAR(store.account().energy.final, 0, 1e-12);
}

TEST_F(CrowdFile, what_flies_into_empty_space_takes_no_longer_the_farther_it_goes) {
  std::string text = text_of({.count = 36, .side = 6, .spacing = 1.1, .until = 1});
  for (const char* wall : {"left", "right", "low", "high"}) {
    const std::size_t at = text.find(std::string(wall) + " = ");
    text.erase(at, text.find('\n', at) + 1 - at);
  }
  Recipe recipe = recipe_of(text, "gas.toml");
  recipe.overrides.until = "1e12";
  const Task task = new_task(recipe, (folder_ / "far.sqlite").string());
  Store store = Store::create(task.file, task.recipe, task.model);
  ASSERT_TRUE(store.is_crowd());
  EXPECT_TRUE(go_on(task, store));
  EXPECT_EQ(words(store.account().status), "finished");
  EXPECT_GT(store.events(), 5U);
  EXPECT_LT(store.account().steps, 500U);
}

TEST_F(CrowdFile, a_member_of_a_family_of_pairs_can_be_let_go) {
  const std::string text = falling_row(0.5) + "[[releases]]\nconstraint = \"apart[2,3]\"\nat = 0.25\n";
  EXPECT_TRUE(new_task(recipe_of(text, "row.toml"), "").model.pairs.empty());
}

TEST_F(CrowdFile, few_discs_and_discs_with_a_potential_are_followed_as_one_motion) {
  EXPECT_FALSE(made("few.sqlite", {.count = 9, .side = 3, .until = 0.5}).is_crowd());
  std::string text = text_of({.count = 36, .side = 6, .until = 0.1});
  const auto followed = [&] { return new_task(recipe_of(text, "gas.toml"), "").model.pairs.size(); };
  EXPECT_EQ(followed(), 1U);
  text += "[energy]\npotential = \"0.5*b[1].x^2\"\n";
  EXPECT_EQ(followed(), 0U);
}

}  // namespace zwang::runs::crowd_file_tests
