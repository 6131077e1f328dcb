/// The equations of motion as an HTML fragment with MathML.
#include "zwang/report/equations_mathml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "zwang/base/escape.hpp"
#include "zwang/base/number.hpp"
#include "zwang/expressions/mathml.hpp"
#include "zwang/model/read.hpp"
#include "zwang/report/equations_names.hpp"
#include "zwang/report/newton_euler.hpp"

namespace zwang::report {

using expressions::mathml;
using expressions::Notation;

namespace {

constexpr std::size_t mathml_line = 44;       // signs that fit on a line
constexpr std::size_t longest_formula = 20;   // lines of one formula
constexpr std::size_t most_written = 40;      // bodies and conditions of the file, beyond which nothing is written out
constexpr std::size_t most_mathml = 190'000;  // bytes of all formulas together
constexpr std::size_t most_shown = 24;        // formulas of a section
constexpr std::size_t most_latex = 6000;      // bytes of one formula

/// Formulas below one another.
class Formulas {
 public:
  void add(const std::string& left, const std::string& right) {
    if (shown_ == most_shown || right.size() > most_latex) {
      ++left_out_;
      return;
    }
    const std::vector<std::string> lines = broken_formula(right, mathml_line);
    if (lines.size() > longest_formula) {
      ++left_out_;
      return;
    }
    ++shown_;
    // Every line is a formula of its own, so that a narrow page can scroll the long ones; what goes on below is indented. A
    // long left side stands alone.
    const bool apart =
        formula_signs(left) > mathml_line / 2 && formula_signs(left) + formula_signs(lines[0]) > mathml_line;
    if (apart) put("formula", mathml(left));
    for (std::size_t k = 0; k < lines.size(); ++k) {
      std::string right_side = mathml(lines[k]);
      if (k == 0) {
        put(apart ? "formula continued" : "formula",
            (apart ? std::string(indent) : mathml(left)) + "<mo>=</mo>" + right_side);
        continue;
      }
      // The sign at the beginning joins two terms.
      for (const std::string sign : {"<mrow><mo>+</mo>", "<mrow><mo>−</mo>"}) {
        if (right_side.starts_with(sign)) right_side.insert(std::string("<mrow><mo").size(), " form=\"infix\"");
      }
      put("formula continued", std::string(indent) + right_side);
    }
  }

  /// What was added since the last call.
  [[nodiscard]] std::string take() { return std::exchange(rows_, {}); }
  [[nodiscard]] std::string sentence() const {
    if (left_out_ == 0) return {};
    return fmt::format(
        "<p class=\"left-out\">{} more, not shown here: <code>zwang equations</code> writes out all.</p>\n", left_out_);
  }
  [[nodiscard]] bool full() const { return shown_ == most_shown; }
  void skip() { ++left_out_; }

 private:
  static constexpr std::string_view indent = "<mspace width=\"2em\"/>";
  void put(std::string_view style, const std::string& content) {
    rows_ += fmt::format(
        "<div class=\"{}\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\" "
        "displaystyle=\"true\"><mrow>{}</mrow></math></div>\n",
        style, content);
  }

