/// The sub-commands: each file adds one and returns the exit status of its answer.
#pragma once

#include <CLI/CLI.hpp>

#include "request.hpp"

namespace zwang::cli {

/// Called when the sub-command was chosen; filled by `add_*`.
struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;
};

[[nodiscard]] Command add_check(CLI::App& zwang, Request& request);
[[nodiscard]] Command add_accelerate(CLI::App& zwang, Request& request);
[[nodiscard]] Command add_explain(CLI::App& zwang, Request& request);
[[nodiscard]] Command add_impact(CLI::App& zwang, Request& request);
[[nodiscard]] Command add_gallery(CLI::App& zwang, Request& request);
[[nodiscard]] Command add_schema(CLI::App& zwang, Request& request);

}  // namespace zwang::cli
