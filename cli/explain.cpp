/// `zwang explain MODEL`: the same answers, told step by step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands.hpp"
#include "scene.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "tolerances.hpp"
#include "zwang/base/number.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/impact.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/report/json.hpp"

namespace zwang::cli {

namespace {

using Rows = std::vector<std::uint32_t>;

constexpr std::size_t most_trials = 12;

/// Numbered steps with a bold title each.
class Steps {
 public:
  void next(std::string_view title) {
    print(fmt::format("\n{}{}. {}{}\n", style().bold, ++number_, title, style().off));
  }

 private:
  int number_ = 0;
};

void say(const std::string& sentence) { print("  " + sentence + "\n"); }

/// The rows of a trial by their number in the model.
Rows in_model(const Rows& places, const Rows& effective) {
  Rows result;
  for (const std::uint32_t place : places) {
    result.push_back(effective[place]);
  }
  return result;
}

/// Conditions that cannot matter, with the reason.
void tell_passive(const model::Model& model, const instant::Instant& instant) {
  Rows position;
  Rows velocity;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (instant.role[row] == instant::Role::passive_in_position) {
      position.push_back(row);
    } else if (instant.role[row] == instant::Role::passive_in_velocity) {
      velocity.push_back(row);
    }
  }
  for (const Rows* list : {&position, &velocity}) {
    std::size_t told = 0;
    for (const std::uint32_t row : *list) {
      if (++told > 8) {
        say(fmt::format("... and {} more like that", list->size() - 8));
        break;
      }
      const std::string name = model::row_name(model, row);
      if (list == &position) {
        say(fmt::format("{} is open: f = {} < 0. Passive in position.", name, readable(instant.value[row])));
      } else if (model::is_holonomic(model.row_kind[row])) {
        say(fmt::format("{} is closed but just opening: f = 0, f' = {} < 0. Passive in velocity.", name,
                        readable(instant.rate[row])));
      } else {
        say(fmt::format("{} leaves room: f = {} < 0. Passive in velocity.", name, readable(instant.rate[row])));
      }
    }
  }
  if (position.empty() && velocity.empty()) {
    say("None: every condition is closed and stays closed to first order.");
  }
}

/// Sets tried as equations and the signs that refuted them. `outside` and `multiplier` name what is tested.
void tell_trials(const model::Model& model, const std::vector<gauss::Trial>& trials, const Rows& effective,
                 std::string_view outside, std::string_view multiplier) {
  std::size_t number = 0;
  for (const gauss::Trial& trial : trials) {
    if (++number > most_trials) {
      say(fmt::format("... and {} more trials", trials.size() - most_trials));
      break;
    }
    const std::vector<std::string> held = names(model, in_model(trial.rows, effective));
    const std::vector<std::string> negative = names(model, in_model(trial.negative, effective));
    const std::vector<std::string> violated = names(model, in_model(trial.violated, effective));
    std::string verdict;
    if (!negative.empty()) {
      verdict = fmt::format("{} < 0 for {}", multiplier, listed(negative));
    }
    if (!violated.empty()) {
      verdict += fmt::format("{}{} > 0 for {}", verdict.empty() ? "" : ", ", outside, listed(violated));
    }
    const bool right = verdict.empty();
    say(fmt::format("Trial {}: {}: {}{}{}", number,
                    held.empty() ? "nothing is held" : listed(held) + (held.size() == 1 ? " is held" : " are held"),
                    right ? style().good : style().bad, right ? "all signs are right." : "refuted by " + verdict + ".",
                    style().off));
  }
}

/// Ostrogradsky's rule holds exactly the conditions that the free motion would break; where it errs here.
void tell_ostrogradsky(const model::Model& model, const instant::Instant& instant) {
  std::vector<std::string> harmless;
  std::vector<std::string> dropped;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (!instant.is_effective(row) || model::is_equation(model.row_kind[row])) {
      continue;
    }
    const double scale = story_rounding * (std::abs(instant.second[row]) + std::abs(instant.free_second[row]));
    const bool broken_by_free = instant.free_second[row] > scale;
    if (!broken_by_free && instant.multipliers[row] > 0) {
      harmless.push_back(model::row_name(model, row));
    }
    if (broken_by_free && instant.role[row] == instant::Role::leaving) {
      dropped.push_back(model::row_name(model, row));
    }
  }
  if (!harmless.empty()) {
    say(fmt::format("The free motion would not break {}, and yet {}.", listed(harmless),
                    harmless.size() == 1 ? "it binds" : "they bind"));
  }
  if (!dropped.empty()) {
    say(fmt::format("The free motion would break {}, and yet {} not bind.", listed(dropped),
                    dropped.size() == 1 ? "it does" : "they do"));
  }
  say(harmless.empty() && dropped.empty()
          ? "Holding exactly the conditions that the free motion would break (Ostrogradsky's rule) is right here."
          : "Ostrogradsky's rule, to hold exactly the conditions that the free motion would break, goes wrong here.");
}

