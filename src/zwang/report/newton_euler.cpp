/// What stands in newton_euler.hpp.
#include "zwang/report/newton_euler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "zwang/base/escape.hpp"
#include "zwang/base/number.hpp"
#include "zwang/expressions/tidy.hpp"
#include "zwang/report/equations_names.hpp"
#include "zwang/report/text_page.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/version.hpp"

namespace zwang::report {

using analysis::BodyEquation;
using analysis::Direction;
using analysis::DirectionSort;
using analysis::NamedLoad;
using analysis::NamedRow;
using analysis::NewtonEuler;
using analysis::OfBody;
using analysis::Scalar;
using analysis::ScalarSort;
using analysis::VectorSum;
using analysis::VectorTerm;
using expressions::Expr;
using expressions::Notation;
using expressions::Symbol;
using expressions::SymbolKind;

namespace {

constexpr std::size_t latex_width = 72;  // signs that fit on a line

int rank_of(const analysis::Vectors& vectors, Symbol symbol) {
  if (symbol.kind != SymbolKind::constant) return 15;
  switch (vectors.scalars[symbol.index].sort) {
    case ScalarSort::parameter:
    case ScalarSort::pi: return 0;
    case ScalarSort::multiplier: return -70;
    case ScalarSort::turn_acceleration:
    case ScalarSort::own_spin_rate: return 60;
    case ScalarSort::turn_rate:
    case ScalarSort::own_spin: return 40;
    default: return 20;
  }
}

/// A sum begun with `out`, and one more term with its sign.
void join_term(std::string& out, const std::string& term) {
  if (out.empty()) {
    out = term;
  } else if (term.starts_with('-')) {
    out += " - " + term.substr(1);
  } else {
    out += " + " + term;
  }
}

/// Does a sign stand outside of all parentheses, behind the beginning?
bool is_sum(const std::string& text) {
  int depth = 0;
  for (std::size_t k = 0; k + 2 < text.size(); ++k) {
    if (text[k] == '(' || text[k] == '[' || text[k] == '{') ++depth;
    if (text[k] == ')' || text[k] == ']' || text[k] == '}') --depth;
    if (depth == 0 && text[k] == ' ' && (text[k + 1] == '+' || text[k + 1] == '-') && text[k + 2] == ' ') return true;
  }
  return false;
}

std::string kind_of(const model::Model& model, std::uint32_t row) {
  const model::Condition& condition = model::condition_of(model, row);
  std::string kind(words(model.row_kind[row]));
  if (condition.seizure) kind += fmt::format(", from t = {} on", exact(condition.at));
  return kind;
}

bool has_inequalities(const model::Model& model, const NewtonEuler& equations) {
  return std::any_of(equations.rows.begin(), equations.rows.end(),
                     [&](const NamedRow& row) { return !is_equation(model.row_kind[row.row]); });
}

/// What a load adds to one of both equations; "" if nothing.
std::string force_of(const BodyNames& names, const NamedLoad& one) {
  return one.load.force.terms.empty() ? "" : names.write(one.load.force);
}
std::string torque_of(const BodyNames& names, const NewtonEuler& equations, const NamedLoad& one) {
  if (!one.load.torque.terms.empty()) return names.write(one.load.torque);
  return equations.vectors.graph.is_number(one.load.turn, 0) ? "" : names.write(one.load.turn);
}

/// Springs act until they are let go.
std::vector<std::string> until_let_go(const model::Model& model) {
  std::vector<std::string> out;
  for (const model::Release& release : model.releases) {
    if (release.springs.empty()) continue;
    const std::string when = release.when.empty() ? fmt::format("at t = {}", exact(release.at))
                                                  : "when " + model.truths[release.when[0]].text;
    out.push_back(fmt::format("{} acts until it is let go, {}.", release.name, when));
  }
  return out;
}

std::string inertia_of(const model::Model& model, OfBody of) {
  const std::vector<double>& inertia = model.rigids[of.body].inertia;
  if (!model.bodies[of.body].turns()) return exact(inertia[of.member]);
  const double* own = &inertia[9 * std::size_t{of.member}];
  const auto row = [&](std::size_t i) {
    return fmt::format("[{}, {}, {}]", exact(own[3 * i]), exact(own[3 * i + 1]), exact(own[3 * i + 2]));
  };
  const bool diagonal = own[1] == 0 && own[2] == 0 && own[5] == 0;
  if (diagonal) return fmt::format("[{}, {}, {}]", exact(own[0]), exact(own[4]), exact(own[8]));
  return fmt::format("[{}, {}, {}]", row(0), row(1), row(2));
}

}  // namespace

BodyNames::BodyNames(const model::Model& model, const analysis::Vectors& vectors, Notation notation)
    : model_(model), vectors_(vectors), latex_(notation == Notation::latex) {
  script_.notation = latex_ ? Notation::latex : Notation::text;
  script_.names = [this](Symbol symbol) { return name(symbol); };
  script_.ranks = [this](Symbol symbol) { return rank_of(vectors_, symbol); };
}

std::string BodyNames::word(const std::string& name) const {
  if (!latex_) return name;
  std::string out;
  for (const char c : name) out += c == '_' ? std::string("\\_") : std::string(1, c);
  return "\\mathrm{" + out + "}";
}

std::string BodyNames::body(OfBody of) const { return word(model::member_name(model_.bodies[of.body], of.member)); }

std::string BodyNames::write(Expr e) const { return expressions::write(vectors_.graph, e, script_); }

std::string BodyNames::name(Symbol symbol) const {
  if (symbol.kind != SymbolKind::constant) return "t";
  const Scalar& s = vectors_.scalars[symbol.index];
  const auto below = [&](const char* text, const char* letter, const std::string& under) {
    return latex_ ? fmt::format("{}_{{{}}}", letter, under) : fmt::format("{}_{}", text, under);
  };
  const char axis = "xyz"[s.component];
  switch (s.sort) {
    case ScalarSort::parameter: {
      const model::Parameter& parameter = model_.parameters[s.number];
      if (parameter.value.size() == 1) return latex_ ? word(parameter.name) : parameter.name;
      return latex_ ? fmt::format("{}_{{{}}}", word(parameter.name), axis) : fmt::format("{}.{}", parameter.name, axis);
    }
    case ScalarSort::pi: return latex_ ? "\\pi" : "pi";
    case ScalarSort::angle: return latex_ ? "\\varphi_{" + body(s.of) + "}" : body(s.of) + ".angle";
    case ScalarSort::turn_rate: return latex_ ? "\\dot{\\varphi}_{" + body(s.of) + "}" : body(s.of) + ".spin";
    case ScalarSort::turn_acceleration: return latex_ ? "\\ddot{\\varphi}_{" + body(s.of) + "}" : body(s.of) + ".spin'";
    case ScalarSort::component: return component(s);
    case ScalarSort::dot:
      return latex_ ? fmt::format("\\left({} \\cdot {}\\right)", bracket({write(s.left)}, "("),
                                  bracket({write(s.right)}, "("))
                    : fmt::format("dot({}, {})", write(s.left), write(s.right));
    case ScalarSort::length:
      return latex_ ? fmt::format("|{}|", write(s.left)) : fmt::format("norm({})", write(s.left));
    case ScalarSort::plane_cross:
      return latex_ ? fmt::format("\\left({} \\times {}\\right)", bracket({write(s.left)}, "("),
                                  bracket({write(s.right)}, "("))
                    : fmt::format("cross({}, {})", write(s.left), write(s.right));
    case ScalarSort::own_spin:
      return latex_ ? fmt::format("w_{{{},{}}}", body(s.of), axis) : fmt::format("w_{}.{}", body(s.of), axis);
    case ScalarSort::own_spin_rate:
      return latex_ ? fmt::format("\\dot{{w}}_{{{},{}}}", body(s.of), axis) : fmt::format("w_{}.{}'", body(s.of), axis);
    case ScalarSort::multiplier: return below("lambda", "\\lambda", word(model::row_name(model_, s.number)));
    case ScalarSort::turning:
      return latex_ ? fmt::format("\\partial f_{{{}}} / \\partial \\varphi_{{{}}}",
                                  word(model::row_name(model_, s.number)), body(s.of))
                    : fmt::format("turning(f_{}, {})", model::row_name(model_, s.number), body(s.of));
  }
  return {};
}

std::string BodyNames::component(const Scalar& s) const {
  const Direction& d = vectors_.directions[s.number];
  const char axis = "xyz"[s.component];
  unsigned dots = 0;
  if (d.sort == DirectionSort::velocity || d.sort == DirectionSort::mark_velocity) dots = 1;
  if (d.sort == DirectionSort::acceleration || d.sort == DirectionSort::mark_acceleration) dots = 2;
  const bool marked = d.sort == DirectionSort::mark || d.sort == DirectionSort::mark_velocity ||
                      d.sort == DirectionSort::mark_acceleration;
  const bool place =
      d.sort == DirectionSort::place || d.sort == DirectionSort::velocity || d.sort == DirectionSort::acceleration;
  if (marked || place) {
    std::string whole = model::member_name(model_.bodies[d.of.body], d.of.member);
    if (marked) whole += "." + model_.rigids[d.of.body].marks[d.number].name;
    if (!latex_) return fmt::format("{}.{}{}", whole, axis, std::string(dots, '\''));
    const std::string letter = dots == 0   ? std::string(1, axis)
                               : dots == 1 ? fmt::format("\\dot{{{}}}", axis)
                                           : fmt::format("\\ddot{{{}}}", axis);
    return fmt::format("{}_{{{}}}", letter, word(whole));
  }
  const std::string whole = bracket({direction(s.number)}, "(");
  return latex_ ? fmt::format("\\left({}\\right)_{{{}}}", direction(s.number), axis)
                : fmt::format("{}.{}", whole, axis);
}

/// With "(": one text, in parentheses if it is a sum. Otherwise components in brackets.
std::string BodyNames::bracket(const std::vector<std::string>& parts, std::string_view front) const {
  if (front == "(") {
    if (!is_sum(parts[0]) && !parts[0].starts_with('-')) return parts[0];
    return latex_ ? "\\left(" + parts[0] + "\\right)" : "(" + parts[0] + ")";
  }
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return latex_ ? "\\left(" + out + "\\right)" : "[" + out + "]";
}

std::string BodyNames::direction(std::uint32_t number) const {
  const Direction& d = vectors_.directions[number];
  const auto marked = [&] {
    return model::member_name(model_.bodies[d.of.body], d.of.member) + "." +
           model_.rigids[d.of.body].marks[d.number].name;
  };
  const auto dotted = [&](const char* letter, unsigned dots, const std::string& under) {
    if (!latex_) return under + std::string(dots, '\'');
    const char* command = dots == 0 ? "{}" : dots == 1 ? "\\dot" : "\\ddot";
    return dots == 0 ? fmt::format("\\mathbf{{{}}}_{{{}}}", letter, word(under))
                     : fmt::format("{}{{\\mathbf{{{}}}}}_{{{}}}", command, letter, word(under));
  };
  const std::string plain = model::member_name(model_.bodies[d.of.body], d.of.member);
  switch (d.sort) {
    case DirectionSort::basis: break;
    case DirectionSort::place: return dotted("r", 0, plain);
    case DirectionSort::velocity: return dotted("r", 1, plain);
    case DirectionSort::acceleration: return dotted("r", 2, plain);
    case DirectionSort::mark: return dotted("r", 0, marked());
    case DirectionSort::mark_velocity: return dotted("r", 1, marked());
    case DirectionSort::mark_acceleration: return dotted("r", 2, marked());
    case DirectionSort::arm: return latex_ ? "\\mathbf{a}_{" + word(marked()) + "}" : marked() + " - " + plain;
    case DirectionSort::axis: break;
    case DirectionSort::spin: return latex_ ? "\\omega_{" + word(plain) + "}" : plain + ".spin";
    case DirectionSort::spin_rate: return latex_ ? "\\dot{\\omega}_{" + word(plain) + "}" : plain + ".spin'";
    case DirectionSort::cross:
      return latex_ ? fmt::format("\\left({} \\times {}\\right)", bracket({write(d.left)}, "("),
                                  bracket({write(d.right)}, "("))
                    : fmt::format("cross({}, {})", write(d.left), write(d.right));
    case DirectionSort::gradient:
    case DirectionSort::turning: {
      const std::string row = model::row_name(model_, d.number);
      const bool place = d.sort == DirectionSort::gradient;
      if (!latex_) return fmt::format("{}(f_{}, {})", place ? "gradient" : "turning", row, plain);
      return fmt::format("\\partial f_{{{}}} / \\partial {}_{{{}}}", word(row), place ? "\\mathbf{r}" : "\\theta",
                         word(plain));
    }
  }
  return plain_sum({{Expr{}, number}}, d.size, true);
}

/// Terms with their factors (`alone`: without); the fixed frame's and every body's axes are gathered.
std::string BodyNames::plain_sum(const std::vector<VectorTerm>& terms, std::uint32_t size, bool alone) const {
  std::string out;
  const auto factor_of = [&](const VectorTerm& term) { return alone ? std::string("1") : write(term.factor); };
  std::set<std::size_t> done;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (done.contains(k)) continue;
    const Direction& d = vectors_.directions[terms[k].direction];
    if (d.sort == DirectionSort::basis || d.sort == DirectionSort::axis) {
      std::vector<std::string> parts(size, "0");
      bool minus = true;
      for (std::size_t j = k; j < terms.size(); ++j) {
        const Direction& other = vectors_.directions[terms[j].direction];
        if (other.sort != d.sort || other.of != d.of) continue;
        parts[other.number] = factor_of(terms[j]);
        minus = minus && parts[other.number].starts_with('-') && !is_sum(parts[other.number]);
        done.insert(j);
      }
      if (minus) {
        for (std::string& part : parts) {
          if (part != "0") part.erase(0, 1);
        }
      }
      std::string whole = bracket(parts, "[");
      const std::string of = model::member_name(model_.bodies[d.of.body], d.of.member);
      if (d.sort == DirectionSort::axis) {
        whole = latex_ ? fmt::format("R_{{{}}} {}", word(of), whole) : fmt::format("axis({}, {})", of, whole);
      }
      join_term(out, (minus ? "-" : "") + whole);
      continue;
    }
    const std::string text = direction(terms[k].direction);
    const std::string factor = factor_of(terms[k]);
    if (factor == "1") {
      join_term(out, text);
    } else if (factor == "-1") {
      join_term(out, "-" + bracket({text}, "("));
    } else {
      const std::string times = latex_ ? " \\, " : "*";
      join_term(out, factor_text(terms[k].factor) + times + bracket({text}, "("));
    }
  }
  return out.empty() ? "0" : out;
}

