/// What stands in vectors.hpp.
#include "zwang/analysis/vectors.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "zwang/expressions/tidy.hpp"

namespace zwang::analysis {

using expressions::Expr;
using expressions::Symbol;
using expressions::SymbolKind;

Expr Vectors::scalar(const Scalar& scalar) {
  const auto [found, fresh] = scalar_of_.try_emplace(scalar, static_cast<std::uint32_t>(scalars.size()));
  if (fresh) scalars.push_back(scalar);
  return graph.symbol({SymbolKind::constant, found->second});
}

VectorSum Vectors::direction(const Direction& direction) {
  const auto [found, fresh] = direction_of_.try_emplace(direction, static_cast<std::uint32_t>(directions.size()));
  if (fresh) directions.push_back(direction);
  return {direction.size, {{graph.number(1), found->second}}};
}

VectorSum Vectors::basis(std::uint32_t size, std::uint32_t component) {
  return direction({DirectionSort::basis, size, {}, component});
}

VectorSum Vectors::fixed(const std::vector<Expr>& components) {
  const auto size = static_cast<std::uint32_t>(components.size());
  VectorSum out = zero(size);
  for (std::uint32_t c = 0; c < size; ++c) out = add(out, scale(components[c], basis(size, c)));
  return out;
}

VectorSum Vectors::add(const VectorSum& a, const VectorSum& b) {
  std::map<std::uint32_t, Expr> terms;
  for (const VectorSum* one : {&a, &b}) {
    for (const VectorTerm& term : one->terms) {
      const auto [found, fresh] = terms.try_emplace(term.direction, term.factor);
      if (!fresh) found->second = graph.add(found->second, term.factor);
    }
  }
  make_arms(terms);
  VectorSum out = zero(a.size);
  for (const auto& [direction, factor] : terms) {
    if (!graph.is_number(factor, 0)) out.terms.push_back({factor, direction});
  }
  return out;
}

void Vectors::make_arms(std::map<std::uint32_t, Expr>& terms) {
  if (terms.size() < 2) return;
  for (const bool minus : {false, true}) {
    for (auto& [number, factor] : terms) {
      const Direction mark = directions[number];
      if (mark.sort != DirectionSort::mark || !graph.is_number(factor, minus ? -1 : 1)) continue;
      const auto centre = direction_of_.find({DirectionSort::place, mark.size, mark.of});
      if (centre == direction_of_.end()) continue;
      const auto place = terms.find(centre->second);
      if (place == terms.end() || !graph.is_number(place->second, minus ? 1 : -1)) continue;
      place->second = graph.number(0);
      factor = graph.number(0);
      const std::uint32_t arm = direction({DirectionSort::arm, mark.size, mark.of, mark.number}).terms[0].direction;
      const auto [found, fresh] = terms.try_emplace(arm, graph.number(0));
      found->second = graph.add(found->second, graph.number(minus ? -1 : 1));
      return;
    }
  }
}

VectorSum Vectors::scale(Expr factor, const VectorSum& a) {
  VectorSum out = zero(a.size);
  if (graph.is_number(factor, 0)) return out;
  for (const VectorTerm& term : a.terms) out.terms.push_back({graph.multiply(factor, term.factor), term.direction});
  return out;
}

VectorSum Vectors::cross(const VectorSum& a, const VectorSum& b) {
  if (a.terms.empty() || b.terms.empty() || a == b) return zero(3);
  // Factors of single directions stand before the product.
  const auto apart = [&](const VectorSum& v) {
    if (v.terms.size() > 1) return std::pair(graph.number(1), v);
    return std::pair(v.terms[0].factor, VectorSum{v.size, {{graph.number(1), v.terms[0].direction}}});
  };
  const auto [left_factor, left] = apart(a);
  const auto [right_factor, right] = apart(b);
  const Expr factor = graph.multiply(left_factor, right_factor);
  if (left == right) return zero(3);
  const auto only = [&](const VectorSum& v, DirectionSort sort) {
    return std::all_of(v.terms.begin(), v.terms.end(),
                       [&](const VectorTerm& term) { return directions[term.direction].sort == sort; });
  };
  // Axes of one frame.
  for (const DirectionSort sort : {DirectionSort::basis, DirectionSort::axis}) {
    if (!only(left, sort) || !only(right, sort)) continue;
    const OfBody of = directions[left.terms[0].direction].of;
    const auto same = [&](const VectorSum& v) {
      return std::all_of(v.terms.begin(), v.terms.end(),
                         [&](const VectorTerm& term) { return directions[term.direction].of == of; });
    };
    if (!same(left) || !same(right)) continue;
    VectorSum out = zero(3);
    for (const VectorTerm& one : left.terms) {
      for (const VectorTerm& other : right.terms) {
        const std::uint32_t i = directions[one.direction].number;
        const std::uint32_t j = directions[other.direction].number;
        if (i == j) continue;
        const double sign = (i + 1) % 3 == j ? 1 : -1;
        const Expr parts[] = {graph.number(sign), factor, one.factor, other.factor};
        out = add(out, scale(graph.multiply(parts), direction({sort, 3, of, 3 - i - j})));
      }
    }
    return out;
  }
  Direction product{DirectionSort::cross, 3, {}, 0, left, right};
  return scale(factor, direction(product));
}

Expr Vectors::plane_cross(const VectorSum& a, const VectorSum& b) {
  if (a.terms.empty() || b.terms.empty() || a == b) return graph.number(0);
  return scalar({ScalarSort::plane_cross, {}, 0, 0, a, b});
}

Expr Vectors::dot(const VectorSum& a, const VectorSum& b) {
  if (a.terms.empty() || b.terms.empty()) return graph.number(0);
  const auto only_fixed = [&](const VectorSum& v) {
    return std::all_of(v.terms.begin(), v.terms.end(),
                       [&](const VectorTerm& term) { return directions[term.direction].sort == DirectionSort::basis; });
  };
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (!only_fixed(*one) || one->terms.size() > 1) continue;
    return graph.multiply(one->terms[0].factor, component(*other, directions[one->terms[0].direction].number));
  }
  return scalar({ScalarSort::dot, {}, 0, 0, std::min(a, b), std::max(a, b)});
}

