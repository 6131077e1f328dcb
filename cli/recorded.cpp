/// What a recorded run needs around it: signals, instants, tables of its events and its account.
#include "recorded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <optional>

#include "tables.hpp"
#include "terminal.hpp"
#include "tolerances.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/report/ending.hpp"
#include "zwang/report/run.hpp"
#include "zwang/report/tables.hpp"
#include "zwang/report/whole_file.hpp"
#include "zwang/runs/life.hpp"
#include "zwang/runs/record.hpp"

namespace zwang::cli {

namespace {

volatile std::sig_atomic_t asked = 0;

std::vector<std::string> event_cells(const model::Model& model, const motion::Event& event) {
  std::string impulses;
  const std::vector<motion::RowValue> merged = model::merged(model, event.impulses);
  for (std::size_t i = 0; i < merged.size(); ++i) {
    if (i == 4 && merged.size() > 5) {
      impulses += fmt::format(", {} more", merged.size() - 4);
      break;
    }
    const auto& [row, value] = merged[i];
    impulses += fmt::format("{}{} {}", i > 0 ? ", " : "", model::row_name(model, row), readable(value));
  }
  return {readable(event.time, 10),
          std::string(motion::words(event.kind)),
          event.rows.empty() ? listed(event.bodies, 6) : listed(names(model, event.rows), 6),
          impulses,
          event.lost != 0 ? readable(event.lost) : "",
          event.note};
}

}  // namespace

void listen_to_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) {
      continue;
    }
    action = {};
    // Some senders signal the process and its group, which is one request; the third signal ends the program at once.
    action.sa_handler = [](int number) {
      asked = asked + 1;
      if (asked >= 2) {
        std::signal(number, SIG_DFL);
      }
    };
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

bool asked_to_end() { return asked != 0; }

motion::RunView attentive(motion::RunView run) {
  const auto listen = [then = asked] {
    if (asked != then) throw Interrupted();
  };
  const auto each = [&](auto& visit_all) {
    visit_all = [listen, all = std::move(visit_all)](std::uint64_t first, const auto& visit) {
      all(first, [&](const auto& one) {
        listen();
        return visit(one);
      });
    };
  };
  each(run.each_piece);
  each(run.each_event);
  each(run.each_sample);
  run.piece_at = [listen, find = std::move(run.piece_at)](double time) {
    listen();
    return find(time);
  };
  return run;
}

motion::RunView shown_view(const model::Model& model, const runs::Store& store) {
  return attentive(runs::picture_view(model, store));
}

double instant_of(const std::string& word, const runs::Recipe& recipe) {
  if (const std::optional<double> time = read_number(word)) {
    return *time;
  }
  model::Overrides overrides = recipe.overrides;
  overrides.start = word;
  overrides.until.clear();
  return model::load(recipe.text, recipe.file, overrides).simulation.start;
}

/// The same, with mistakes in the name of the option that they stand in.
static double sampled_instant(const std::string& word, const runs::Recipe& recipe) {
  try {
    return instant_of(word, recipe);
  } catch (const Error& error) {
    if (error.place().file != "--at") throw;
    throw Error({"--sample-at", error.place().line, error.place().column}, error.message(), error.excerpt());
  }
}

std::vector<double> instants(const std::string& text, const runs::Recipe& recipe, const model::Model& model) {
  std::vector<double> list;
  for (std::size_t at = 0; at < text.size() || (at > 0 && at == text.size());) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (word.find_first_not_of(' ') == std::string::npos) {
      throw Error({"command line", 0, 0}, "--sample-at takes instants between commas: T1,T2,...");
    }
    const double time = sampled_instant(word, recipe);
    const double start = model.simulation.start;
    const double until = model.simulation.until;
    if (!(time >= start - motion::resolution(start) && time <= until + motion::resolution(until))) {
      throw Error({"command line", 0, 0},
                  fmt::format("--sample-at {} lies outside of the run, which goes from {} to {}", word, exact(start),
                              exact(until)));
    }
    list.push_back(time);
  }
  return list;
}

std::vector<std::string> write_csv(const model::Model& model, const runs::Store& store) {
  const std::filesystem::path base = std::filesystem::path(store.path()).replace_extension();
  std::vector<std::string> files;
  for (const bool events : {false, true}) {
    if (events && store.account().in_steps()) continue;
    const std::string name = base.string() + (events ? "-events.csv" : ".csv");
    report::WholeFile file(name);
    const report::Sink sink = [&](std::string_view text) { file.put(text); };
    (events ? report::events_csv : report::samples_csv)(model, attentive(store.view(model)), sink);
    file.finish();
    files.push_back(name);
  }
  return files;
}