std::string BodyNames::write(const VectorSum& v) const {
  // A factor that all terms have in common stands before them.
  if (v.terms.size() > 1) {
    const Expr rest = vectors_.graph.term(v.terms[0].factor).rest;
    const bool common =
        !vectors_.graph.is_number(rest, 1) && std::all_of(v.terms.begin(), v.terms.end(), [&](const VectorTerm& term) {
          return vectors_.graph.term(term.factor).rest == rest;
        });
    if (common) {
      const double first = vectors_.graph.term(v.terms[0].factor).coefficient;
      std::string inside;
      bool plain = true;
      for (const VectorTerm& term : v.terms) {
        const Direction& d = vectors_.directions[term.direction];
        plain = plain && d.sort != DirectionSort::basis && d.sort != DirectionSort::axis;
        const double ratio = vectors_.graph.term(term.factor).coefficient / first;
        const std::string text = bracket({direction(term.direction)}, "(");
        const std::string times = latex_ ? " \\, " : "*";
        join_term(inside, ratio == 1 ? text : ratio == -1 ? "-" + text : exact(ratio) + times + text);
      }
      if (plain) {
        const std::string front = factor_text(v.terms[0].factor);
        return front + (latex_ ? " \\, " : "*") + bracket({inside}, "(");
      }
    }
  }
  return plain_sum(v.terms, v.size, false);
}

