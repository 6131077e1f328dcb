/// Damaged sweep files: refused with words, or the same answer and the same samples afterwards.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "run_damage.hpp"
#include "sweep_damage.hpp"
#include "zwang/error.hpp"

namespace zwang::sweeps::damage_tests {
namespace {

namespace fs = std::filesystem;

class DamagedSweep : public testing::Test {
 protected:
  DamagedSweep() {
    std::string name = (fs::temp_directory_path() / "zwang-damaged-sweep-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    file = (folder_ / "sweep.sqlite").string();
    damaged::write_small_sweep(file);
  }
  ~DamagedSweep() override { fs::remove_all(folder_); }
  DamagedSweep(const DamagedSweep&) = delete;
  DamagedSweep& operator=(const DamagedSweep&) = delete;

  /// What is said after a change by somebody who does (`resealed`) or does not make the checksums again; empty where nothing is.
  [[nodiscard]] std::string words_after(const std::string& sql, bool resealed) const {
    const std::string changed = (folder_ / "changed.sqlite").string();
    damaged::put_content(changed, damaged::content_of(file));
    runs::Database(changed).run(sql.c_str());
    if (resealed) damaged::reseal_sweep(changed);
    try {
      static_cast<void>(damaged::answer_of_sweep(changed));
      static_cast<void>(damaged::sweep_gone_on(changed));
      return {};
    } catch (const Error& error) {
      return error.message();
    }
  }

  fs::path folder_;
  std::string file;
};

TEST_F(DamagedSweep, every_changed_line_is_found) {
  for (const char* sql :
       {"UPDATE samples SET status = 'stopped' WHERE sample = 1", "UPDATE samples SET e = 0.6 WHERE sample = 0",
        "UPDATE samples SET steps = steps + 1 WHERE sample = 3", "UPDATE failures SET why = 'nothing'",
        "UPDATE failures SET why = why || '.' WHERE sample = 2", "DELETE FROM failures WHERE sample = 3",
        "INSERT INTO failures VALUES (0, 'it did not')", "INSERT INTO failures VALUES (5, 'it will not')",
        "UPDATE chunks SET sum = sum + 1", "UPDATE options SET value = '8' WHERE name = '--seed'",
        "UPDATE sweep SET total = 7", "DELETE FROM chunks WHERE number = 1", "DROP TABLE failures",
        "CREATE TRIGGER x AFTER INSERT ON samples BEGIN DELETE FROM failures; END"}) {
    EXPECT_NE(words_after(sql, false).find("damaged"), std::string::npos) << sql << ": " << words_after(sql, false);
  }
}

TEST_F(DamagedSweep, how_and_why_samples_ended_is_looked_at_without_their_lines) {
  const auto refused = [&](const char* sql, const auto& question) {
    const std::string changed = (folder_ / "changed.sqlite").string();
    damaged::put_content(changed, damaged::content_of(file));
    runs::Database(changed).run(sql);
    EXPECT_THROW(question(Table::open(changed)), Fault) << sql;
  };
  const auto statuses = [](const Table& table) { static_cast<void>(table.statuses()); };
  const auto failures = [](const Table& table) { static_cast<void>(table.failures(3)); };
  refused("UPDATE samples SET status = 'stopped' WHERE sample = 1", statuses);
  refused("UPDATE failures SET why = 'nothing' WHERE sample = 2", failures);
  refused("DELETE FROM failures", failures);
}

TEST_F(DamagedSweep, checksums_made_again_do_not_make_sense_of_what_cannot_be) {
  EXPECT_EQ(words_after("SELECT 1", true), "");
  for (const char* sql :
       {"UPDATE samples SET status = char(27) || ']0;x' WHERE sample = 1", "UPDATE samples SET steps = -1",
        "UPDATE samples SET time = 'soon'", "INSERT INTO failures VALUES (5, 'it will not')",
        "UPDATE sweep SET done = 3", "UPDATE sweep SET total = 7", "UPDATE sweep SET seconds = 9e999",
        "UPDATE options SET name = '--out' WHERE name = '--seed'", "UPDATE options SET number = number + 100",
        "UPDATE sweep SET model = 'no model'", "DELETE FROM samples WHERE sample = 0"}) {
    EXPECT_NE(words_after(sql, true).find("damaged"), std::string::npos) << sql << ": " << words_after(sql, true);
  }
}

TEST_F(DamagedSweep, of_the_format_before_is_read_and_goes_on) {
  // Its sums did not know why samples failed.
  const std::string older = (folder_ / "older.sqlite").string();
  damaged::put_content(older, damaged::content_of(file));
  {
    runs::Database base(older);
    base.run("CREATE TABLE kept AS SELECT * FROM failures; DELETE FROM failures; PRAGMA user_version = 1");
  }
  damaged::reseal_sweep(older);
  {
    runs::Database base(older);
    base.run("INSERT INTO failures SELECT * FROM kept; DROP TABLE kept");
  }
  EXPECT_EQ(damaged::answer_of_sweep(older), damaged::answer_of_sweep(file));
  EXPECT_EQ(damaged::sweep_gone_on(older), damaged::sweep_gone_on(file));
  EXPECT_EQ(damaged::answer_of_sweep(Table::open(older)), damaged::answer_of_sweep(Table::read(older)));
}

TEST_F(DamagedSweep, torn_bytes_are_refused_or_change_nothing) {
  const std::string sound = damaged::content_of(file);
  const std::int64_t answer = damaged::answer_of_sweep(file);
  const std::string torn = (folder_ / "torn.sqlite").string();
  const auto expect = [&](const std::string& bytes, const std::string& what) {
    damaged::put_content(torn, bytes);
    try {
      EXPECT_EQ(damaged::answer_of_sweep(torn), answer) << what;
    } catch (const Error& error) {
      EXPECT_FALSE(error.message().empty()) << what;
    }
  };
  constexpr std::size_t page = 4096;
  for (std::size_t at = 0; at < sound.size(); at += page) {
    expect(sound.substr(0, at), "cut at " + std::to_string(at));
    std::string zeroed = sound;
    zeroed.replace(at, page, page, '\0');
    expect(zeroed, "zeros at " + std::to_string(at));
    for (std::size_t other = page; other < sound.size(); other += page) {
      std::string doubled = sound;
      doubled.replace(at, page, sound.substr(other, page));
      expect(doubled, "page " + std::to_string(other) + " at " + std::to_string(at));
    }
  }
}

}  // namespace
}  // namespace zwang::sweeps::damage_tests
