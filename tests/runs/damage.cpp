/// Run files that were damaged, cut, shuffled or written by somebody with intentions: refused, or the same answer, never another one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "run_damage.hpp"
#include "zwang/error.hpp"

namespace zwang::runs::damage_tests {

namespace {

namespace fs = std::filesystem;

class Damage : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "zwang-damage-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    damaged::write_small_run(file("good"));
    good_ = damaged::content_of(file("good"));
    answer_ = damaged::answer_of(file("good"));
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string file(const std::string& name = "bad") const { return (folder_ / name).string(); }

  /// Refused with words, or the same answer.
  void expect_refused_or_same(const std::string& bytes, const std::string& what) {
    damaged::put_content(file(), bytes);
    try {
      EXPECT_EQ(damaged::answer_of(file()), answer_) << what;
      ++same_;
    } catch (const Error& error) {
      EXPECT_FALSE(error.message().empty()) << what;
      ++refused_;
    }
  }
  /// The good file with a change, by SQL.
  void change(const std::string& sql) const {
    damaged::put_content(file(), good_);
    Database(file()).run(sql.c_str());
  }
  [[nodiscard]] std::string refusal() const {
    try {
      static_cast<void>(damaged::answer_of(file()));
    } catch (const Fault& fault) {
      return fault.message();
    }
    return "no refusal";
  }

  fs::path folder_;
  std::string good_;
  std::int64_t answer_ = 0;
  int same_ = 0;
  int refused_ = 0;
};

}  // namespace

