/// Questions and answers of the engine in a page: a text and settings in, JSON out, the same as the command's.
///
/// Settings are lines, each a word and what belongs to it:
///
///   set NAME=VALUE      a parameter, as --set                 until T, at T, tolerance E, samples N   as the options of the command
///   law NAME            straightest or variational, for all   position I X, velocity I V              another start: variable I, its number
///   format NAME         of equations: text, latex, ...        file NAME                               what messages call the text
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/stepper.hpp"
#include "zwang/motion/track.hpp"

namespace zwang::live {

struct Settings {
  model::Overrides overrides;
  std::optional<model::Law> law;
  std::string file = "model.toml";
  std::string format = "text";
  std::vector<std::pair<std::uint32_t, double>> position, velocity;
};
/// Throws zwang::Error where a line cannot be understood.
[[nodiscard]] Settings read_settings(std::string_view text);

/// Any question that needs no motion: check, repair, accelerate, impact, explain, equations, schema. What is wrong with the text is an answer too, {"error": ...}.
[[nodiscard]] std::string answer(std::string_view question, std::string_view text, std::string_view settings);

/// One motion, or two under both laws, in the hand of whoever watches it.
class Session {
 public:
  /// Throws zwang::Error.
  Session(std::string_view text, std::string_view settings, bool both_laws);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// About so long; true while there is more to come.
  bool go_on(double milliseconds);
  /// Where the motion is.
  [[nodiscard]] double time() const;
  /// The answer of `run` as far as the motion came (of both: of `compare`), with the states at these instants.
  [[nodiscard]] std::string json(const std::vector<double>& sample_at) const;
  /// The data of the viewer; brief while something is dragged.
  [[nodiscard]] std::string page(std::uint64_t bytes, bool brief) const;
  /// accelerate or explain at an instant of the motion; the first one's if there are two.
  [[nodiscard]] std::string at(std::string_view question, double time) const;
  /// Positions and velocities at times, one after the other.
  void states(const std::vector<double>& times, std::vector<double>& position, std::vector<double>& velocity) const;

 private:
  struct Side;
  std::vector<std::unique_ptr<Side>> sides_;
};

/// What the stepper says of its present: time, status, positions, velocities, the events of the last call.
[[nodiscard]] std::string stepper_json(const motion::Stepper& stepper);

}  // namespace zwang::live
