/// The equations of motion as a page of text.
#include <fmt/format.h>

#include <algorithm>

#include "zwang/base/escape.hpp"
#include "zwang/base/number.hpp"
#include "zwang/report/equations.hpp"
#include "zwang/report/equations_names.hpp"
#include "zwang/report/rest_words.hpp"
#include "zwang/report/text_page.hpp"

namespace zwang::report {

using expressions::Expr;
using expressions::Notation;

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

}  // namespace

std::string equations_text(const model::Model& model, const analysis::Equations& equations, std::size_t width) {
  const EquationNames names(model, equations, Notation::text);
  const model::Symbols& symbols = equations.symbols;
  TextPage page(width);
  page.line("", plain_line(model.title.empty() ? model.file : model.title), ' ');
  if (const std::vector<std::string> parameters = names.parameters(); !parameters.empty()) {
    page.line("  with ", joined(parameters), ',');
  }

  for (std::uint32_t k = 0; k < equations.roots.size(); ++k) {
    page.line(fmt::format("  {} = ", names.root(k)), "sqrt(" + names.write(equations.roots[k].sum) + ")");
  }
  if (!symbols.flow) page.heading("Energies");
  if (!symbols.flow) page.line("  T = ", names.energy(equations.kinetic));
  if (!equations.potential.empty()) page.line("  V = ", names.energy(equations.potential));

  // Conditions and their derivatives.
  if (!equations.rows.empty()) page.heading("Conditions and their derivatives");
  for (const analysis::EquationRow& row : equations.rows) {
    const model::SymbolicCondition& member = symbols.conditions[row.member];
    const model::Condition& condition = model.conditions[member.condition];
    if (row.component == 0) {
      std::string title = condition.name;
      if (!member.index.empty()) title += "[" + names.index(member.index) + "]";
      std::string kind(words(row.kind));
      if (row.variational) kind += ", variational law";
      if (condition.seizure) kind += fmt::format(", from t = {} on", exact(condition.at));
      if (!member.ranges.empty()) kind = fmt::format("for {}, {}", names.ranges(member.ranges), kind);
      const std::string whole = fmt::format("  {}: {}   ({})", title, condition.text, kind);
      if (whole.size() <= width) {
        page.line("", whole);
      } else {
        page.line(fmt::format("  {}: ", title), condition.text, ' ');
      }
      if (whole.size() > width) page.line("    ", fmt::format("({})", kind), ',');
    }
    const std::string f =
        condition.components > 1 && !condition.compound ? fmt::format("f.{}", "xyz"[row.component]) : "f";
    const bool holonomic = is_holonomic(row.kind);
    page.line(fmt::format("    {}   = ", f), names.write(row.f));
    if (holonomic || !symbols.flow) page.line(fmt::format("    {}'  = ", f), names.write(row.first));
    if (holonomic && !symbols.flow) page.line(fmt::format("    {}'' = ", f), names.write(row.second));
  }

  // The equations of motion.
  const bool oblique = symbols.flow && !symbols.free.empty();
  page.heading(symbols.flow ? "Rates" : "Equations of motion");
  for (const analysis::EquationLine& line : equations.lines) {
    const model::SymbolicBody& body = symbols.bodies[line.member];
    if (line.component == 0 && !body.ranges.empty()) {
      page.line("  ", fmt::format("for {}:", names.ranges(body.ranges)));
    }
    std::vector<analysis::Piece> right = line.force;
    right.insert(right.end(), line.reaction.begin(), line.reaction.end());
    const std::string left = names.pieces(line.left);
    if (oblique && !equations.written) {
      page.line(fmt::format("  {} = ", left), fmt::format("{} - sum lambda p.{}", names.pieces(right), left));
    } else if (left.size() + 5 <= width) {
      page.line(fmt::format("  {} = ", left), names.pieces(right));
    } else {
      page.line("  ", left);
      page.line("      = ", names.pieces(right));
    }
  }

  if (has_directions(model)) {
    page.line(
        "  ",
        "where a speed is 0 its direction has no value: friction then is what keeps it at rest, as long as its size "
        "suffices",
        ' ');
  }

  // Multipliers.
  const bool inequalities = std::any_of(equations.rows.begin(), equations.rows.end(),
                                        [](const analysis::EquationRow& row) { return !is_equation(row.kind); });
  if (!equations.rows.empty()) {
    page.heading(oblique        ? "Multipliers: f' of the free rates"
                 : inequalities ? "Multipliers: Phi lambda = Phi0 over the closed conditions, 0 for the open ones"
                                : "Multipliers: Phi lambda = Phi0");
  }
  if (oblique) {
    std::vector<std::string> functions;
    for (const Expr phi : symbols.free) functions.push_back(names.write(phi));
    page.line("  ",
              fmt::format("the rates of {} keep their free form: the p are the columns of the inverse of d(phi, f)/dx "
                          "that belong to the conditions",
                          joined(functions)),
              ' ');
  }
  if (!equations.rows.empty() && !equations.written && !oblique) {
    page.line("  ", "Phi = J W J^T, Phi0 = J W X + F, with W the inverse of the mass matrix (left sides)", ' ');
  }
  std::size_t longest = 0;
  for (const analysis::PhiEntry& entry : equations.phi) {
    longest = std::max(
        longest, names.row(entry.row, entry.row_index).size() + names.row(entry.column, entry.column_index).size());
  }
  for (const analysis::PhiEntry& entry : equations.phi) {
    const std::string label =
        fmt::format("Phi[{}, {}]", names.row(entry.row, entry.row_index), names.row(entry.column, entry.column_index));
    page.line(fmt::format("  {} = ", padded(label, std::min<std::size_t>(longest + 7, 30))), names.pieces(entry.value));
  }
  for (std::uint32_t k = 0; k < equations.rows.size(); ++k) {
    const std::string label = fmt::format("{}[{}]",
                                          oblique             ? "lambda"
                                          : equations.written ? "Phi0"
                                                              : "F",
                                          names.row(k));
    if (oblique && !equations.written) continue;
    page.line(fmt::format("  {} = ", padded(label, std::min<std::size_t>(longest + 7, 30))),
              names.write(equations.written ? equations.rows[k].free_value : equations.rows[k].curvature));
  }

  const bool families =
      std::any_of(equations.rows.begin(), equations.rows.end(),
                  [&](const analysis::EquationRow& row) { return !symbols.conditions[row.member].ranges.empty(); });

  // Events.
  if (inequalities) {
    std::vector<std::string> open;
    std::vector<std::string> closed;
    for (std::uint32_t k = 0; k < equations.rows.size(); ++k) {
      if (is_equation(equations.rows[k].kind)) continue;
      open.push_back(equations.rows.size() == 1 && !families ? "f = 0" : fmt::format("f_{} = 0", names.row(k)));
      closed.push_back(names.write(equations.rows[k].multiplier) + " = 0");
    }
    page.heading("Events");
    page.line("  an open one closes when  ", joined(open), ',');
    page.line("  a closed one opens when  ", joined(closed), ',');
  }
  if (families || names.used_brackets()) {
    page.blank();
    std::string note;
    if (families) note = "Multipliers of members that do not exist are 0.";
    if (families && names.used_brackets()) note += " ";
    if (names.used_brackets()) note += "A bracket such as [i = 3] is 1 where it is true, else 0.";
    page.line("", note, ' ');
  }
  return page.text();
}

}  // namespace zwang::report
