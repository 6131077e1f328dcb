/// The search for integrals: a list of functions, a tall linear system, its null vectors in simple numbers.
#include "zwang/analysis/integrals.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "zwang/analysis/jet.hpp"
#include "zwang/analysis/tolerances.hpp"
#include "zwang/analysis/wide.hpp"
#include "zwang/base/number.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/expressions/write.hpp"

namespace zwang::analysis {

using expressions::Expr;
using expressions::Function;
using expressions::Graph;
using expressions::Node;
using expressions::NodeKind;
using expressions::Symbol;
using expressions::SymbolKind;

namespace {

using Vector = std::vector<double>;

double length(const Vector& a) { return std::sqrt(dot(a, a)); }

/// Values and gradients of many functions at a point.
class Functions {
 public:
  Functions(const PfaffianSystem& system, const std::vector<Expr>& list)
      : system_(system), program_(system.graph, list) {}

  [[nodiscard]] std::vector<ValueAndGradient> at(const Vector& x) const {
    const std::size_t n = system_.columns.size();
    const auto shape = jet_shape(n, 1);
    const auto jets = program_.evaluate<double>(*shape, [&](Symbol symbol) {
      if (symbol.kind == SymbolKind::constant) return constant(*shape, system_.constants[symbol.index].value);
      const std::size_t c = symbol.kind == SymbolKind::time ? system_.time_column : system_.column_of[symbol.index];
      Jet<double> jet = constant(*shape, x[c]);
      jet[1 + c] = 1;
      return jet;
    });
    std::vector<ValueAndGradient> out;
    for (const Jet<double>& jet : jets) out.push_back({jet[0], {jet.begin() + 1, jet.end()}});
    return out;
  }

 private:
  const PfaffianSystem& system_;
  Program program_;
};

/// A number in few signs, if it is one: whole, a short fraction, a short decimal.
bool make_short(double& value) {
  for (int below = 1; below <= 12; ++below) {
    const double above = std::round(value * below);
    if (above != 0 && std::abs(above) <= 1000 && std::abs(value * below - above) <= fraction_digits * std::abs(above)) {
      value = above / below;
      return true;
    }
  }
  const auto decimal = read_number(readable(value, 8));
  if (decimal && std::abs(*decimal - value) <= decimal_digits * std::abs(value)) {
    value = *decimal;
    return true;
  }
  return false;
}

/// Coefficients up to a common factor: the first is positive, whole ones are preferred. Are all of them short now?
bool simplify(Vector& c) {
  const double lead = c[0];
  Vector by_lead;
  for (const double x : c) by_lead.push_back(x / lead);
  double best = 1e9;
  Vector chosen;
  for (const double unit : by_lead) {
    for (int times = 1; times <= 12; ++times) {
      Vector trial;
      double sum = 0;
      for (const double x : by_lead) {
        const double scaled = x / unit * times;
        const double whole = std::round(scaled);
        if (whole == 0 || std::abs(scaled - whole) > multiple_digits * std::max(1.0, std::abs(scaled)) ||
            std::abs(whole) > 12)
          break;
        trial.push_back(whole);
        sum += std::abs(whole);
      }
      if (trial.size() < c.size() || sum >= best) continue;
      best = sum;
      chosen = trial;
    }
  }
  bool all_short = true;
  if (chosen.empty()) {
    chosen = by_lead;
    for (double& x : chosen) all_short = make_short(x) && all_short;
  }
  if (chosen[0] < 0) {
    for (double& x : chosen) x = -x;
  }
  c = chosen;
  return all_short;
}

/// Columns taken one after the other: is a column a combination of those before it?
class Relations {
 public:
  /// Coefficients of earlier columns (by their numbers) that give this one; nothing if it is new, which makes it one of
  /// them.
  struct Relation {
    bool found = false;
    std::vector<std::pair<std::size_t, double>> terms;  ///< column, coefficient
  };
  Relation add(std::size_t number, const Vector& column, double scale, bool keep = true) {
    Relation out;
    Vector rest = column;
    Vector coefficient(basis_.size(), 0.0);
    for (int twice = 0; twice < 2; ++twice) {
      for (std::size_t k = 0; k < basis_.size(); ++k) {
        const double c = dot(basis_[k], rest);
        coefficient[k] += c;
        for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= c * basis_[k][i];
      }
    }
    const double left = length(rest);
    if (left > related_part * scale) {
      if (!keep) return out;
      for (double& x : rest) x /= left;
      coefficient.push_back(left);
      basis_.push_back(std::move(rest));
      triangle_.push_back(std::move(coefficient));
      number_.push_back(number);
      return out;
    }
    // Back through the triangle.
    out.found = true;
    Vector solution(basis_.size(), 0.0);
    for (std::size_t k = basis_.size(); k-- > 0;) {
      double sum = coefficient[k];
      for (std::size_t j = k + 1; j < basis_.size(); ++j) sum -= triangle_[j][k] * solution[j];
      solution[k] = sum / triangle_[k][k];
    }
    for (std::size_t k = 0; k < basis_.size(); ++k) out.terms.emplace_back(number_[k], solution[k]);
    return out;
  }