std::string BodyNames::factor_text(Expr factor) const {
  const bool sum = vectors_.graph.node(factor).kind == expressions::NodeKind::sum;
  return sum ? expressions::write_factor(vectors_.graph, factor, script_) : write(factor);
}

std::string BodyNames::newton_left(const BodyEquation& one) const {
  const std::string mass = factor_text(one.mass);
  const std::string plain = model::member_name(model_.bodies[one.of.body], one.of.member);
  if (latex_) return fmt::format("{} \\, \\ddot{{\\mathbf{{r}}}}_{{{}}}", mass, word(plain));
  return mass == "1" ? plain + "''" : fmt::format("{}*{}''", mass, plain);
}

std::string BodyNames::torque(OfBody of) const { return latex_ ? "\\mathbf{N}_{" + body(of) + "}" : "N_" + body(of); }

std::pair<std::string, std::string> BodyNames::euler(const BodyEquation& one, std::uint32_t k) const {
  const std::string left = write(one.euler[k]);
  if (one.euler.size() == 1) return {left, torque(one.of)};
  std::vector<std::string> axis(3, "0");
  axis[k] = "1";
  const std::string whole = bracket(axis, "[");
  if (latex_) return {left, fmt::format("{} \\cdot R_{{{}}} {}", torque(one.of), body(one.of), whole)};
  return {left, fmt::format("dot({}, axis({}, {}))", torque(one.of), body(one.of), whole)};
}

