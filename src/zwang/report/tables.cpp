/// Bodies, conditions and shocks as tables.
#include "zwang/report/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "zwang/base/escape.hpp"
#include "zwang/base/number.hpp"
#include "zwang/report/json.hpp"
#include "zwang/report/tolerances.hpp"

namespace zwang::report {

namespace {

/// Rounding of zero is shown short.
std::string number(double value) {
  return !std::isfinite(value) ? "-" : (std::abs(value) < one_digit_below ? readable(value, 1) : readable(value));
}

std::string coloured(instant::Role role, const Style& s) {
  const std::string_view word = instant::words(role);
  switch (role) {
    case instant::Role::binding: return fmt::format("{}{}{}", s.good, word, s.off);
    case instant::Role::approached:
    case instant::Role::violated: return fmt::format("{}{}{}", s.bad, word, s.off);
    case instant::Role::marginal: return fmt::format("{}{}{}", s.warm, word, s.off);
    case instant::Role::equation:
    case instant::Role::leaving: return std::string(word);
    default: return fmt::format("{}{}{}", s.faint, word, s.off);
  }
}

std::string farkas_words(const model::Model& model, const std::vector<std::pair<std::uint32_t, double>>& farkas) {
  std::string text;
  for (std::size_t i = 0; i < farkas.size() && i < 8; ++i) {
    text += fmt::format("{}{} x {}", i > 0 ? " + " : "", readable(farkas[i].second),
                        model::row_name(model, farkas[i].first));
  }
  if (farkas.size() > 8) {
    text += fmt::format(" + {} more", farkas.size() - 8);
  }
  return text;
}

std::string violation_words(const model::Model& model, const std::vector<std::pair<std::uint32_t, double>>& list) {
  std::string text;
  for (std::size_t i = 0; i < list.size() && i < 8; ++i) {
    text += fmt::format("{}{} by {}", i > 0 ? ", " : "", model::row_name(model, list[i].first),
                        readable(std::abs(list[i].second)));
  }
  if (list.size() > 8) {
    text += fmt::format(" and {} more", list.size() - 8);
  }
  return text;
}

}  // namespace

std::string heading(const model::Model& model, double time, const Style& s) {
  return fmt::format("{}{}{}   t = {}\n", s.bold, plain_line(model.title.empty() ? model.file : model.title), s.off,
                     readable(time));
}

std::string body_table(const model::Model& model, const std::vector<Column>& columns, const Style& s) {
  std::vector<std::string> header{"body"};
  for (const Column& column : columns) {
    header.push_back(column.title);
  }
  Table table(header);
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      std::vector<std::string> cells{model::member_name(body, member)};
      for (const Column& column : columns) {
        if (body.turns() && column.position != nullptr && !column.position->empty()) {
          const std::vector<double> parts = model::shown(body, member, column.sort, *column.position, *column.values);
          cells.push_back(components(parts.data(), parts.size()));
        } else {
          cells.push_back(components(column.values->data() + body.first + member * body.dimension, body.dimension));
        }
      }
      table.row(std::move(cells));
    }
  }
  return table.text(s);
}

std::string condition_table(const model::Model& model, const instant::Instant& instant, bool determined,
                            const Style& s) {
  if (model.rows() == 0) {
    return "  no conditions: the motion is free\n";
  }
  std::vector<std::string> header{"condition", "kind", "f", "f'"};
  if (determined) {
    header.insert(header.end(), {"f''", instant.rho.empty() ? "lambda" : "lambda, rho'"});
    if (!instant.rho.empty()) {
      header.emplace_back("rho");
    }
  }
  header.emplace_back("role");
  Table table(header);
  const std::vector<OpenCondition> open = open_conditions(model, instant);
  auto next = open.begin();
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (next != open.end() && next->row == row) {
      std::vector<std::string> cells{model::row_name(model, row), std::string(model::words(model.row_kind[row])),
                                     number(next->value), number(next->rate)};
      if (determined) cells.push_back(number(instant.second[row]));
      cells.resize(header.size() - 1);
      cells.push_back(coloured(instant::Role::passive_in_position, s));
      table.row(std::move(cells));
      ++next;
      continue;
    }
    // Of the parts of a condition those that touch, or, if none does, the nearest.
    const bool apart = instant.role[row] == instant::Role::passive_in_position;
    if (instant.role[row] == instant::Role::absent || (apart && row != speaking_row(model, instant, row))) {
      continue;
    }
    const bool holonomic = model::is_holonomic(model.row_kind[row]);
    // A velocity condition is itself the rate; its derivative is the second.
    std::vector<std::string> cells{model::row_name(model, row), std::string(model::words(model.row_kind[row])),
                                   holonomic ? number(instant.value[row]) : "", number(instant.rate[row])};
    if (determined) {
      cells.push_back(number(instant.second[row]));
      cells.push_back(instant.is_effective(row) && !instant.singular ? number(instant.multipliers[row]) : "");
      if (!instant.rho.empty()) {
        const auto found = std::find_if(instant.rho.begin(), instant.rho.end(),
                                        [row](const auto& entry) { return entry.first == row; });
        cells.push_back(found == instant.rho.end() ? "" : number(found->second));
      }
    }
    cells.push_back(coloured(instant.role[row], s));
    table.row(std::move(cells));
  }
  return table.text(s);
}

