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
  if (std::abs(defect) <= account_open * turned + account_roundings * (std::abs(initial) + std::abs(last))) return;
  end(Status::gave_up, fmt::format("the account of the energy does not close: {} is {} that no force explains, of {} "
                                   "turned over; take a shorter step",
                                   readable(std::abs(defect)), defect > 0 ? "won" : "missing", readable(turned)));
}

}  // namespace zwang::stepping
