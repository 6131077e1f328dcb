/// The command `zwang`: one sub-command per question.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "commands.hpp"
#include "mistyped.hpp"
#include "recorded.hpp"
#include "terminal.hpp"
#include "zwang/error.hpp"
#include "zwang/report/json.hpp"
#include "zwang/version.hpp"

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

/// What is asked of a model instead of what it says itself; `of` begins their help where FILE need not be a model.
void add_question(CLI::App& command, cli::Request& request, const std::string& of = "") {
  command.add_option("--set", request.set, of + "set a parameter: NAME=VALUE (repeatable)")
      ->take_all()
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_option("--at", request.at, of + "the time of the initial state, instead of the model's start")
      ->type_name("T");
  command.add_option("--until", request.until, of + "the end time, instead of the model's")->type_name("T");
  command.add_option("--tolerance", request.tolerance, of + "the tolerance, instead of the model's")->type_name("E");
  command.add_option("--samples", request.samples, of + "number of output instants, instead of the model's")
      ->type_name("N");
}

/// MODEL and the options every question about a model takes.
void add_common(CLI::App& command, cli::Request& request, bool needs_model = true) {
  command.add_option("MODEL", request.model, "a file, - for standard input, or gallery:NAME")->required(needs_model);
  command.add_flag("--json", request.json, "one JSON object on standard output and nothing else there");
  add_question(command, request);
  command.add_flag("--quiet", request.quiet, "print the verdict only");
}

/// What varies in a sweep, what is recorded of it, and where it goes.
void add_sweep(CLI::App& command, cli::Request& request) {
  command.add_option("MODEL", request.model, "a file, - for standard input, or gallery:NAME");
  command
      .add_option("--over", request.over,
                  "what varies (repeatable): NAME=FROM..TO:COUNT, NAME=A,B,C, NAME~uniform(A,B), "
                  "NAME~normal(MEAN,DEVIATION), NAME~sobol(A,B), @FILE.csv")
      ->take_all()
      ->type_name("SPEC")
      ->allow_extra_args(false);
  command.add_option("--count", request.count, "with ~: samples of every combination (default: 1)")->type_name("N");
  command.add_option("--seed", request.seed, "of what is drawn (default: 0)")->type_name("S");
  command
      .add_option(
          "--record", request.record,
          "a column (repeatable): EXPR at the end, at(T, EXPR), max(EXPR), min(EXPR), time(KIND [CONDITION], N), "
          "count(KIND [CONDITION])")
      ->take_all()
      ->type_name("RECORD")
      ->allow_extra_args(false);
  command.add_option("--set", request.set, "set a parameter for all samples: NAME=VALUE (repeatable)")
      ->take_all()
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_option("--at", request.at, "the time of the initial state, instead of the model's start")->type_name("T");
  command.add_option("--until", request.until, "the end time, instead of the model's")->type_name("T");
  command.add_option("--tolerance", request.tolerance, "the tolerance, instead of the model's")->type_name("E");
  command.add_option("--jobs", request.jobs, "threads (default: as many as there are cores; under mpirun 1 each)")
      ->type_name("J");
  command.add_option("--out", request.out, "the folder of the files (default: out)")->type_name("DIR");
  command.add_flag("--csv", request.csv, "also write the table as CSV");
  command.add_flag("--json", request.json, "one JSON object on standard output and nothing else there");
  command.add_flag("--quiet", request.quiet, "print the verdict only");
  command.add_option("--resume", request.resume, "go on with an interrupted sweep")->type_name("FILE");
}

/// FILE... of `view`, and those options that matter when a model is run for it.
void add_view(CLI::App& command, cli::Request& request) {
  command.add_option("FILE", request.show, "a report, run files of one model, a model, or gallery:NAME")->required();
  command.add_flag("--no-open", request.no_open, "print the name of the report only");
  command.add_option("--out", request.out, "write the report below DIR")->type_name("DIR");
  command.add_flag("--json", request.json, "one JSON object on standard output and nothing else there");
  add_question(command, request, "of a model: ");
  command.add_flag("--quiet", request.quiet, "no progress");
}

