/// What is told about an instant: the events that its shocks, switches, contacts and releases are listed as.
#include <algorithm>
#include <cmath>
#include <utility>

#include "zwang/base/groups.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/expressions/cones.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/model/evaluate_some.hpp"
#include "zwang/motion/settle_impl.hpp"

namespace zwang::motion {

namespace {

/// The rows of one member of an `or`, first and behind the last; of another condition the row itself.
std::pair<std::uint32_t, std::uint32_t> parts_of(const model::Model& model, std::uint32_t row) {
  const model::Condition& condition = model.conditions[model.row_condition[row]];
  if (condition.alternatives < 2) return {row, row + 1};
  const std::uint32_t begin = row - (row - condition.first_row) % condition.components;
  return {begin, begin + condition.components};
}

/// Does another part of the same `or` hold here, and not just so? Then this one touches nothing.
bool another_part_holds(const Motion& motion, std::uint32_t row) {
  const model::Model& model = motion.impl->model;
  const model::Condition& condition = model.conditions[model.row_condition[row]];
  if (condition.alternatives < 2) return false;
  // Its own parts alone.
  const auto [begin, end] = parts_of(model, row);
  instant::RowSet others = instant::RowSet::all(model.rows());
  for (std::uint32_t other = begin; other < end; ++other) others.remove(other);
  model::Rows rows = model::make_rows(model);
  model::evaluate_rows_but(model, motion.state, others.marks(), motion.impl->workspace.evaluation().scratch, rows);
  std::vector<std::uint8_t> holds(condition.alternatives, 1);
  for (std::uint32_t other = begin; other < end; ++other) {
    const double size = model.simulation.touch * rows.value_scale[other];
    if (!(rows.value[other] < -size)) holds[model.row_alternative[other]] = 0;
  }
  holds[model.row_alternative[row]] = 0;
  return std::find(holds.begin(), holds.end(), 1) != holds.end();
}

/// sqrt(M_ii): what momenta of angles and of lengths are divided by to have one unit.
std::vector<double> roots_of_inertia(const linear::Mass& mass) {
  std::vector<double> root(mass.diagonal().begin(), mass.diagonal().end());
  for (double& x : root) x = std::sqrt(x);
  return root;
}

/// The impulses of a shock that count. Those of rounding size, beside those that they hang together with or beside their momenta, are none; those of
/// angles and of lengths are compared in the metric of the masses.
class CountedImpulses {
 public:
  CountedImpulses(const Motion& motion, const std::vector<double>& impulses)
      : model_(motion.impl->model),
        momentum_(model_.variables, 0.0),
        felt_(model_.rows(), 0.0),
        slight_(model_.variables, 0.0),
        together_(model_.variables) {
    const instant::Evaluation& found = motion.impl->workspace.evaluation();
    const std::vector<double> inertia = roots_of_inertia(found.dynamics.mass);
    found.dynamics.mass.multiply(motion.state.velocity, momentum_);
    for (std::size_t i = 0; i < momentum_.size(); ++i) momentum_[i] /= inertia[i];
    for (std::uint32_t row = 0; row < model_.rows(); ++row) {
      if (impulses[row] == 0) continue;
      double gradient = 0;
      const std::uint32_t begin = model_.row_start[row];
      for (std::uint32_t e = begin; e < model_.row_start[row + 1]; ++e) {
        gradient = std::max(gradient, std::abs(found.rows.entry[e]) / inertia[model_.row_column[e]]);
        together_.join(model_.row_column[e], model_.row_column[begin]);
      }
      felt_[row] = std::abs(impulses[row]) * gradient;
    }
    for (std::uint32_t i = 0; i < model_.variables; ++i) {
      slight_[together_.of(i)] = std::max(slight_[together_.of(i)], slight_momentum * std::abs(momentum_[i]));
    }
    for (std::uint32_t row = 0; row < model_.rows(); ++row) {
      if (felt_[row] > 0) beside(row) = std::max(beside(row), slight_impulse * felt_[row]);
    }
  }