std::vector<std::string> BodyNames::parameters(const NewtonEuler& equations) const {
  // Those that occur in the table of scalars: it was made from what is written.
  std::set<std::uint32_t> seen;
  for (const Scalar& scalar : equations.vectors.scalars) {
    if (scalar.sort == ScalarSort::parameter) seen.insert(scalar.number);
  }
  std::vector<std::string> out;
  for (const std::uint32_t k : seen) {
    const model::Parameter& parameter = model_.parameters[k];
    std::string value;
    for (const double v : parameter.value) value += (value.empty() ? "" : ", ") + exact(v);
    if (parameter.value.size() > 1) value = latex_ ? "(" + value + ")" : "[" + value + "]";
    out.push_back(fmt::format("{} = {}", word(parameter.name), value));
  }
  return out;
}

namespace {

std::string with_commas(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& one : words) out += (out.empty() ? "" : ", ") + one;
  return out;
}

/// The forces of a body below one another, each behind its name.
void list_loads(TextPage& page, const std::vector<std::pair<std::string, std::string>>& loads) {
  std::size_t widest = 0;
  for (const auto& [name, text] : loads) widest = std::max(widest, name.size());
  for (const auto& [name, text] : loads) {
    page.line(fmt::format("      {:<{}}  ", name, std::min<std::size_t>(widest, 20)), text);
  }
  if (loads.empty()) page.line("      ", "0");
}

}  // namespace