Expr Vectors::component(const VectorSum& a, std::uint32_t component) {
  std::vector<Expr> terms;
  for (const VectorTerm& term : a.terms) {
    const Direction direction = directions[term.direction];
    if (direction.sort == DirectionSort::basis) {
      if (direction.number == component) terms.push_back(term.factor);
      continue;
    }
    terms.push_back(graph.multiply(term.factor, scalar({ScalarSort::component, {}, term.direction, component})));
  }
  return graph.add(terms);
}

Expr Vectors::length(const VectorSum& a) {
  if (a.terms.empty()) return graph.number(0);
  return scalar({ScalarSort::length, {}, 0, 0, a});
}

Expr Vectors::rate(Expr e) {
  return expressions::rate(graph, e, [&](Symbol symbol) {
    if (symbol.kind == SymbolKind::time) return graph.number(1);
    return symbol.kind == SymbolKind::constant ? rate_of_scalar(symbol.index) : graph.number(0);
  });
}

VectorSum Vectors::rate(const VectorSum& a) {
  VectorSum out = zero(a.size);
  for (const VectorTerm& term : a.terms) {
    out = add(out, scale(term.factor, rate_of_direction(term.direction)));
    out = add(out, scale(rate(term.factor), VectorSum{a.size, {{graph.number(1), term.direction}}}));
  }
  return out;
}

VectorSum Vectors::rate_of_direction(std::uint32_t number) {
  Direction d = directions[number];
  const bool space = d.size == 3;
  const auto spin = [&] { return direction({DirectionSort::spin, 3, d.of}); };
  const auto turn_rate = [&] { return scalar({ScalarSort::turn_rate, d.of}); };
  const auto scaled = [&](Expr factor, std::uint32_t axis) {
    return scale(factor, direction({DirectionSort::axis, 2, d.of, axis}));
  };
  const VectorSum self{d.size, {{graph.number(1), number}}};
  switch (d.sort) {
    case DirectionSort::place: d.sort = DirectionSort::velocity; return direction(d);
    case DirectionSort::velocity: d.sort = DirectionSort::acceleration; return direction(d);
    case DirectionSort::mark: d.sort = DirectionSort::mark_velocity; return direction(d);
    case DirectionSort::mark_velocity: d.sort = DirectionSort::mark_acceleration; return direction(d);
    case DirectionSort::spin: d.sort = DirectionSort::spin_rate; return direction(d);
    case DirectionSort::axis:
      if (space) return cross(spin(), self);
      return scaled(d.number == 0 ? turn_rate() : graph.negate(turn_rate()), 1 - d.number);
    case DirectionSort::arm: {
      if (space) return cross(spin(), self);
      const std::vector<double>& at = model_->rigids[d.of.body].marks[d.number].at;
      const std::size_t first = std::size_t{d.of.member} * 2;
      const VectorSum less = scaled(graph.number(-at[first + 1]), 0);
      const VectorSum across = add(less, scaled(graph.number(at[first]), 1));
      return scale(turn_rate(), across);
    }
    case DirectionSort::cross: {
      const VectorSum first = cross(rate(d.left), d.right);
      return add(first, cross(d.left, rate(d.right)));
    }
    default: return zero(d.size);
  }
}

Expr Vectors::rate_of_scalar(std::uint32_t number) {
  Scalar s = scalars[number];
  switch (s.sort) {
    case ScalarSort::angle: s.sort = ScalarSort::turn_rate; return scalar(s);
    case ScalarSort::turn_rate: s.sort = ScalarSort::turn_acceleration; return scalar(s);
    case ScalarSort::component: return component(rate_of_direction(s.number), s.component);
    case ScalarSort::dot: {
      const Expr first = dot(rate(s.left), s.right);
      return graph.add(first, dot(s.left, rate(s.right)));
    }
    case ScalarSort::length: {
      const Expr along = dot(s.left, rate(s.left));
      return graph.divide(along, graph.symbol({SymbolKind::constant, number}));
    }
    case ScalarSort::plane_cross: {
      const Expr first = plane_cross(rate(s.left), s.right);
      return graph.add(first, plane_cross(s.left, rate(s.right)));
    }
    default: return graph.number(0);
  }
}