  [[nodiscard]] bool counts(std::uint32_t row) { return felt_[row] > 0 && felt_[row] > beside(row); }
  /// Does anything move after the shock?
  [[nodiscard]] bool leave_motion() const { return largest(momentum_) > 0; }

 private:
  /// What is slight where the row acts.
  double& beside(std::uint32_t row) { return slight_[together_.of(model_.row_column[model_.row_start[row]])]; }

  const model::Model& model_;
  std::vector<double> momentum_;  ///< per variable, over the root of its inertia
  std::vector<double> felt_;      ///< per row: the largest part of its impulse, in the same unit
  std::vector<double> slight_;    ///< per group of variables
  Groups together_;
};

bool is_among(std::uint32_t row, const std::vector<std::uint32_t>& rows) {
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}

/// Blows, seizures, switches and impacts, with their impulses.
void list_shock(Motion& motion, const Triggers& triggers, const Gathered& gathered, bool first,
                const Switches& switches_before) {
  const model::Model& model = motion.impl->model;
  const std::size_t begin = motion.events.size();
  if (gathered.blow) add_event(motion, EventKind::blow, {});
  if (!gathered.seized.empty()) add_event(motion, EventKind::seizure, gathered.seized);
  const std::size_t blows = motion.events.size() - begin;
  list_switches(motion, switches_before, triggers, first);
  const std::size_t switched = motion.events.size() - begin - blows;
  if (!gathered.struck.empty()) add_event(motion, EventKind::impact, gathered.struck);
  if (motion.events.size() - begin == switched) return;

  CountedImpulses impulses(motion, gathered.impulses);
  const Copies& copies = motion.impl->copies;
  const auto is_switch = [&](std::size_t e) { return e >= begin + blows && e < begin + blows + switched; };
  for (std::size_t e = begin; e < motion.events.size(); ++e) {
    if (is_switch(e)) continue;
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      const std::uint32_t original = copies.original(row);
      const double share = copies.share(row);
      if (share != 0 && impulses.counts(original))
        motion.events[e].impulses.emplace_back(row, gathered.impulses[original] * share);
    }
    motion.events[e].note = gathered.note;
  }
  // A shock of rounding size on a motion that goes on is none; it would be listed where a shock has just left a contact.
  const bool struck_slightly = !first && !gathered.struck.empty() && !gathered.blow && gathered.seized.empty() &&
                               impulses.leave_motion() && motion.events.back().kind == EventKind::impact &&
                               motion.events.back().impulses.empty() && gathered.lost == 0;
  if (struck_slightly) {
    motion.events.pop_back();
  } else {
    motion.events[blows > 0 ? begin : begin + switched].lost = gathered.lost;
  }
}

/// Is it so of one of the spokes that stand for a row in its apex?
template <class Asked>
bool any_spoke(const model::Model& model, std::uint32_t row, const Asked& asked) {
  const model::Cone* cone = model.cones.empty() ? nullptr : model::cone_of(model, row);
  for (std::size_t k = 0; cone != nullptr && k < expressions::spokes_of_cone; ++k) {
    if (asked(cone->spoke(k))) return true;
  }
  return false;
}

/// Releases, contacts and grazes: the rows that are another thing than `before`.
void list_changes(Motion& motion, const Triggers& triggers, const Gathered& gathered,
                  const std::vector<Standing>& before) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  // A row and its twin are one condition.
  const auto closed = [&](const std::vector<Standing>& standing, std::uint32_t row) {
    return is_closed(standing[row]) || is_closed(standing[model.row_twin[row]]) ||
           any_spoke(model, row, [&](std::uint32_t spoke) { return is_closed(standing[spoke]); });
  };
  const auto closed_before = [&](std::uint32_t row) { return closed(before, row); };
  const auto closed_now = [&](std::uint32_t row) { return closed(impl.standing, row); };
  const auto struck = [&](std::uint32_t row) {
    return is_among(row, gathered.struck) ||
           any_spoke(model, row, [&](std::uint32_t spoke) { return is_among(spoke, gathered.struck); });
  };
  // What changes side at one instant is marginal, and nothing has happened to it.
  const auto marginal = [&](std::uint32_t row) {
    return std::binary_search(impl.marginal.begin(), impl.marginal.end(), row);
  };

