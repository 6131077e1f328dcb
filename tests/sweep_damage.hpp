/// Sweep files for tests of damage: a small one that is half done, all that it says, and its checksums made anew after a change on purpose.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/runs/checksum.hpp"
#include "zwang/runs/database.hpp"
#include "zwang/sweeps/run.hpp"
#include "zwang/sweeps/table.hpp"

namespace damaged {

/// Six samples, of which two have no model; every kind of option has a line.
inline zwang::sweeps::Recipe small_sweep() {
  zwang::sweeps::Recipe recipe;
  recipe.file = "model.toml";
  recipe.text = R"toml(title = "A ball"
gravity = [0, "-g"]
[parameters]
g = 9
e = 0.5
h = 1
[points.ball]
mass = 1
position = [0.3, "h"]
[constraints]
floor = { condition = "ball.y >= 0", restitution = "e" }
[simulation]
until = 0.9
)toml";
  recipe.overrides.parameters.emplace_back("h", "0.7");
  recipe.overrides.start = "0";
  recipe.overrides.until = "0.8";
  recipe.overrides.tolerance = "1e-8";
  recipe.over = {{"@e.csv", "e\n0.5\n2\n0.8\n"}, {"g~uniform(8,9)"}};
  recipe.count = 2;
  recipe.seed = 7;
  recipe.records = {"ball.y", "time(impact, 2)"};
  return recipe;
}

/// Four of them are kept, in two stretches.
inline void write_small_sweep(const std::string& path) {
  using namespace zwang::sweeps;
  const Recipe recipe = small_sweep();
  const Sweep sweep(recipe);
  Table table = Table::create(path, recipe, sweep);
  Row row;
  for (std::uint64_t k = 0; k < 4; ++k) {
    sweep.follow(k, row);
    table.add(row);
    if (k % 2 == 1) table.commit(0.5, true);
  }
}

/// All that a sweep file answers, in one sum.
inline std::int64_t answer_of_sweep(const zwang::sweeps::Table& table) {
  using namespace zwang::sweeps;
  zwang::runs::Checksum sum;
  const Recipe& recipe = table.recipe();
  for (const std::string& text :
       {recipe.file, recipe.text, recipe.overrides.start, recipe.overrides.until, recipe.overrides.tolerance}) {
    sum.text(text);
  }
  for (const auto& [name, value] : recipe.overrides.parameters) {
    sum.text(name);
    sum.text(value);
  }
  for (const Spec& spec : recipe.over) {
    sum.text(spec.text);
    sum.text(spec.table);
  }
  sum.whole(static_cast<std::int64_t>(recipe.count));
  sum.whole(static_cast<std::int64_t>(recipe.seed));
  for (const std::string& record : recipe.records) sum.text(record);
  sum.text(table.title());
  sum.text(table.notice());
  sum.whole(static_cast<std::int64_t>(table.total()));
  sum.whole(static_cast<std::int64_t>(table.done()));
  sum.number(table.seconds());
  for (const auto& [status, count] : table.statuses()) {
    sum.text(status);
    sum.whole(static_cast<std::int64_t>(count));
  }
  for (const auto& [sample, why] : table.failures(1000)) {
    sum.whole(static_cast<std::int64_t>(sample));
    sum.text(why);
  }
  write_csv(table, [&](std::string_view text) { sum.text(text); });
  return sum.sum();
}
inline std::int64_t answer_of_sweep(const std::string& path) {
  return answer_of_sweep(zwang::sweeps::Table::read(path));
}

/// It goes on as `sweep --resume` does, as long as `go_on` says; its table afterwards.
inline std::string sweep_gone_on(const std::string& path, const std::function<bool(std::uint64_t)>& go_on = {}) {
  using namespace zwang::sweeps;
  Table table = Table::open(path);
  const Sweep sweep(table.recipe());
  Hands hands;
  hands.go_on = go_on;
  carry_on(sweep, table, hands);
  std::string out;
  write_csv(table, [&](std::string_view text) { out += text; });
  return out;
}

