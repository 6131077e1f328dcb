/// Which parameters vary, and how: a list of axes whose combinations are the samples of a sweep, numbered from 0.
///
///   L=0.5..2:100   L=1,2,3   @design.csv      values: all combinations, the last axis varies fastest
///   v~uniform(0, 1)   v~normal(1, 0.1)   v~sobol(0, 1)     drawn: every combination gets `count` samples
///
/// Sample k of the table is the same whoever asks for it and in whatever order (draws.hpp). What cannot be read is an Error with the place in the text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zwang/sweeps/draws.hpp"

namespace zwang::sweeps {

/// One `--over`.
struct Axis {
  enum class Kind : std::uint8_t { grid, list, table, uniform, normal, sobol };
  Kind kind = Kind::grid;
  std::vector<std::string> names;   ///< of parameters: one, but for a table
  double first = 0;                 ///< one end, or the mean
  double second = 0;                ///< the other end, or the deviation
  std::uint64_t size = 1;           ///< values; 1 where they are drawn
  std::vector<double> values = {};  ///< of a list or table: [value * names.size() + name]

  // of what is drawn
  std::uint64_t key = 0;
  Directions directions = {};
  [[nodiscard]] bool is_drawn() const { return kind >= Kind::uniform; }
};

struct Design {
  std::vector<Axis> axes;
  std::uint64_t count = 1;  ///< samples of every combination
  std::uint64_t seed = 0;
  std::uint64_t total = 1;  ///< samples

  [[nodiscard]] std::vector<std::string> names() const;  ///< of the parameters, in the order of the axes
  [[nodiscard]] std::size_t width() const;               ///< their number
  /// The values of sample k, one per name.
  void sample(std::uint64_t k, double* values) const;
};

/// What was written, and of a table what was in its file.
struct Spec {
  std::string text;
  std::string table = {};
};

/// How many samples a design may have: as many as Sobol's sequence has points in 32 binary digits.
inline constexpr std::uint64_t most_samples = std::uint64_t{1} << 32U;

/// The axis of one text, without its key.
[[nodiscard]] Axis read_axis(const Spec& spec);
/// `count` 0: none was given.
[[nodiscard]] Design read_design(const std::vector<Spec>& specs, std::uint64_t count, std::uint64_t seed);

/// The text as a spec: the file of `@design.csv` is read.
[[nodiscard]] Spec spec_of(const std::string& text);

}  // namespace zwang::sweeps
