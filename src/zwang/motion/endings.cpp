/// The words of an ending.
#include "zwang/motion/endings.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "zwang/base/number.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/linear/spaces.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/model/implied/lift.hpp"
#include "zwang/model/implied/taut.hpp"
#include "zwang/motion/advance_impl.hpp"

namespace zwang::motion {

namespace {

constexpr std::size_t most_named = 6;      ///< conditions in one sentence
constexpr double largest_square = 1e150;   ///< what is larger has no square, and its energy no number
constexpr double sharp_already = 1e-14;    ///< a tolerance from which a smaller one does not help
constexpr double tolerance_to_try = 1e-2;  ///< of the present one
constexpr int digits_of_amounts = 3;
constexpr std::uint64_t steps_of_pace = 4096;  ///< tell the pace
constexpr double very_many_steps = 3e5;        ///< from here on a run takes more than some seconds
constexpr double lost_digits = 1e-9;           ///< of its terms: a condition held that is off by more has been lost
constexpr double lost_rank =
    1e-6;  ///< of the largest singular value of unit gradients: below it a direction is lost for a reader
constexpr std::size_t most_ranked = 300;  ///< conditions whose rank is counted

/// The body that a variable belongs to, without its component: variable names are body.x or a coordinate's name.
std::string body_of(const model::Model& model, std::uint32_t variable) {
  const std::string name = model::variable_name(model, variable);
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(0, dot);
}

/// " (a, b)": the bodies that a row connects.
std::string bodies_of(const model::Model& model, std::uint32_t row) {
  std::vector<std::string> names;
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
    std::string name = body_of(model, model.row_column[e]);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  std::string out;
  for (std::size_t k = 0; k < std::min(names.size(), most_named); ++k) out += (k == 0 ? "" : ", ") + names[k];
  if (names.size() > most_named) out += ", ...";
  return out.empty() ? "" : " (" + out + ")";
}

/// The first variable that has grown beyond all squares, or is no number.
std::uint32_t overflown(const Motion& motion) {
  for (std::uint32_t i = 0; i < motion.state.position.size(); ++i) {
    const double size = std::max(std::abs(motion.state.position[i]), std::abs(motion.state.velocity[i]));
    if (!(size <= largest_square)) return i;
  }
  return no_row;
}

/// Where the state is not finite: back to the beginning of the last piece.
void take_last_good_state(Motion& motion) {
  const auto finite = [](const std::vector<double>& x) {
    return std::all_of(x.begin(), x.end(), [](double one) { return std::isfinite(one); });
  };
  if (finite(motion.state.position) && finite(motion.state.velocity)) return;
  const Piece& piece = motion.piece;
  if (piece.n == 0 || piece.orders < 2 || piece.position.size() < std::size_t{2} * piece.n) return;
  for (std::uint32_t i = 0; i < piece.n; ++i) {
    motion.state.position[i] = piece.position[i];
    motion.state.velocity[i] = piece.position[piece.n + i] / piece.unit;
  }
  motion.state.time = piece.start;
}

/// f of a row, or f' of one in velocities, and what it was summed from.
struct Amount {
  double value = 0, terms = 0;
};
Amount amount_of(const model::Model& model, const model::Rows& rows, std::uint32_t row) {
  if (model::is_holonomic(model.row_kind[row])) return {rows.value[row], rows.value_scale[row]};
  return {rows.rate[row], rows.rate_scale[row]};
}

/// Is the row broken by more than its terms may be off?
bool lost(const model::Model& model, const model::Rows& rows, std::uint32_t row) {
  const Amount amount = amount_of(model, rows, row);
  return std::abs(amount.value) > lost_digits * amount.terms;
}

/// If the cause names none: conditions without a number at the state, or else those held that do not hold.
void find_culprits(Motion& motion, const model::Rows& rows) {
  if (!motion.culprits.empty() || motion.status != Status::gave_up) return;
  Motion::Impl& impl = *motion.impl;
  for (std::uint32_t row = 0; row < impl.model.rows(); ++row) {
    if (impl.standing[row] == Standing::absent) continue;
    if (!std::isfinite(rows.value[row]) || !std::isfinite(rows.rate[row])) motion.culprits.push_back(row);
  }
  if (!motion.culprits.empty()) return;
  for (const std::uint32_t row : motion.held) {
    if (lost(impl.model, rows, row)) motion.culprits.push_back(row);
  }
}

/// Of a jam: y.J = 0, so that y.(J a + h) = y.h > 0 whatever a is, and the worst of the rows is broken by y.h / sum |y| or more.
std::string told_contradiction(const Motion& motion, const model::Rows& rows) {
  const Motion::Impl& impl = *motion.impl;
  const bool shock = impl.instant.status != instant::Status::jammed;
  const auto& farkas = shock ? impl.shock.farkas : impl.instant.farkas;
  if (farkas.empty() || farkas.size() != motion.culprits.size()) return "";
  double offset = 0, weights = 0;
  for (const auto& [row, y] : farkas) {
    offset += y * (shock ? rows.rate[row] : rows.curvature[row]);
    weights += std::abs(y);
  }
  const unsigned derivative = shock ? 1 : impl.instant.jam_derivative;
  if (derivative > 2)
    return "; it is their " + std::to_string(derivative) + (derivative == 3 ? "rd" : "th") +
           " derivatives that contradict each other";
  if (!(offset > 0)) return "";
  return "; whatever it is, f" + std::string(derivative, '\'') + " of one of them is off by " +
         readable(offset / weights, digits_of_amounts) + " or more";
}

/// Of a singular position: how many directions the gradients have, and how near the least is to none.
std::string rank_lost(const Motion& motion, const model::Rows& rows) {
  const model::Model& model = motion.impl->model;
  const std::size_t count = motion.culprits.size();
  if (count == 0 || count > most_ranked) return "";
  std::vector<std::uint32_t> columns;
  for (const std::uint32_t row : motion.culprits) {
    columns.insert(columns.end(), model.row_column.begin() + model.row_start[row],
                   model.row_column.begin() + model.row_start[row + 1]);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  if (columns.empty()) return "";
  linear::Matrix gradients(count, columns.size());
  std::string vanishing;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t row = motion.culprits[i];
    double square = 0;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e)
      square += rows.entry[e] * rows.entry[e];
    if (square == 0 && vanishing.empty()) vanishing = model::row_name(model, row);
    if (!(square > 0) || !std::isfinite(square)) continue;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      const auto place = std::lower_bound(columns.begin(), columns.end(), model.row_column[e]) - columns.begin();
      gradients(i, static_cast<std::size_t>(place)) = rows.entry[e] / std::sqrt(square);
    }
  }
  if (!vanishing.empty()) return "; the gradient of " + vanishing + " vanishes";
  std::vector<double> values = linear::singular_values(gradients);
  values.resize(count, 0.0);
  const auto left = static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [&](double value) { return value > lost_rank * values.front(); }));
  if (left == count) return "";
  return "; their " + std::to_string(count) + " gradients have rank " + std::to_string(left) +
         " (the least singular value of unit gradients is " + readable(values.back(), digits_of_amounts) + ")";
}