std::string newton_euler_text(const model::Model& model, const NewtonEuler& equations, std::size_t width) {
  const BodyNames names(model, equations.vectors, Notation::text);
  TextPage page(width);
  page.line("", plain_line(model.title.empty() ? model.file : model.title), ' ');
  if (const std::vector<std::string> parameters = names.parameters(equations); !parameters.empty()) {
    page.line("  with ", with_commas(parameters), ',');
  }
  page.heading("Energies");
  page.line("  T = ", names.write(equations.kinetic));
  page.line("  V = ", names.write(equations.potential));

  // Conditions and their derivatives.
  if (!equations.rows.empty()) page.heading("Conditions and their derivatives");
  for (const NamedRow& row : equations.rows) {
    const model::Condition& condition = model::condition_of(model, row.row);
    page.line(fmt::format("  {}: ", model::row_name(model, row.row)),
              fmt::format("{}   ({})", condition.text, kind_of(model, row.row)), ' ');
    if (!row.f) continue;
    const bool holonomic = is_holonomic(model.row_kind[row.row]);
    page.line("    f   = ", names.write(*row.f));
    page.line("    f'  = ", names.write(holonomic ? row.first : row.second));
    if (holonomic) page.line("    f'' = ", names.write(row.second));
  }

  // Newton and Euler.
  page.heading("Equations of motion");
  bool turns = false;
  for (const BodyEquation& one : equations.bodies) {
    const bool rigid = !one.euler.empty();
    turns = turns || one.euler.size() == 3;
    if (rigid) {
      page.line("  ", fmt::format("{}, inertia {}", names.body(one.of), inertia_of(model, one.of)));
    } else {
      page.line("  ", names.body(one.of));
    }
    std::vector<std::pair<std::string, std::string>> forces;
    std::vector<std::pair<std::string, std::string>> torques;
    for (const NamedLoad& load : one.loads) {
      if (const std::string text = force_of(names, load); !text.empty()) forces.emplace_back(load.name, text);
      if (const std::string text = torque_of(names, equations, load); !text.empty())
        torques.emplace_back(load.name, text);
    }
    page.line("    ", fmt::format("{} = the sum of", names.newton_left(one)));
    list_loads(page, forces);
    if (!rigid) continue;
    page.line("    ", fmt::format("{} = the sum of", names.torque(one.of)));
    list_loads(page, torques);
    for (std::uint32_t k = 0; k < one.euler.size(); ++k) {
      const auto [left, right] = names.euler(one, k);
      page.line(fmt::format("    {} = ", left), right);
    }
  }

  // What the names mean.
  page.blank();
  page.line("", "Vectors of the fixed frame. A mark less its body is the arm from the centre; N are torques about it.",
            ' ');
  if (turns) {
    page.line("", "w is the spin in the body's own axes: w.x = dot(spin, axis(body, [1, 0, 0])), and so on.", ' ');
  }
  if (equations.unwritten) {
    page.line(
        "",
        "gradient(f, b) and turning(f, b) are the derivatives of f by the place and by the rotation of b, too long "
        "to be written out.",
        ' ');
  }
  for (const std::string& sentence : until_let_go(model)) page.line("", sentence, ' ');
  if (equations.rows.empty()) return page.text();
  const bool inequalities = has_inequalities(model, equations);
  page.line("",
            inequalities
                ? "Multipliers: the last derivatives of all equations and closed inequalities are 0; none of a "
                  "closed inequality is negative, those of open ones are 0."
                : "Multipliers: those for which the last derivatives of all conditions are 0.",
            ' ');
  if (inequalities) {
    std::vector<std::string> open;
    std::vector<std::string> closed;
    for (const NamedRow& row : equations.rows) {
      if (is_equation(model.row_kind[row.row])) continue;
      open.push_back(fmt::format("f_{} = 0", model::row_name(model, row.row)));
      closed.push_back(fmt::format("lambda_{} = 0", model::row_name(model, row.row)));
    }
    page.heading("Events");
    page.line("  an open one closes when  ", with_commas(open), ',');
    page.line("  a closed one opens when  ", with_commas(closed), ',');
  }
  return page.text();
}

