/// What every sub-command shares: the model argument, the common options, and the exit statuses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/model/read.hpp"

namespace zwang::cli {

/// Exit statuses of docs/reference/commands.md.
inline constexpr int answered = 0;
inline constexpr int bad_input = 2;
inline constexpr int no_answer = 3;
inline constexpr int gave_up = 4;
inline constexpr int fault = 5;
inline constexpr int interrupted = 130;

struct Request {
  std::string model;
  bool json = false;
  bool quiet = false;
  std::vector<std::string> set;
  std::string at, until, tolerance, samples;
  bool repair = false;              ///< check
  std::string out;                  ///< check --repair, gallery, run
  std::string sample_at;            ///< run
  std::string resume;               ///< run
  bool csv = false;                 ///< run
  bool use_integrals = false;       ///< run
  double checkpoint = 2;            ///< run: seconds between checkpoints
  std::string format = "text";      ///< equations
  std::vector<std::string> member;  ///< analyze fourier
  bool find = false;                ///< analyze stability: look for an equilibrium first
  bool all = false;                 ///< equations: every member of the families
  bool svg = false;                 ///< run: figures
  std::string projection;           ///< run --svg: from where space is seen
  bool error = false;               ///< run: estimate the error of the end
  bool no_report = false;           ///< run, compare: without the animated report
  std::string vary;                 ///< run: NAME=A,B,C, one run per value
  std::vector<std::string> show;    ///< view
  bool no_open = false;             ///< view
  std::string name;                 ///< gallery
  bool run = false;                 ///< gallery: run the model
  std::string site;                 ///< gallery: write the static site below this folder
  bool physics = false;             ///< gallery
};

/// Run files are SQLite databases, which all begin with the same words.
[[nodiscard]] bool begins_a_database(std::string_view bytes);

/// Reads MODEL (a file, `-`, or gallery:NAME); throws zwang::Error.
struct Source {
  std::string text;
  std::string name;
};
[[nodiscard]] Source read_source(const std::string& name);
[[nodiscard]] model::Overrides overrides(const Request& request);
/// The name of a model's files: that of the gallery, the file's without folder and ending, or "model".
[[nodiscard]] std::string file_stem(const std::string& model);
/// The model. One that is a flow has rates and no accelerations: it is refused unless the question makes sense for it.
enum class Flows : std::uint8_t { refused, welcome };
[[nodiscard]] model::Model load(const Request& request, Flows flows = Flows::refused);
void refuse_flow(const model::Model& model);

}  // namespace zwang::cli
