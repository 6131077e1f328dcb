/// What was probably meant.
#include "mistyped.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <utility>

#include "zwang/base/nearest.hpp"
#include "zwang/error.hpp"

namespace zwang::cli {

namespace {

/// What other programs call the same.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> other_words = {{{"simulate", "run"},
                                                                                        {"simulation", "run"},
                                                                                        {"integrate", "run"},
                                                                                        {"solve", "run"},
                                                                                        {"start", "run"},
                                                                                        {"validate", "check"},
                                                                                        {"lint", "check"},
                                                                                        {"test", "check"},
                                                                                        {"acceleration", "accelerate"},
                                                                                        {"collide", "impact"},
                                                                                        {"plot", "view"},
                                                                                        {"show", "view"},
                                                                                        {"open", "view"},
                                                                                        {"analyse", "analyze"},
                                                                                        {"examples", "gallery"},
                                                                                        {"list", "gallery"}}};

std::string meant(const std::string& word, const std::vector<std::string>& known) {
  for (const auto& [other, ours] : other_words) {
    if (word != other) continue;
    for (const std::string& one : known) {
      if (one == ours) return one;
    }
  }
  std::vector<std::string_view> views(known.begin(), known.end());
  return std::string(nearest(word, views.data(), views.size()));
}

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* one : commands) names.push_back(one->get_name());
  return names;
}

/// The commands that have such an option, "`zwang run` and `zwang fit`".
std::string commands_with(const CLI::App& app, const std::string& option) {
  std::vector<std::string> found;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (one->get_option_no_throw(option) != nullptr) found.push_back("`zwang " + one->get_name() + "`");
  }
  std::string out;
  for (std::size_t k = 0; k < found.size(); ++k)
    out += (k == 0 ? "" : k + 1 == found.size() ? " and " : ", ") + found[k];
  return out;
}

}  // namespace

std::string mistyped(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* at = &app;
  for (const std::string& word : words) {
    const std::vector<const CLI::App*> below = at->get_subcommands([](const CLI::App*) { return true; });
    if (word.starts_with("--")) {
      const std::string name = word.substr(0, word.find('='));
      std::vector<std::string> options;
      bool known = false;
      for (const CLI::Option* option : at->get_options()) {
        for (const std::string& one : option->get_lnames()) {
          options.push_back("--" + one);
          known = known || options.back() == name;
        }
      }
      if (known) continue;
      if (const std::string others = commands_with(app, name); !others.empty() && at != &app) {
        return fmt::format("`zwang {}` has no option `{}`: it is one of {}", at->get_name(), name, others);
      }
      const std::string near = meant(name, options);
      const std::string whose = at == &app ? "zwang" : "`zwang " + at->get_name() + "`";
      if (!near.empty()) return fmt::format("{} has no option `{}`; did you mean `{}`?", whose, name, near);
      return fmt::format("{} has no option `{}`; `zwang {}--help` lists them", whose, name,
                         at == &app ? "" : at->get_name() + " ");
    }
    if (below.empty() || word.starts_with("-")) continue;
    const CLI::App* next = nullptr;
    for (const CLI::App* one : below) {
      if (one->get_name() == word) next = one;
    }
    if (next != nullptr) {
      at = next;
      continue;
    }
    // A model where a question is missing.
    const std::string kind = at == &app ? "command" : at->get_name();
    if (at == &app && (word.ends_with(".toml") || word.starts_with("gallery:"))) {
      return fmt::format("what about {}? `zwang run {}` follows its motion, `zwang check {}` looks it over", word, word,
                         word);
    }
    if (at == &app && word.ends_with(".sqlite")) {
      return fmt::format("what about {}? `zwang view {}` shows the run", word, word);
    }
    const std::string near = meant(word, names_of(below));
    if (!near.empty()) return fmt::format("there is no {} `{}`; did you mean `{}`?", kind, word, near);
    return fmt::format("there is no {} `{}`; `zwang {}--help` lists what there is", kind, word,
                       at == &app ? "" : at->get_name() + " ");
  }
  return {};
}

}  // namespace zwang::cli