std::string shock_table(const model::Model& model, const instant::Shock& shock, const Style& s) {
  if (model.rows() == 0) {
    return "";
  }
  Table table({"condition", "f' before", "f' after", "impulse", "role"});
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (shock.role[row] == instant::Role::absent) {
      continue;
    }
    const bool passive = shock.role[row] == instant::Role::passive_in_position;
    table.row({model::row_name(model, row), passive ? "" : number(shock.rate_before[row]),
               passive ? "" : number(shock.rate_after[row]), passive ? "" : number(shock.impulses[row]),
               coloured(shock.role[row], s)});
  }
  return table.text(s);
}

std::string lost_words(double lost, double all) {
  if (lost < -gain_of_rounding * all) return fmt::format("+ {} gained", readable(-lost));
  return fmt::format("- {} lost", readable(std::max(lost, 0.0)));
}

std::string energy_line(const instant::ShockEnergy& energy) {
  return fmt::format("  kinetic energy: {} before + {} by blows + {} by moving conditions {} = {} after\n",
                     readable(energy.before), readable(energy.blow), readable(energy.work),
                     lost_words(energy.lost, energy.after), readable(energy.after));
}

std::string certificate_line(const gauss::Certificate& c) {
  return fmt::format("  certificate: conditions {}, signs {}, complementarity {}, equations of motion {}\n",
                     readable(c.primal, 2), readable(c.dual, 2), readable(c.complementarity, 2),
                     readable(c.stationarity, 2));
}

std::vector<std::string> names(const model::Model& model, const std::vector<std::uint32_t>& rows) {
  std::vector<std::string> result;
  for (const std::uint32_t row : rows) {
    // The parts of one condition share its name.
    std::string name = model::row_name(model, row);
    if (result.empty() || result.back() != name) result.push_back(std::move(name));
  }
  return result;
}

std::string trouble(const model::Model& model, const instant::Instant& instant, const Style& s) {
  switch (instant.status) {
    case instant::Status::inadmissible:
      return fmt::format(
          "{}inadmissible{}: the state breaks {}; try `zwang check --repair`, which brings the start "
          "onto the conditions\n",
          s.bad, s.off, violation_words(model, instant.violations));
    case instant::Status::jammed: {
      std::string text = fmt::format(
          "{}jammed{}: no acceleration is admissible; derivative {} of the conditions cannot be satisfied\n", s.bad,
          s.off, instant.jam_derivative);
      if (!instant.farkas.empty()) {
        text += fmt::format("  proof: {} adds up to a condition without accelerations that is broken\n",
                            farkas_words(model, instant.farkas));
      }
      return text;
    }
    case instant::Status::undecided: return fmt::format("{}undecided{}: {}\n", s.warm, s.off, instant.expansion);
    case instant::Status::impact: {
      std::vector<std::string> approached;
      for (std::uint32_t row = 0; row < model.rows(); ++row) {
        if (instant.role[row] == instant::Role::approached) {
          approached.push_back(model::row_name(model, row));
        }
      }
      std::string why;
      if (!approached.empty()) {
        why = listed(approached) + (approached.size() == 1 ? " is" : " are") + " struck";
      }
      if (instant.blow_due) {
        why += why.empty() ? "a blow falls" : ", a blow falls";
      }
      if (instant.seizure_due) {
        why += why.empty() ? "a seizure begins" : ", a seizure begins";
      }
      return fmt::format("{}impact{}: {}; no accelerations before the shock (see `zwang impact`)\n", s.warm, s.off,
                         why);
    }
    case instant::Status::determined:
    case instant::Status::ambiguous: break;
  }
  return "";
}

std::string trouble(const model::Model& model, const instant::Shock& shock, const Style& s) {
  switch (shock.status) {
    case instant::ShockStatus::inadmissible:
      return fmt::format("{}inadmissible{}: the position breaks {}; no shock repairs that\n", s.bad, s.off,
                         violation_words(model, shock.violations));
    case instant::ShockStatus::jammed:
      return fmt::format("{}jammed{}: no velocity satisfies the conditions\n  proof: {} cannot be\n", s.bad, s.off,
                         farkas_words(model, shock.farkas));
    case instant::ShockStatus::refused:
    case instant::ShockStatus::gave_up:
      return fmt::format("{}{}{}: {}\n", s.bad, instant::words(shock.status), s.off,
                         shock.restitution_note.empty() ? "the numbers are not finite" : shock.restitution_note);
    case instant::ShockStatus::ambiguous:
      return fmt::format("{}ambiguous{}: {}\n", s.warm, s.off, shock.restitution_note);
    case instant::ShockStatus::regulated:
    case instant::ShockStatus::not_needed: break;
  }
  return "";
}

}  // namespace zwang::report
