/// What the parts of a store share: its statements, the columns they ask for, and the numbers that every list in a run is measured by.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "zwang/runs/database.hpp"
#include "zwang/runs/held_file.hpp"
#include "zwang/runs/store.hpp"

namespace zwang::runs {

inline constexpr const char* piece_columns =
    "number, start, length, orders, position, rows, multiplier_orders, multiplier, rho, unit, checksum";
inline constexpr const char* event_columns_of_one =
    "number, time, kind, lost, note, bodies, position, velocity, checksum";
inline constexpr const char* event_columns_of_crowd =
    "number, time, kind, lost, note, bodies, position, velocity, variables, checksum";
inline const char* event_columns(bool crowd) { return crowd ? event_columns_of_crowd : event_columns_of_one; }
inline constexpr const char* event_row_query =
    "SELECT event, row, triggered, impulse FROM event_rows WHERE event >= ? ORDER BY event, row";
inline constexpr const char* run_columns =
    "rowid, zwang, machine, file, title, model, start, until, tolerance, sample_until, sample_count, status, why, "
    "culprits, continuations, time, position, velocity, rows, multiplier, rho, energy_initial, energy_work, "
    "energy_lost, energy_final, energy_defect, largest_kinetic, position_drift, velocity_drift, position_correction, "
    "velocity_correction, steps, seconds, defect, count_options, count_variables, count_rows, count_pieces, "
    "count_events, count_samples, count_checkpoints, checksum";
inline constexpr int run_column_count = 42;
inline constexpr std::int64_t the_run = 1;  ///< the number of its only line

/// How many numbers belong to a run: what every list in it is measured by.
struct Shape {
  std::uint32_t variables = 0;
  std::uint32_t rows = 0;
};

/// The rows of events, one event after the other.
struct EventRows {
  Statement all;
  bool there = false;
  void begin(std::uint64_t event) {
    all.reset();
    all.put(static_cast<std::int64_t>(event));
    next();
  }
  void next() { there = all.step(); }
};

/// Rows held: numbers of rows, ascending.
void read_rows(const Line& line, int column, const Shape& shape, std::vector<std::uint32_t>& rows);
/// One number per variable.
void read_per_variable(const Line& line, int column, const Shape& shape, std::vector<double>& values);
/// One number per row held; of rho also none at all.
void read_per_row(const Line& line, int column, std::size_t rows, bool may_be_empty, std::vector<double>& values);
/// Names that were written one behind the other.
[[nodiscard]] std::vector<std::string> split_names(const std::string& text, char between);

struct Store::Impl {
  explicit Impl(const std::string& path, std::unique_ptr<HeldFile> file, bool read_only = false)
      : held(std::move(file)), database(path, read_only) {}

  std::unique_ptr<HeldFile> held;  // outlives the database: closing it earlier would drop SQLite's own locks
  Database database;
  Recipe recipe;
  motion::Sampling sampling;
  motion::Account account;
  bool crowd = false;
  bool kinds_once = false;   ///< of a crowd: a kind is not said again where it is that of the row before
  std::uint64_t pieces = 0;  ///< of a crowd: chunks
  std::uint64_t events = 0;
  std::uint64_t samples = 0;
  std::uint64_t checkpoints = 0;
  std::uint64_t options = 0;
  std::uint64_t pending = 0;
  Shape shape;
  std::vector<crowds::ChunkPlace> places;  ///< of a crowd: per chunk
  std::uint64_t met = 0;                   ///< pairs of a crowd that are among the rows
  bool goes_on = false;                    ///< the last chunk is put anew
  std::size_t met_in_last = 0;             ///< pairs of that one
  crowds::Extent extent;
  std::string title;
  double until = 0;
  double tolerance = 0;
  std::vector<std::string> output_names;
  std::vector<std::size_t> by_name;  ///< outputs in the order of their names, as the file has them

  Statement add_piece;
  Statement add_chunk;
  Statement forget_chunk;
  Statement add_event;
  Statement add_event_row;
  Statement add_sample;
  Statement add_output;
  Statement add_checkpoint;
  Statement forget_checkpoints;
  Statement forget_run;
  Statement set_run;
  mutable Statement one_chunk;
  mutable Statement find_piece;
  mutable Statement one_piece;
  mutable Statement find_event;
  mutable Statement one_event;
  mutable Statement event_time;
  mutable EventRows rows_of_event;

  void prepare();
  void write_recipe(const model::Model& model);
  void write_options();
  void read_recipe();
  void read_options(std::uint64_t count);
  void write_run();
  void read_names(const char* table, std::uint64_t count);
  void require_count(const char* table, std::uint64_t count);
  void read_piece(const Line& line, std::uint64_t number, motion::Piece& piece) const;
  [[nodiscard]] double start_of_piece(std::uint64_t number) const;
  [[nodiscard]] double time_of_event(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t first_event_from(double time) const;
  void read_event(const Line& line, std::uint64_t number, EventRows& rows, motion::Event& event) const;
  void require_end(const char* table, std::uint64_t number, std::uint64_t count) const;
  void name_outputs(const model::Model& model);
  void read_places();
  [[nodiscard]] crowds::Extent extent_of(const model::Model& model) const {
    const std::uint32_t dimension = model.bodies[0].dimension;
    return {model.variables / dimension, dimension, shape.rows};
  }
  [[nodiscard]] std::shared_ptr<const crowds::Chunk> read_chunk(std::uint64_t number, const crowds::Extent& of) const;
  void say_kept();
  void take_in();
  void begin() {
    if (!database.in_transaction()) {
      database.run("BEGIN IMMEDIATE");
    }
  }
};

}  // namespace zwang::runs