  std::string rows_;
  std::size_t shown_ = 0;
  std::size_t left_out_ = 0;
};

std::string inline_math(const std::string& latex) {
  return "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">" + mathml(latex) + "</math>";
}

std::string title(const char* text) { return fmt::format("<h3>{}</h3>\n", text); }

std::string energies(const EquationNames& names, const analysis::Equations& equations) {
  Formulas formulas;
  if (!equations.symbols.flow) formulas.add("T", names.energy(equations.kinetic));
  if (!equations.potential.empty()) formulas.add("V", names.energy(equations.potential));
  const std::string body = formulas.take() + formulas.sentence();
  return body.empty() ? body : title("Energies") + body;
}

std::string conditions(const model::Model& model, const EquationNames& names, const analysis::Equations& equations) {
  if (equations.rows.empty()) return {};
  const model::Symbols& symbols = equations.symbols;
  Formulas formulas;
  std::string out = title("Conditions and their derivatives");
  for (const analysis::EquationRow& row : equations.rows) {
    if (formulas.full()) {
      formulas.skip();
      continue;
    }
    const model::SymbolicCondition& member = symbols.conditions[row.member];
    const model::Condition& condition = model.conditions[member.condition];
    if (row.component == 0) {
      std::string kind(words(row.kind));
      if (row.variational) kind += ", variational law";
      if (condition.seizure) kind += fmt::format(", from t = {} on", exact(condition.at));
      if (!member.ranges.empty()) kind += ", for " + inline_math(names.ranges(member.ranges));
      out += formulas.take() + fmt::format("<p><strong>{}</strong>: <code>{}</code> ({})</p>\n",
                                           xml_escaped(condition.name), xml_escaped(condition.text), kind);
    }
    const std::string base =
        condition.components > 1 && !condition.compound ? fmt::format("_{{{}}}", "xyz"[row.component]) : "";
    formulas.add("f" + base, names.write(row.f));
    if (is_holonomic(row.kind) || !symbols.flow) formulas.add("\\dot{f}" + base, names.write(row.first));
    if (is_holonomic(row.kind) && !symbols.flow) formulas.add("\\ddot{f}" + base, names.write(row.second));
  }
  return out + formulas.take() + formulas.sentence();
}

std::string motion(const EquationNames& names, const analysis::Equations& equations) {
  const model::Symbols& symbols = equations.symbols;
  const bool oblique = symbols.flow && !symbols.free.empty();
  Formulas formulas;
  std::string out = title(symbols.flow ? "Rates" : "Equations of motion");
  for (const analysis::EquationLine& line : equations.lines) {
    if (formulas.full()) {
      formulas.skip();
      continue;
    }
    const model::SymbolicBody& body = symbols.bodies[line.member];
    if (line.component == 0 && !body.ranges.empty()) {
      out += formulas.take() + "<p>for " + inline_math(names.ranges(body.ranges)) + "</p>\n";
    }
    std::vector<analysis::Piece> right = line.force;
    right.insert(right.end(), line.reaction.begin(), line.reaction.end());
    const std::string rest = oblique && !equations.written ? " - \\sum \\lambda \\, p" : "";
    formulas.add(names.pieces(line.left), names.pieces(right) + rest);
  }
  out += formulas.take() + formulas.sentence();

  // Where the multipliers come from.
  const bool inequalities = std::any_of(equations.rows.begin(), equations.rows.end(),
                                        [](const analysis::EquationRow& row) { return !is_equation(row.kind); });
  if (!equations.rows.empty() && !oblique) {
    out += "<p>The multipliers " + inline_math("\\lambda") +
           (inequalities
                ? " of closed conditions are those for which they stay closed; none is negative, and those of open "
                  "conditions are zero."
                : " are those for which the conditions stay fulfilled.");
    out += "</p>\n";
  }
  const bool families =
      std::any_of(symbols.bodies.begin(), symbols.bodies.end(), [](const auto& body) { return !body.ranges.empty(); });
  if (families) {
    out += "<p>Multipliers of members that do not exist are zero.";
    if (names.used_brackets())
      out += " A bracket such as " + inline_math("[i = 3]") + " is 1 where it is true, else 0.";
    out += "</p>\n";
  }
  return out;
}

}  // namespace

std::string equations_mathml(const model::Model& model, const analysis::Equations& equations) {
  const EquationNames names(model, equations, Notation::latex);
  std::string out;
  if (const std::vector<std::string> parameters = names.parameters(); !parameters.empty()) {
    out += "<p>with ";
    for (std::size_t k = 0; k < parameters.size() && k < most_shown; ++k) {
      out += (k == 0 ? "" : ", ") + inline_math(parameters[k]);
    }
    out += parameters.size() > most_shown ? ", …</p>\n" : "</p>\n";
  }
  Formulas roots;
  for (std::uint32_t k = 0; k < equations.roots.size(); ++k) {
    roots.add(names.root(k), "\\sqrt{" + names.write(equations.roots[k].sum) + "}");
  }
  out += roots.take() + roots.sentence();
  return out + energies(names, equations) + conditions(model, names, equations) + motion(names, equations);
}

std::string equations_mathml(const model::Model& model, const analysis::NewtonEuler& equations) {
  const BodyNames names(model, equations.vectors, Notation::latex);
  std::string out;
  Formulas energies_shown;
  energies_shown.add("T", names.write(equations.kinetic));
  energies_shown.add("V", names.write(equations.potential));
  out += title("Energies") + energies_shown.take() + energies_shown.sentence();

  // Conditions.
  Formulas rows;
  if (!equations.rows.empty()) out += title("Conditions and their derivatives");
  for (const analysis::NamedRow& row : equations.rows) {
    if (!row.f || rows.full()) {
      rows.skip();
      continue;
    }
    const bool holonomic = is_holonomic(model.row_kind[row.row]);
    out += rows.take() + fmt::format("<p><strong>{}</strong>: <code>{}</code> ({})</p>\n",
                                     xml_escaped(model::row_name(model, row.row)),
                                     xml_escaped(model::condition_of(model, row.row).text),
                                     words(model.row_kind[row.row]));
    rows.add("f", names.write(*row.f));
    rows.add("\\dot{f}", names.write(holonomic ? row.first : row.second));
    if (holonomic) rows.add("\\ddot{f}", names.write(row.second));
  }
  out += rows.take() + rows.sentence();

  // Newton and Euler: every force behind its name.
  out += title("Equations of motion");
  Formulas motion_shown;
  for (const analysis::BodyEquation& one : equations.bodies) {
    if (motion_shown.full()) {
      motion_shown.skip();
      continue;
    }
    const auto list = [&](const std::string& left, bool turning) {
      out += motion_shown.take() + "<p>" + inline_math(left) + " is the sum of</p>\n";
      for (const analysis::NamedLoad& load : one.loads) {
        std::string text;
        if (!turning && !load.load.force.terms.empty()) text = names.write(load.load.force);
        if (turning && !load.load.torque.terms.empty()) text = names.write(load.load.torque);
        if (turning && text.empty() && !equations.vectors.graph.is_number(load.load.turn, 0))
          text = names.write(load.load.turn);
        if (!text.empty()) motion_shown.add("\\text{" + load.name + "}", text);
      }
    };
    list(names.newton_left(one), false);
    if (one.euler.empty()) continue;
    list(names.torque(one.of), true);
    for (std::uint32_t k = 0; k < one.euler.size(); ++k) {
      const auto [left, right] = names.euler(one, k);
      motion_shown.add(left, right);
    }
  }
  out += motion_shown.take() + motion_shown.sentence();
  return out + "<p>Vectors of the fixed frame: " + inline_math("\\mathbf{r}") + " places, " +
         inline_math("\\mathbf{a}") + " arms from a centre to a mark, " + inline_math("\\omega") + " spins, " +
         inline_math("\\mathbf{N}") + " torques about the centre; " + inline_math("R") + " turns a body, " +
         inline_math("w") + " is the spin in its own axes.</p>\n";
}

std::string equations_mathml(const model::Model& model) {
  const model::Draft draft = model::read(model.text, model.file);
  const auto short_enough = [](std::string text) {
    if (text.size() <= most_mathml) return text;
    return std::string(
        "<p class=\"left-out\">The equations are too long to be read here: <code>zwang equations</code> writes out "
        "all.</p>\n");
  };
  if (const std::optional<analysis::NewtonEuler> bodies = analysis::newton_euler(draft, model)) {
    return short_enough(equations_mathml(model, *bodies));
  }
  if (const std::optional<std::uint32_t> one = analysis::too_long(model)) {
    return fmt::format("<p class=\"left-out\">The distances of the contact {} have too many parts to be read.</p>\n",
                       model.conditions[*one].name);
  }
  // A condition of several parts is read part by part.
  std::size_t written = model.bodies.size();
  for (const model::Condition& condition : model.conditions) written += condition.compound ? condition.components : 1;
  if (written > most_written) {
    return fmt::format(
        "<p class=\"left-out\">The file names {} bodies and conditions one by one, too many to be read here: "
        "<code>zwang equations</code> writes out all.</p>\n",
        written);
  }
  return short_enough(equations_mathml(model, analysis::equations(draft, model)));
}

}  // namespace zwang::report
