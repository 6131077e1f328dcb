/// Equilibrium and small oscillations for programs.
#include "zwang/report/stability.hpp"

#include "zwang/report/parts.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/version.hpp"

namespace zwang::report {

std::string stability_json(const model::Model& model, const model::State& state, const analysis::Stability& stability,
                           bool found) {
  Writer json;
  json.open();
  json.put("zwang", version);
  json.put("model", model.title.empty() ? std::string_view(model.file) : std::string_view(model.title));
  if (found) {
    put_places(json, "positions", model, state.position);
  }
  if (stability.decided) {
    json.put("equilibrium", stability.equilibrium);
  }
  if (!stability.why.empty()) {
    json.put("why", stability.why);
  }
  if (!stability.equilibrium) {
    if (!stability.accelerations.empty()) {
      put_bodies(json, "accelerations", model, stability.accelerations, {model::Sort::velocity, state.position});
    }
    return json.close().text();
  }
  put_rows(json, "multipliers", model, stability.multipliers);
  if (!stability.degenerate.empty()) {
    std::vector<std::string> names;
    for (const std::uint32_t row : stability.degenerate) {
      names.push_back(model::row_name(model, row));
    }
    json.put("degenerate", names);
  }

  // Nothing more where the coefficients change with the time.
  if (!stability.stable && stability.roots.empty() && stability.freedom == 0) {
    return json.close().text();
  }
  if (!stability.linearised) {
    // No roots, no form: only what is known without them.
    json.put("linearised", false);
    json.put("corners", stability.corners);
    if (stability.stuck) {
      json.put("stuck", true);
    }
    if (stability.stable) {
      json.put("stable", *stability.stable);
    }
    return json.close().text();
  }
  json.open_list(stability.exponents ? "exponents" : "eigenvalues");
  for (const std::complex<double>& root : stability.roots) {
    const double parts[] = {root.real(), root.imag()};
    json.put(parts);
  }
  json.close_list();
  json.put("zero_modes", std::uint64_t{stability.zero_modes});
  json.put("semisimple", stability.semisimple);
  if (stability.stable) {
    json.put("stable", *stability.stable);
    json.put("sense", stability.first_order ? "first order" : "full");
    if (stability.exponents || stability.attracting) {
      json.put("attracting", stability.attracting);
    }
    json.put("growth_rate", stability.growth_rate);
  }
  json.put("form", analysis::words(stability.form));
  if (stability.form_agrees) {
    json.put("form_agrees", *stability.form_agrees);
  }
  if (!stability.modes.empty()) {
    json.open_list("modes");
    for (const analysis::Mode& mode : stability.modes) {
      json.open();
      json.put("eigenvalue", mode.value);
      json.put("period", mode.period);
      put_bodies(json, "shape", model, mode.shape, {model::Sort::velocity, state.position});
      json.close();
    }
    json.close_list();
  }
  return json.close().text();
}

}  // namespace zwang::report