 private:
  std::vector<Vector> basis_;
  std::vector<Vector> triangle_;  ///< column k of the triangular factor, entries 0..k
  std::vector<std::size_t> number_;
};

class IntegralSearch {
 public:
  IntegralSearch(PfaffianSystem& system, const std::vector<Expr>& known, std::size_t wanted, const PointSource& points)
      : system_(system), graph_(system.graph), wanted_(wanted), points_(points) {
    for (const Expr e : known) levels_.push_back(e);
    collect();
  }

  std::vector<FoundIntegral> run() {
    for (int stage = 0; stage < stages && found_.size() < wanted_; ++stage) {
      look_among(list_of(stage));
    }
    if (found_.size() < wanted_) look_for_factors();
    if (found_.size() < wanted_) {
      // Products of powers of sums.
      std::vector<Expr> list = logarithms();
      for (const auto& more : {logarithms_of_sums(), basic()}) list.insert(list.end(), more.begin(), more.end());
      look_among(list);
    }
    return std::move(found_);
  }

 private:
  static constexpr int stages = 4;
  static constexpr std::size_t most = 360;

  // What to try.

  /// The columns that matter, the functions in the coefficients, their kin.
  void collect() {
    std::set<std::size_t> columns;
    std::set<std::uint32_t> seen;
    const auto visit = [&](const auto& self, Expr e) -> void {
      if (!seen.insert(e.id).second) return;
      const Node node = graph_.node(e);
      const std::vector<Expr> children(node.children.begin(), node.children.end());
      if (node.kind == NodeKind::symbol && node.symbol.kind == SymbolKind::position)
        columns.insert(system_.column_of[node.symbol.index]);
      if (node.kind == NodeKind::symbol && node.symbol.kind == SymbolKind::time) columns.insert(system_.time_column);
      for (const Expr child : children) self(self, child);
      if (!varies(e)) return;
      if (node.kind == NodeKind::function) add_kin(node.function, children);
      if (node.kind == NodeKind::power) add_power(children[0], children[1]);
      if (node.kind == NodeKind::sum) sums_.push_back(e);
    };
    for (const auto& form : system_.pfaffian) {
      for (std::size_t c = 0; c < form.size(); ++c) {
        if (graph_.is_number(form[c], 0)) continue;
        columns.insert(c);
        visit(visit, form[c]);
      }
    }
    for (const std::size_t c : columns) {
      column_.push_back(c);
      variable_.push_back(system_.columns[c].symbol);
    }
  }

  [[nodiscard]] bool varies(Expr e) const { return (graph_.kinds(e) & 3U) != 0; }

  void atom(Expr e) {
    if (varies(e) && std::find(atoms_.begin(), atoms_.end(), e) == atoms_.end()) atoms_.push_back(e);
  }

  void add_kin(Function function, const std::vector<Expr>& a) {
    const auto also = [&](Function other) { atom(graph_.apply(other, a[0])); };
    switch (function) {
      case Function::sin:
      case Function::cos:
        also(Function::sin);
        also(Function::cos);
        break;
      case Function::tan:
        also(Function::sin);
        also(Function::cos);
        also(Function::tan);
        logs_.push_back(graph_.apply(Function::cos, a[0]));
        break;
      case Function::sinh:
      case Function::cosh:
        also(Function::sinh);
        also(Function::cosh);
        break;
      case Function::tanh:
        also(Function::tanh);
        logs_.push_back(graph_.apply(Function::cosh, a[0]));
        break;
      case Function::sqrt: add_power(a[0], graph_.number(0.5)); break;
      default: atom(graph_.apply(function, a));
    }
  }

  void add_power(Expr base, Expr exponent) {
    const Node node = graph_.node(exponent);
    if (node.kind != NodeKind::number) {
      atom(graph_.power(base, exponent));
      return;
    }
    const double p = node.number;
    const bool plain = graph_.node(base).kind == NodeKind::symbol;
    if (std::trunc(p) != p) {
      // Half powers come with their neighbours.
      for (const double q : {p, p + 1, p - 1}) atom(graph_.power(base, graph_.number(q)));
    }
    if (p < 0 && !plain) {
      logs_.push_back(base);
      if (std::trunc(p) == p) {
        for (double q = -1; q >= std::max(p, -3.0); --q) atom(graph_.power(base, graph_.number(q)));
      }
      add_angles(base);
    }
  }