Load& Pull::load(OfBody of) {
  const model::Body& body = vectors_.model().bodies[of.body];
  const auto [found, fresh] = loads_.try_emplace(of);
  if (fresh) {
    found->second.force = vectors_.zero(body.place());
    found->second.torque = vectors_.zero(3);
    found->second.turn = vectors_.number(0);
  }
  return found->second;
}

void Pull::add(Expr e, Expr weight) {
  for (const Symbol symbol : expressions::symbols(vectors_.graph, e)) {
    if (symbol.kind != SymbolKind::constant) continue;
    const Expr slope = expressions::derivative(vectors_.graph, e, symbol);
    if (!vectors_.graph.is_number(slope, 0)) push(symbol.index, vectors_.graph.multiply(weight, slope));
  }
}

void Pull::push(std::uint32_t number, Expr weight) {
  expressions::Graph& graph = vectors_.graph;
  const Scalar s = vectors_.scalars[number];
  switch (s.sort) {
    case ScalarSort::angle:
    case ScalarSort::turn_rate:
      if ((s.sort == ScalarSort::turn_rate) == speeds_) load(s.of).turn = graph.add(load(s.of).turn, weight);
      return;
    case ScalarSort::component: {
      const std::uint32_t size = vectors_.directions[s.number].size;
      push(VectorSum{size, {{graph.number(1), s.number}}}, vectors_.scale(weight, vectors_.basis(size, s.component)));
      return;
    }
    case ScalarSort::dot:
      push(s.left, vectors_.scale(weight, s.right));
      push(s.right, vectors_.scale(weight, s.left));
      return;
    case ScalarSort::length:
      push(s.left, vectors_.scale(graph.divide(weight, graph.symbol({SymbolKind::constant, number})), s.left));
      return;
    case ScalarSort::plane_cross: {
      // u.x v.y - u.y v.x
      const auto across = [&](const VectorSum& v, bool first) {
        const Expr x = vectors_.component(v, 0);
        const Expr y = vectors_.component(v, 1);
        const VectorSum out = first ? vectors_.fixed({y, graph.negate(x)}) : vectors_.fixed({graph.negate(y), x});
        return vectors_.scale(weight, out);
      };
      push(s.left, across(s.right, true));
      push(s.right, across(s.left, false));
      return;
    }
    default: return;
  }
}

void Pull::push(const VectorSum& a, const VectorSum& weight) {
  for (const VectorTerm& term : a.terms) {
    const auto [found, fresh] = waiting_.try_emplace(term.direction, vectors_.zero(a.size));
    found->second = vectors_.add(found->second, vectors_.scale(term.factor, weight));
    // A factor that moves.
    const VectorSum self{a.size, {{vectors_.graph.number(1), term.direction}}};
    if (vectors_.graph.node(term.factor).kind != expressions::NodeKind::number)
      add(term.factor, vectors_.dot(self, weight));
  }
}

std::map<OfBody, Load> Pull::loads() {
  // Products are made after their factors: from the last direction on.
  while (!waiting_.empty()) {
    const auto last = std::prev(waiting_.end());
    const std::uint32_t number = last->first;
    const VectorSum weight = last->second;
    waiting_.erase(last);
    const Direction d = vectors_.directions[number];
    const auto push_force = [&] { load(d.of).force = vectors_.add(load(d.of).force, weight); };
    const auto push_torque = [&](const VectorSum& arm) {
      if (d.size == 3) {
        load(d.of).torque = vectors_.add(load(d.of).torque, vectors_.cross(arm, weight));
      } else {
        load(d.of).turn = vectors_.graph.add(load(d.of).turn, vectors_.plane_cross(arm, weight));
      }
    };
    const VectorSum self{d.size, {{vectors_.graph.number(1), number}}};
    switch (d.sort) {
      case DirectionSort::place:
      case DirectionSort::velocity:
        if ((d.sort == DirectionSort::velocity) == speeds_) push_force();
        break;
      case DirectionSort::mark:
      case DirectionSort::mark_velocity:
        if ((d.sort == DirectionSort::mark_velocity) != speeds_) break;
        push_force();
        push_torque(vectors_.direction({DirectionSort::arm, d.size, d.of, d.number}));
        break;
      case DirectionSort::arm:
      case DirectionSort::axis:
        if (!speeds_) push_torque(self);
        break;
      case DirectionSort::spin:
        if (speeds_) load(d.of).torque = vectors_.add(load(d.of).torque, weight);
        break;
      case DirectionSort::cross:
        push(d.left, vectors_.cross(d.right, weight));
        push(d.right, vectors_.cross(weight, d.left));
        break;
      default: break;
    }
  }
  return loads_;
}

}  // namespace zwang::analysis
