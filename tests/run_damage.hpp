/// Run files for tests of damage: a small one that has something in every table, all that it says, and its checksums made anew after a change on purpose.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/motion/advance.hpp"
#include "zwang/runs/checksum.hpp"
#include "zwang/runs/database.hpp"
#include "zwang/runs/life.hpp"

namespace damaged {

/// A ball on a floor, a pendulum on a string, a blow, a condition let go, an output, an option: every table has lines.
inline const std::string run_model = R"toml(title = "Ball and bob"
gravity = [0, "-g"]
[parameters]
g = 9
[points.ball]
mass = 1
position = [0.3, 0.7]
velocity = [1, 0]
[points.bob]
mass = 2
position = [6, 0]
[constraints]
floor = { condition = "ball.y >= 0", restitution = 0.8 }
rod = "distance(bob, [5, 0]) = 1"
[[impulses]]
at = 0.2
on = "bob"
value = [0, 0.5]
[outputs]
height = "ball.y"
angle = "atan2(bob.y, bob.x - 5)"
[simulation]
until = 0.9
samples = 6
tolerance = 1e-8
)toml";

/// A finished run of it, in a new file.
inline void write_small_run(const std::string& path) {
  using namespace zwang;
  model::Overrides overrides;
  overrides.parameters.emplace_back("g", "10");
  const runs::Task task = runs::new_task(runs::recipe_of(run_model, "model.toml", overrides), path);
  runs::Store store = runs::Store::create(path, task.recipe, task.model);
  runs::go_on(task, store);
}

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Over the older content, so that no new file need be made for every trial.
inline void put_content(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// All that a run file answers, in one sum: its recipe, account, pieces, events, samples, states between, and where it goes on from.
/// `known`: the model of the sound file with its text, which need not be compiled again as long as the recipe is the same.
struct KnownModel {
  zwang::runs::Recipe recipe;
  zwang::model::Model model;
};
inline std::int64_t answer_of(const std::string& path, const KnownModel* known = nullptr) {
  using namespace zwang;
  runs::Store store = runs::Store::read(path);
  runs::Checksum sum;
  const auto list = [&](const auto& values) {
    sum.whole(static_cast<std::int64_t>(values.size()));
    for (const auto& value : values) sum.number(value);
  };
  const auto add_sample = [&](const motion::Sample& sample) {
    sum.number(sample.state.time);
    list(sample.state.position);
    list(sample.state.velocity);
    list(sample.rows);
    list(sample.multipliers);
    list(sample.rho);
    list(sample.outputs);
  };
  const runs::Recipe& recipe = store.recipe();
  for (const std::string& text : {recipe.version, recipe.machine, recipe.file, recipe.text, recipe.overrides.start,
                                  recipe.overrides.until, recipe.overrides.tolerance, recipe.overrides.samples}) {
    sum.text(text);
  }
  for (const auto& [name, value] : recipe.overrides.parameters) {
    sum.text(name);
    sum.text(value);
  }
  const bool is_known = known != nullptr && known->recipe.text == recipe.text && known->recipe.file == recipe.file &&
                        known->recipe.law == recipe.law &&
                        known->recipe.overrides.parameters == recipe.overrides.parameters &&
                        known->recipe.overrides.start == recipe.overrides.start &&
                        known->recipe.overrides.until == recipe.overrides.until &&
                        known->recipe.overrides.tolerance == recipe.overrides.tolerance &&
                        known->recipe.overrides.samples == recipe.overrides.samples;
  const model::Model made = is_known ? model::Model() : runs::model_of(recipe);
  const model::Model& model = is_known ? known->model : made;
  store.set_outputs(model);
  sum.number(store.sampling().start);
  sum.number(store.sampling().until);
  sum.whole(store.sampling().count);
  const motion::Account& account = store.account();
  sum.text(motion::words(account.status));
  sum.text(account.why);
  for (const std::string& culprit : account.culprits) sum.text(culprit);
  list(account.continuations);
  add_sample(account.present);
  for (const double number : {account.energy.initial, account.energy.work, account.energy.lost, account.energy.final,
                              account.energy.largest_kinetic, account.position_drift, account.velocity_drift,
                              account.defect, account.position_correction, account.velocity_correction}) {
    sum.number(number);
  }
  sum.whole(static_cast<std::int64_t>(account.steps));
  const auto add_piece = [&](const motion::Piece& piece) {
    sum.number(piece.start);
    sum.number(piece.length);
    sum.number(piece.unit);
    sum.number(piece.pole);
    list(piece.position);
    list(piece.rows);
    list(piece.multiplier);
    list(piece.rho);
    return true;
  };
  store.each_piece(0, add_piece);
  store.each_event(0, [&](const motion::Event& event) {
    sum.number(event.time);
    sum.text(motion::words(event.kind));
    sum.number(event.lost);
    sum.text(event.note);
    for (const std::string& body : event.bodies) sum.text(body);
    list(event.rows);
    for (const auto& [row, impulse] : event.impulses) {
      sum.whole(row);
      sum.number(impulse);
    }
    list(event.position);
    list(event.velocity);
    return true;
  });
  store.each_sample(0, [&](const motion::Sample& sample) {
    add_sample(sample);
    return true;
  });
  const motion::RunView view = store.view(model);
  motion::Sample sample;
  for (const double time : {0.0, 0.1, 0.2, 0.37, 0.5, 0.77, 0.9}) {
    sum.whole(motion::state_at(model, view, time, sample) ? 1 : 0);
    add_sample(sample);
  }
  sum.bytes(store.checkpoint());
  return sum.sum();
}

/// What somebody who changed a line on purpose would do: every checksum fits again, that of the checkpoint's bytes, too.
inline void reseal(const std::string& path) {
  using namespace zwang::runs;
  Database file(path);
  const auto for_numbers = [&](const std::string& query, const auto& visit) {
    Statement statement = file.prepare(query);
    while (statement.step()) visit(Line(statement, ""));
  };
  // The bytes of a checkpoint end with a sum of their own.
  std::vector<std::pair<std::int64_t, std::string>> states;
  for_numbers("SELECT number, CAST(state AS BLOB) FROM checkpoints",
              [&](const Line& line) { states.emplace_back(line.number(), line.bytes(1)); });
  for (auto& [number, bytes] : states) {
    if (bytes.size() < 16) continue;
    std::uint64_t sum = 0xcbf29ce484222325;
    for (std::size_t k = 8; k + 8 < bytes.size(); ++k) {
      sum = (sum ^ static_cast<unsigned char>(bytes[k])) * 0x100000001b3;
    }
    std::memcpy(bytes.data() + bytes.size() - 8, &sum, sizeof sum);
    file.prepare("UPDATE checkpoints SET state = ? WHERE number = ?").put_bytes(bytes).put(number).run();
  }
  for (const std::string table :
       {"run", "options", "variables", "rows", "pieces", "events", "samples", "checkpoints"}) {
    std::vector<std::pair<std::int64_t, std::int64_t>> sums;
    for_numbers(fmt::format("SELECT {} FROM {}", table == "run" ? "rowid, *" : "*", table), [&](const Line& line) {
      Checksum sum = line.sum();
      if (table == "events") {
        Statement parts = file.prepare("SELECT row, triggered, impulse FROM event_rows WHERE event = ? ORDER BY row");
        parts.put(line.whole(0, INT64_MIN, INT64_MAX));
        while (parts.step()) {
          const Line part(parts, "event_rows");
          sum.whole(part.whole(0, INT64_MIN, INT64_MAX));
          sum.whole(part.whole(1, INT64_MIN, INT64_MAX));
          sum.number(part.real(2));
        }
      }
      if (table == "samples") {
        Statement parts = file.prepare("SELECT name, value FROM outputs WHERE sample = ? ORDER BY name");
        parts.put(line.whole(0, INT64_MIN, INT64_MAX));
        while (parts.step()) {
          const Line part(parts, "outputs");
          sum.text(part.text(0));
          sum.number(part.real(1));
        }
      }
      sum.text(table);
      sums.emplace_back(line.whole(0, INT64_MIN, INT64_MAX), sum.sum());
    });
    for (const auto& [number, sum] : sums) {
      file.prepare(fmt::format("UPDATE {} SET checksum = ? WHERE rowid = ?", table)).put(sum).put(number).run();
    }
  }
}

/// Some change that a stranger might make to a line, as SQL.
inline std::string random_change(std::mt19937_64& random) {
  struct Column {
    const char* table;
    const char* name;
  };
  static constexpr std::array columns = {Column{"run", "zwang"},
                                         Column{"run", "model"},
                                         Column{"run", "start"},
                                         Column{"run", "until"},
                                         Column{"run", "sample_until"},
                                         Column{"run", "sample_count"},
                                         Column{"run", "status"},
                                         Column{"run", "time"},
                                         Column{"run", "position"},
                                         Column{"run", "velocity"},
                                         Column{"run", "rows"},
                                         Column{"run", "multiplier"},
                                         Column{"run", "rho"},
                                         Column{"run", "continuations"},
                                         Column{"run", "steps"},
                                         Column{"run", "count_options"},
                                         Column{"run", "count_variables"},
                                         Column{"run", "count_rows"},
                                         Column{"run", "count_pieces"},
                                         Column{"run", "count_events"},
                                         Column{"run", "count_samples"},
                                         Column{"run", "count_checkpoints"},
                                         Column{"options", "name"},
                                         Column{"options", "value"},
                                         Column{"pieces", "number"},
                                         Column{"pieces", "start"},
                                         Column{"pieces", "length"},
                                         Column{"pieces", "orders"},
                                         Column{"pieces", "position"},
                                         Column{"pieces", "rows"},
                                         Column{"pieces", "multiplier_orders"},
                                         Column{"pieces", "multiplier"},
                                         Column{"pieces", "rho"},
                                         Column{"pieces", "unit"},
                                         Column{"events", "number"},
                                         Column{"events", "time"},
                                         Column{"events", "kind"},
                                         Column{"events", "position"},
                                         Column{"events", "velocity"},
                                         Column{"events", "note"},
                                         Column{"event_rows", "row"},
                                         Column{"event_rows", "triggered"},
                                         Column{"event_rows", "impulse"},
                                         Column{"samples", "number"},
                                         Column{"samples", "time"},
                                         Column{"samples", "position"},
                                         Column{"samples", "velocity"},
                                         Column{"samples", "rows"},
                                         Column{"samples", "multiplier"},
                                         Column{"samples", "rho"},
                                         Column{"outputs", "name"},
                                         Column{"outputs", "value"},
                                         Column{"checkpoints", "number"},
                                         Column{"checkpoints", "time"},
                                         Column{"checkpoints", "pieces"},
                                         Column{"checkpoints", "state"},
                                         Column{"checkpoints", "state"},
                                         Column{"checkpoints", "state"},
                                         Column{"checkpoints", "state"}};
  static constexpr std::array values = {"0",
                                        "-1",
                                        "1",
                                        "2",
                                        "1000",
                                        "4294967295",
                                        "9223372036854775807",
                                        "1e308",
                                        "1e-308",
                                        "9e999",
                                        "0.5",
                                        "x''",
                                        "x'00'",
                                        "x'FFFFFFFF'",
                                        "x'0000000000000000'",
                                        "zeroblob(8)",
                                        "zeroblob(32)",
                                        "zeroblob(4096)",
                                        "'going'",
                                        "'text'",
                                        "''",
                                        "char(27) || ']0;x' || char(7)"};
  const auto pick = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  const Column column = columns[pick(columns.size())];
  const std::string value = values[pick(values.size())];
  const std::string where =
      pick(3) == 0 ? std::string() : fmt::format(" WHERE _rowid_ % {} = {}", 1 + pick(5), pick(3));
  const bool keyed = std::string_view(column.table) == "event_rows" || std::string_view(column.table) == "outputs";
  const std::string some = keyed ? std::string() : where;
  switch (pick(8)) {
    case 0: return fmt::format("DELETE FROM {}{}", column.table, some);
    case 1:
    case 2: {
      // A byte of a list, or eight.
      const std::size_t place = 1 + pick(pick(2) == 0 ? 64 : 4000);
      const std::size_t count = pick(2) == 0 ? 1 : 8;
      std::string bytes;
      for (std::size_t k = 0; k < count; ++k) bytes += fmt::format("{:02X}", pick(4) == 0 ? pick(256) : pick(3) * 127);
      return fmt::format(
          "UPDATE OR IGNORE {0} SET {1} = CAST(substr({1}, 1, {2}) || x'{3}' || substr({1}, {4}) AS BLOB){5}",
          column.table, column.name, place - 1, bytes, place + count, some);
    }
    case 3:
      return fmt::format("UPDATE OR IGNORE {0} SET {1} = CAST(substr({1}, {2}) AS BLOB){3}", column.table, column.name,
                         1 + 4 * pick(20), some);
    case 4: return fmt::format("UPDATE OR IGNORE {0} SET {1} = {1} + {2}{3}", column.table, column.name, value, some);
    default: return fmt::format("UPDATE OR IGNORE {} SET {} = {}{}", column.table, column.name, value, some);
  }
}

}  // namespace damaged