  /// x^2 + y^2 below a line: the angle of x and y; 1 + x^2: the arc tangent.
  void add_angles(Expr base) {
    const Node node = graph_.node(base);
    if (node.kind != NodeKind::sum) return;
    std::vector<Expr> roots;
    const std::vector<Expr> terms(node.children.begin(), node.children.end());
    for (const Expr term : terms) {
      const Node part = graph_.node(term);
      if (part.kind == NodeKind::number && part.number > 0) roots.push_back(graph_.number(std::sqrt(part.number)));
      if (part.kind == NodeKind::power && graph_.is_number(part.children[1], 2)) roots.push_back(part.children[0]);
    }
    if (roots.size() != 2 || terms.size() != 2) return;
    const bool first_is_number = graph_.node(roots[0]).kind == NodeKind::number;
    if (first_is_number || graph_.node(roots[1]).kind == NodeKind::number) {
      atom(graph_.apply(Function::atan, graph_.divide(roots[first_is_number ? 1 : 0], roots[first_is_number ? 0 : 1])));
    } else {
      const Expr both[] = {roots[1], roots[0]};
      atom(graph_.apply(Function::atan2, both));
    }
  }

  /// All monomials of a degree in the variables.
  [[nodiscard]] std::vector<Expr> monomials(unsigned degree) {
    std::vector<Expr> out;
    const auto build = [&](const auto& self, std::size_t from, unsigned left, Expr e) -> void {
      if (left == 0) {
        out.push_back(e);
        return;
      }
      for (std::size_t k = from; k < variable_.size() && out.size() < most; ++k) {
        self(self, k, left - 1, graph_.multiply(e, variable_[k]));
      }
    };
    build(build, 0, degree, graph_.number(1));
    return out;
  }

  /// All products of whole powers with exponents between -reach and reach, simple ones first.
  [[nodiscard]] std::vector<Expr> laurent(int reach) {
    struct Entry {
      int weight;
      Expr e;
    };
    std::vector<Entry> entries;
    const auto build = [&](const auto& self, std::size_t k, int weight, Expr e) -> void {
      if (k == variable_.size()) {
        if (weight > 0) entries.push_back({weight, e});
        return;
      }
      for (int p = -reach; p <= reach; ++p) {
        if (weight + std::abs(p) > 4) continue;
        self(self, k + 1, weight + std::abs(p), graph_.multiply(e, graph_.power(variable_[k], graph_.number(p))));
      }
    };
    build(build, 0, 0, graph_.number(1));
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.weight < b.weight; });
    std::vector<Expr> out;
    for (const Entry& entry : entries) out.push_back(entry.e);
    return out;
  }

  /// log |e|, with the sign that e has at the first point.
  [[nodiscard]] Expr logarithm(Expr e) {
    const double value = Functions(system_, {e}).at(point(0).x)[0].value;
    return graph_.apply(Function::log, value < 0 ? graph_.negate(e) : e);
  }

  [[nodiscard]] std::vector<Expr> products(const std::vector<Expr>& a, const std::vector<Expr>& b) {
    std::vector<Expr> out;
    for (const Expr x : a) {
      for (const Expr y : b) out.push_back(graph_.multiply(x, y));
    }
    return out;
  }

  [[nodiscard]] std::vector<Expr> basic() {
    std::vector<Expr> out = variable_;
    const auto join = [&](const std::vector<Expr>& more) { out.insert(out.end(), more.begin(), more.end()); };
    join(atoms_);
    join(monomials(2));
    join(products(variable_, atoms_));
    return out;
  }

  [[nodiscard]] std::vector<Expr> logarithms() {
    std::vector<Expr> out;
    for (const Expr v : variable_) out.push_back(logarithm(v));
    for (const Expr b : logs_) out.push_back(logarithm(b));
    for (const Expr a : atoms_) {
      const Node node = graph_.node(a);
      if (node.kind == NodeKind::function && (node.function == Function::sin || node.function == Function::cos))
        out.push_back(logarithm(a));
    }
    return out;
  }

  /// Of the sums that occur, as factors that divide out.
  [[nodiscard]] std::vector<Expr> logarithms_of_sums() {
    std::vector<Expr> out;
    for (const Expr e : sums_) {
      if (out.size() < 12) out.push_back(logarithm(e));
    }
    return out;
  }

  [[nodiscard]] std::vector<Expr> list_of(int stage) {
    std::vector<Expr> out = basic();
    const auto join = [&](const std::vector<Expr>& more) { out.insert(out.end(), more.begin(), more.end()); };
    switch (stage) {
      case 0: break;
      case 1:
        join(monomials(3));
        join(products(atoms_, atoms_));
        join(products(monomials(2), atoms_));
        break;
      case 2: {
        // Logarithms first: a product of powers is a sum of them.
        const std::vector<Expr> logs = logarithms();
        out = logs;
        join(basic());
        join(laurent(1));
        join(products(variable_, logs));
        break;
      }
      default:
        if (variable_.size() <= 4) {
          join(laurent(2));
          join(monomials(4));
          join(monomials(5));
          join(products(laurent(1), atoms_));
        } else {
          join(monomials(4));
        }
        if (variable_.size() <= 3) join(monomials(6));
    }
    return out;
  }