/// Of a motion that was given up: how good it was up to there.
std::string reached(const Motion& motion) {
  if (motion.steps == 0) return "";
  std::string out = "; up to here, in " + std::to_string(motion.steps) + (motion.steps == 1 ? " step" : " steps") +
                    ", the worst defect of a step is " + readable(motion.defect, digits_of_amounts);
  const double drift = std::max(motion.position_drift, motion.velocity_drift);
  if (drift > 0) out += " and the worst drift off a condition " + readable(drift, digits_of_amounts);
  return out;
}

/// "floor by 0.1 (a), rod by 0.995 (a, b)"; amounts where something is broken.
std::string list_of_culprits(const Motion& motion, const model::Rows& rows) {
  const model::Model& model = motion.impl->model;
  std::string out;
  std::size_t named = 0;
  for (const std::uint32_t row : motion.culprits) {
    if (named++ == most_named) {
      out += " and " + std::to_string(motion.culprits.size() - most_named) + " more";
      break;
    }
    out += (named == 1 ? "" : ", ") + model::row_name(model, row);
    const bool broken =
        motion.status == Status::inadmissible || (motion.status == Status::gave_up && lost(model, rows, row));
    const double f = amount_of(model, rows, row).value;
    if (broken && std::isfinite(f)) out += " by " + readable(std::abs(f), digits_of_amounts);
    out += bodies_of(model, row);
  }
  return out;
}