/// NAME of `gallery`, what is to be done with it, and the options of its run.
void add_gallery(CLI::App& command, cli::Request& request) {
  command.add_option("NAME", request.name, "a model: its text goes to standard output");
  command.add_option("--out", request.out, "write the model's folder below DIR; with --run: the folder of its files")
      ->type_name("DIR");
  command.add_flag("--run", request.run, "run the model, as zwang run gallery:NAME does");
  command.add_flag("--physics", request.physics, "print what the model shows");
  command
      .add_option("--site", request.site, "write a static site below DIR: every model with its text, figure and report")
      ->type_name("DIR");
  command.add_flag("--json", request.json, "one JSON object: the list, the model, its files, or the answer of the run");
  command.add_flag("--quiet", request.quiet, "of a run: print the verdict only");
  add_question(command, request, "with --run: ");
  command.add_option("--sample-at", request.sample_at, "with --run: instants whose states the answer shows")
      ->type_name("T1,T2,...");
  command.add_flag("--csv", request.csv, "with --run: also write samples and events as CSV");
  command.add_flag("--no-report", request.no_report, "with --run: leave out the animated report");
}

/// A sub-command and what answers it.
struct Command {
  CLI::App* app = nullptr;
  int (*answer)(const cli::Request&) = nullptr;
};