  // Points.

  const LeafPoint& point(std::size_t k) {
    while (samples_.size() <= k) {
      LeafPoint sample;
      if (dry_ || !points_(sample)) {
        dry_ = true;
        return samples_.empty() ? nothing_ : samples_.back();
      }
      samples_.push_back(std::move(sample));
    }
    return samples_[k];
  }

  /// The inner product of a gradient with a direction, in units of nothing.
  [[nodiscard]] double size_of(const Vector& gradient) const {
    double sum = 0;
    for (std::size_t c = 0; c < gradient.size(); ++c) {
      const double x = gradient[c] * system_.columns[c].unit;
      sum += x * x;
    }
    return std::sqrt(sum);
  }
  [[nodiscard]] double size_of_direction(const Vector& direction) const {
    double sum = 0;
    for (std::size_t c = 0; c < direction.size(); ++c) {
      const double x = direction[c] / system_.columns[c].unit;
      sum += x * x;
    }
    return std::sqrt(sum);
  }

  // The search.

  static void unique(std::vector<Expr>& list) {
    std::set<std::uint32_t> seen;
    std::erase_if(list, [&](Expr e) { return !seen.insert(e.id).second; });
    if (list.size() > most) list.resize(most);
  }

  void look_among(std::vector<Expr> list) {
    std::erase_if(list, [&](Expr e) { return !varies(e); });
    unique(list);
    if (list.empty() || point(0).x.empty()) return;
    const std::size_t free = point(0).directions.size();
    const std::size_t points = free == 0 ? 8 : (list.size() + 24) / free + 4;
    (void)point(points - 1);
    if (samples_.size() < std::min<std::size_t>(points, 8)) return;

    // Gradients along the closure, column by column; scales are those of the whole gradients.
    const Functions functions(system_, list);
    std::vector<Vector> column(list.size());
    Vector scale(list.size(), 0.0);
    std::vector<bool> usable(list.size(), true);
    for (std::size_t s = 0; s < std::min(points, samples_.size()); ++s) {
      const std::vector<ValueAndGradient> values = functions.at(samples_[s].x);
      for (std::size_t k = 0; k < list.size(); ++k) {
        const double size = size_of(values[k].gradient);
        if (!std::isfinite(size) || !std::isfinite(values[k].value)) usable[k] = false;
        scale[k] += size * size;
        for (const Vector& direction : samples_[s].directions) {
          column[k].push_back(dot(values[k].gradient, direction) / size_of_direction(direction));
        }
      }
    }
    Relations relations;
    for (std::size_t k = 0; k < list.size() && found_.size() < wanted_; ++k) {
      if (!usable[k] || scale[k] == 0) continue;
      const double size = std::sqrt(scale[k]);
      for (double& x : column[k]) x /= size;
      const Relations::Relation relation = relations.add(k, column[k], 1);
      if (!relation.found) continue;
      std::vector<std::pair<std::size_t, double>> terms;
      for (const auto& [other, c] : relation.terms) {
        if (std::abs(c) > no_part) terms.emplace_back(other, -c / std::sqrt(scale[other]));
      }
      terms.emplace_back(k, 1 / size);
      propose(list, terms, column, scale);
    }
  }

  /// A combination that should be an integral: its coefficients anew from the functions that take part, made simple,
  /// verified.
  void propose(const std::vector<Expr>& list, std::vector<std::pair<std::size_t, double>> terms,
               const std::vector<Vector>& column, const Vector& scale) {
    if (terms.size() > 24) return;
    const std::size_t last = terms.back().first;
    Relations few;
    for (std::size_t k = 0; k + 1 < terms.size(); ++k) (void)few.add(terms[k].first, column[terms[k].first], 1);
    const Relations::Relation relation = few.add(last, column[last], 1, false);
    if (relation.found && relation.terms.size() + 1 == terms.size()) {
      for (std::size_t k = 0; k < relation.terms.size(); ++k) {
        terms[k].second = -relation.terms[k].second / std::sqrt(scale[terms[k].first]);
      }
    }
    // In the order of the list, the first coefficient leading.
    std::sort(terms.begin(), terms.end());
    Vector c;
    for (const auto& [k, value] : terms) c.push_back(value);
    const Vector raw = c;
    const bool all_short = simplify(c);
    if (all_short && accept(combination(list, terms, c), short_coefficients)) return;
    // Not as simple as they seemed. Many numbers without a short form are a fit to the points, no function that someone could have meant; on a
    // level, where no far points speak against a fit, already three are many.
    const std::size_t most_terms = levels_.empty() ? 6 : 3;
    if (terms.size() > most_terms) return;
    if (!all_short && accept(combination(list, terms, c), long_coefficients)) return;
    (void)accept(combination(list, terms, raw), long_coefficients);
  }

