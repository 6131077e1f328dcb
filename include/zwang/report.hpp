/// Answers for people and for other programs: the animated page, figures, JSON, CSV, the equations of motion written out.
///
/// JSON is exactly what the command `zwang` prints with --json (docs/reference/answers.md); numbers read back to the same double.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/analyze.hpp"
#include "zwang/motion.hpp"
#include "zwang/questions.hpp"

namespace zwang {

/// How to make a page.
struct PageOptions {
  std::uint64_t bytes = 10U << 20U;      ///< of the whole page, at least 2^16: what does not fit is told more coarsely
  std::string title = {};                ///< empty: the model's
  std::vector<std::string> labels = {};  ///< of several runs, in the legend
  /// What is wrong with them, in a sentence; empty if nothing is.
  [[nodiscard]] std::string check() const;
};

/// The animated report: one HTML page without a network.
[[nodiscard]] std::string page(const Motion& motion, const PageOptions& options = {});
/// Several runs of systems with the same coordinates, laid over one another. Runs that do not have the same coordinates are an Error.
[[nodiscard]] std::string page(std::span<const Motion> motions, const PageOptions& options = {});
/// The page of a motion into a file. Throws Error if it cannot be written.
void write_page(const Motion& motion, const std::filesystem::path& file, const PageOptions& options = {});

/// A drawing.
struct Figure {
  std::string name;  ///< "path", "coordinates", "multipliers", "energy", "phase", "phase-w"
  std::string svg;
};
/// Figures for papers. `seen_from` is "xy", "xz", "yz" or "AZIMUTH,ELEVATION" in degrees; empty: the plane in which the motion lies.
[[nodiscard]] std::vector<Figure> figures(const Motion& motion, std::string_view seen_from = {});

/// A run, with samples at the instants asked for.
[[nodiscard]] std::string json(const Motion& motion, std::span<const double> sample_at = {});
/// Accelerations.
[[nodiscard]] std::string json(const Model& model, const State& state, const instant::Instant& instant);
/// A shock.
[[nodiscard]] std::string json(const Model& model, const instant::Shock& shock);
/// An error.
[[nodiscard]] std::string json(const Error& error);
/// The accelerations at a state as a chain of reasons.
[[nodiscard]] std::string explain_json(const Model& model, const State& state);

/// One line per sample: time, positions, velocities, multipliers (empty where a condition has none), outputs.
[[nodiscard]] std::string samples_csv(const Motion& motion);
/// One line per event: time, kind, conditions, impulses, energy lost, the state after it.
[[nodiscard]] std::string events_csv(const Motion& motion);

/// How equations are written.
enum class Notation : std::uint8_t {
  text,    ///< a page for a terminal
  latex,   ///< a whole document that needs amsmath alone
  cpp,     ///< a C++17 file without dependencies: `equations::right_hand_side`
  python,  ///< a module that needs NumPy: `right_hand_side`
};
[[nodiscard]] std::string_view words(Notation notation);
/// The differential equations of motion. `members`: every member of the families by itself. Programs are not written for first-order systems:
/// that is an Error.
[[nodiscard]] std::string equations(const Model& model, Notation notation = Notation::text, bool members = false);

}  // namespace zwang
