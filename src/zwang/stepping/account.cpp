/// Work, energies, the account of both, and what it must be for a run to be called finished.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "zwang/base/number.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/model/lanes.hpp"
#include "zwang/stepping/course.hpp"
#include "zwang/stepping/tolerances.hpp"

namespace zwang::stepping {

using motion::Status;

/// Power of the forces that have no potential.
double Course::force_power(const model::State& state, const std::vector<double>& velocity) {
  double power = 0;
  for (const std::uint32_t k : force_terms_) {
    const model::TermGroup& group = model_.terms[k];
    expressions::load_constants(group.tape, registers_.data(), 1, 1);
    for (std::size_t lane = 0; lane < group.lanes; ++lane) {
      model::fill_inputs<1, 1>(group, state.time, state.position, state.velocity, state.modes, lane, registers_.data());
      expressions::extend(group.tape, registers_.data(), 1, 0, 0, 1);
      for (std::size_t o = 0; o < group.tape.outputs.size(); ++o)
        power += registers_[group.tape.outputs[o]] * velocity[group.target_of[o * group.lanes + lane]];
    }
  }
  return power;
}

/// Work of the smooth part: forces without a potential over the way, energies in which t occurs over the time.
void Course::add_work(double h) {
  if (force_terms_.empty() && !has_time_) return;
  for (std::uint32_t i = 0; i < model_.variables; ++i) change_[i] = (before_.velocity[i] + arriving_[i]) / 2;
  double work = h * force_power(mid_, change_);
  if (has_time_) {
    model::State at = mid_;
    at.velocity = change_;
    at.time = now.state.time;
    find_modes(at);
    work += model::energy_with_time(model_, at, scratch_);
    at.time = before_.time;
    find_modes(at);
    work -= model::energy_with_time(model_, at, scratch_);
  }
  now.work += work;
  now.gross_work += std::abs(work);
}

double Course::kinetic() { return model::energy(model_, now.state, scratch_).kinetic; }

double Course::energy() {
  return model::vis_viva(model_, now.state, scratch_) + model::energy(model_, now.state, scratch_).potential;
}

/// The most energy of motion there was, with both velocities of a shock.
void Course::note_kinetic() {
  for (const std::vector<double>* velocity : {&now.state.velocity, &arriving_}) {
    right_.resize(velocity->size());
    dynamics_.mass.multiply(*velocity, right_);
    now.largest_kinetic = std::max(now.largest_kinetic, dot(*velocity, right_) / 2);
  }
}

void Course::verify_account(double initial) {
  if (now.status != Status::finished && now.status != Status::stopped) return;
  const double last = energy();
  const double defect = last - initial - now.work + now.lost;
  const double turned = now.largest_kinetic + now.gross_work + std::abs(now.lost);
  // What positions that are rounded, or kept to their tolerance, make of the potential: the forces times the lengths there are.
  double length = largest(now.state.position);
  for (const double tolerance : tolerance_) length = std::max(length, tolerance / model_.simulation.touch);
  double pressed = 0;
  for (const double force : dynamics_.force) pressed += std::abs(force);
  const double rounded = std::abs(initial) + std::abs(last) + pressed * length;
  if (std::abs(defect) <= account_open * turned + account_roundings * rounded) return;
  end(Status::gave_up, fmt::format("the account of the energy does not close: {} is {} that no force explains, of {} "
                                   "turned over; take a shorter step",
                                   readable(std::abs(defect)), defect > 0 ? "won" : "missing", readable(turned)));
}

}  // namespace zwang::stepping
