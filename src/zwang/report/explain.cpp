/// Accelerations and shock told step by step: what was tried, what refuted it.
#include "zwang/report/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "zwang/base/number.hpp"
#include "zwang/report/json.hpp"
#include "zwang/report/tables.hpp"
#include "zwang/report/tolerances.hpp"

namespace zwang::report {

namespace {

using Rows = std::vector<std::uint32_t>;

constexpr std::size_t most_trials = 12;

/// A text of numbered steps with a bold title each.
class Story {
 public:
  explicit Story(const Style& with) : style(with) {}
  void next(std::string_view title) { text += fmt::format("\n{}{}. {}{}\n", style.bold, ++number_, title, style.off); }
  void say(const std::string& sentence) { text += "  " + sentence + "\n"; }

  const Style& style;
  std::string text;

 private:
  int number_ = 0;
};

/// The rows of a trial by their number in the model.
Rows in_model(const Rows& places, const Rows& effective) {
  Rows result;
  for (const std::uint32_t place : places) {
    result.push_back(effective[place]);
  }
  return result;
}

/// Is there a velocity after the shock?
bool has_answer(const instant::Shock& shock) {
  return shock.status == instant::ShockStatus::regulated || shock.status == instant::ShockStatus::not_needed;
}

/// Conditions that cannot matter, with the reason.
void tell_passive(const model::Model& model, const instant::Instant& instant, Story& story) {
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
        story.say(fmt::format("... and {} more like that", list->size() - 8));
        break;
      }
      const std::string name = model::row_name(model, row);
      if (list == &position) {
        story.say(fmt::format("{} is open: f = {} < 0. Passive in position.", name, readable(instant.value[row])));
      } else if (model::is_holonomic(model.row_kind[row])) {
        story.say(fmt::format("{} is closed but just opening: f = 0, f' = {} < 0. Passive in velocity.", name,
                              readable(instant.rate[row])));
      } else {
        story.say(fmt::format("{} leaves room: f = {} < 0. Passive in velocity.", name, readable(instant.rate[row])));
      }
    }
  }
  if (position.empty() && velocity.empty()) {
    story.say("None: every condition is closed and stays closed to first order.");
  }
}

/// Sets tried as equations and the signs that refuted them. `outside` and `multiplier` name what is tested.
void tell_trials(const model::Model& model, const std::vector<gauss::Trial>& trials, const Rows& effective,
                 std::string_view outside, std::string_view multiplier, Story& story) {
  std::size_t number = 0;
  for (const gauss::Trial& trial : trials) {
    if (++number > most_trials) {
      story.say(fmt::format("... and {} more trials", trials.size() - most_trials));
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
    story.say(
        fmt::format("Trial {}: {}: {}{}{}", number,
                    held.empty() ? "nothing is held" : listed(held) + (held.size() == 1 ? " is held" : " are held"),
                    right ? story.style.good : story.style.bad,
                    right ? "all signs are right." : "refuted by " + verdict + ".", story.style.off));
  }
}

/// Ostrogradsky's rule holds exactly the conditions that the free motion would break; where it errs here.
void tell_ostrogradsky(const model::Model& model, const instant::Instant& instant, Story& story) {
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
    story.say(fmt::format("The free motion would not break {}, and yet {}.", listed(harmless),
                          harmless.size() == 1 ? "it binds" : "they bind"));
  }
  if (!dropped.empty()) {
    story.say(fmt::format("The free motion would break {}, and yet {} not bind.", listed(dropped),
                          dropped.size() == 1 ? "it does" : "they do"));
  }
  story.say(
      harmless.empty() && dropped.empty()
          ? "Holding exactly the conditions that the free motion would break (Ostrogradsky's rule) is right here."
          : "Ostrogradsky's rule, to hold exactly the conditions that the free motion would break, goes wrong here.");
}

void tell_decisions(const model::Model& model, const instant::Instant& instant, Story& story) {
  for (const instant::Decision& decision : instant.decisions) {
    story.say(fmt::format("{} had lambda = 0 and f'' = 0; derivative {} of f decides: it {}.",
                          model::row_name(model, decision.row), decision.derivative,
                          decision.stays ? "stays closed" : "opens"));
  }
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (instant.role[row] == instant::Role::marginal) {
      story.say(fmt::format("{} stays marginal: no derivative looked at decides it.", model::row_name(model, row)));
    }
  }
}

