/// What stands in bodies.hpp.
#include "zwang/model/bodies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "zwang/elementary/elementary.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/tolerances.hpp"
#include "zwang/model/turning.hpp"

namespace zwang::model {

namespace {

using Turn = Turning<NumberOps, Inverse::quotient>;

Turn::Four four(std::span<const double> values) { return {values[0], values[1], values[2], values[3]}; }

}  // namespace

namespace {

/// Per variable one of those that equations tie it to, directly or by others: the same for all of them.
std::vector<std::uint32_t> tied_together(const Model& model) {
  std::vector<std::uint32_t> of(model.variables);
  std::iota(of.begin(), of.end(), 0U);
  const auto root = [&](std::uint32_t i) {
    while (of[i] != i) i = of[i] = of[of[i]];
    return i;
  };
  const auto tie = [&](std::uint32_t i, std::uint32_t k) {
    of[std::max(root(i), root(k))] = std::min(root(i), root(k));
  };
  for (const Body& body : model.bodies) {
    for (std::uint32_t i = 0; i < body.members() * body.dimension; ++i) {
      tie(body.first + i, body.first + i - i % body.dimension);
    }
  }
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (!is_equation(model.row_kind[row])) continue;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      tie(model.row_column[e], model.row_column[model.row_start[row]]);
    }
  }
  for (std::uint32_t i = 0; i < model.variables; ++i) of[i] = root(i);
  return of;
}

}  // namespace

void doubt_as_computed(const Model& model, State& state) {
  state.position_uncertainty.assign(model.variables, 0.0);
  state.velocity_uncertainty.assign(model.variables, 0.0);
  const std::vector<std::uint32_t> tied = tied_together(model);
  // Places and turns have sizes of their own, and coordinates none but themselves.
  const auto doubt = [&](const std::vector<double>& values, std::vector<double>& out) {
    std::array<std::vector<double>, 2> size;
    size.fill(std::vector<double>(model.variables, 0.0));
    for (const bool measure : {true, false}) {
      for (const Body& body : model.bodies) {
        if (body.place() == 0) continue;
        for (std::uint32_t k = 0; k < body.members() * body.dimension; ++k) {
          const std::uint32_t i = body.first + k;
          double& largest = size.at(k % body.dimension < body.place() ? 0 : 1)[tied[i]];
          if (measure) {
            largest = std::max(largest, std::abs(values[i]));
          } else if (number_rounding * largest > digits_lost * std::abs(values[i])) {
            out[i] = number_rounding * largest;
          }
        }
      }
    }
  };
  doubt(state.position, state.position_uncertainty);
  doubt(state.velocity, state.velocity_uncertainty);
}

void doubt_as_held(const Model& model, std::span<const std::uint32_t> rows, State& state) {
  Scratch scratch = make_scratch(model);
  Rows found = make_rows(model);
  State bare = state;
  bare.position_uncertainty.clear();
  bare.velocity_uncertainty.clear();
  evaluate_rows(model, bare, scratch, found);
  const auto largest = [](const std::vector<double>& values) {
    double out = 0;
    for (const double value : values) out = std::max(out, std::abs(value));
    return out;
  };
  const double place = largest(state.position);
  const double speed = largest(state.velocity);
  state.position_uncertainty.resize(model.variables, 0.0);
  state.velocity_uncertainty.resize(model.variables, 0.0);
  // Shared out along the gradient: u_i = |g_i| |f| / g.g, so that |g|.u = |f|.
  const auto share = [&](std::uint32_t row, double left, double size, std::vector<double>& doubt) {
    double square = 0;
    double sum = 0;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      square += found.entry[e] * found.entry[e];
      sum += std::abs(found.entry[e]);
    }
    if (!(square > 0) || !std::isfinite(square) || !(left <= model.simulation.touch * sum * size)) return;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e)
      doubt[model.row_column[e]] += std::abs(found.entry[e]) * left / square;
  };
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (!is_equation(model.row_kind[row]) && std::find(rows.begin(), rows.end(), row) == rows.end()) continue;
    if (is_holonomic(model.row_kind[row])) share(row, std::abs(found.value[row]), place, state.position_uncertainty);
    share(row, std::abs(found.rate[row]), speed, state.velocity_uncertainty);
  }
}