std::vector<Command> add_commands(CLI::App& app, cli::Request& request) {
  std::vector<Command> commands;
  const auto add = [&](const char* name, const char* help, int (*answer)(const cli::Request&)) {
    commands.push_back({app.add_subcommand(name, help), answer});
    commands.back().app->set_version_flag("--version", "zwang " + std::string(version), "print the version");
    return commands.back().app;
  };
  CLI::App* check =
      add("check", "is the model well formed, is the start admissible, is the position regular", cli::check);
  check->add_flag("--repair", request.repair, "project an approximate start onto the conditions and write the model");
  check->add_option("--out", request.out, "with --repair: write the model below DIR instead of standard output")
      ->type_name("DIR");
  CLI::App* accelerate =
      add("accelerate", "the true accelerations at the initial state, with a certificate", cli::accelerate);
  accelerate->add_flag(
      "--exact", request.exact,
      "in rational arithmetic: answers are fractions, verdicts are proofs; numbers mean what is typed");
  CLI::App* explain =
      add("explain", "accelerations and shock told step by step: what was tried, what refuted it", cli::explain);
  CLI::App* impact =
      add("impact", "the velocities after the blows, seizures and collisions of this instant", cli::impact);
  for (CLI::App* command : {check, accelerate, explain, impact}) {
    add_common(*command, request);
  }
  CLI::App* run = add("run", "the motion over a finite time: states, multipliers, events; kept in one file", cli::run);
  add_common(*run, request, false);
  run->add_option("--sample-at", request.sample_at, "instants whose states the answer shows")->type_name("T1,T2,...");
  run->add_option("--out", request.out, "the folder of the files (default: out)")->type_name("DIR");
  run->add_flag("--csv", request.csv, "also write samples and events as CSV");
  run->add_flag("--svg", request.svg, "also write figures: path, coordinates, multipliers with events, energy");
  run->add_option("--projection", request.projection,
                  "with --svg: the plane (xy, xz, yz) or AZIMUTH,ELEVATION in degrees")
      ->type_name("P");
  run->add_flag("--error", request.error,
                "estimate the error of the final state by two sharper motions from starts a few roundings away");
  run->add_option("--sensitivity", request.sensitivity,
                  "derivatives of states, multipliers, outputs and times of events by these parameters")
      ->type_name("NAME,NAME,...");
  run->add_flag("--no-report", request.no_report, "leave out the animated report");
  run->add_option("--vary", request.vary,
                  "one run per value of a parameter, in one report: NAME=A,B,C or NAME=FROM:TO:COUNT")
      ->type_name("NAME=VALUES");
  run->add_flag("--use-integrals", request.use_integrals,
                "hold conditions that integrate as equations between positions, which do not drift");
  run->add_option("--resume", request.resume, "go on with an interrupted run, or a finished one to a later --until")
      ->type_name("FILE");
  run->add_option("--checkpoint", request.checkpoint, "seconds between two checkpoints (default: 2)")->type_name("S");
  run->add_option("--jobs", request.jobs,
                  "threads of a crowd; the bits are the same (default: as many as there are cores)")
      ->type_name("J");
  add_sweep(*add("sweep", "many motions over a design of parameters, one line of a table each", cli::sweep), request);
  CLI::App* compare =
      add("compare", "the motion under the straightest and under the variational law, side by side", cli::compare);
  add_common(*compare, request);
  compare->add_option("--sample-at", request.sample_at, "instants whose states and distance the answer shows")
      ->type_name("T1,T2,...");
  compare->add_option("--out", request.out, "the folder of the files (default: out)")->type_name("DIR");
  compare->add_flag("--csv", request.csv, "also write samples, events and distances as CSV");
  compare->add_flag("--no-report", request.no_report, "leave out the animated report of both motions");
  CLI::App* fit = add("fit", "parameters of the model from measured values, by least squares", cli::fit);
  add_common(*fit, request);
  fit->add_option("DATA", request.data, "a table with commas: t and outputs of the model; a file, - or gallery:NAME")
      ->required();
  fit->add_option("--out", request.out, "the folder of the page (default: out)")->type_name("DIR");
  fit->add_flag("--no-report", request.no_report, "leave out the page of the misfit");
  fit->add_option("--free", request.free, "the parameters that may move")->type_name("NAME,NAME,...")->required();
  fit->add_option("--starts", request.starts, "begin from so many values of them, and keep the best (default: 1)")
      ->type_name("N");
  fit->add_option(
         "--within", request.within,
         "the range of a parameter, and of those starts (default for starts: between half and double the value)")
      ->type_name("NAME=LOW..HIGH")
      ->take_all();
  CLI::App* equations =
      add("equations", "the differential equations of motion, as text, LaTeX, C++ or Python", cli::equations);
  add_common(*equations, request);
  equations->add_option("--format", request.format, "text, latex, cpp or python (default: text)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "latex", "cpp", "python"}));
  equations->add_flag("--all", request.all, "write every member of a family by itself");
  CLI::App* analyze = app.add_subcommand("analyze", "what kind of system is this?");
  analyze->require_subcommand(1);
  const auto add_analysis = [&](const char* name, const char* what, int (*answer)(const cli::Request&)) {
    CLI::App* command = analyze->add_subcommand(name, what);
    command->set_version_flag("--version", "zwang " + std::string(version), "print the version");
    commands.push_back({command, answer});
    add_common(*command, request);
    return command;
  };
  add_analysis("integrability", "how many combinations of the conditions integrate, and to what",
               cli::analyze_integrability);
  CLI::App* stability = add_analysis(
      "stability", "equilibrium, small oscillations, stable or not, and whether the quadratic form would have told",
      cli::analyze_stability);
  stability->add_flag("--find", request.find, "look for an equilibrium near the start first");
  add_analysis("measure", "Jacobi's multiplier (an invariant measure): does one exist, what is it",
               cli::analyze_measure);
  add_analysis("velocities", "conjugate velocity parameters and the kinetic energy split in them",
               cli::analyze_velocities);
  CLI::App* fourier = add_analysis(
      "fourier", "what d'Alembert and Fourier alone would allow: the set of accelerations, beside Gauss's one",
      cli::analyze_fourier);
  fourier->add_option("--member", request.member, "are these accelerations in the set? NAME=A1,A2,... (repeatable)")
      ->type_name("NAME=A,...");
  add_analysis("curvature", "of the path of every point: radius of curvature, torsion, at the state",
               cli::analyze_curvature);
  add_analysis("energy", "what changes it: forces beside the potential, conditions that move, explicit time",
               cli::analyze_energy);
  add_analysis("reversal", "run forth, turn every velocity round, run back: how near the start", cli::analyze_reversal);
  add_view(*add("view", "opens the animated report of a run in a browser", cli::view), request);
  CLI::App* live =
      add("live", "a page that computes for itself: editor, sliders and the animated motion in one file", cli::live);
  live->add_option("MODEL", request.model, "a file, - for standard input, or gallery:NAME");
  live->add_option("--out", request.out, "the folder of the page (default: out)")->type_name("DIR");
  live->add_flag("--no-open", request.no_open, "print the name of the page only");
  live->add_flag("--json", request.json, "one JSON object on standard output and nothing else there");
  live->add_flag("--quiet", request.quiet, "say nothing of a browser that is not there");
  add_gallery(*add("gallery", "lists the models that come along, writes one out or runs it, or all as a web site",
                   cli::gallery),
              request);
  add("schema", "the JSON Schema of the model file, for editors", cli::schema);
  return commands;
}

int run(int count, char** words) {
  CLI::App app{"Mechanics with constraints, by Gauss's principle of least constraint."};
  app.name("zwang");
  app.set_version_flag("--version", "zwang " + std::string(version));
  app.require_subcommand(1);
  app.footer("Models are TOML files; `zwang gallery` lists the ones that come along.");
  cli::Request request;
  const std::vector<Command> commands = add_commands(app, request);
  try {
    app.parse(count, words);
  } catch (const CLI::CallForHelp&) {
    const CLI::App* chosen = &app;
    while (!chosen->get_subcommands().empty()) {
      chosen = chosen->get_subcommands().front();
    }
    cli::print(chosen->help());
    return cli::answered;
  } catch (const CLI::CallForVersion&) {
    cli::print("zwang " + std::string(version) + "\n");
    return cli::answered;
  } catch (const CLI::ParseError& error) {
    const std::string meant = cli::mistyped(app, {words + 1, words + count});
    const std::string why = meant.empty() ? std::string(error.what()) : meant;
    if (wants_json(count, words)) {
      cli::print(report::error_json(why));
    } else {
      cli::complain(why);
      std::cerr << "Try `zwang --help`.\n";
    }
    return cli::bad_input;
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) {
      try {
        return command.answer(request);
      } catch (const cli::Interrupted& why) {
        cli::complain(why.what());
        return cli::interrupted;
      } catch (const Error& error) {
        // That standard output takes nothing is told once, at the end.
        const bool is_fault = dynamic_cast<const Fault*>(&error) != nullptr;
        if (is_fault && std::ferror(stdout) != 0) throw;
        if (request.json) {
          cli::print(report::error_json(error));
        } else {
          std::cerr << render(error) << "\n";
        }
        return is_fault ? cli::fault : cli::bad_input;
      }
    }
  }
  return cli::bad_input;
}

