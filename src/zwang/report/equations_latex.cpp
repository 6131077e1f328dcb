/// The equations of motion as a LaTeX document that needs amsmath alone.
#include <fmt/format.h>

#include <algorithm>

#include "zwang/base/escape.hpp"
#include "zwang/base/number.hpp"
#include "zwang/report/equations.hpp"
#include "zwang/report/equations_names.hpp"

namespace zwang::report {

using expressions::Notation;

namespace {

constexpr std::size_t line_length = 72;  // signs that fit on a line

/// left = right, broken before signs outside of all parentheses.
std::string display(const std::string& left, const std::string& right) {
  const std::vector<std::string> lines = broken_formula(right, line_length);
  std::string out = "\\begin{align*}\n" + left + " &= " + lines[0];
  for (std::size_t k = 1; k < lines.size(); ++k) out += " \\\\\n &\\quad {}" + lines[k];
  return out + "\n\\end{align*}\n";
}

}  // namespace

std::string equations_latex(const model::Model& model, const analysis::Equations& equations) {
  const EquationNames names(model, equations, Notation::latex);
  const model::Symbols& symbols = equations.symbols;
  std::string out =
      "\\documentclass[a4paper]{article}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n\\setlength{\\parindent}{0pt}\n"
      "\\setlength{\\textwidth}{17cm}\n\\setlength{\\oddsidemargin}{-0.5cm}\n\\begin{document}\n";
  out += "\\section*{" + latex_escaped(model.title.empty() ? model.file : model.title) + "}\n";
  if (const std::vector<std::string> parameters = names.parameters(); !parameters.empty()) {
    out += "with ";
    for (std::size_t k = 0; k < parameters.size(); ++k) out += (k == 0 ? "$" : ", $") + parameters[k] + "$";
    out += "\n";
  }
  for (std::uint32_t k = 0; k < equations.roots.size(); ++k) {
    out += display(names.root(k), "\\sqrt{" + names.write(equations.roots[k].sum) + "}");
  }

  // Energies.
  if (!symbols.flow) out += "\\subsection*{Energies}\n" + display("T", names.energy(equations.kinetic));
  if (!equations.potential.empty()) out += display("V", names.energy(equations.potential));

  // Conditions.
  if (!equations.rows.empty()) out += "\\subsection*{Conditions and their derivatives}\n";
  for (const analysis::EquationRow& row : equations.rows) {
    const model::SymbolicCondition& member = symbols.conditions[row.member];
    const model::Condition& condition = model.conditions[member.condition];
    if (row.component == 0) {
      std::string kind(words(row.kind));
      if (row.variational) kind += ", variational law";
      if (condition.seizure) kind += fmt::format(", from $t = {}$ on", exact(condition.at));
      if (!member.ranges.empty()) kind += fmt::format(", for $ {} $", names.ranges(member.ranges));
      out += fmt::format("\\paragraph{{{}}} \\texttt{{{}}} ({})\n", latex_escaped(condition.name),
                         latex_escaped(condition.text), kind);
    }
    const std::string base =
        condition.components > 1 && !condition.compound ? fmt::format("_{{{}}}", "xyz"[row.component]) : "";
    out += display("f" + base, names.write(row.f));
    if (is_holonomic(row.kind) || !symbols.flow) out += display("\\dot{f}" + base, names.write(row.first));
    if (is_holonomic(row.kind) && !symbols.flow) out += display("\\ddot{f}" + base, names.write(row.second));
  }

  // Equations of motion.
  const bool oblique = symbols.flow && !symbols.free.empty();
  out += symbols.flow ? "\\subsection*{Rates}\n" : "\\subsection*{Equations of motion}\n";
  for (const analysis::EquationLine& line : equations.lines) {
    const model::SymbolicBody& body = symbols.bodies[line.member];
    if (line.component == 0 && !body.ranges.empty()) out += fmt::format("for $ {} $:\n", names.ranges(body.ranges));
    std::vector<analysis::Piece> right = line.force;
    right.insert(right.end(), line.reaction.begin(), line.reaction.end());
    const std::string rest = oblique && !equations.written ? " - \\sum \\lambda \\, p" : "";
    out += display(names.pieces(line.left), names.pieces(right) + rest);
  }

  // Multipliers.
  const bool inequalities = std::any_of(equations.rows.begin(), equations.rows.end(),
                                        [](const analysis::EquationRow& row) { return !is_equation(row.kind); });
  if (!equations.rows.empty()) {
    out += "\\subsection*{Multipliers}\n";
    out += oblique        ? "the $\\lambda$ are $\\dot{f}$ of the free rates, the $p$ the columns of the inverse of "
                            "$\\partial(\\varphi, f)/\\partial x$ that belong to the conditions\n"
           : inequalities ? "$\\Phi \\lambda = \\Phi^0$ over the closed conditions, $\\lambda = 0$ for the open ones\n"
                          : "$\\Phi \\lambda = \\Phi^0$\n";
    if (!equations.written) {
      out +=
          "with $\\Phi = J W J^T$, $\\Phi^0 = J W X + F$, where $W$ is the inverse of the mass matrix (left sides)\n";
    }
  }
  for (const analysis::PhiEntry& entry : equations.phi) {
    out += display(fmt::format("\\Phi_{{{},\\,{}}}", names.row(entry.row, entry.row_index),
                               names.row(entry.column, entry.column_index)),
                   names.pieces(entry.value));
  }
  for (std::uint32_t k = 0; k < equations.rows.size(); ++k) {
    const analysis::EquationRow& row = equations.rows[k];
    if (oblique && !equations.written) continue;
    out += display(fmt::format("{}_{{{}}}",
                               oblique             ? "\\lambda"
                               : equations.written ? "\\Phi^0"
                                                   : "F",
                               names.row(k)),
                   names.write(equations.written ? row.free_value : row.curvature));
  }

  // Events.
  if (inequalities) {
    std::string open;
    std::string closed;
    for (std::uint32_t k = 0; k < equations.rows.size(); ++k) {
      if (is_equation(equations.rows[k].kind)) continue;
      open += fmt::format("{}$f_{{{}}} = 0$", open.empty() ? "" : ", ", names.row(k));
      closed += fmt::format("{}${} = 0$", closed.empty() ? "" : ", ", names.write(equations.rows[k].multiplier));
    }
    out += "\\subsection*{Events}\nAn open condition closes when " + open + ".\n\nA closed one opens when " + closed +
           ".\n";
  }
  const bool families =
      std::any_of(symbols.bodies.begin(), symbols.bodies.end(), [](const auto& body) { return !body.ranges.empty(); });
  if (families) {
    out += "\n\\medskip Multipliers of members that do not exist are 0.";
    if (names.used_brackets()) out += " A bracket such as $[i = 3]$ is 1 where it is true, else 0.";
    out += "\n";
  }
  return out + "\\end{document}\n";
}

}  // namespace zwang::report