/// Does the sentence say this name, as a word of its own?
bool says(const std::string& sentence, const std::string& name) {
  const auto part_of_word = [&](std::size_t at) {
    return at < sentence.size() && (std::isalnum(static_cast<unsigned char>(sentence[at])) != 0 || sentence[at] == '_');
  };
  for (std::size_t at = sentence.find(name); at != std::string::npos; at = sentence.find(name, at + 1)) {
    if ((at == 0 || !part_of_word(at - 1)) && !part_of_word(at + name.size())) return true;
  }
  return false;
}

/// Are two of the culprits threads that are exactly taut? To first order they hold nothing across themselves.
bool taut_threads(const Motion& motion, const model::Rows& rows) {
  const model::Model& model = motion.impl->model;
  model::Lift lift(model);
  const auto is_taut = [&](std::uint32_t row) {
    if (model.row_kind[row] != model::RowKind::holonomic_inequality || model.groups[model.row_group[row]].modes > 0)
      return false;
    if (!(std::abs(rows.value[row]) <= model.simulation.touch * rows.value_scale[row])) return false;
    const std::optional<model::Equation> read = lift.read(row);
    return read && read->f.degree == 2 && model::is_convex(*read);
  };
  return motion.culprits.size() <= most_ranked &&
         std::count_if(motion.culprits.begin(), motion.culprits.end(), is_taut) >= 2;
}

/// The next thing to try.
std::string advice(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  const bool at_start = motion.steps == 0;
  const std::string time = readable(motion.state.time, 10);
  const std::string elsewhere = at_start
                                    ? "or look at the start with `zwang check` and `zwang accelerate`"
                                    : "look at the state reached with `zwang accelerate` of the run file, or end the "
                                      "run before (`--until " +
                                          time + "`)";
  const bool seizure = std::any_of(motion.culprits.begin(), motion.culprits.end(), [&](std::uint32_t row) {
    const model::Condition& condition = impl.model.conditions[impl.model.row_condition[row]];
    return condition.seizure && instant::same_instant(condition.at, motion.state.time);
  });
  switch (motion.status) {
    case Status::inadmissible:
      if (seizure)
        return "a seizure stops velocities, it moves nothing: what it asks of positions must hold at its instant; "
               "choose "
               "another time for it, or a condition on velocities";
      return at_start ? "try `zwang check --repair`, which brings the start onto the conditions"
                      : "try a smaller tolerance (`--tolerance " +
                            readable(tolerance_to_try * impl.tolerance, digits_of_amounts) + "`)";
    case Status::jammed:
      return at_start
                 ? "`zwang accelerate` and `zwang impact` show the contradiction; take one of these conditions away"
                 : "the motion ends here; `zwang explain` of the run file shows the contradiction; take one of these "
                   "conditions away, or end it before (`--until " +
                       time + "`)";
    case Status::singular:
      return at_start
                 ? "`zwang accelerate` shows what is known of the ways on; try a start beside this position"
                 : "end the run before (`--until " + time +
                       "`), or see what `zwang accelerate` of the run file says at this state, and go on from a start "
                       "beside it";
    case Status::gave_up:
      // What to write instead is told already: at a root that comes to zero no tolerance helps.
      if (motion.why.find(" comes near to ") != std::string::npos)
        return at_start ? "look at the start with `zwang check` and `zwang accelerate`" : elsewhere;
      if (impl.tolerance > sharp_already)
        return "try a smaller tolerance (`--tolerance " +
               readable(tolerance_to_try * impl.tolerance, digits_of_amounts) + "`), " + elsewhere;
      return "try a larger tolerance, " + elsewhere;
    case Status::refused: return at_start ? "" : "end the run before (`--until " + time + "`)";
    default: return "";
  }
}

}  // namespace