/// Told without an allocation.
int no_memory(bool json) {
  constexpr std::string_view words = "there is not enough memory for this";
  std::cerr << "zwang: " << words << "\n";
  if (json) {
    std::printf("{\"error\": {\"message\": \"%s\"}}\n", words.data());
    std::fflush(stdout);
  }
  return cli::fault;
}

/// Libraries promise here and there that nothing is thrown where memory may be missing: then the program ends from here.
[[noreturn]] void end_of_memory() {
  try {
    if (const std::exception_ptr now = std::current_exception()) std::rethrow_exception(now);
  } catch (const std::bad_alloc&) {
    std::fputs("zwang: there is not enough memory for this\n", stderr);
    std::_Exit(cli::fault);
  } catch (...) {
    std::abort();
  }
  std::abort();
}

}  // namespace

int main(int count, char** words) {
  std::set_terminate(end_of_memory);
  // A limit of file sizes shall be an error that explains itself.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int status = run(count, words);
    cli::close_output();
    return status == cli::answered && cli::is_anything_lost() ? cli::fault : status;
  } catch (const Fault& lost) {
    std::cerr << render(lost) << "\n";
    return cli::fault;
  } catch (const std::bad_alloc&) {
    return no_memory(wants_json(count, words));
  } catch (const std::system_error& lost) {
    cli::complain(lost.what());
    return cli::fault;
  } catch (const std::exception& error) {
    cli::complain(error.what());
    return cli::gave_up;
  }
}
