/// Directions of speeds in expressions.
#include "zwang/expressions/directions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "zwang/expressions/traversal.hpp"

namespace zwang::expressions {

namespace {

constexpr unsigned of_velocity = 1U << static_cast<unsigned>(SymbolKind::velocity);

/// f_i b_i of the terms of a square, or nothing if some term is none of a velocity's.
std::vector<Expr> components(Graph& graph, Expr square) {
  std::vector<Expr> out;
  for (const Expr one : terms_of(graph, square)) {
    const Term term = graph.term(one);
    if (!(term.coefficient > 0) || (graph.kinds(one) & of_velocity) == 0) return {};
    std::vector<Expr> halves = {graph.number(std::sqrt(term.coefficient))};
    for (const Expr factor : factors_in(graph, term.rest)) {
      const auto [base, power] = as_power(graph, factor);
      if (power != 2) return {};
      halves.push_back(base);
    }
    out.push_back(graph.multiply(halves));
  }
  return out;
}

/// A product with a component of a direction in it: factor w_i / |w| rest.
struct DirectionFactor {
  std::size_t speed = 0;
  std::size_t component = 0;
  Expr rest;
};

class Drawn {
 public:
  Drawn(Graph& graph, std::uint32_t first_mode) : graph_(graph), next_mode_(first_mode) {}

  Directed run(std::span<const Expr> outputs) {
    Directed out{{outputs.begin(), outputs.end()}, {}};
    out.outputs = made_anew(graph_, out.outputs, [&](Expr, Expr made) { return spread(made); });
    if (speeds_.empty()) return {{outputs.begin(), outputs.end()}, {}};
    out.outputs = made_anew(graph_, out.outputs, [&](Expr, Expr made) { return replaced(made); });
    out.speeds = speeds_;
    return out;
  }

 private:
  /// The number of the speed of which this is 1 / |w|; it is a new one as a rule.
  std::optional<std::size_t> below(Expr factor) {
    const auto [square, exponent] = as_power(graph_, factor);
    if (exponent != -0.5 || (graph_.kinds(square) & of_velocity) == 0) return {};
    for (std::size_t k = 0; k < speeds_.size(); ++k) {
      if (speeds_[k].square == square) return k;
    }
    Speed found{square, components(graph_, square), {}, next_mode_};
    if (found.w.empty()) return {};
    next_mode_ += 2 + static_cast<std::uint32_t>(found.w.size());
    speeds_.push_back(std::move(found));
    return speeds_.size() - 1;
  }

  std::optional<DirectionFactor> direction_in(Expr product) {
    if (graph_.node(product).kind != NodeKind::product) return {};
    const std::vector<Expr> factors = factors_in(graph_, product);
    for (std::size_t place = 0; place < factors.size(); ++place) {
      const std::size_t known = speeds_.size();
      const std::uint32_t mode = next_mode_;
      const std::optional<std::size_t> speed = below(factors[place]);
      if (!speed) continue;
      std::vector<Expr> others = factors;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(place));
      const Expr whole = graph_.multiply(others);
      const std::vector<Expr> before = factors_in(graph_, whole);
      for (std::size_t c = 0; c < speeds_[*speed].w.size(); ++c) {
        // A factor of the whole if nothing new is divided by; a difference may stand the other way round.
        for (const Expr w : {speeds_[*speed].w[c], graph_.negate(speeds_[*speed].w[c])}) {
          const Expr rest = graph_.divide(whole, w);
          const std::vector<Expr> after = factors_in(graph_, rest);
          const bool divides = std::any_of(after.begin(), after.end(), [&](Expr e) {
            return as_power(graph_, e).second < 0 && std::find(before.begin(), before.end(), e) == before.end();
          });
          if (!divides) return DirectionFactor{*speed, c, w == speeds_[*speed].w[c] ? rest : graph_.negate(rest)};
        }
        // A sum that is the same with the other sign, b' - a' over |a' - b'|.
        for (std::size_t k = 0; k < others.size(); ++k) {
          const Node sum = graph_.node(graph_.add(others[k], speeds_[*speed].w[c]));
          if (sum.kind != NodeKind::number || sum.number != 0) continue;
          std::vector<Expr> besides = others;
          besides.erase(besides.begin() + static_cast<std::ptrdiff_t>(k));
          return DirectionFactor{*speed, c, graph_.negate(graph_.multiply(besides))};
        }
      }
      if (speeds_.size() > known) {
        speeds_.pop_back();
        next_mode_ = mode;
      }
    }
    return {};
  }

  /// A sum over |w| as the sum of its terms over |w|.
  Expr spread(Expr product) {
    if (graph_.node(product).kind != NodeKind::product || direction_in(product)) return product;
    const std::vector<Expr> factors = factors_in(graph_, product);
    for (std::size_t k = 0; k < factors.size(); ++k) {
      if (graph_.node(factors[k]).kind != NodeKind::sum) continue;
      std::vector<Expr> terms;
      for (const Expr term : terms_of(graph_, factors[k])) {
        std::vector<Expr> others = factors;
        others[k] = term;
        terms.push_back(graph_.multiply(others));
      }
      const std::vector<Speed> speeds = speeds_;
      const std::uint32_t mode = next_mode_;
      if (std::all_of(terms.begin(), terms.end(), [&](Expr e) { return direction_in(e).has_value(); }))
        return graph_.add(terms);
      speeds_ = speeds;
      next_mode_ = mode;
    }
    return product;
  }

  /// w_i / |w| with its modes.
  Expr direction(std::size_t speed, std::size_t c) {
    const std::uint32_t first = speeds_[speed].first_mode;
    const auto mode = [&](std::size_t k) {
      return graph_.symbol({SymbolKind::mode, first + static_cast<std::uint32_t>(k)});
    };
    const Expr size = graph_.power(graph_.add(speeds_[speed].square, mode(1)), graph_.number(-0.5));
    const Expr factors[] = {mode(0), speeds_[speed].w[c], size};
    return graph_.add(graph_.multiply(factors), mode(2 + c));
  }

