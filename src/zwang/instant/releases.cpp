/// What [[releases]] have let go when a question is asked about one instant.
#include "zwang/instant/releases.hpp"

#include <vector>

#include "zwang/model/evaluate.hpp"

namespace zwang::instant {

bool is_true(const model::Model& model, std::uint32_t truth, std::span<const double> modes) {
  const model::TermGroup& term = model.truths[truth].term;
  std::vector<double> registers(term.tape.registers());
  expressions::load_constants(term.tape, registers.data(), 1, 1);
  const std::size_t place = std::size_t{1} + term.positions + term.velocities + term.steady();
  for (std::uint32_t k = 0; k < term.modes; ++k) registers[place + k] = modes[term.first_mode + k];
  expressions::extend(term.tape, registers.data(), 1, 0, 0, 1);
  return registers[term.tape.outputs[0]] != 0;
}

Released released(const model::Model& model, const model::State& state) {
  Released out;
  if (model.releases.empty()) return out;
  const std::vector<double> modes = model::modes_of(model, model::sides_of(model, state));
  for (const model::Release& release : model.releases) {
    const bool due = release.when.empty() ? release.at <= state.time : is_true(model, release.when[0], modes);
    if (!due) continue;
    out.springs.insert(out.springs.end(), release.springs.begin(), release.springs.end());
    if (!out.rows.is_told()) out.rows = RowSet(model.rows());
    for (const std::uint32_t row : release.rows) out.rows.add(row);
  }
  return out;
}

}  // namespace zwang::instant