void tell_decisions(const model::Model& model, const instant::Instant& instant) {
  for (const instant::Decision& decision : instant.decisions) {
    say(fmt::format("{} had lambda = 0 and f'' = 0; derivative {} of f decides: it {}.",
                    model::row_name(model, decision.row), decision.derivative,
                    decision.stays ? "stays closed" : "opens"));
  }
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (instant.role[row] == instant::Role::marginal) {
      say(fmt::format("{} stays marginal: no derivative looked at decides it.", model::row_name(model, row)));
    }
  }
}

/// The accelerations, from the free motion to the certificate.
void tell_accelerations(const model::Model& model, const instant::Instant& instant, Steps& steps) {
  using instant::Status;
  steps.next("Which conditions cannot matter?");
  tell_passive(model, instant);
  if (instant.status == Status::undecided || (instant.status == Status::jammed && instant.trials.empty())) {
    steps.next("The answer");
    print("  " + trouble(model, instant));
    return;
  }

  steps.next("The free motion");
  print(body_table(model, {{"acceleration without conditions", &instant.free}}));
  if (instant.effective.empty()) {
    say("No condition is closed: the free motion is the true one.");
  }
  for (std::size_t i = 0; i < instant.effective.size() && i < 12; ++i) {
    const std::uint32_t row = instant.effective[i];
    const bool equation = model::is_equation(model.row_kind[row]);
    const double free = instant.free_second[row];
    const char* primes = model::is_holonomic(model.row_kind[row]) ? "f''" : "f'";
    say(fmt::format("{}: the free motion has {} = {}{}", model::row_name(model, row), primes, readable(free),
                    equation ? ", it must be 0." : (free > 0 ? " > 0, which breaks it." : ", which it allows.")));
  }

  if (instant.singular) {
    steps.next("A singular position");
    say("Some combination of the conditions has no gradient here; its higher terms decide.");
    if (!instant.expansion.empty()) {
      say("Minimised over the " + instant.expansion + ".");
    }
  } else if (!instant.trials.empty() && !instant.effective.empty()) {
    steps.next("Which conditions hold as equations?");
    tell_trials(model, instant.trials, instant.effective, "f''", "lambda");
  }
  steps.next("The answer");
  if (instant.status == Status::jammed) {
    print("  " + trouble(model, instant));
    return;
  }
  if (instant.status == Status::ambiguous) {
    say(fmt::format("{} accelerations are of the same least constraint Z = {}.",
                    instant.continuum ? "Infinitely many" : std::to_string(instant.solutions.size()),
                    readable(instant.solutions.front().constraint)));
    for (std::size_t i = 0; i < instant.solutions.size() && i < 4; ++i) {
      print(body_table(model, {{"one of them", &instant.solutions[i].accelerations}}));
    }
    return;
  }
  print(body_table(model, {{"acceleration", &instant.accelerations}, {"reaction", &instant.reaction}}));
  print("\n" + condition_table(model, instant, true));
  tell_decisions(model, instant);
  if (!instant.multipliers_unique && !instant.singular) {
    say("The multipliers are not unique; the total reaction is. One choice, shared evenly, is shown.");
  }
  if (instant.rho.empty()) {
    say(fmt::format("Gauss's constraint: Z = {}. No admissible acceleration has less.", readable(instant.constraint)));
  } else {
    say(fmt::format(
        "Gauss's constraint: Z = {}. Under the variational law it need not be the least: rho bends the motion.",
        readable(instant.constraint)));
  }
  print(certificate_line(instant.certificate));

  bool inequalities = false;
  for (const std::uint32_t row : instant.effective) {
    inequalities = inequalities || !model::is_equation(model.row_kind[row]);
  }
  if (inequalities && !instant.singular) {
    steps.next("Would Ostrogradsky's rule have told the same?");
    tell_ostrogradsky(model, instant);
  }
}

/// The shock that comes first.
void tell_shock(const model::Model& model, const instant::Instant& instant, const instant::Shock& shock, Steps& steps) {
  steps.next("A shock comes first");
  print("  " + trouble(model, instant));
  if (exit_status(shock.status) != answered) {
    print("  " + trouble(model, shock));
    return;
  }
  for (const std::uint32_t row : shock.effective) {
    const double rate = shock.rate_before[row];
    const bool equation = model::is_equation(model.row_kind[row]);
    say(fmt::format("{}: f' = {} before{}", model::row_name(model, row), readable(rate),
                    equation ? ", it must be 0." : (rate > 0 ? " > 0: it is struck." : ": it is touched.")));
  }
  if (!shock.trials.empty()) {
    steps.next("Which conditions hold in the shock?");
    tell_trials(model, shock.trials, shock.effective, "f'", "impulse");
  }
  steps.next("The velocities after the shock");
  print(body_table(model, {{"before", &shock.before}, {"after", &shock.velocities}}));
  print("\n" + shock_table(model, shock));
  if (!shock.restitution_note.empty()) {
    say(shock.restitution_note);
  }
  print(energy_line(shock.energy));
  print(certificate_line(shock.certificate));
}