  Expr replaced(Expr e) {
    if (const auto found = direction_in(e)) {
      if (speeds_[found->speed].source == Expr{}) speeds_[found->speed].source = e;
      return graph_.multiply(found->rest, direction(found->speed, found->component));
    }
    const auto [square, exponent] = as_power(graph_, e);
    const double twice = 2 * exponent;
    if (!(twice > 0) || twice != std::floor(twice) || std::fmod(twice, 2) == 0) return e;
    for (std::size_t k = 0; k < speeds_.size(); ++k) {
      if (speeds_[k].square != square) continue;
      std::vector<Expr> terms;
      for (std::size_t c = 0; c < speeds_[k].w.size(); ++c)
        terms.push_back(graph_.multiply(speeds_[k].w[c], direction(k, c)));
      return graph_.multiply(graph_.power(square, graph_.number((twice - 1) / 2)), graph_.add(terms));
    }
    return e;
  }

  Graph& graph_;
  std::uint32_t next_mode_;
  std::vector<Speed> speeds_;
};

/// The degree in w of what vanishes with it, at least; of what does not, 0; of what grows beyond all bounds, below 0.
class Degree {
 public:
  Degree(Graph& graph, Expr square, const std::vector<Expr>& w) : graph_(graph), square_(square), w_(w) {
    for (const Expr one : w) negated_.push_back(graph.negate(one));
  }
  [[nodiscard]] double of(Expr e) const {
    if (e == square_) return 2;
    if (is_among(w_, e) || is_among(negated_, e)) return 1;
    const auto [base, exponent] = as_power_of_root(e);
    if (base != e) {
      const double degree = of(base);
      if (exponent > 0 || base == square_) return exponent * degree;
      return degree == 0 ? 0 : -std::numeric_limits<double>::infinity();
    }
    const Node node = graph_.node(e);
    if (node.kind != NodeKind::product && node.kind != NodeKind::sum) return 0;
    double out = node.kind == NodeKind::product ? 0 : std::numeric_limits<double>::infinity();
    for (const Expr child : node.children)
      out = node.kind == NodeKind::product ? out + of(child) : std::min(out, of(child));
    return out;
  }
  /// u^n of a root of a root, and so on: all of them are of what is not negative.
  [[nodiscard]] std::pair<Expr, double> as_power_of_root(Expr e) const { return as_power_of_root(graph_, e); }
  [[nodiscard]] static std::pair<Expr, double> as_power_of_root(const Graph& graph, Expr e) {
    auto [base, exponent] = as_power(graph, e);
    while (true) {
      const auto [inner, power] = as_power(graph, base);
      if (inner == base || !(power > 0) || !(power < 1)) return {base, exponent};
      base = inner;
      exponent *= power;
    }
  }

 private:
  [[nodiscard]] static bool is_among(const std::vector<Expr>& list, Expr e) {
    return std::find(list.begin(), list.end(), e) != list.end();
  }

  Graph& graph_;
  Expr square_;
  const std::vector<Expr>& w_;
  std::vector<Expr> negated_;
};

/// The square of a speed below a product that vanishes with it; none otherwise.
std::optional<Expr> stirring(Graph& graph, Expr product) {
  if (graph.node(product).kind != NodeKind::product || (graph.kinds(product) & of_velocity) == 0) return {};
  const std::vector<Expr> factors = factors_in(graph, product);
  for (const Expr factor : factors) {
    const auto [square, exponent] = Degree::as_power_of_root(graph, factor);
    if (!(exponent < 0) || (graph.kinds(square) & of_velocity) == 0) continue;
    const std::vector<Expr> w = components(graph, square);
    if (w.empty()) continue;
    const Degree degree(graph, square, w);
    double sum = 0;
    for (const Expr one : factors) sum += degree.of(one);
    if (sum > 0) return square;
  }
  return {};
}

}  // namespace

Stirred draw_stirs(Graph& graph, std::span<const Expr> outputs, std::uint32_t first_mode) {
  Stirred out{{outputs.begin(), outputs.end()}, {}, {}};
  const bool moves =
      std::any_of(outputs.begin(), outputs.end(), [&](Expr e) { return (graph.kinds(e) & of_velocity) != 0; });
  if (!moves) return out;
  const std::vector<Expr> sorted = parts(graph, outputs);
  std::vector<Expr> images(sorted.size());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const Kept kept = keep(graph, sorted[k]);
    std::vector<Expr> children;
    bool changed = false;
    for (const Expr child : kept.children) {
      children.push_back(images[place_of(sorted, child)]);
      changed = changed || children.back() != child;
    }
    images[k] = changed ? remade(graph, kept.node, children) : sorted[k];
    const std::optional<Expr> square = stirring(graph, images[k]);
    if (!square) continue;
    std::size_t place = 0;
    while (place < out.squares.size() && out.squares[place] != *square) ++place;
    if (place == out.squares.size()) {
      out.squares.push_back(*square);
      out.sources.push_back(sorted[k]);
    }
    const Expr mode = graph.symbol({SymbolKind::mode, first_mode + static_cast<std::uint32_t>(place)});
    const Expr branches[] = {mode, images[k], graph.number(0)};
    images[k] = graph.apply(Function::select, branches);
  }
  for (Expr& e : out.outputs) e = images[place_of(sorted, e)];
  return out;
}

Directed draw_directions(Graph& graph, std::span<const Expr> outputs, std::uint32_t first_mode) {
  return Drawn(graph, first_mode).run(outputs);
}

}  // namespace zwang::expressions