std::vector<std::uint32_t> quaternions(const Model& model) {
  std::vector<std::uint32_t> out;
  for (const Body& body : model.bodies) {
    if (!body.turns()) continue;
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      out.push_back(body.first + member * body.dimension + body.place());
    }
  }
  return out;
}

bool has_quaternions(const Model& model) {
  return std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& body) { return body.turns(); });
}

std::array<double, 3> spin_of(std::span<const double> quaternion, std::span<const double> rate) {
  return Turn({}).spin(four(quaternion), four(rate));
}

std::array<double, 4> rate_of(std::span<const double> quaternion, const std::array<double, 3>& spin) {
  // e' = (0, spin) e / 2: the force of a torque without its factor 2 h.
  const Turn::Four e = four(quaternion);
  Turn turn({});
  Turn::Four out = turn.force_of_torque(e, spin);
  for (double& x : out) x /= 2 * turn.twice_inverse(e);
  return out;
}

std::array<double, 3> turned(std::span<const double> quaternion, const std::array<double, 3>& vector) {
  return Turn({}).turned(four(quaternion), vector);
}

std::vector<double> shown(const Body& body, std::uint32_t member, Sort sort, std::span<const double> position,
                          std::span<const double> values) {
  const std::uint32_t first = body.first + member * body.dimension;
  const std::span<const double> own = values.subspan(first, body.dimension);
  std::vector<double> out(own.begin(), own.end());
  if (!body.turns()) return out;
  const std::span<const double> quaternion = position.subspan(first + 3, 4);
  const std::span<const double> turn = own.subspan(3, 4);
  out.resize(3);
  switch (sort) {
    case Sort::position: {
      double square = 0;
      for (const double x : turn) square += x * x;
      for (const double x : turn) out.push_back(x / std::sqrt(square));
      break;
    }
    case Sort::velocity: {
      const std::array<double, 3> spin = spin_of(quaternion, turn);
      out.insert(out.end(), spin.begin(), spin.end());
      break;
    }
    case Sort::force: {
      // N of Q = 2 (0, N) e / s: the vector of Q e* / 2, as a spin is that of 2 e' e* / s.
      double square = 0;
      for (const double x : quaternion) square += x * x;
      for (const double x : spin_of(quaternion, turn)) out.push_back(x * square / 4);
      break;
    }
  }
  return out;
}

std::vector<double> impulse_of(const Blow& blow, std::span<const double> position) {
  if (blow.sort == Blow::Sort::plain) return blow.impulse;
  std::vector<double> out(blow.variables.size(), 0.0);
  const bool strikes = blow.sort == Blow::Sort::mark;
  const std::vector<double>& j = blow.impulse;
  if (out.size() == 3) {
    // In the plane: the moment of the impulse about the centre.
    if (!strikes) {
      out[2] = j[0];
      return out;
    }
    const double angle = position[blow.variables[2]];
    const double c = elementary::cos(angle);
    const double s = elementary::sin(angle);
    const double x = c * blow.mark[0] - s * blow.mark[1];
    const double y = s * blow.mark[0] + c * blow.mark[1];
    out = {j[0], j[1], x * j[1] - y * j[0]};
    return out;
  }
  Turn turn({});
  const Turn::Four e = four(position.subspan(blow.variables[3], 4));
  Turn::Three moment = {j[0], j[1], j[2]};
  if (strikes) {
    std::copy(j.begin(), j.end(), out.begin());
    moment = turn.cross(turn.turned(e, {blow.mark[0], blow.mark[1], blow.mark[2]}), {j[0], j[1], j[2]});
  }
  const Turn::Four force = turn.force_of_torque(e, moment);
  std::copy(force.begin(), force.end(), out.begin() + 3);
  return out;
}

std::string variable_words(const Model& model, std::uint32_t variable) {
  for (const Body& body : model.bodies) {
    if (!body.turns() || variable < body.first || variable >= body.first + body.members() * body.dimension) continue;
    const std::uint32_t local = variable - body.first;
    if (local % body.dimension >= body.place()) return "the turning of " + member_name(body, local / body.dimension);
  }
  return variable_name(model, variable);
}

}  // namespace zwang::model