void tell_ending(Motion& motion) {
  if (motion.status == Status::going || motion.status == Status::finished || motion.status == Status::stopped) return;
  const model::Model& model = motion.impl->model;

  // Numbers that ran away.
  if (motion.status == Status::gave_up && motion.why.find("escapes") == std::string::npos) {
    if (const std::uint32_t gone = overflown(motion); gone != no_row) {
      take_last_good_state(motion);
      motion.why = "overflow: " + model::variable_words(model, gone) +
                   " grows beyond what numbers hold; this is the last good state, end the run before (`--until " +
                   readable(motion.state.time, 10) + "`)";
      return;
    }
  }

  // The cause, the conditions with their amounts, by how much, what to try.
  model::Scratch scratch = model::make_scratch(model);
  model::Rows rows = model::make_rows(model);
  model::evaluate_rows(model, motion.state, scratch, rows);
  find_culprits(motion, rows);
  const bool all_named = std::all_of(motion.culprits.begin(), motion.culprits.end(),
                                     [&](std::uint32_t row) { return says(motion.why, model::row_name(model, row)); });
  if (!all_named || (motion.status == Status::inadmissible && !motion.culprits.empty()))
    motion.why +=
        (motion.why.find(": ") == std::string::npos ? ": " : "; conditions ") + list_of_culprits(motion, rows);
  const auto holds = [&](const char* words) { return motion.why.find(words) != std::string::npos; };
  const bool advised = holds("try ") || holds("end the run") || holds("write it");
  if (motion.status == Status::jammed) motion.why += told_contradiction(motion, rows);
  if (motion.status == Status::singular) motion.why += rank_lost(motion, rows);
  if (motion.status == Status::gave_up) motion.why += reached(motion);
  const bool stuck = motion.status == Status::singular || motion.status == Status::jammed;
  if (stuck && motion.steps == 0 && taut_threads(motion, rows)) {
    motion.why += motion.status == Status::jammed ? "; threads that are exactly taut between others move with both "
                                                    "ends alike: give what hangs between them the velocity of "
                                                    "its ends, or write the threads a little longer"
                                                  : "; threads that are exactly taut hold nothing across themselves to "
                                                    "first order: write them a little longer (`<= 1.0001` for "
                                                    "`<= 1`), or hold what they hold by an equation (`=`) or a joint";
  }
  const std::string next = advised ? std::string() : advice(motion);
  if (!next.empty()) motion.why += "; " + next;

  // Where events have no end, steps have.
  const bool crowded = holds("events follow each other") || holds("shock follows shock") ||
                       holds("sets of conditions at one instant") || holds("several contacts come to rest at once");
  if (motion.status == Status::gave_up && crowded && !model.flow && !model::is_variational(model))
    motion.why += "; or go in steps, without a list of events: method = \"stepping\" in [simulation]";
}

std::string foretell(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  const bool asked = motion.steps == steps_of_pace && motion.event_count <= steps_of_pace / 64;
  if (!asked || motion.status != Status::going || impl.flow != nullptr) return "";
  const double gone = motion.state.time - impl.model.simulation.start;
  const double steps = (impl.until - motion.state.time) / gone * static_cast<double>(steps_of_pace);
  if (!(gone > 0) || !(steps > very_many_steps)) return "";
  return "this will take long: at its present pace the rest of the way is " + readable(steps, 2) +
         " steps, held short by " + impl.series.obstacle() +
         ". If a force settles far faster than anything moves (a stiff model), put what it settles to in its place, as "
         "a "
         "condition on positions or velocities";
}

}  // namespace zwang::motion
