/// `hard_models`: tries classes of hard models and prints a table of verdicts; writes the model of a seed.
///
///   hard_models [--class NAME ...] [--count N] [--seed S] [--limit SECONDS] [--quiet]
///   hard_models --class NAME --write SEED [--out FILE]     the model file of a seed (of several: FILE, FILE-2, ...)
///   hard_models --list
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "hard/hard.hpp"

namespace {

using namespace zwang::hard;

int usage(const std::string& complaint) {
  std::cerr << complaint
            << "\nhard_models [--class NAME ...] [--count N] [--seed S] [--limit SECONDS] [--quiet] [--list]\n"
            << "hard_models --class NAME --write SEED [--out FILE]\n";
  return 2;
}

}  // namespace

int main(int count, char** words_given) {
  std::vector<std::string> wanted;
  int models = 0;
  std::uint64_t seed = 1;
  double limit = 30;
  bool quiet = false;
  bool write = false;
  std::string out;
  for (int k = 1; k < count; ++k) {
    const std::string word = words_given[k];
    if (word == "--list") {
      for (const Class& kind : classes()) fmt::print("{:24} {}\n", kind.key, kind.name);
      return 0;
    }
    if (word == "--quiet") {
      quiet = true;
      continue;
    }
    if (k + 1 >= count) return usage("no value after " + word);
    const std::string value = words_given[++k];
    if (word == "--class") {
      wanted.push_back(value);
    } else if (word == "--count") {
      models = std::atoi(value.c_str());
    } else if (word == "--seed" || word == "--write") {
      seed = std::strtoull(value.c_str(), nullptr, 10);
      write = write || word == "--write";
    } else if (word == "--limit") {
      limit = std::atof(value.c_str());
    } else if (word == "--out") {
      out = value;
    } else {
      return usage("unknown: " + word);
    }
  }
  for (const std::string& name : wanted) {
    if (std::none_of(classes().begin(), classes().end(), [&](const Class& kind) { return kind.key == name; }))
      return usage("no class " + name);
  }
  if (write && wanted.size() != 1) return usage("--write takes one --class");

  int wrong = 0;
  if (!write)
    fmt::print("{:24} {:>7} {:>7} {:>7} {:>9} {:>9} {:>6}\n", "class", "right", "refused", "wrong", "seconds",
               "slowest", "seed");
  for (const Class& kind : classes()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), kind.key) == wanted.end()) continue;
    if (write) {
      const Case one = kind.make(seed);
      for (std::size_t k = 0; k < one.texts.size(); ++k) {
        const std::string head = fmt::format("# {}, seed {}\n", kind.name, seed);
        const std::string end = k == 0 ? "" : fmt::format("-{}", k + 1);
        if (out.empty()) {
          fmt::print("{}{}\n", head, one.texts[k]);
        } else {
          const std::size_t dot = out.rfind(".toml");
          std::ofstream(out.substr(0, dot) + end + ".toml") << head << one.texts[k];
        }
      }
      return 0;
    }
    const auto found = judge_all(kind, seed, models > 0 ? models : kind.quick, limit);
    int tally[3] = {0, 0, 0};
    Finding slowest;
    double all = 0;
    for (const Finding& one : found) {
      ++tally[static_cast<int>(one.verdict)];
      if (one.seconds > slowest.seconds) slowest = one;
      all += one.seconds;
    }
    wrong += tally[2];
    fmt::print("{:24} {:>7} {:>7} {:>7} {:>9.2f} {:>9.3f} {:>6}\n", kind.key, tally[0], tally[1], tally[2], all,
               slowest.seconds, slowest.seed);
    for (const Finding& one : found) {
      if (one.verdict != Verdict::right && !quiet)
        fmt::print("    {} seed {}: {}\n", words(one.verdict), one.seed, one.line.substr(0, 300));
    }
    std::fflush(stdout);
  }
  return wrong == 0 ? 0 : 1;
}
