/// `zwang analyze integrability MODEL`: how many combinations of the conditions integrate, and to what.
#include <fmt/format.h>

#include <cmath>

#include "commands.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "tolerances.hpp"
#include "zwang/analysis/integrability.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/report/integrability.hpp"

namespace zwang::cli {

namespace {

using analysis::Gap;
using analysis::Integrability;

std::string several(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// The verdict in a sentence or two.
std::string verdict(const Integrability& found) {
  const Style& s = style();
  const std::size_t rank = found.derived[0];
  std::string text;
  if (found.complete) {
    text = fmt::format("{}complete{}: {} integrat{}", s.good, s.off,
                       rank == 1 ? "the condition" : fmt::format("all {} conditions", rank), rank == 1 ? "es" : "e");
  } else if (found.integrable == 0) {
    text = fmt::format("{}not integrable{}: {}", s.warm, s.off,
                       rank == 1 ? std::string("the condition does not integrate")
                                 : fmt::format("no combination of the {} conditions integrates", rank));
  } else {
    text = fmt::format("{}partly integrable{}: {} of {} independent combinations integrate{}", s.warm, s.off,
                       found.integrable, rank, found.integrable == 1 ? "s" : "");
  }
  text += fmt::format("; {} columns ({})\n", found.columns.size(), listed(found.columns, 10));
  if (rank < found.conditions) {
    text += fmt::format("  {} of {} conditions are independent\n", rank, found.conditions);
  }
  if (found.holonomic > 0) {
    text += fmt::format("  {} written as {} between positions, which {} as integrable\n",
                        found.holonomic == 1 ? "1 is" : fmt::format("{} are", found.holonomic),
                        found.holonomic == 1 ? "an equation" : "equations", found.holonomic == 1 ? "counts" : "count");
  }
  text += found.laws_agree ? "  straightest and variational motion are the same from this state\n"
                           : "  straightest and variational motion differ\n";
  return text;
}

/// "8.4e-16", or a dash where there is none.
std::string size(double value, bool exists) { return exists ? readable(value < shown_as_zero ? 0.0 : value, 2) : "-"; }

/// Forms downwards, brackets upwards, and what decided each rank.
std::string flag_table(const Integrability& found) {
  Table table({"step", "rank", "smallest kept", "largest dropped", "digits"});
  for (std::size_t k = 0; k < found.derived.size(); ++k) {
    const Gap gap = k < found.derived_gaps.size() ? found.derived_gaps[k] : Gap{};
    table.row({fmt::format("I{}", k), fmt::format("{}", found.derived[k]), size(gap.kept, gap.kept > 0),
               size(gap.dropped, gap.most > 0), gap.wide ? "32" : "16"});
  }
  std::string text = "derived flag: of each system the combinations that are closed modulo it\n" + table.text() + "\n";
  Table growth({"step", "dimension", "smallest kept", "largest dropped", "digits"});
  std::size_t dimension = 0;
  for (std::size_t k = 0; k < found.growth_gaps.size(); ++k) {
    const Gap& gap = found.growth_gaps[k];
    dimension = k < found.growth.size() ? found.growth[k] : dimension;
    growth.row({fmt::format("D{}", k + 1), fmt::format("{}", dimension), size(gap.kept, gap.kept > 0),
                size(gap.dropped, true), gap.wide ? "32" : "16"});
  }
  if (!found.growth_gaps.empty()) {
    text += "growth: allowed directions, with their brackets, brackets of these, ...\n" + growth.text() + "\n";
  }
  return text;
}

std::string integral_table(const Integrability& found) {
  std::string text;
  if (!found.integrals.empty()) {
    Table table({"integral", "value", "residual"});
    for (const analysis::Integral& integral : found.integrals) {
      table.row({integral.text, readable(integral.value, 10), readable(integral.residual, 2)});
    }
    text += table.text() + "\n";
  }
  if (found.integrals.size() < found.integrable) {
    std::vector<std::string> names;
    for (const analysis::ImplicitIntegral& integral : found.implicit) {
      names.push_back(integral.column);
    }
    text += fmt::format("  {} found as an expression", found.integrals.empty() && found.integrable == 1
                                                           ? "the integral was not"
                                                           : several(found.integrable - found.integrals.size(),
                                                                     "integral was not", "integrals were not"));
    if (!names.empty()) {
      text += fmt::format(": {} the value of {} where the leaf through a point meets {}",
                          names.size() == 1 ? "it is" : "they are", listed(names), listed(found.implicit_where));
    }
    text += "\n";
  }
  return text;
}

/// The leaf through the state, and what is special there.
std::string leaf_words(const Integrability& found) {
  const analysis::LeafVerdict& leaf = found.leaf;
  if (leaf.dependent) {
    return fmt::format(
        "  at the state itself only {} of {} conditions are independent: the leaf through it is not regular\n",
        leaf.rank_at_state, found.derived[0]);
  }
  if (!leaf.decided) {
    return "  what is special about the leaf through the state could not be decided\n";
  }
  std::string text;
  if (leaf.integrable > found.integrable) {
    text += fmt::format("  on the leaf through this state {} integrate{}: its values are special\n", leaf.integrable,
                        leaf.integrable == 1 ? "s" : "");
    if (!leaf.integrals.empty()) {
      text += fmt::format("  there also {} {} constant\n", listed(leaf.integrals),
                          leaf.integrals.size() == 1 ? "is" : "are");
    }
  } else {
    text += fmt::format("  on the leaf through this state the number is the same, {}\n", leaf.integrable);
  }
  const std::size_t n = found.columns.size();
  if (n - leaf.reachable > leaf.integrable) {
    text += fmt::format(
        "  beyond that the state lies on something of dimension {} that no path obeying the conditions leaves\n",
        leaf.reachable);
  }
  if (leaf.special && !leaf.growth.empty() && leaf.growth != found.growth) {
    std::vector<std::string> steps;
    for (const std::size_t dimension : leaf.growth) {
      steps.push_back(fmt::format("{}", dimension));
    }
    text += fmt::format("  the state is special: the growth there is {}\n", fmt::format("{}", fmt::join(steps, ", ")));
  }
  return text;
}

/// What can be asked of the model at all.
void require_conditions(const model::Model& model, const Integrability& found) {
  if (found.conditions > 0) {
    return;
  }
  if (model.rows() == 0) {
    throw Error({model.file, 0, 0}, "the model has no conditions, so that there is nothing to integrate");
  }
  throw Error(
      {model.file, 0, 0},
      "no equation is in force at the start: inequalities forbid one side only and do not count as conditions here");
}

}  // namespace

int analyze_integrability(const Request& request) {
  const Source source = read_source(request.model);
  const model::Draft draft = model::read(source.text, source.name);
  const model::Model model = model::compile(draft, overrides(request));
  if (model.flow) {
    throw Error(
        {model.file, 0, 0},
        "a first-order system moves along its own field: integrability is asked of conditions on a mechanical system");
  }
  const model::State state = model::initial_state(model);
  const Integrability found = analysis::integrability(draft, model, state);
  require_conditions(model, found);
  const int status = found.decided ? answered : gave_up;
  if (request.json) {
    print(report::integrability_json(model, state, found));
    return status;
  }
  if (request.quiet) {
    print(found.decided ? fmt::format("{} of {} integrable\n", found.integrable, found.derived[0]) : "not decided\n");
    return status;
  }

  // The verdict, the integrals, the leaf; then the ranks that it rests on.
  const Style& s = style();
  print(heading(model, state.time));
  if (!found.decided) {
    print(fmt::format("{}not decided{}: {}\n\n", s.bad, s.off, found.doubt));
    print(found.derived.empty() ? std::string() : flag_table(found));
    return status;
  }
  print(verdict(found) + leaf_words(found) + "\n");
  print(integral_table(found));
  print(flag_table(found));
  print(fmt::format(
      "  {} of {} random points near the state have these ranks; singular values in units of what their terms are made "
      "of\n",
      found.agreeing, found.points));
  return status;
}

}  // namespace zwang::cli
