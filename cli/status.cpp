/// The exit statuses that belong to an instant and to a shock.
#include "request.hpp"
#include "tables.hpp"

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
    case instant::ShockStatus::regulated:
    case instant::ShockStatus::not_needed: break;
  }
  return answered;
}

}  // namespace zwang::cli