std::string verdict(const model::Model& model, const runs::Store& store, bool resumable) {
  using report::EndingKind;
  const Style& s = style();
  const report::Ending end = report::ending(model, store.account());
  const auto said = [&](std::string_view colour, const std::string& more) {
    return fmt::format("{}{}{} at t = {}{}\n", colour, end.word, s.off, end.time, more);
  };
  switch (end.kind) {
    case EndingKind::stopped: return said(s.good, fmt::format(": {} came true", end.why.empty() ? "stop" : end.why));
    case EndingKind::interrupted:
      return said(s.warm, resumable ? fmt::format("; go on with `zwang run --resume {}`", store.path()) : "");
    case EndingKind::failed: return said(s.bad, end.why.empty() ? "" : ": " + end.why);
    case EndingKind::finished: break;
  }
  return said(s.good, "");
}

std::string event_table(const model::Model& model, const runs::Store& store) {
  constexpr std::uint64_t head = 40;
  constexpr std::uint64_t tail = 20;
  const std::uint64_t count = store.events();
  if (store.account().in_steps())
    return fmt::format("  in steps of {}, without a list of events\n", exact(model.simulation.step));
  if (count == 0) {
    return store.pieces() == 0 || model.rows() == 0 ? "  no events\n"
                                                    : "  no events: the same conditions bind all the time\n";
  }
  const bool all = count <= head + tail;
  Table table({"time", "event", "conditions", "impulses", "energy lost", ""});
  std::uint64_t number = 0;
  store.each_event(0, [&](const motion::Event& event) {
    table.row(event_cells(model, event));
    return all || ++number < head;
  });
  if (all) {
    return table.text(head + tail);
  }
  table.row({"", fmt::format("... {} more", count - head - tail)});
  store.each_event(count - tail, [&](const motion::Event& event) {
    table.row(event_cells(model, event));
    return true;
  });
  return table.text(head + tail + 1);
}

std::string rho_line(const model::Model& model, const motion::Sample& sample) {
  std::vector<std::string> texts;
  for (std::size_t j = 0; j < sample.rho.size(); ++j) {
    if (model::is_variational(model, sample.rows[j])) {
      texts.push_back(fmt::format("{} {}", model::row_name(model, sample.rows[j]), readable(sample.rho[j])));
    }
  }
  return texts.empty() ? "" : fmt::format("  rho: {}\n", listed(texts));
}

std::string summary(const runs::Store& store, const std::vector<std::string>& files, bool with_energy) {
  const motion::Account& account = store.account();
  const motion::EnergyBalance& energy = account.energy;
  std::string text;
  if (with_energy) {
    // Work of rounding size is shown as none; what is taken out is subtracted.
    const double work = std::abs(energy.work) <= work_rounding * std::abs(energy.initial) ? 0.0 : energy.work;
    text = fmt::format("  energy: {} initial {} {} work {} = {} final, defect {}\n", readable(energy.initial),
                       work < 0 ? "-" : "+", readable(std::abs(work)),
                       report::lost_words(energy.lost, std::max(std::abs(energy.initial), std::abs(energy.final))),
                       readable(energy.final), readable(energy.defect(), 2));
  }
  text += fmt::format("  worst drift: position {}, velocity {}", readable(account.position_drift, 2),
                      readable(account.velocity_drift, 2));
  if (account.in_steps()) {
    text += fmt::format(
        "\n  stepping: deepest penetration {}, estimated error of the positions {}\n", readable(account.penetration, 2),
        std::isinf(account.error) ? std::string("lost: half the step leads elsewhere") : readable(account.error, 2));
  } else {
    text += fmt::format("; worst defect of a step: {} of its accelerations\n", readable(account.defect, 2));
  }
  if (!account.in_steps() && std::isinf(account.error)) {
    text += "  estimated error of the end: lost, the motion has forgotten its start\n";
  } else if (!account.in_steps() && !std::isnan(account.error)) {
    text += fmt::format("  estimated error of the end: {} of the motion's extent\n", readable(account.error, 2));
  }
  if (account.position_correction != 0 || account.velocity_correction != 0) {
    text += fmt::format("  the start was brought onto the conditions: positions by {}, velocities by {}\n",
                        readable(account.position_correction, 2), readable(account.velocity_correction, 2));
  }
  text += fmt::format("  {}, {}, {} in {:.3f} s\n", counted(account.steps, "step"), counted(store.events(), "event"),
                      counted(store.samples(), "sample"), account.seconds);
  for (const std::string& file : files) {
    text += fmt::format("  {}\n", file);
  }
  return text;
}

}  // namespace zwang::cli