/// On which side functions with corners are, and which alternatives count.
void tell_corners(const model::Model& model, const model::State& state, instant::Workspace& workspace, Steps& steps) {
  if (model.switches == 0 && !instant::has_alternatives(model)) return;
  steps.next("On which side of their corners are the functions?");
  model::State now = state;
  if (model.switches > 0) now.modes = model::modes_of(model, model::sides_of(model, state));
  const instant::Resolved found = instant::resolve_corners(model, state, {}, workspace);
  const std::vector<std::uint8_t>& idle = found.idle;
  if (model.switches > 0) {
    const instant::Corners& corners = found.corners;
    for (std::uint32_t number = 0; number < model.switches; ++number) {
      const model::SwitchPlace place = model::place_of_switch(model, number);
      const expressions::Corner& corner = place.group->corners[place.corner];
      if (place.truth || corner.quiet || (place.row < model.rows() && instant::is_second_twin(model, place.row)))
        continue;
      const bool in_valley =
          std::any_of(found.valleys.begin(), found.valleys.end(), [&](const instant::Valley& valley) {
            return std::find(valley.switches.begin(), valley.switches.end(), number) != valley.switches.end();
          });
      if (in_valley) {
        say(fmt::format("{}: both sides of its kink hold, and both count.", corner.text));
        continue;
      }
      const double g = instant::switch_rates(model, number, now, {}).g;
      const auto slid = std::find(corners.slid.begin(), corners.slid.end(), number);
      if (slid != corners.slid.end()) {
        say(fmt::format(
            "{}: both sides push back to its corner. It stays there, with {} of the upper and {} of the lower side.",
            corner.text, readable(corners.weight[static_cast<std::size_t>(slid - corners.slid.begin())]),
            readable(1 - corners.weight[static_cast<std::size_t>(slid - corners.slid.begin())])));
      } else {
        const bool on_it =
            corner.kind != expressions::CornerKind::whole && corner.kind != expressions::CornerKind::pieces && g == 0;
        const bool above = corners.sides[number] >= 2;
        say(fmt::format(
            "{}: its switching function is {}{}.", corner.text, readable(g),
            on_it ? (above ? ", and the motion goes to the upper side" : ", and the motion goes to the lower side")
                  : (corner.kind == expressions::CornerKind::sign || corner.kind == expressions::CornerKind::truth
                         ? (above ? ", above its corner" : ", below its corner")
                         : "")));
      }
    }
    if (!corners.refusal.empty()) say(corners.refusal + ".");
  }
  for (const model::Condition& condition : model.conditions) {
    if (condition.alternatives < 2) continue;
    for (std::uint32_t first = condition.first_row; first < condition.first_row + condition.rows;
         first += condition.components) {
      std::uint32_t counting = condition.alternatives;
      for (std::uint32_t row = first; row < first + condition.components; ++row) {
        if (idle[row] == 0) counting = model.row_alternative[row];
      }
      say(counting == condition.alternatives
              ? fmt::format("{}: two of its alternatives are open, nothing can happen to it.",
                            model::row_name(model, first))
              : fmt::format("{}: alternative {} of {} counts, the others are broken or do not hinder.",
                            model::row_name(model, first), counting + 1, condition.alternatives));
    }
  }
  if (!found.several.ways.empty()) say("Here " + found.several.words + ".");
}

}  // namespace

int explain(const Request& request) {
  const auto [model, state] = read_scene(request);
  instant::Options options;
  options.tell = true;
  instant::Workspace workspace(model);
  instant::Instant instant;
  instant::accelerate(model, state, options, workspace, instant);

  // When a shock comes first: its story, then the accelerations after it.
  instant::Shock shock;
  instant::Instant after;
  model::State state_after = state;
  const bool struck = instant.status == instant::Status::impact;
  bool regulated = false;
  if (struck) {
    instant::impact(model, state, options, workspace, shock);
    regulated = exit_status(shock.status) == answered;
    if (regulated) {
      state_after.velocity = shock.velocities;
      options.shock_done = true;
      instant::accelerate(model, state_after, options, workspace, after);
    }
  }
  const int status =
      struck ? (regulated ? exit_status(after.status) : exit_status(shock.status)) : exit_status(instant.status);
  if (request.json) {
    print(report::explain_json(model, state, instant, struck ? &shock : nullptr, regulated ? &after : nullptr,
                               regulated ? &state_after : nullptr));
    return status;
  }
  if (request.quiet) {
    print(fmt::format("{}\n", instant::words(instant.status)));
    return status;
  }

  print(heading(model, instant.time));
  Steps steps;
  if (instant.status == instant::Status::inadmissible) {
    print(trouble(model, instant));
    print("\n" + condition_table(model, instant, false));
    return status;
  }
  tell_corners(model, state, workspace, steps);
  if (struck) {
    tell_shock(model, instant, shock, steps);
    if (regulated) {
      tell_accelerations(model, after, steps);
    }
    return status;
  }
  tell_accelerations(model, instant, steps);
  return status;
}

}  // namespace zwang::cli