namespace {

std::string shown_formula(const std::string& left, const std::string& right) {
  const std::vector<std::string> lines = broken_formula(right, latex_width);
  std::string out = "\\begin{align*}\n" + left + " &= " + lines[0];
  for (std::size_t k = 1; k < lines.size(); ++k) out += " \\\\\n &\\quad {}" + lines[k];
  return out + "\n\\end{align*}\n";
}

/// A sum with one term in each line, named at its side.
std::string shown_loads(const std::string& left, const std::vector<std::pair<std::string, std::string>>& loads) {
  std::string out = "\\begin{align*}\n" + left + " &= ";
  for (std::size_t k = 0; k < loads.size(); ++k) {
    const std::vector<std::string> lines = broken_formula(loads[k].second, latex_width);
    if (k > 0) out += loads[k].second.starts_with('-') ? " \\\\\n & {}" : " \\\\\n & {} + ";
    for (std::size_t l = 0; l < lines.size(); ++l) out += (l == 0 ? "" : " \\\\\n &\\quad {}") + lines[l];
    out += " && \\text{(" + latex_escaped(loads[k].first) + ")}";
  }
  if (loads.empty()) out += "0";
  return out + "\n\\end{align*}\n";
}

}  // namespace

std::string newton_euler_latex(const model::Model& model, const NewtonEuler& equations) {
  const BodyNames names(model, equations.vectors, Notation::latex);
  std::string out =
      "\\documentclass[a4paper]{article}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n\\setlength{\\parindent}{0pt}\n"
      "\\setlength{\\textwidth}{17cm}\n\\setlength{\\oddsidemargin}{-0.5cm}\n\\begin{document}\n";
  out += "\\section*{" + latex_escaped(model.title.empty() ? model.file : model.title) + "}\n";
  if (const std::vector<std::string> parameters = names.parameters(equations); !parameters.empty()) {
    out += "with ";
    for (std::size_t k = 0; k < parameters.size(); ++k) out += (k == 0 ? "$" : ", $") + parameters[k] + "$";
    out += "\n";
  }
  out += "\\subsection*{Energies}\n" + shown_formula("T", names.write(equations.kinetic));
  out += shown_formula("V", names.write(equations.potential));
  if (!equations.rows.empty()) out += "\\subsection*{Conditions and their derivatives}\n";
  for (const NamedRow& row : equations.rows) {
    const model::Condition& condition = model::condition_of(model, row.row);
    out += fmt::format("\\paragraph{{{}}} \\texttt{{{}}} ({})\n", latex_escaped(model::row_name(model, row.row)),
                       latex_escaped(condition.text), kind_of(model, row.row));
    if (!row.f) continue;
    const bool holonomic = is_holonomic(model.row_kind[row.row]);
    out += shown_formula("f", names.write(*row.f));
    out += shown_formula("\\dot{f}", names.write(holonomic ? row.first : row.second));
    if (holonomic) out += shown_formula("\\ddot{f}", names.write(row.second));
  }
  out += "\\subsection*{Equations of motion}\n";
  for (const BodyEquation& one : equations.bodies) {
    out +=
        fmt::format("\\paragraph{{{}}}\n", latex_escaped(model::member_name(model.bodies[one.of.body], one.of.member)));
    std::vector<std::pair<std::string, std::string>> forces;
    std::vector<std::pair<std::string, std::string>> torques;
    for (const NamedLoad& load : one.loads) {
      if (const std::string text = force_of(names, load); !text.empty()) forces.emplace_back(load.name, text);
      if (const std::string text = torque_of(names, equations, load); !text.empty())
        torques.emplace_back(load.name, text);
    }
    out += shown_loads(names.newton_left(one), forces);
    if (one.euler.empty()) continue;
    out += shown_loads(names.torque(one.of), torques);
    for (std::uint32_t k = 0; k < one.euler.size(); ++k) {
      const auto [left, right] = names.euler(one, k);
      out += shown_formula(left, right);
    }
  }
  out +=
      "$\\mathbf{r}$ are places, $\\mathbf{a}$ arms from a centre to a mark, $\\omega$ spins, all in the fixed frame; "
      "$\\mathbf{N}$ torques about the centre, $R$ the turn of a body, $w$ the spin in the body's own axes.\n";
  for (const std::string& sentence : until_let_go(model)) out += latex_escaped(sentence) + "\n";
  if (!equations.rows.empty()) {
    out += has_inequalities(model, equations)
               ? "The last derivatives of all equations and closed inequalities are 0; no $\\lambda$ of a closed "
                 "inequality is negative, those of open ones are 0.\n"
               : "The $\\lambda$ are those for which the last derivatives of all conditions are 0.\n";
  }
  return out + "\\end{document}\n";
}