  // A condition that is open after a shock has not been released; one that closed with it made no contact.
  std::vector<std::uint32_t> released;
  std::vector<std::uint32_t> touched;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (model::is_equation(model.row_kind[row]) || marginal(row) || instant::is_second_twin(model, row)) continue;
    const bool let_go = impl.switches.gone.contains(row);
    if (closed_before(row) && !closed_now(row) && (!gathered.shock || is_among(row, triggers.releasing)) && !let_go) {
      released.push_back(row);
    }
    if (!closed_before(row) && before[row] != Standing::absent && closed_now(row) && !struck(row) &&
        (!gathered.shock || is_among(row, triggers.closing))) {
      touched.push_back(row);
    }
  }
  // Touched without effect: also a condition that seemed to close but goes off again by itself.
  std::vector<std::uint32_t> grazed = triggers.grazing;
  for (const std::uint32_t row : triggers.closing) {
    if (!struck(row) && !closed_now(row) && before[row] == Standing::open) grazed.push_back(row);
  }
  // Where one part of a condition ends and another one holds from here on, the condition was touched with effect.
  std::erase_if(grazed, [&](std::uint32_t row) {
    const auto [from, to] = parts_of(model, row);
    for (std::uint32_t part = from; part < to; ++part) {
      if (!closed_now(part)) continue;
      if (!closed_before(part) && !is_among(part, touched) && !gathered.shock) touched.push_back(part);
      return true;
    }
    return false;
  });
  if (!released.empty()) add_event(motion, EventKind::release, std::move(released));
  if (!touched.empty()) add_event(motion, EventKind::contact, std::move(touched));

  // A spoke by itself tells nothing.
  std::erase_if(grazed, [&](std::uint32_t row) {
    const model::Cone* cone = model.cones.empty() ? nullptr : model::cone_of(model, row);
    return impl.switches.gone.contains(row) || (cone != nullptr && row != cone->row);
  });
  std::sort(grazed.begin(), grazed.end());
  grazed.erase(std::unique(grazed.begin(), grazed.end()), grazed.end());
  std::erase_if(grazed, marginal);
  list_grazes(motion, std::move(grazed));
}

}  // namespace

void add_event(Motion& motion, EventKind kind, std::vector<std::uint32_t> rows) {
  Event event;
  event.time = motion.state.time;
  event.kind = kind;
  event.rows = motion.impl->copies.with_copies(std::move(rows));
  motion.events.push_back(std::move(event));
}

void list_grazes(Motion& motion, std::vector<std::uint32_t> rows) {
  std::erase_if(rows, [&](std::uint32_t row) { return another_part_holds(motion, row); });
  if (!rows.empty()) add_event(motion, EventKind::graze, std::move(rows));
}

void list_events(Motion& motion, const Triggers& triggers, const Gathered& gathered,
                 const std::vector<Standing>& before, bool first, const Switches& switches_before) {
  list_shock(motion, triggers, gathered, first, switches_before);
  if (!first) list_changes(motion, triggers, gathered, before);
}

void stamp_events(Motion& motion) {
  for (Event& event : motion.events) {
    if (!event.position.empty()) continue;
    event.position = motion.state.position;
    event.velocity = motion.state.velocity;
    ++motion.event_count;
  }
}

void list_held_as_singular(Motion& motion) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < motion.impl->model.rows(); ++row) {
    if (is_held(motion.impl->instant.role[row])) rows.push_back(row);
  }
  motion.culprits = rows;
  add_event(motion, EventKind::singular, std::move(rows));
}

void end_singular(Motion& motion, std::vector<std::uint32_t> rows, std::string why) {
  end(motion, Status::singular, std::move(why));
  motion.culprits = rows;
  if (motion.impl->passage.listed != motion.state.time) add_event(motion, EventKind::singular, std::move(rows));
  keep_account(motion);
  stamp_events(motion);
}

void list_singular(Motion& motion, std::vector<std::uint32_t> rows) {
  add_event(motion, EventKind::singular, std::move(rows));
  keep_account(motion);
  stamp_events(motion);
}

}  // namespace zwang::motion
