/// Tables of jets, elementary functions on them, expressions made ready for them.
#include "zwang/analysis/jet.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <mutex>

#include "zwang/elementary/elementary.hpp"

namespace zwang::analysis {

using expressions::Expr;
using expressions::Function;

double JetShape::count(std::size_t variables, std::size_t order) {
  double out = 1;
  for (std::size_t k = 1; k <= order; ++k) out = out * static_cast<double>(variables + k) / static_cast<double>(k);
  return out;
}

JetShape::JetShape(std::size_t variables, std::size_t order) : variables_(variables), order_(order) {
  // Multi-indices as sorted lists of variables, degree by degree.
  using Index = std::vector<std::uint16_t>;
  std::vector<Index> list = {{}};
  std::map<Index, std::uint32_t> place = {{{}, 0}};
  degree_.push_back(0);
  for (std::size_t begin = 0, degree = 1; degree <= order; ++degree) {
    const std::size_t end = list.size();
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t last = list[k].empty() ? 0 : list[k].back();
      for (std::size_t v = last; v < variables; ++v) {
        Index index = list[k];
        index.push_back(static_cast<std::uint16_t>(v));
        place[index] = static_cast<std::uint32_t>(list.size());
        list.push_back(index);
        degree_.push_back(static_cast<std::uint8_t>(degree));
      }
    }
    begin = end;
  }

  // Products and derivatives.
  pairs_.resize(list.size());
  steps_.resize(variables);
  for (std::uint32_t i = 0; i < list.size(); ++i) {
    for (std::uint32_t j = 0; j < list.size() && std::size_t{degree_[i]} + degree_[j] <= order; ++j) {
      Index index;
      std::merge(list[i].begin(), list[i].end(), list[j].begin(), list[j].end(), std::back_inserter(index));
      pairs_[i].push_back({j, place.at(index)});
    }
    for (std::size_t k = 0; k < list[i].size(); ++k) {
      if (k > 0 && list[i][k] == list[i][k - 1]) continue;
      Index lower = list[i];
      const auto v = list[i][k];
      lower.erase(lower.begin() + static_cast<std::ptrdiff_t>(k));
      const auto times = static_cast<double>(std::count(list[i].begin(), list[i].end(), v));
      steps_[v].push_back({i, place.at(lower), times});
    }
  }
}

std::shared_ptr<const JetShape> jet_shape(std::size_t variables, std::size_t order) {
  static std::mutex guard;
  static std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<const JetShape>> kept;
  const std::lock_guard<std::mutex> lock(guard);
  auto& shape = kept[{variables, order}];
  if (!shape) shape = std::make_shared<const JetShape>(variables, order);
  return shape;
}

Program::Program(const expressions::Graph& graph, const std::vector<Expr>& outputs) {
  // Children have smaller handles than what is made of them.
  std::vector<std::uint32_t> ids;
  std::vector<std::uint32_t> open;
  std::vector<bool> seen(graph.size(), false);
  for (const Expr e : outputs) open.push_back(e.id);
  while (!open.empty()) {
    const std::uint32_t id = open.back();
    open.pop_back();
    if (seen[id]) continue;
    seen[id] = true;
    ids.push_back(id);
    for (const Expr child : graph.node({id}).children) open.push_back(child.id);
  }
  std::sort(ids.begin(), ids.end());
  std::map<std::uint32_t, std::uint32_t> place;
  for (const std::uint32_t id : ids) {
    const expressions::Node node = graph.node({id});
    Step step{node.kind, node.function, node.symbol, node.number, {}};
    for (const Expr child : node.children) {
      assert(place.contains(child.id));
      step.children.push_back(place.at(child.id));
    }
    place[id] = static_cast<std::uint32_t>(steps_.size());
    steps_.push_back(std::move(step));
  }
  for (const Expr e : outputs) output_.push_back(place.at(e.id));
}

namespace {

template <class S>
Jet<S> negated(Jet<S> a) {
  for (S& x : a) x = -x;
  return a;
}

/// sum over k of c[k] (a - a_0)^k.
template <class S>
Jet<S> composed(const JetShape& shape, const Jet<S>& a, const std::vector<S>& c) {
  Jet<S> small = a;
  small[0] = S(0);
  Jet<S> out = constant(shape, c[shape.order()]);
  for (std::size_t k = shape.order(); k-- > 0;) {
    out = multiply(shape, small, out);
    out[0] += c[k];
  }
  return out;
}

/// Taylor coefficients of a function whose derivatives repeat with a sign: e^x, sin, cos, sinh, cosh.
template <class S>
Jet<S> from_derivatives(const JetShape& shape, const Jet<S>& a, const S& even, const S& odd, double sign) {
  std::vector<S> c(shape.order() + 1);
  S factorial = S(1);
  for (std::size_t k = 0; k < c.size(); ++k) {
    if (k > 0) factorial = factorial / S(static_cast<double>(k));
    const S value = k % 2 == 0 ? even : odd;
    c[k] = ((k / 2) % 2 == 1 && sign < 0 ? -value : value) * factorial;
  }
  return composed(shape, a, c);
}

}  // namespace

