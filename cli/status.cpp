/// The exit statuses that belong to an instant, a shock and a run.
#include "status.hpp"

namespace zwang::cli {

int exit_status(instant::Status status) {
  switch (status) {
    case instant::Status::inadmissible:
    case instant::Status::jammed: return no_answer;
    case instant::Status::undecided: return gave_up;
    case instant::Status::determined:
    case instant::Status::ambiguous:
    case instant::Status::impact: break;
  }
  return answered;
}

int exit_status(instant::ShockStatus status) {
  switch (status) {
    case instant::ShockStatus::inadmissible:
    case instant::ShockStatus::jammed:
    case instant::ShockStatus::refused: return no_answer;
    case instant::ShockStatus::gave_up: return gave_up;
    case instant::ShockStatus::ambiguous:
    case instant::ShockStatus::regulated:
    case instant::ShockStatus::not_needed: break;
  }
  return answered;
}

int exit_status(motion::Status status) {
  using motion::Status;
  switch (status) {
    case Status::finished:
    case Status::stopped: return answered;
    case Status::interrupted:
    case Status::going: return interrupted;
    case Status::gave_up: return gave_up;
    default: return no_answer;
  }
}

int worse(int a, int b) {
  for (const int status : {interrupted, gave_up, no_answer}) {
    if (a == status || b == status) {
      return status;
    }
  }
  return answered;
}

}  // namespace zwang::cli
