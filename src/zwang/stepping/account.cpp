/// The account of the energy, and what it must be for a run to be called finished.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "zwang/base/number.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/stepping/course.hpp"
#include "zwang/stepping/tolerances.hpp"

namespace zwang::stepping {

using motion::Status;

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