/// The accelerations, from the free motion to the certificate.
void tell_accelerations(const model::Model& model, const instant::Instant& instant, Story& story) {
  using instant::Status;
  story.next("Which conditions cannot matter?");
  tell_passive(model, instant, story);
  // Without accelerations there is no more to tell than why.
  if (instant.free.empty() || instant.status == Status::undecided ||
      (instant.status == Status::jammed && instant.trials.empty())) {
    story.next("The answer");
    story.text += "  " + trouble(model, instant, story.style);
    return;
  }

  story.next("The free motion");
  story.text += body_table(model, {{"acceleration without conditions", &instant.free, &instant.position}}, story.style);
  if (instant.effective.empty()) {
    story.say("No condition is closed: the free motion is the true one.");
  }
  for (std::size_t i = 0; i < instant.effective.size() && i < 12; ++i) {
    const std::uint32_t row = instant.effective[i];
    const bool equation = model::is_equation(model.row_kind[row]);
    const double free = instant.free_second[row];
    const char* primes = model::is_holonomic(model.row_kind[row]) ? "f''" : "f'";
    story.say(fmt::format("{}: the free motion has {} = {}{}", model::row_name(model, row), primes, readable(free),
                          equation ? ", it must be 0." : (free > 0 ? " > 0, which breaks it." : ", which it allows.")));
  }

  if (instant.singular) {
    story.next("A singular position");
    story.say("Some combination of the conditions has no gradient here; its higher terms decide.");
    if (!instant.expansion.empty()) {
      story.say("Minimised over the " + instant.expansion + ".");
    }
  } else if (!instant.trials.empty() && !instant.effective.empty()) {
    story.next("Which conditions hold as equations?");
    tell_trials(model, instant.trials, instant.effective, "f''", "lambda", story);
  }
  story.next("The answer");
  if (instant.status == Status::jammed) {
    story.text += "  " + trouble(model, instant, story.style);
    return;
  }
  if (instant.status == Status::ambiguous) {
    story.say(fmt::format("{} accelerations are of the same least constraint Z = {}.",
                          instant.continuum ? "Infinitely many" : std::to_string(instant.solutions.size()),
                          readable(instant.solutions.front().constraint)));
    for (std::size_t i = 0; i < instant.solutions.size() && i < 4; ++i) {
      story.text +=
          body_table(model, {{"one of them", &instant.solutions[i].accelerations, &instant.position}}, story.style);
    }
    return;
  }
  story.text += body_table(model,
                           {{"acceleration", &instant.accelerations, &instant.position},
                            {"reaction", &instant.reaction, &instant.position, model::Sort::force}},
                           story.style);
  story.text += "\n" + condition_table(model, instant, true, story.style);
  tell_decisions(model, instant, story);
  if (!instant.multipliers_unique && !instant.singular) {
    story.say("The multipliers are not unique; the total reaction is. One choice, shared evenly, is shown.");
  }
  if (instant.rho.empty()) {
    story.say(
        fmt::format("Gauss's constraint: Z = {}. No admissible acceleration has less.", readable(instant.constraint)));
  } else {
    story.say(fmt::format(
        "Gauss's constraint: Z = {}. Under the variational law it need not be the least: rho bends the motion.",
        readable(instant.constraint)));
  }
  story.text += certificate_line(instant.certificate);

  bool inequalities = false;
  for (const std::uint32_t row : instant.effective) {
    inequalities = inequalities || !model::is_equation(model.row_kind[row]);
  }
  if (inequalities && !instant.singular) {
    story.next("Would Ostrogradsky's rule have told the same?");
    tell_ostrogradsky(model, instant, story);
  }
}

/// The shock that comes first.
void tell_shock(const model::Model& model, const instant::Instant& instant, const instant::Shock& shock, Story& story) {
  story.next("A shock comes first");
  story.text += "  " + trouble(model, instant, story.style);
  if (!has_answer(shock)) {
    story.text += "  " + trouble(model, shock, story.style);
    return;
  }
  for (const std::uint32_t row : shock.effective) {
    const double rate = shock.rate_before[row];
    const bool equation = model::is_equation(model.row_kind[row]);
    story.say(fmt::format("{}: f' = {} before{}", model::row_name(model, row), readable(rate),
                          equation ? ", it must be 0." : (rate > 0 ? " > 0: it is struck." : ": it is touched.")));
  }
  if (!shock.trials.empty()) {
    story.next("Which conditions hold in the shock?");
    tell_trials(model, shock.trials, shock.effective, "f'", "impulse", story);
  }
  story.next("The velocities after the shock");
  story.text += body_table(
      model, {{"before", &shock.before, &shock.position}, {"after", &shock.velocities, &shock.position}}, story.style);
  story.text += "\n" + shock_table(model, shock, story.style);
  if (!shock.restitution_note.empty()) {
    story.say(shock.restitution_note);
  }
  story.text += energy_line(shock.energy);
  story.text += certificate_line(shock.certificate);
}

/// Of the direction of a speed: how fast that is, or what friction does at rest.
std::string of_direction(const model::Slotted& group, const expressions::Corner& corner, std::uint32_t number,
                         const instant::Corners& corners, const model::State& now, const model::Model& model) {
  if (corners.sides[number] == 2) {
    return fmt::format("{}: the speed whose direction stands there is {}.", corner.text,
                       readable(instant::switch_rates(model, number, now, {}).g));
  }
  double square = 0;
  bool leaves = false;
  for (std::uint32_t part = 1; part <= corner.parts; ++part) {
    const std::uint32_t its = number + part * group.lanes;
    const auto slid = std::lower_bound(corners.slid.begin(), corners.slid.end(), its);
    if (slid == corners.slid.end() || *slid != its) continue;
    const double c = 2 * corners.weight[static_cast<std::size_t>(slid - corners.slid.begin())] - 1;
    square += c * c;
    leaves = leaves || corners.sides[its] != expressions::part_rests;
  }
  if (leaves) {
    return fmt::format(
        "{}: the speed whose direction stands there is zero, and more pulls than can be held: it leaves.", corner.text);
  }
  return fmt::format("{}: the speed whose direction stands there is zero, and {} of the full size holds it.",
                     corner.text, readable(std::sqrt(square)));
}