TEST_F(Damage, a_bit_that_flips_is_found_or_says_nothing) {
  std::mt19937_64 random(4);
  // Every bit of a file is flipped in tests/soak.
  for (int trial = 0; trial < 1000; ++trial) {
    std::string bad = good_;
    // Every other one in the first pages, where the tables and the recipe are.
    const std::size_t place = random() % (trial % 2 == 0 ? bad.size() : std::min<std::size_t>(bad.size(), 20'000));
    const unsigned bit = random() % 8;
    bad[place] = static_cast<char>(static_cast<unsigned char>(bad[place]) ^ (1U << bit));
    expect_refused_or_same(bad, fmt::format("byte {}, bit {}", place, bit));
  }
  EXPECT_GT(same_, 0) << "a part of every page is empty";
  EXPECT_GT(refused_, 100);
}

TEST_F(Damage, pages_that_became_zero_or_another_one_are_found) {
  constexpr std::size_t page = 4096;
  const std::size_t pages = good_.size() / page;
  for (std::size_t k = 0; k < pages; ++k) {
    std::string bad = good_;
    bad.replace(k * page, page, page, '\0');
    expect_refused_or_same(bad, fmt::format("page {} is zero", k));
    for (std::size_t other = 0; other < pages; ++other) {
      if (other == k) continue;
      bad = good_;
      bad.replace(k * page, page, good_, other * page, page);
      expect_refused_or_same(bad, fmt::format("page {} is page {}", k, other));
    }
  }
  EXPECT_EQ(same_, 0) << "every page says something";
}

TEST_F(Damage, a_file_that_was_cut_is_found) {
  for (std::size_t size = 1; size < good_.size(); size += 509) {
    expect_refused_or_same(good_.substr(0, size), fmt::format("{} bytes", size));
  }
  expect_refused_or_same(good_.substr(0, good_.size() - 1), "all but one");
  EXPECT_EQ(same_, 0);
}

TEST_F(Damage, lines_that_changed_are_named) {
  const std::pair<const char*, const char*> changes[] = {
      {"UPDATE run SET until = 2", "table run, line 1"},
      {"UPDATE run SET model = replace(model, '0.7', '0.8')", "table run, line 1"},
      {"UPDATE options SET value = 'g=11'", "table options, line 0"},
      {"DELETE FROM options", "options"},
      {"UPDATE variables SET name = 'ball.z' WHERE number = 1", "table variables, line 1"},
      {"DELETE FROM rows WHERE number = 1", "table rows"},
      {"UPDATE pieces SET orders = 1000 WHERE number = 3", "table pieces, line 3"},
      {"UPDATE pieces SET position = x'' WHERE number = 2", "table pieces, line 2"},
      {"DELETE FROM pieces WHERE number = 1", "table pieces, line 2"},
      {"UPDATE events SET time = time + 1e-9 WHERE number = 1", "table events, line 1"},
      {"UPDATE event_rows SET impulse = 2 * impulse", "table events, line"},
      {"DELETE FROM event_rows", "table events, line"},
      {"UPDATE samples SET velocity = position WHERE number = 4", "table samples, line 4"},
      {"UPDATE outputs SET value = value + 1 WHERE sample = 2 AND name = 'height'", "table samples, line 2"},
      {"UPDATE checkpoints SET time = 0.5", "table checkpoints, line"},
      {"UPDATE pieces SET number = -1 WHERE number = 2; UPDATE pieces SET number = 2 WHERE number = 3; UPDATE pieces "
       "SET "
       "number = 3 WHERE number = -1",
       "table pieces, line 2"},
      {"UPDATE samples SET number = -1 WHERE number = 2; UPDATE samples SET number = 2 WHERE number = 3; UPDATE "
       "samples "
       "SET number = 3 WHERE number = -1",
       "table samples, line 2"},
  };
  for (const auto& [sql, words] : changes) {
    change(sql);
    EXPECT_NE(refusal().find(words), std::string::npos) << sql << ": " << refusal();
  }
}

TEST_F(Damage, what_cannot_be_is_refused_whatever_its_checksum_says) {
  const std::pair<const char*, const char*> changes[] = {
      {"UPDATE pieces SET orders = 1000", "table pieces, line 0"},
      {"UPDATE pieces SET orders = -1", "table pieces, line 0"},
      {"UPDATE pieces SET position = x''", "table pieces, line 0"},
      {"UPDATE pieces SET rows = x'09000000'", "table pieces, line"},
      {"UPDATE pieces SET multiplier = x''", "table pieces, line"},
      {"UPDATE pieces SET multiplier_orders = 4294967296", "table pieces, line 0"},
      {"UPDATE pieces SET length = 9e999", "table pieces, line 0"},
      {"UPDATE pieces SET unit = 0", "table pieces, line 0"},
      {"UPDATE pieces SET rho = zeroblob(8 * 7)", "table pieces, line"},
      {"UPDATE events SET position = x''", "table events, line 0"},
      {"UPDATE events SET velocity = zeroblob(7)", "table events, line 0"},
      {"UPDATE events SET kind = 'miracle'", "table events, line 0"},
      {"UPDATE event_rows SET row = row + 100", "table event_rows, line"},
      {"UPDATE samples SET multiplier = x''", "table samples, line"},
      {"UPDATE samples SET position = 'text'", "table samples, line 0"},
      {"UPDATE outputs SET name = 'other' WHERE name = 'height'", "table outputs, line 0"},
      {"UPDATE run SET velocity = x''", "table run, line 1"},
      {"UPDATE run SET rows = zeroblob(400)", "table run, line 1"},
      {"UPDATE run SET sample_count = 0", "table run, line 1"},
      {"UPDATE run SET sample_until = start", "table run, line 1"},
      {"UPDATE run SET status = 'fine'", "table run, line 1"},
      {"UPDATE run SET count_pieces = count_pieces - 1", "table pieces"},
      {"UPDATE run SET count_variables = 6", "table run, line 1"},
      {"UPDATE run SET model = replace(model, 'rod = ', 'one = \"ball.x = 3\"\nrod = ')", "3 conditions"},
      {"UPDATE checkpoints SET pieces = 1", "table checkpoints, line"},
      {"DELETE FROM checkpoints", "table checkpoints"},
  };
  for (const auto& [sql, words] : changes) {
    change(sql);
    damaged::reseal(file());
    EXPECT_NE(refusal().find(words), std::string::npos) << sql << ": " << refusal();
  }
}

TEST_F(Damage, nothing_that_a_file_brings_along_is_run) {
  for (const char* sql :
       {"CREATE TRIGGER t AFTER INSERT ON pieces BEGIN DELETE FROM pieces; END",
        "ALTER TABLE samples RENAME TO s; CREATE VIEW samples AS SELECT * FROM s", "CREATE TABLE more (x)",
        "DROP INDEX pieces_by_time", "DROP VIEW event_list; CREATE VIEW event_list AS SELECT 1"}) {
    change(sql);
    EXPECT_NE(refusal().find("not those of a run"), std::string::npos) << sql << ": " << refusal();
  }
}

TEST_F(Damage, changes_on_purpose_with_fitting_checksums_end_in_words_or_in_a_run) {
  std::mt19937_64 random(7);
  int used = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const std::string sql = damaged::random_change(random);
    SCOPED_TRACE(sql);
    damaged::put_content(file(), good_);
    try {
      Database(file()).run(sql.c_str());
      damaged::reseal(file());
      static_cast<void>(damaged::answer_of(file()));
      Store store = Store::open(file());
      const Task task = resumed_task(store, "1.2");
      Recording recording;
      int pieces = 0;
      recording.go_on = [&](const zwang::runs::Progress&) { return ++pieces < 50; };
      go_on(task, store, recording);
      ++used;
    } catch (const Error& error) {
      EXPECT_FALSE(error.message().empty());
    }
  }
  EXPECT_GT(used, 10) << "some changes leave a run";
}

TEST_F(Damage, a_run_killed_while_it_committed_can_be_looked_at) {
  // A copy of file and journal, taken while pages are being written: what a program leaves that is killed there.
  const std::string killed = file("killed");
  damaged::put_content(file(), good_);
  {
    Database writer(file());
    writer.run(
        "PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE pieces SET length = 2 * length; UPDATE samples SET time = time "
        "+ 1");
    for (const char* suffix : {"", "-journal"}) fs::copy_file(file() + suffix, killed + suffix);
  }
  ASSERT_NE(damaged::content_of(killed), good_) << "pages were written";
  EXPECT_EQ(damaged::answer_of(killed), answer_);
  EXPECT_FALSE(fs::exists(killed + "-journal"));
}

TEST_F(Damage, older_formats_are_refused_with_a_sentence) {
  change("PRAGMA user_version = 3");
  try {
    static_cast<void>(Store::read(file()));
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("format 3"), std::string::npos) << error.message();
    EXPECT_NE(error.message().find("run its model again"), std::string::npos) << error.message();
  }
}

TEST_F(Damage, a_run_begun_elsewhere_goes_on_with_a_notice) {
  change("UPDATE run SET zwang = '0.0.7', machine = 'abacus'");
  damaged::reseal(file());
  Store store = Store::open(file());
  const Task task = resumed_task(store, "1");
  EXPECT_NE(task.notice.find("zwang 0.0.7 on abacus"), std::string::npos) << task.notice;
  EXPECT_TRUE(go_on(task, store));
  EXPECT_EQ(store.account().present.state.time, 1);
}

}  // namespace zwang::runs::damage_tests
