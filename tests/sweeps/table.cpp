/// The sweep file: the same lines for any number of hands, after any interruption, and nothing of strangers.
#include "zwang/sweeps/table.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "zwang/error.hpp"
#include "zwang/sweeps/run.hpp"

namespace zwang::sweeps::table_tests {
namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() : path(fs::temp_directory_path() / ("zwang-sweeps-" + std::to_string(::getpid()))) {
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  [[nodiscard]] std::string file(const char* name) const { return (path / name).string(); }
  fs::path path;
};

Recipe recipe_of_balls() {
  Recipe recipe;
  recipe.file = "model.toml";
  recipe.text = R"toml(title = "A ball"
gravity = [0, "-g"]
[parameters]
g = 10
e = 0.5
[points.ball]
mass = 1
position = [0, 1]
[constraints]
floor = { condition = "ball.y >= 0", restitution = "e" }
[simulation]
until = 1
)toml";
  recipe.over = {{"e=0.2,0.4,2"}, {"g~normal(10,1)"}};
  recipe.count = 40;
  recipe.records = {"ball.y", "max(ball.y')", "time(impact, 2)", "time(impact, 99)"};
  return recipe;
}

std::string csv(const Table& table) {
  std::string out;
  write_csv(table, [&](std::string_view text) { out += text; });
  return out;
}

std::string made_by(unsigned threads, const std::string& file) {
  const Recipe recipe = recipe_of_balls();
  const Sweep sweep(recipe);
  Table table = Table::create(file, recipe, sweep);
  Hands hands;
  hands.threads = threads;
  hands.seconds = 0.05;
  EXPECT_TRUE(carry_on(sweep, table, hands));
  EXPECT_EQ(table.done(), 120U);
  return csv(table);
}

TEST(Table, is_the_same_for_any_number_of_threads) {
  const Folder folder;
  const std::string one = made_by(1, folder.file("1.sqlite"));
  for (const unsigned threads : {2U, 3U, 7U}) {
    EXPECT_EQ(made_by(threads, folder.file("n.sqlite")), one) << threads;
  }
  EXPECT_NE(one.find("sample,e,g,status,time,steps,events,defect,ball.y,max(ball.y'),\"time(impact, 2)\""),
            std::string::npos);
  EXPECT_NE(one.find("\n80,2,"), std::string::npos);
}

/// A pendulum on a spring: its force varies, so that samples go side by side.
Recipe recipe_of_springs() {
  Recipe recipe;
  recipe.file = "model.toml";
  recipe.text = R"toml(title = "A bob on a spring above a floor"
[parameters]
k = 20
e = 0.5
[coordinates.r]
initial = 1
velocity = 0.5
[coordinates.phi]
initial = 1
[energy]
kinetic = "r'^2/2 + r^2*phi'^2/2"
potential = "k/2*(r - 1)^2 - 10*r*cos(phi)"
[constraints]
floor = { condition = "r*cos(phi) <= 1.4", restitution = "e" }
[simulation]
until = 2
)toml";
  recipe.over = {{"e=0.2,0.4,2"}, {"k~normal(20,3)"}};
  recipe.count = 20;
  recipe.records = {"r", "phi'", "max(phi)", "time(impact, 2)"};
  return recipe;
}

void expect_same(const Row& one, const Row& other) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  EXPECT_EQ(one.sample, other.sample);
  EXPECT_EQ(one.status, other.status);
  EXPECT_EQ(one.why, other.why);
  EXPECT_EQ(one.steps, other.steps);
  EXPECT_EQ(one.events, other.events);
  EXPECT_EQ(bits(one.time), bits(other.time));
  EXPECT_EQ(bits(one.defect), bits(other.defect));
  ASSERT_EQ(one.records.size(), other.records.size());
  for (std::size_t i = 0; i < one.records.size(); ++i) EXPECT_EQ(bits(one.records[i]), bits(other.records[i])) << i;
}