  /// Far from the points that it was made from a fit fails, an integral does not: d phi is a combination of the forms everywhere, in numbers
  /// of twice the digits to the rounding of the coefficients alone. Points that have to lie on a level are not sought so far away.
  [[nodiscard]] bool holds_far_away(Expr phi, double rounding) const {
    if (!levels_.empty()) return true;
    // All forms, then the terms of phi one by one.
    std::vector<Expr> entries;
    for (const auto& form : system_.pfaffian) entries.insert(entries.end(), form.begin(), form.end());
    const std::size_t first = entries.size();
    const Node node = graph_.node(phi);
    if (node.kind == NodeKind::sum) {
      entries.insert(entries.end(), node.children.begin(), node.children.end());
    } else {
      entries.push_back(phi);
    }
    const Program program(graph_, entries);
    constexpr int most_tries = 240;
    constexpr int wanted_points = 16;
    int seen = 0;
    std::uint64_t seed = 12345;
    for (int k = 0; k < most_tries && seen < wanted_points; ++k) {
      Vector x;
      for (const PfaffianSystem::Column& column : system_.columns) {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        const double part = static_cast<double>(seed >> 11) * 0x1p-53;
        // Alternately on the same side of zero, where logarithms live, and on either; later nearer, where square roots end.
        const double reach = k < most_tries / 2 ? 1.0 : 0.4;
        const double far = column.unit * (k % 2 == 0 ? 0.3 + 2.5 * part : 5 * part - 2.5) * reach;
        x.push_back(k % 2 == 0 && column.value < 0 ? -far : far);
      }
      const std::optional<bool> explained = explained_at(program, first, x, rounding);
      if (!explained) continue;
      if (!*explained) return false;
      ++seen;
    }
    return seen >= wanted_points / 4;
  }

  /// Is d phi at a point a combination of the forms, to `rounding` of its terms? Nothing where numbers end or forms depend on each other.
  [[nodiscard]] std::optional<bool> explained_at(const Program& program, std::size_t first, const Vector& x,
                                                 double rounding) const {
    const std::size_t n = system_.columns.size();
    const auto shape = jet_shape(n, 1);
    const auto jets = program.evaluate<Wide>(*shape, [&](Symbol symbol) {
      if (symbol.kind == SymbolKind::constant) {
        const PfaffianSystem::Constant& c = system_.constants[symbol.index];
        return constant(*shape, c.pi ? pi<Wide>() : Wide(c.value));
      }
      const std::size_t c = symbol.kind == SymbolKind::time ? system_.time_column : system_.column_of[symbol.index];
      Jet<Wide> jet = constant(*shape, Wide(x[c]));
      jet[1 + c] = Wide(system_.columns[c].unit);
      return jet;
    });
    for (const Jet<Wide>& jet : jets) {
      for (const Wide& entry : jet) {
        if (!std::isfinite(narrow(entry))) return std::nullopt;
      }
    }
    std::vector<Wide> rest(n, Wide(0));
    double terms = 0;
    for (std::size_t k = first; k < jets.size(); ++k) {
      for (std::size_t c = 0; c < n; ++c) {
        rest[c] += jets[k][1 + c];
        terms = std::max(terms, std::abs(narrow(jets[k][1 + c])));
      }
    }
    double whole = 0;
    for (const Wide& entry : rest) whole = std::max(whole, std::abs(narrow(entry)));
    if (whole == 0) return std::nullopt;
    // Terms that cancel to a small part of themselves leave nothing that could be told from a fit.
    if (terms > most_cancelling * whole) return false;

    // Elimination: each form takes its largest entry out of what follows.
    std::vector<std::vector<Wide>> rows;
    for (std::size_t s = 0; s < system_.pfaffian.size(); ++s) {
      rows.emplace_back();
      for (std::size_t c = 0; c < n; ++c) rows.back().push_back(jets[s * n + c][0] * Wide(system_.columns[c].unit));
    }
    rows.push_back(std::move(rest));
    for (std::size_t s = 0; s + 1 < rows.size(); ++s) {
      std::size_t pivot = 0;
      double before = 0;
      for (std::size_t c = 0; c < n; ++c) {
        if (std::abs(narrow(rows[s][c])) > std::abs(narrow(rows[s][pivot]))) pivot = c;
        before = std::max(before, std::abs(narrow(jets[s * n + c][0])) * system_.columns[c].unit);
      }
      if (!(std::abs(narrow(rows[s][pivot])) > new_form * before)) return std::nullopt;
      for (std::size_t k = s + 1; k < rows.size(); ++k) {
        const Wide factor = rows[k][pivot] / rows[s][pivot];
        if (narrow(factor) == 0) continue;
        for (std::size_t c = 0; c < n; ++c) {
          const Wide part = factor * rows[s][c];
          if (k + 1 == rows.size()) terms = std::max(terms, std::abs(narrow(part)));
          rows[k][c] = c == pivot ? Wide(0) : rows[k][c] - part;
        }
      }
    }
    double left = 0;
    for (const Wide& entry : rows.back()) left = std::max(left, std::abs(narrow(entry)));
    if (!std::isfinite(left)) return std::nullopt;
    return left <= rounding * terms;
  }