template <class S>
Jet<S> power(const JetShape& shape, const Jet<S>& base, double exponent) {
  using elementary::exp;
  using elementary::log;
  using std::sqrt;
  // Whole powers by repeated squaring.
  if (std::trunc(exponent) == exponent && std::abs(exponent) <= 64) {
    Jet<S> square = exponent < 0 ? reciprocal(shape, base) : base;
    Jet<S> out = constant(shape, S(1));
    for (auto left = static_cast<unsigned>(std::abs(exponent)); left > 0; left /= 2) {
      if (left % 2 == 1) out = multiply(shape, out, square);
      if (left > 1) square = multiply(shape, square, square);
    }
    return out;
  }
  // Others by their binomial series.
  std::vector<S> c(shape.order() + 1);
  c[0] = exponent == 0.5 ? sqrt(base[0]) : exp(S(exponent) * log(base[0]));
  for (std::size_t k = 1; k < c.size(); ++k) {
    c[k] = c[k - 1] * S(exponent - static_cast<double>(k - 1)) / (S(static_cast<double>(k)) * base[0]);
  }
  return composed(shape, base, c);
}

template <class S>
Jet<S> apply(const JetShape& shape, Function function, const std::vector<const Jet<S>*>& arguments) {
  using elementary::atan2;
  using elementary::cos;
  using elementary::exp;
  using elementary::log;
  using elementary::sin;
  using std::sqrt;
  const Jet<S>& a = *arguments[0];
  const auto one_plus_square = [&](double sign) {
    Jet<S> out = multiply(shape, a, a);
    for (S& x : out) x = S(sign) * x;
    out[0] += S(1);
    return out;
  };
  const auto hyperbolic = [&](bool odd) {
    const S up = exp(a[0]);
    const S down = S(1) / up;
    const S sine = (up - down) * S(0.5);
    const S cosine = (up + down) * S(0.5);
    return odd ? from_derivatives(shape, a, sine, cosine, 1) : from_derivatives(shape, a, cosine, sine, 1);
  };
  switch (function) {
    case Function::sin: return from_derivatives(shape, a, S(sin(a[0])), S(cos(a[0])), -1);
    case Function::cos: return from_derivatives(shape, a, S(cos(a[0])), -S(sin(a[0])), -1);
    case Function::tan:
      return multiply(shape, apply<S>(shape, Function::sin, arguments),
                      reciprocal(shape, apply<S>(shape, Function::cos, arguments)));
    case Function::asin: {
      const S root = sqrt(S(1) - a[0] * a[0]);
      return integrated(shape, a, S(atan2(a[0], root)), power(shape, one_plus_square(-1), -0.5));
    }
    case Function::acos: {
      const S root = sqrt(S(1) - a[0] * a[0]);
      return integrated(shape, a, S(atan2(root, a[0])), negated(power(shape, one_plus_square(-1), -0.5)));
    }
    case Function::atan: return integrated(shape, a, S(atan2(a[0], S(1))), reciprocal(shape, one_plus_square(1)));
    case Function::atan2: {
      // The angle has the differential (x dy - y dx) / (x^2 + y^2).
      const Jet<S>& x = *arguments[1];
      Jet<S> square = multiply(shape, a, a);
      add_to(square, multiply(shape, x, x));
      const Jet<S> inverse = reciprocal(shape, square);
      Jet<S> out = integrated(shape, a, S(0), multiply(shape, x, inverse));
      add_to(out, integrated(shape, x, S(0), multiply(shape, a, inverse)), -1);
      out[0] = atan2(a[0], x[0]);
      return out;
    }
    case Function::sinh: return hyperbolic(true);
    case Function::cosh: return hyperbolic(false);
    case Function::tanh: return multiply(shape, hyperbolic(true), reciprocal(shape, hyperbolic(false)));
    case Function::exp: return from_derivatives(shape, a, S(exp(a[0])), S(exp(a[0])), 1);
    case Function::log: return integrated(shape, a, S(log(a[0])), reciprocal(shape, a));
    case Function::sqrt: return power(shape, a, 0.5);
    default: break;  // functions with corners have no jets
  }
  // Functions of parameters alone: plain numbers.
  std::vector<double> values;
  for (const Jet<S>* argument : arguments) values.push_back(narrow((*argument)[0]));
  return constant(shape, S(expressions::evaluate(function, values)));
}

template Jet<double> apply(const JetShape&, Function, const std::vector<const Jet<double>*>&);
template Jet<Wide> apply(const JetShape&, Function, const std::vector<const Jet<Wide>*>&);
template Jet<double> power(const JetShape&, const Jet<double>&, double);
template Jet<Wide> power(const JetShape&, const Jet<Wide>&, double);

}  // namespace zwang::analysis