/// What somebody who changed a line on purpose would do: every checksum fits again.
inline void reseal_sweep(const std::string& path) {
  using namespace zwang::runs;
  Database file(path, false, "sweep");
  const auto numbered = [&](const std::string& query, const auto& visit) {
    Statement statement = file.prepare(query);
    while (statement.step()) visit(Line(statement, ""));
  };
  // The lines of samples, column for column, with their kinds.
  std::string columns;
  int count = 0;
  numbered("SELECT cid, name FROM pragma_table_info('samples')", [&](const Line& line) {
    columns += fmt::format("{0}typeof(\"{1}\"), \"{1}\"", count++ > 0 ? ", " : "", [&] {
      std::string name;
      for (const char c : line.text(1)) name.append(c == '"' ? 2 : 1, c);
      return name;
    }());
  });
  struct Stretch {
    std::int64_t row, count;
  };
  std::vector<Stretch> stretches;
  numbered("SELECT rowid, first, count FROM chunks ORDER BY number", [&](const Line& line) {
    stretches.push_back({line.whole(0, INT64_MIN, INT64_MAX), line.whole(2, INT64_MIN, INT64_MAX)});
  });
  std::int64_t first = 0;
  for (const Stretch& stretch : stretches) {
    Checksum sum;
    Statement each = file.prepare(fmt::format("SELECT {} FROM samples ORDER BY sample LIMIT ? OFFSET ?", columns));
    each.put(stretch.count).put(first);
    while (each.step()) {
      const Line line(each, "samples");
      for (int k = 0; k < count; ++k) {
        const std::string kind = line.text(2 * k);
        if (kind == "integer") {
          sum.whole(line.whole(2 * k + 1, INT64_MIN, INT64_MAX));
        } else if (kind == "text") {
          sum.text(line.text(2 * k + 1));
        } else if (kind == "blob") {
          sum.bytes(line.bytes(2 * k + 1));
        } else {
          sum.number(line.real(2 * k + 1));
        }
      }
      Statement why = file.prepare("SELECT 0, why FROM failures WHERE sample = ? AND typeof(why) = 'text'");
      why.put(line.whole(1, INT64_MIN, INT64_MAX));
      while (why.step()) sum.text(Line(why, "failures").text(1));
    }
    first += std::clamp<std::int64_t>(stretch.count, 0, 1000);
    file.prepare("UPDATE chunks SET sum = ? WHERE rowid = ?").put(sum.sum()).put(stretch.row).run();
  }
  for (const std::string table : {"sweep", "options", "chunks"}) {
    std::vector<std::pair<std::int64_t, std::int64_t>> sums;
    numbered(fmt::format("SELECT * FROM {}", table), [&](const Line& line) {
      Checksum sum = line.sum();
      sum.text(table);
      sums.emplace_back(line.whole(0, INT64_MIN, INT64_MAX), sum.sum());
    });
    for (const auto& [number, sum] : sums) {
      file.prepare(fmt::format("UPDATE {} SET checksum = ? WHERE rowid = ?", table)).put(sum).put(number).run();
    }
  }
}

/// Some change that a stranger might make to a line, as SQL.
inline std::string random_change_of_sweep(std::mt19937_64& random) {
  struct Column {
    const char* table;
    const char* name;
  };
  static constexpr std::array columns = {
      Column{"sweep", "number"},   Column{"sweep", "zwang"},    Column{"sweep", "machine"},
      Column{"sweep", "file"},     Column{"sweep", "title"},    Column{"sweep", "model"},
      Column{"sweep", "total"},    Column{"sweep", "done"},     Column{"sweep", "chunks"},
      Column{"sweep", "options"},  Column{"sweep", "seconds"},  Column{"options", "number"},
      Column{"options", "name"},   Column{"options", "value"},  Column{"options", "value"},
      Column{"options", "value"},  Column{"samples", "sample"}, Column{"samples", "e"},
      Column{"samples", "g"},      Column{"samples", "status"}, Column{"samples", "time"},
      Column{"samples", "steps"},  Column{"samples", "events"}, Column{"samples", "defect"},
      Column{"samples", "ball.y"}, Column{"failures", "why"},   Column{"failures", "sample"},
      Column{"chunks", "number"},  Column{"chunks", "first"},   Column{"chunks", "count"},
      Column{"chunks", "sum"}};
  static constexpr std::array values = {"0",
                                        "-1",
                                        "1",
                                        "2",
                                        "6",
                                        "1000000000",
                                        "9223372036854775807",
                                        "1e308",
                                        "1e-308",
                                        "9e999",
                                        "0.5",
                                        "NULL",
                                        "x''",
                                        "x'00FF'",
                                        "''",
                                        "'error'",
                                        "'finished'",
                                        "'--over'",
                                        "'--record'",
                                        "'--count'",
                                        "'--set'",
                                        "'design'",
                                        "'e=0.2..0.9:1000000'",
                                        "'e=0..1:1e9'",
                                        "'g~normal(1,-1)'",
                                        "'@e.csv'",
                                        "'max(ball.x)'",
                                        "'count(impact)'",
                                        "'18446744073709551615'",
                                        "'h=1/0'",
                                        "'1e300'",
                                        "char(27) || ']0;x' || char(7)",
                                        "x'C328'"};
  const auto pick = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  const Column column = columns[pick(columns.size())];
  const std::string value = values[pick(values.size())];
  const std::string where =
      pick(3) == 0 ? std::string() : fmt::format(" WHERE _rowid_ % {} = {}", 1 + pick(5), pick(3));
  switch (pick(8)) {
    case 0: return fmt::format("DELETE FROM {}{}", column.table, where);
    case 1:
      return fmt::format("UPDATE OR IGNORE {0} SET \"{1}\" = substr(\"{1}\", 1, {2}) || {3} || substr(\"{1}\", {4}){5}",
                         column.table, column.name, pick(60), value, 1 + pick(60), where);
    case 2:
      return fmt::format("UPDATE OR IGNORE {0} SET \"{1}\" = \"{1}\" + {2}{3}", column.table, column.name, value,
                         where);
    case 3: return "INSERT OR IGNORE INTO failures VALUES (" + std::to_string(pick(8)) + ", " + value + ")";
    case 4:
      return "UPDATE sweep SET options = options + 1; INSERT INTO options SELECT max(number) + 1, '" +
             std::string(pick(2) == 0 ? "--set" : "--over") + "', " + value + ", 0 FROM options";
    default: return fmt::format("UPDATE OR IGNORE {} SET \"{}\" = {}{}", column.table, column.name, value, where);
  }
}

}  // namespace damaged
