/// `zwang check MODEL`: is the model well formed, what is each condition, is the start admissible, is the position regular.
#include <fmt/format.h>

#include "commands.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "zwang/base/number.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/instant/repair.hpp"
#include "zwang/report/json.hpp"

namespace zwang::cli {

int check(const Request& request) {
  const model::Model model = load(request);
  const model::State state = model::initial_state(model);
  const instant::Instant instant = instant::classify(model, state);
  if (request.repair) {
    return answered;
  }
  if (request.json) {
    print(report::check_json(model, state, instant, nullptr));
    return exit_status(instant.status);
  }
  if (request.quiet) {
    print(instant.status == instant::Status::determined ? "admissible\n"
                                                        : fmt::format("{}\n", instant::words(instant.status)));
    return exit_status(instant.status);
  }
  const Style& s = style();
  print(heading(model, state.time));
  if (instant.status == instant::Status::determined) {
    print(fmt::format("{}admissible{}: {} variables, {} conditions; the position is {}\n", s.good, s.off,
                      model.variables, model.rows(),
                      instant.regular ? "regular" : "not regular (dependent or vanishing gradients)"));
  } else {
    print(trouble(model, instant));
  }
  Table table({"condition", "kind", "f", "f'", "role"});
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const bool holonomic = model::is_holonomic(model.row_kind[row]);
    // Whether a closed inequality binds is a question for `accelerate`.
    const bool closed = instant.role[row] == instant::Role::marginal;
    table.row({model::row_name(model, row), std::string(model::words(model.row_kind[row])),
               holonomic ? readable(instant.value[row]) : "", readable(instant.rate[row]),
               closed ? "closed" : std::string(instant::words(instant.role[row]))});
  }
  if (model.rows() > 0) {
    print("\n" + table.text());
  }
  return exit_status(instant.status);
}

}  // namespace zwang::cli