std::string newton_euler_json(Notation notation, const model::Model& model, const NewtonEuler& equations) {
  const bool latex = notation == Notation::latex;
  const BodyNames names(model, equations.vectors, latex ? Notation::latex : Notation::text);
  Writer json;
  json.open();
  json.put("zwang", version);
  json.put("model", model.title.empty() ? model.file : model.title);
  json.put("format", latex ? "latex" : "text");
  json.put("form", "newton-euler");
  json.open("parameters");
  for (const model::Parameter& parameter : model.parameters) {
    if (parameter.value.size() == 1) {
      json.put(parameter.name, parameter.value[0]);
    } else {
      json.put(parameter.name, parameter.value);
    }
  }
  json.close();
  json.put("kinetic", names.write(equations.kinetic));
  json.put("potential", names.write(equations.potential));

  // Two entries of a rigid body: its centre, and its turning.
  const auto put_loads = [&](const BodyEquation& one, bool turning) {
    std::string force;
    std::string reaction;
    json.open("terms");
    for (const NamedLoad& load : one.loads) {
      const std::string text = turning ? torque_of(names, equations, load) : force_of(names, load);
      if (text.empty()) continue;
      json.put(load.name, text);
      join_term(load.reaction ? reaction : force, text);
    }
    json.close();
    json.put("force", force.empty() ? "0" : force);
    json.put("reaction", reaction.empty() ? "0" : reaction);
  };
  json.open_list("equations");
  for (const BodyEquation& one : equations.bodies) {
    const std::string of = model::member_name(model.bodies[one.of.body], one.of.member);
    json.open();
    json.put("of", of);
    json.put("left", names.newton_left(one));
    put_loads(one, false);
    json.close();
    if (one.euler.empty()) continue;
    json.open();
    json.put("of", of + ".spin");
    const std::string whole = latex ? "I \\dot{w} + w \\times I w" : "I*w' + cross(w, I*w)";
    json.put("left", one.euler.size() == 1 ? names.write(one.euler[0]) : whole);
    if (one.euler.size() == 3) {
      std::vector<std::string> components;
      for (std::uint32_t k = 0; k < 3; ++k) components.push_back(names.write(one.euler[k]));
      json.put("components", components);
    }
    put_loads(one, true);
    json.close();
  }
  json.close_list();
  json.open("conditions");
  for (const NamedRow& row : equations.rows) {
    json.open(model::row_name(model, row.row));
    json.put("kind", words(model.row_kind[row.row]));
    if (row.f) {
      const bool holonomic = is_holonomic(model.row_kind[row.row]);
      json.put("f", names.write(*row.f));
      json.put("first", names.write(holonomic ? row.first : row.second));
      if (holonomic) json.put("second", names.write(row.second));
    }
    json.put("multiplier", latex ? "\\lambda_{" + model::row_name(model, row.row) + "}"
                                 : "lambda_" + model::row_name(model, row.row));
    json.close();
  }
  json.close();
  json.put("text", latex ? newton_euler_latex(model, equations) : newton_euler_text(model, equations));
  json.close();
  return json.text();
}

}  // namespace zwang::report
