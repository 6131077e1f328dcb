/// The command `zwang`: one sub-command per question.
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "commands.hpp"
#include "terminal.hpp"
#include "zwang/base/error.hpp"
#include "zwang/report/json.hpp"

namespace {

using namespace zwang;

/// Was --json asked for? Needed before the options are understood, for errors in them.
bool wants_json(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    if (std::string_view(words[i]) == "--json") {
      return true;
    }
  }
  return false;
}

int run(int count, char** words) {
  CLI::App app{"Mechanics with constraints, by Gauss's principle of least constraint."};
  app.name("zwang");
  app.set_version_flag("--version", "zwang " + report::version());
  app.require_subcommand(1);
  app.footer("Models are TOML files; `zwang gallery` lists the ones that come along.");
  cli::Request request;
  const std::vector<cli::Command> commands{
      cli::add_check(app, request),  cli::add_accelerate(app, request), cli::add_explain(app, request),
      cli::add_impact(app, request), cli::add_gallery(app, request),    cli::add_schema(app, request),
  };
  try {
    app.parse(count, words);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    cli::print(chosen.empty() ? app.help() : chosen.front()->help());
    return cli::answered;
  } catch (const CLI::CallForVersion&) {
    cli::print("zwang " + report::version() + "\n");
    return cli::answered;
  } catch (const CLI::ParseError& error) {
    if (wants_json(count, words)) {
      cli::print(report::error_json(std::string(error.what())));
    } else {
      std::cerr << "zwang: " << error.what() << "\nTry `zwang --help`.\n";
    }
    return cli::bad_input;
  }
  for (const cli::Command& command : commands) {
    if (command.app->parsed()) {
      try {
        return command.run();
      } catch (const Error& error) {
        if (request.json) {
          cli::print(report::error_json(error));
        } else {
          std::cerr << render(error);
        }
        return cli::bad_input;
      }
    }
  }
  return cli::bad_input;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count, words);
  } catch (const std::bad_alloc&) {
    std::cerr << "zwang: not enough memory for this model\n";
    return cli::gave_up;
  } catch (const std::exception& error) {
    std::cerr << "zwang: " << error.what() << "\n";
    return cli::gave_up;
  }
}