TEST(Sweep, has_the_same_lines_side_by_side_and_one_by_one) {
  for (const Recipe& recipe : {recipe_of_balls(), recipe_of_springs()}) {
    const Sweep sweep(recipe);
    Row alone;
    std::uint64_t next = 0;
    const auto take = [&](const Row& row) {
      SCOPED_TRACE(next);
      ASSERT_TRUE(sweep.follow(next++, alone));
      expect_same(row, alone);
    };
    EXPECT_TRUE(sweep.follow(0, sweep.design().total, take));
    EXPECT_EQ(next, sweep.design().total);
  }
}

TEST(Sweep, interrupted_side_by_side_gives_the_lines_that_are_done_in_order) {
  const Sweep sweep(recipe_of_springs());
  for (const int steps : {1, 15, 40}) {
    std::uint64_t next = 3;
    int left = steps;
    EXPECT_FALSE(sweep.follow(
        3, 50, [&](const Row& row) { EXPECT_EQ(row.sample, next++); }, [&] { return --left > 0; }));
    EXPECT_LT(next, 53U);
  }
}

TEST(Table, knows_why_samples_failed) {
  const Folder folder;
  static_cast<void>(made_by(2, folder.file("why.sqlite")));
  const Table table = Table::read(folder.file("why.sqlite"));
  const auto first = table.failures(2);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].first, 80U);
  EXPECT_NE(first[0].second.find("restitution"), std::string::npos) << first[0].second;
  EXPECT_EQ(table.failures(1000).size(), 40U);
  EXPECT_EQ(table.statuses(), (std::map<std::string, std::uint64_t>{{"error", 40}, {"finished", 80}}));
}

TEST(Table, an_interrupted_sweep_goes_on_with_the_next_sample) {
  const Folder folder;
  const std::string whole = made_by(1, folder.file("whole.sqlite"));
  const std::string file = folder.file("parts.sqlite");
  const Recipe recipe = recipe_of_balls();
  {
    const Sweep sweep(recipe);
    const Table table = Table::create(file, recipe, sweep);
  }
  // As many threads and as many samples as it happens to be, again and again.
  for (unsigned turn = 0; turn < 100; ++turn) {
    Table table = Table::open(file);
    const Sweep sweep(table.recipe());
    Hands hands;
    hands.threads = 1 + turn % 3;
    hands.largest_chunk = 4;
    const std::uint64_t before = table.done();
    hands.go_on = [&](std::uint64_t done) { return done < before + 7; };
    if (carry_on(sweep, table, hands)) {
      EXPECT_EQ(csv(table), whole);
      return;
    }
    EXPECT_LT(table.done(), table.total());
  }
  ADD_FAILURE() << "it never came to its end";
}

TEST(Table, other_processes_bring_the_same_lines) {
  const Folder folder;
  const std::string one = made_by(1, folder.file("1.sqlite"));
  for (const int others : {1, 4}) {
    // Mail between threads that know nothing else of each other.
    std::mutex mutex;
    std::condition_variable arrived;
    std::deque<std::pair<int, std::string>> to_first;
    std::vector<std::deque<std::string>> to_others(static_cast<std::size_t>(others) + 1);
    std::vector<std::thread> crew_threads;
    for (int k = 1; k <= others; ++k) {
      crew_threads.emplace_back([&, k] {
        const auto ask = [&, k](std::string_view message) {
          std::unique_lock lock(mutex);
          to_first.emplace_back(k, message);
          auto& box = to_others[static_cast<std::size_t>(k)];
          arrived.wait(lock, [&] { return !box.empty(); });
          std::string answer = box.front();
          box.pop_front();
          return answer;
        };
        help(ask, 1 + static_cast<unsigned>(k % 2), [] { return true; });
      });
    }
    const auto send = [&](int to, std::string_view message) {
      const std::lock_guard lock(mutex);
      to_others[static_cast<std::size_t>(to)].emplace_back(message);
      arrived.notify_all();
    };
    Crew crew;
    crew.others = others;
    crew.send = send;
    crew.receive = [&](int& from, std::string& message) {
      const std::lock_guard lock(mutex);
      if (to_first.empty()) return false;
      from = to_first.front().first;
      message = to_first.front().second;
      to_first.pop_front();
      return true;
    };
    const Recipe recipe = recipe_of_balls();
    const Sweep sweep(recipe);
    Table table = Table::create(folder.file("crew.sqlite"), recipe, sweep);
    Hands hands;
    hands.threads = 0;
    hands.crew = &crew;
    EXPECT_TRUE(carry_on(sweep, table, hands));
    for (int k = 1; k <= others; ++k) send(k, "");
    for (std::thread& thread : crew_threads) thread.join();
    EXPECT_EQ(csv(table), one);
  }
}