/// On which side functions with corners are, and which alternatives count.
void tell_corners(const model::Model& model, const model::State& state, const instant::Resolved& found, Story& story) {
  story.next("On which side of their corners are the functions?");
  model::State now = state;
  if (model.switches > 0) now.modes = model::modes_of(model, model::sides_of(model, state));
  const instant::RowSet& idle = found.idle;
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
        story.say(fmt::format("{}: both sides of its kink hold, and both count.", corner.text));
        continue;
      }
      if (corner.directs()) {
        if (corner.kind == expressions::CornerKind::moves)
          story.say(of_direction(*place.group, corner, number, corners, now, model));
        continue;
      }
      const double g = instant::switch_rates(model, number, now, {}).g;
      const auto slid = std::find(corners.slid.begin(), corners.slid.end(), number);
      if (slid != corners.slid.end()) {
        story.say(fmt::format(
            "{}: both sides push back to its corner. It stays there, with {} of the upper and {} of the lower side.",
            corner.text, readable(corners.weight[static_cast<std::size_t>(slid - corners.slid.begin())]),
            readable(1 - corners.weight[static_cast<std::size_t>(slid - corners.slid.begin())])));
      } else {
        const bool on_it =
            corner.kind != expressions::CornerKind::whole && corner.kind != expressions::CornerKind::pieces && g == 0;
        const bool above = corners.sides[number] >= 2;
        story.say(fmt::format(
            "{}: its switching function is {}{}.", corner.text, readable(g),
            on_it ? (above ? ", and the motion goes to the upper side" : ", and the motion goes to the lower side")
                  : (corner.kind == expressions::CornerKind::sign || corner.kind == expressions::CornerKind::truth
                         ? (above ? ", above its corner" : ", below its corner")
                         : "")));
      }
    }
    if (!corners.refusal.empty()) story.say(corners.refusal + ".");
  }
  for (const model::Condition& condition : model.conditions) {
    if (condition.alternatives < 2) continue;
    for (std::uint32_t first = condition.first_row; first < condition.first_row + condition.rows;
         first += condition.components) {
      std::uint32_t counting = condition.alternatives;
      for (std::uint32_t row = first; row < first + condition.components; ++row) {
        if (!idle.contains(row)) counting = model.row_alternative[row];
      }
      story.say(counting == condition.alternatives
                    ? fmt::format("{}: two of its alternatives are open, nothing can happen to it.",
                                  model::row_name(model, first))
                    : fmt::format("{}: alternative {} of {} counts, the others are broken or do not hinder.",
                                  model::row_name(model, first), counting + 1, condition.alternatives));
    }
  }
  if (!found.several.ways.empty()) story.say("Here " + found.several.words + ".");
}

}  // namespace

Explanation explain(const model::Model& model, const model::State& state) {
  Explanation out;
  out.state = out.state_after = state;
  instant::Options options;
  options.tell = true;
  instant::Workspace workspace(model);
  instant::accelerate(model, state, options, workspace, out.instant);

  // When a shock comes first: its story, then the accelerations after it.
  out.struck = out.instant.status == instant::Status::impact;
  if (out.struck) {
    instant::impact(model, state, options, workspace, out.shock);
    out.goes_on = has_answer(out.shock);
  }
  if (out.goes_on) {
    out.state_after.velocity = out.shock.velocities;
    options.shock_done = true;
    // What the shock holds moves no more but by rounding of the velocities before.
    model::doubt_as_held(model, out.shock.effective, out.state_after);
    instant::accelerate(model, out.state_after, options, workspace, out.after);
  }
  const bool corners = model.switches > 0 || instant::has_alternatives(model);
  if (corners && out.instant.status != instant::Status::inadmissible) {
    out.corners = instant::resolve_corners(model, state, {}, workspace);
  }
  return out;
}

std::string explain_json(const model::Model& model, const Explanation& told) {
  return explain_json(model, told.state, told.instant, told.struck ? &told.shock : nullptr,
                      told.goes_on ? &told.after : nullptr, told.goes_on ? &told.state_after : nullptr);
}

std::string explain_text(const model::Model& model, const Explanation& told, const Style& style) {
  Story story(style);
  story.text = heading(model, told.instant.time, style);
  if (told.instant.status == instant::Status::inadmissible) {
    story.text += trouble(model, told.instant, style);
    story.text += "\n" + condition_table(model, told.instant, false, style);
    return story.text;
  }
  if (told.corners) tell_corners(model, told.state, *told.corners, story);
  if (told.struck) tell_shock(model, told.instant, told.shock, story);
  if (!told.struck || told.goes_on) tell_accelerations(model, told.struck ? told.after : told.instant, story);
  return story.text;
}

}  // namespace zwang::report
