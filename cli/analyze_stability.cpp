/// `zwang analyze stability MODEL`: equilibrium, small oscillations, stable or not, and whether the form would have told.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "zwang/analysis/stability.hpp"
#include "zwang/base/number.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/report/stability.hpp"

namespace zwang::cli {

namespace {

std::string complex_words(std::complex<double> z) {
  if (z.imag() == 0) {
    return readable(z.real());
  }
  return fmt::format("{} {} {}i", readable(z.real()), z.imag() < 0 ? "-" : "+", readable(std::abs(z.imag())));
}

std::string root_meaning(const analysis::MultipleRoot& root, bool exponents) {
  const double growth = exponents ? std::abs(root.value.real()) : analysis::growth_of(root.value);
  const bool defective = root.independent < root.multiplicity;
  std::string text;
  if (exponents && root.value.real() < 0) {
    text = root.value.imag() == 0
               ? "dies away"
               : fmt::format("swings and dies away, half in {}", readable(elementary::log(2.0) / -root.value.real()));
  } else if (!exponents && root.value.imag() == 0 && root.value.real() < 0) {
    text = fmt::format("swings with period {}", readable(2 * 3.14159265358979323846 / std::sqrt(-root.value.real())));
  } else if (exponents && root.value.real() == 0 && root.value.imag() != 0) {
    text = "swings";
  } else if (growth > 0) {
    text = fmt::format("grows, twofold in {}", readable(elementary::log(2.0) / growth));
  } else {
    text = exponents ? "stays where it is, to first order" : "drifts uniformly, to first order";
  }
  if (defective) {
    text += fmt::format("; {} mode{} for {}: grows with the time besides", root.independent,
                        root.independent == 1 ? "" : "s", root.multiplicity);
  }
  return text;
}

std::string root_table(const analysis::Stability& stability) {
  Table table({stability.exponents ? "mu" : "mu^2", "times", "a small displacement"});
  for (const analysis::MultipleRoot& root : stability.grouped) {
    table.row({complex_words(root.value), std::to_string(root.multiplicity), root_meaning(root, stability.exponents)});
  }
  return table.text();
}

std::string mode_table(const model::Model& model, const analysis::Stability& stability) {
  std::vector<std::string> titles;
  std::vector<Column> columns;
  for (const analysis::Mode& mode : stability.modes) {
    columns.push_back({fmt::format("period {}", readable(mode.period)), &mode.shape});
  }
  return body_table(model, columns);
}

/// What the quadratic form says, and whether it is right.
std::string form_words(const analysis::Stability& stability) {
  std::string text = fmt::format("  the form of the force function on admissible displacements is {}",
                                 analysis::words(stability.form));
  if (!stability.form_agrees) {
    return text + "\n";
  }
  const bool speaks = stability.form == analysis::Form::negative_definite ||
                      stability.form == analysis::Form::positive_definite ||
                      stability.form == analysis::Form::indefinite;
  // To first order only: forces of higher order may do what the form does not know of.
  const bool beyond = stability.first_order && stability.form == analysis::Form::negative_definite;
  if (beyond) return text + "\n";
  if (stability.symmetric && !stability.exponents && speaks && *stability.form_agrees) {
    return text + ", which decides: the conditions and forces make a symmetric problem\n";
  }
  if (!speaks) {
    return text + ", which says nothing by itself\n";
  }
  return text + (*stability.form_agrees ? ", and would have told the truth\n" : ", and would have DECEIVED\n");
}

}  // namespace

int analyze_stability(const Request& request) {
  const model::Model model = load(request);
  model::State state = model::initial_state(model);
  bool found = false;
  if (request.find) {
    const analysis::Search search = analysis::find_equilibrium(model, state);
    if (!search.found) {
      if (request.json) {
        print(fmt::format("{{\"equilibrium\": false, \"why\": \"no equilibrium was found from here in {} rounds\"}}\n",
                          search.rounds));
      } else {
        print(fmt::format("no equilibrium was found from here in {} rounds\n", search.rounds));
      }
      return gave_up;
    }
    state = search.state;
    found = true;
  }
  const analysis::Stability stability = analysis::stability(model, state);
  const int status = !stability.decided ? gave_up : stability.admissible ? answered : no_answer;
  if (request.json) {
    print(report::stability_json(model, state, stability, found));
    return status;
  }
  const Style& s = style();
  const auto verdict = [&] {
    if (stability.decided && !stability.equilibrium) {
      return std::string("no equilibrium");
    }
    if (!stability.decided || !stability.stable) {
      return std::string("not decided");
    }
    const std::string word = *stability.stable ? (stability.attracting ? "stable, attracting" : "stable") : "unstable";
    return word + (stability.first_order ? " to first order" : "");
  };
  if (request.quiet) {
    print(verdict() + "\n");
    return status;
  }
  print(heading(model, state.time));
  if (found) {
    print("an equilibrium is here:\n\n" +
          body_table(model, {{"position", &state.position, &state.position, model::Sort::position}}) + "\n");
  }
  const bool good = stability.stable.value_or(false);
  print(fmt::format("{}{}{}", good ? s.good : (stability.stable ? s.bad : s.warm), verdict(), s.off));
  if (!stability.equilibrium) {
    print(fmt::format(": {}\n", stability.why));
    if (!stability.accelerations.empty()) {
      print("\n" + body_table(model, {{"acceleration from rest", &stability.accelerations, &state.position}}));
    }
    return status;
  }
  print(stability.why.empty() ? "\n" : fmt::format(": {}\n", stability.why));
  if (stability.growth_rate > 0) {
    print(fmt::format("  a small displacement grows like exp({} t)\n", readable(stability.growth_rate)));
  }
  if (!stability.multipliers.empty()) {
    std::vector<std::string> texts;
    for (const auto& [row, value] : stability.multipliers) {
      texts.push_back(fmt::format("{} {}", model::row_name(model, row), readable(value)));
    }
    print(fmt::format("  multipliers: {}\n", listed(texts)));
  }
  if (!stability.degenerate.empty()) {
    print(fmt::format("  touching without pressing: {}\n", listed(names(model, stability.degenerate))));
  }
  if (stability.zero_modes > 0) {
    print(fmt::format("  equilibria come in a family of {} dimension{}: as many modes stay where they are put\n",
                      stability.zero_modes, stability.zero_modes == 1 ? "" : "s"));
  }
  if (!stability.grouped.empty()) {
    print(form_words(stability));
    print("\n" + root_table(stability));
  }
  if (!stability.modes.empty()) {
    print("\nshapes of the oscillations\n\n" + mode_table(model, stability));
  }
  return status;
}

}  // namespace zwang::cli
