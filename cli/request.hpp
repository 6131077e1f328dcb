/// What was typed. Only the sub-commands see it: they hand on questions, tasks and names of files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "question.hpp"
#include "runs.hpp"
#include "status.hpp"

namespace zwang::cli {

struct Request : Question {
  bool json = false;
  bool quiet = false;
  bool repair = false;              ///< check
  bool exact = false;               ///< accelerate: in fractions
  std::string out;                  ///< check --repair, gallery, run, live
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
  std::string sensitivity;          ///< run: NAME,NAME,...: derivatives by these parameters
  std::string data;                 ///< fit: the table of measured values
  std::string free;                 ///< fit: NAME,NAME,...: the parameters that may move
  std::string starts;               ///< fit: how many
  std::vector<std::string> within;  ///< fit: NAME=LOW..HIGH, between which they lie
  bool no_report = false;           ///< run, compare: without the animated report
  std::string vary;                 ///< run: NAME=A,B,C, one run per value
  std::vector<std::string> over;    ///< sweep: what varies, and how
  std::vector<std::string> record;  ///< sweep: what is recorded
  std::string count, seed;          ///< sweep
  std::string jobs;                 ///< run, sweep: threads
  std::vector<std::string> show;    ///< view
  bool no_open = false;             ///< view, live
  std::string name;                 ///< gallery
  bool run = false;                 ///< gallery: run the model
  std::string site;                 ///< gallery: write the static site below this folder
  bool physics = false;             ///< gallery
};

/// A whole number as it is typed, `1e4` too.
[[nodiscard]] std::uint64_t whole_number(const std::string& option, const std::string& text, double least, double most);
/// `--jobs`, or as many as there are cores.
[[nodiscard]] unsigned threads_of(const Request& request);
/// How the runs that were asked for are to be made.
[[nodiscard]] Manner manner_of(const Request& request);

}  // namespace zwang::cli