TEST(Table, a_full_disk_is_a_fault_and_what_was_kept_stays) {
  const Folder folder;
  const std::string file = folder.file("full.sqlite");
  const Recipe recipe = recipe_of_balls();
  const Sweep sweep(recipe);
  std::uint64_t kept = 0;
  {
    Table table = Table::create(file, recipe, sweep);
    Row row;
    try {
      for (std::uint64_t k = 0; k < 120; ++k) {
        if (k == 20) table.limit_pages(fs::file_size(file) / 4096 + 1);
        ASSERT_TRUE(sweep.follow(k, row));
        table.add(row);
        if (k < 20) {
          table.commit(0, true);
          kept = k + 1;
        }
      }
      table.commit(0, true);
      ADD_FAILURE() << "the disk was not full";
    } catch (const Fault& fault) {
      EXPECT_NE(fault.message().find("zwang sweep --resume"), std::string::npos) << fault.message();
    }
  }
  Table table = Table::open(file);
  EXPECT_EQ(table.done(), kept);
  EXPECT_TRUE(carry_on(sweep, table, {}));
  EXPECT_EQ(csv(table), made_by(1, folder.file("whole.sqlite")));
}

TEST(Table, strangers_and_damage_are_told) {
  const Folder folder;
  const std::string file = folder.file("sweep.sqlite");
  static_cast<void>(made_by(1, file));
  std::ofstream(folder.file("text.sqlite"))
      << "no database at all, but long enough to have a header, if it were one; so it goes on for a while";
  EXPECT_THROW(static_cast<void>(Table::open(folder.file("text.sqlite"))), Error);
  EXPECT_THROW(static_cast<void>(Table::open(folder.file("none.sqlite"))), Error);
  const Recipe recipe = recipe_of_balls();
  const Sweep sweep(recipe);
  EXPECT_THROW(static_cast<void>(Table::create(folder.file("text.sqlite"), recipe, sweep)), Error);

  // Any byte changed anywhere shows, or changes nothing that is read.
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const std::string whole = csv(Table::open(file));
  const std::string copy = folder.file("copy.sqlite");
  for (std::size_t at = 100; at < bytes.size(); at += 997) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x15);
    std::ofstream(copy, std::ios::binary | std::ios::trunc) << changed;
    try {
      EXPECT_EQ(csv(Table::open(copy)), whole) << at;
    } catch (const Error&) {
    }
  }
}

TEST(Table, two_sweeps_of_one_name_get_two_files) {
  const Folder folder;
  const Recipe recipe = recipe_of_balls();
  const Sweep sweep(recipe);
  const Table first = Table::create(folder.file("a.sqlite"), recipe, sweep);
  const Table second = Table::create(folder.file("a.sqlite"), recipe, sweep);
  EXPECT_EQ(first.path(), folder.file("a.sqlite"));
  EXPECT_EQ(second.path(), folder.file("a-2.sqlite"));
  EXPECT_THROW(static_cast<void>(Table::open(folder.file("a.sqlite"))), Error);
}

}  // namespace
}  // namespace zwang::sweeps::table_tests
