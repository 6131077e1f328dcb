/// Statuses in words, as printed.
#include "zwang/motion/advance.hpp"

namespace zwang::motion {

std::string_view words(Status status) {
  switch (status) {
    case Status::going: return "going";
    case Status::interrupted: return "interrupted";
    case Status::finished: return "finished";
    case Status::stopped: return "stopped";
    case Status::jammed: return "jammed";
    case Status::singular: return "singular";
    case Status::refused: return "refused";
    case Status::inadmissible: return "inadmissible";
    case Status::gave_up: return "gave up";
  }
  return "";
}

}  // namespace zwang::motion
