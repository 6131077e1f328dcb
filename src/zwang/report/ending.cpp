/// What stands in ending.hpp.
#include "zwang/report/ending.hpp"

#include "zwang/base/number.hpp"

namespace zwang::report {

Ending ending(const model::Model& model, const motion::Account& account) {
  using motion::Status;
  Ending out;
  out.time = readable(account.present.state.time, 10);
  switch (account.status) {
    case Status::finished: out.word = "finished"; break;
    case Status::stopped:
      out.kind = EndingKind::stopped;
      out.word = "stopped";
      if (!model.simulation.stop.empty()) out.why = model.simulation.stop.front().text;
      break;
    case Status::going:
    case Status::interrupted:
      out.kind = EndingKind::interrupted;
      out.word = "interrupted";
      break;
    default:
      out.kind = EndingKind::failed;
      out.word = motion::words(account.status);
      out.why = account.why;
  }
  return out;
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace zwang::report
