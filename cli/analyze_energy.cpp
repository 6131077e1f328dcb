/// `zwang analyze energy MODEL`: what changes the energy: forces, conditions that move, explicit time.
#include <fmt/format.h>

#include <cmath>

#include "commands.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "zwang/analysis/energy.hpp"
#include "zwang/base/number.hpp"
#include "zwang/report/energy.hpp"

namespace zwang::cli {

int analyze_energy(const Request& request) {
  const model::Model model = load(request);
  const model::State state = model::initial_state(model);
  const analysis::EnergyRate energy = analysis::energy_rate(model, state);
  const bool determined = energy.instant.status == instant::Status::determined;
  const int status = exit_status(energy.instant.status);
  if (request.json) {
    print(report::energy_json(model, energy));
    return status;
  }
  const Style& s = style();
  if (!request.quiet) {
    print(heading(model, state.time));
  }
  if (!determined) {
    print(trouble(model, energy.instant));
    return status;
  }
  const bool conserved = energy.conserved();
  print(fmt::format("{}{}{}: E = {}{}\n", conserved ? s.good : s.warm, conserved ? "conserved" : "not conserved", s.off,
                    readable(energy.energy),
                    conserved ? ", but for shocks" : fmt::format(", changes here with {}", readable(energy.rate))));
  if (request.quiet) {
    return status;
  }
  if (energy.forces) {
    double sum = 0;
    for (const double power : energy.force_power) {
      sum += power;
    }
    print(fmt::format("  forces beside the potential: power {}\n", readable(sum)));
  }
  if (energy.explicit_time) {
    print(fmt::format("  the time in the energies: power {}\n", readable(energy.explicit_power)));
  }
  if (!energy.rows.empty()) {
    Table table({"condition", "does work", "power here"});
    for (const analysis::RowPower& one : energy.rows) {
      table.row({model::row_name(model, one.row), one.moves ? "it moves, and may" : "never",
                 one.moves ? readable(one.power) : "0"});
    }
    print("\n" + table.text());
  }
  return status;
}

}  // namespace zwang::cli