  [[nodiscard]] Expr combination(const std::vector<Expr>& list,
                                 const std::vector<std::pair<std::size_t, double>>& terms, const Vector& c) {
    // A sum of logarithms with whole coefficients is a product.
    bool logs = terms.size() > 1;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const Node node = graph_.node(list[terms[k].first]);
      logs = logs && node.kind == NodeKind::function && node.function == Function::log && std::abs(c[k]) <= 12 &&
             std::trunc(2 * c[k]) == 2 * c[k];
    }
    std::vector<Expr> parts;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const Expr e = list[terms[k].first];
      if (logs) {
        Expr base = graph_.node(e).children[0];
        // The sign of a base with a whole exponent does not matter.
        if (graph_.term(base).coefficient == -1 && std::trunc(c[k]) == c[k]) base = graph_.negate(base);
        parts.push_back(graph_.power(base, graph_.number(c[k])));
      } else {
        parts.push_back(graph_.multiply(graph_.number(c[k]), e));
      }
    }
    return logs ? graph_.multiply(parts) : graph_.add(parts);
  }

  /// Verified at fresh points, independent of what is known: then it is kept.
  bool accept(Expr phi, double rounding) {
    if (!varies(phi)) return false;
    // Points for the verification are the newest ones.
    std::vector<LeafPoint> fresh;
    for (int k = 0; k < 8; ++k) {
      LeafPoint sample;
      if (points_(sample)) fresh.push_back(std::move(sample));
    }
    if (fresh.size() < 4) return false;
    const Functions function(system_, {phi});
    double residual = 0;
    double independence = 0;
    for (const LeafPoint& sample : fresh) {
      const ValueAndGradient value = function.at(sample.x)[0];
      const double size = size_of(value.gradient);
      if (!std::isfinite(size) || size == 0) return false;
      for (const Vector& direction : sample.directions) {
        residual = std::max(residual, std::abs(dot(value.gradient, direction)) / (size * size_of_direction(direction)));
      }
      // The part of the gradient that the known ones do not span.
      std::vector<Vector> basis;
      const auto rest_of = [&](const Vector& gradient) {
        Vector rest;
        for (std::size_t c = 0; c < gradient.size(); ++c) rest.push_back(gradient[c] * system_.columns[c].unit);
        const double whole = length(rest);
        for (int twice = 0; twice < 2; ++twice) {
          for (const Vector& b : basis) {
            const double along = dot(b, rest);
            for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= along * b[i];
          }
        }
        for (double& x : rest) x /= whole > 0 ? whole : 1;
        return rest;
      };
      std::vector<Expr> others = levels_;
      for (const FoundIntegral& integral : found_) others.push_back(integral.function);
      if (!others.empty()) {
        for (const ValueAndGradient& other : Functions(system_, others).at(sample.x)) {
          Vector rest = rest_of(other.gradient);
          const double left = length(rest);
          if (left < no_gradient || !std::isfinite(left)) continue;
          for (double& x : rest) x /= left;
          basis.push_back(std::move(rest));
        }
      }
      independence = std::max(independence, length(rest_of(value.gradient)));
    }
    if (residual > integral_residual || independence < integral_independence || !holds_far_away(phi, rounding)) {
      return false;
    }
    Vector state;
    for (const PfaffianSystem::Column& c : system_.columns) state.push_back(c.value);
    ValueAndGradient here = function.at(state)[0];
    if (!is_regular(here)) {
      // A function of an integral is one: of those that exist at the state the first is taken.
      for (const Expr other : other_forms(phi)) {
        const ValueAndGradient there = Functions(system_, {other}).at(state)[0];
        if (!is_regular(there)) continue;
        phi = other;
        here = there;
        break;
      }
    }
    found_.push_back({{write_function(system_, phi), here.value, residual, here.gradient}, phi});
    return true;
  }

  [[nodiscard]] static bool is_regular(const ValueAndGradient& here) {
    return std::isfinite(here.value) &&
           std::all_of(here.gradient.begin(), here.gradient.end(), [](double x) { return std::isfinite(x); }) &&
           std::any_of(here.gradient.begin(), here.gradient.end(), [](double x) { return x != 0; });
  }

  /// 1/phi, and e^phi, e^-phi with logarithms as powers.
  [[nodiscard]] std::vector<Expr> other_forms(Expr phi) {
    std::vector<Expr> out = {graph_.power(phi, graph_.number(-1))};
    const Node node = graph_.node(phi);
    std::vector<Expr> terms = {phi};
    if (node.kind == NodeKind::sum) terms.assign(node.children.begin(), node.children.end());
    for (const double sign : {1.0, -1.0}) {
      std::vector<Expr> factors;
      std::vector<Expr> exponent;
      for (const Expr e : terms) {
        const expressions::Term term = graph_.term(e);
        const Node rest = graph_.node(term.rest);
        if (rest.kind == NodeKind::function && rest.function == Function::log) {
          factors.push_back(graph_.power(rest.children[0], graph_.number(sign * term.coefficient)));
        } else {
          exponent.push_back(graph_.multiply(graph_.number(sign), e));
        }
      }
      if (factors.empty()) continue;
      if (!exponent.empty()) factors.push_back(graph_.apply(Function::exp, graph_.add(exponent)));
      out.push_back(graph_.multiply(factors));
    }
    return out;
  }

  // Integrating factors.

  /// e^g with d(e^g theta) = 0 for a form of the system solved for one of its differentials; then integrals among e^g
  /// f.
  void look_for_factors() {
    if (point(0).x.empty() || point(0).rows.empty() || column_.size() > 8) return;
    const std::size_t h = point(0).rows.size();
    std::vector<Expr> list = variable_;
    for (const auto& more :
         {atoms_, monomials(2), products(variable_, atoms_), monomials(3), logarithms(), logarithms_of_sums()}) {
      list.insert(list.end(), more.begin(), more.end());
    }
    std::erase_if(list, [&](Expr e) { return !varies(e); });
    unique(list);

    // All choices of h differentials to solve for.
    std::vector<std::size_t> chosen;
    std::set<std::uint32_t> tried;
    int attempts = 0;
    const auto choose = [&](const auto& self, std::size_t from) -> void {
      if (found_.size() >= wanted_ || attempts > 30) return;
      if (chosen.size() == h) {
        ++attempts;
        for (std::size_t j = 0; j < h && found_.size() < wanted_; ++j) try_factor(list, chosen, j, tried);
        return;
      }
      for (std::size_t k = from; k < column_.size(); ++k) {
        chosen.push_back(column_[k]);
        self(self, k + 1);
        chosen.pop_back();
      }
    };
    choose(choose, 0);
  }

  /// Row j of the system solved for the chosen columns, with its derivatives; false where that cannot be.
  static bool solved(const LeafPoint& sample, const std::vector<std::size_t>& chosen, std::size_t j, Vector& row,
                     std::vector<Vector>& slope) {
    const std::size_t h = chosen.size();
    const std::size_t n = sample.rows[0].size();
    // w with w^T A_Q = e_j, by elimination on the transposed matrix.
    const auto solve = [&](Vector right, Vector& w) {
      std::vector<Vector> a(h, Vector(h + 1));
      for (std::size_t i = 0; i < h; ++i) {
        for (std::size_t k = 0; k < h; ++k) a[i][k] = sample.rows[k][chosen[i]];
        a[i][h] = right[i];
      }
      for (std::size_t k = 0; k < h; ++k) {
        std::size_t best = k;
        for (std::size_t i = k; i < h; ++i) {
          if (std::abs(a[i][k]) > std::abs(a[best][k])) best = i;
        }
        if (std::abs(a[best][k]) < exponent_pivot) return false;
        std::swap(a[k], a[best]);
        for (std::size_t i = 0; i < h; ++i) {
          if (i == k) continue;
          const double factor = a[i][k] / a[k][k];
          for (std::size_t c = k; c <= h; ++c) a[i][c] -= factor * a[k][c];
        }
      }
      w.resize(h);
      for (std::size_t k = 0; k < h; ++k) w[k] = a[k][h] / a[k][k];
      return true;
    };
    Vector unit(h, 0.0);
    unit[j] = 1;
    Vector w;
    if (!solve(unit, w)) return false;
    row.assign(n, 0.0);
    for (std::size_t k = 0; k < h; ++k) {
      for (std::size_t c = 0; c < n; ++c) row[c] += w[k] * sample.rows[k][c];
    }
    // d(w^T A) = dw^T A + w^T dA with dw^T A_Q = - w^T dA_Q.
    slope.assign(n, Vector(n, 0.0));
    for (std::size_t by = 0; by < n; ++by) {
      Vector change(n, 0.0);
      for (std::size_t k = 0; k < h; ++k) {
        for (std::size_t c = 0; c < n; ++c) change[c] += w[k] * sample.slope[k][c][by];
      }
      Vector right(h);
      for (std::size_t i = 0; i < h; ++i) right[i] = -change[chosen[i]];
      Vector dw;
      if (!solve(right, dw)) return false;
      for (std::size_t k = 0; k < h; ++k) {
        for (std::size_t c = 0; c < n; ++c) change[c] += dw[k] * sample.rows[k][c];
      }
      for (std::size_t c = 0; c < n; ++c) slope[c][by] = change[c];
    }
    return true;
  }

  void try_factor(const std::vector<Expr>& list, const std::vector<std::size_t>& chosen, std::size_t j,
                  std::set<std::uint32_t>& tried) {
    const std::size_t n = system_.columns.size();
    const std::size_t pairs = std::max<std::size_t>(1, column_.size() * (column_.size() - 1) / 2);
    const std::size_t points = std::min<std::size_t>(samples_.size(), 2 * list.size() / pairs + 12);
    const Functions functions(system_, list);
    std::vector<Vector> column(list.size());
    std::vector<bool> usable(list.size(), true);
    Vector scale(list.size(), 0.0);
    Vector right;
    double right_scale = 0;
    for (std::size_t s = 0; s < points; ++s) {
      Vector theta;
      std::vector<Vector> slope;
      if (!solved(samples_[s], chosen, j, theta, slope)) return;
      const std::vector<ValueAndGradient> values = functions.at(samples_[s].x);
      for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = a + 1; b < n; ++b) {
          const double unit = system_.columns[a].unit * system_.columns[b].unit;
          right.push_back((slope[b][a] - slope[a][b]) * unit);
          right_scale += (slope[b][a] * slope[b][a] + slope[a][b] * slope[a][b]) * unit * unit;
          for (std::size_t k = 0; k < list.size(); ++k) {
            const Vector& g = values[k].gradient;
            const double entry = -(g[a] * theta[b] - g[b] * theta[a]) * unit;
            if (!std::isfinite(entry)) usable[k] = false;
            column[k].push_back(entry);
            scale[k] += (g[a] * g[a] * theta[b] * theta[b] + g[b] * g[b] * theta[a] * theta[a]) * unit * unit;
          }
        }
      }
    }
    if (right_scale == 0) return;
    Relations relations;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (!usable[k] || scale[k] == 0) continue;
      for (double& x : column[k]) x /= std::sqrt(scale[k]);
      (void)relations.add(k, column[k], 1);
    }
    for (double& x : right) x /= std::sqrt(right_scale);
    const Relations::Relation relation = relations.add(0, right, 1, false);
    if (!relation.found) return;

    // e^g, logarithms in g as powers.
    std::vector<Expr> exponent;
    std::vector<Expr> factors;
    for (const auto& [k, value] : relation.terms) {
      double c = value * std::sqrt(right_scale) / std::sqrt(scale[k]);
      if (std::abs(value) < no_part) continue;
      make_short(c);
      const Node node = graph_.node(list[k]);
      if (node.kind == NodeKind::function && node.function == Function::log) {
        factors.push_back(graph_.power(node.children[0], graph_.number(c)));
      } else {
        exponent.push_back(graph_.multiply(graph_.number(c), list[k]));
      }
    }
    if (exponent.size() + factors.size() > 6 || exponent.size() + factors.size() == 0) return;
    if (!exponent.empty()) factors.push_back(graph_.apply(Function::exp, graph_.add(exponent)));
    const Expr factor = graph_.multiply(factors);
    if (!tried.insert(factor.id).second) return;
    std::vector<Expr> more = {factor};
    for (const auto& with : {variable_, atoms_, monomials(2), products(variable_, atoms_), laurent(1)}) {
      for (const Expr e : with) more.push_back(graph_.multiply(factor, e));
    }
    for (const Expr e : basic()) more.push_back(e);
    look_among(more);
  }

  PfaffianSystem& system_;
  Graph& graph_;
  std::size_t wanted_;
  const PointSource& points_;
  std::vector<Expr> levels_;
  std::vector<std::size_t> column_;
  std::vector<Expr> variable_;
  std::vector<Expr> atoms_;
  std::vector<Expr> logs_;  ///< things whose logarithm is worth trying
  std::vector<Expr> sums_;
  std::vector<LeafPoint> samples_;
  LeafPoint nothing_;
  bool dry_ = false;
  std::vector<FoundIntegral> found_;
};

}  // namespace

std::vector<FoundIntegral> find_integrals(PfaffianSystem& system, const std::vector<Expr>& known, std::size_t wanted,
                                          const PointSource& points) {
  if (wanted == 0) return {};
  return IntegralSearch(system, known, wanted, points).run();
}

std::string write_function(PfaffianSystem& system, Expr e) {
  expressions::Script script;
  script.names = [&](Symbol symbol) { return system.name(symbol); };
  script.ranks = [](Symbol symbol) { return symbol.kind == SymbolKind::constant ? 0 : 1; };
  const Expr tidied = expressions::tidy(system.graph, e, script.ranks, false);
  // The order of the terms stays as it was unless a factor is drawn out.
  const bool drawn = system.graph.node(tidied).kind != NodeKind::sum;
  return expressions::write(system.graph, drawn ? tidied : e, script);
}

ValueAndGradient differentiate(const PfaffianSystem& system, Expr e, const std::vector<double>& x) {
  return Functions(system, {e}).at(x)[0];
}

}  // namespace zwang::analysis
