/// Pieces evaluated by Horner's rule.
///
///   q_i(s) = sum_k c_ki s^k,    q_i' = sum_k k c_ki s^(k-1) / u,    rho_j(s) = rho_j + u sum_k lambda_kj s^(k+1) / (k + 1)
///
/// Symbols: u the unit of time of the piece, s the time since its start in it.
#include "zwang/trajectory.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "zwang/motion/sweeps.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

namespace {

/// s = (t - start) / unit, kept on the piece.
double local_time(const Piece& piece, double time) {
  return std::clamp(time - piece.start, 0.0, piece.length) / piece.unit;
}

}  // namespace

std::string_view words(EventKind kind) {
  switch (kind) {
    case EventKind::blow: return "blow";
    case EventKind::seizure: return "seizure";
    case EventKind::let_go: return "let go";
    case EventKind::switched: return "switch";
    case EventKind::stick: return "stick";
    case EventKind::slip: return "slip";
    case EventKind::impact: return "impact";
    case EventKind::release: return "release";
    case EventKind::contact: return "contact";
    case EventKind::graze: return "graze";
    case EventKind::singular: return "singular";
    case EventKind::accumulation: return "accumulation";
  }
  return "";
}

void evaluate(const Piece& piece, double time, model::State& state) {
  const std::size_t n = piece.n;
  assert(piece.position.size() == n * piece.orders);
  const double s = local_time(piece, time);
  state.time = time;
  state.position.assign(n, 0.0);
  state.velocity.assign(n, 0.0);

  // Horner over all coordinates at once: v <- v s + q, q <- q s + c.
  for (std::size_t k = piece.orders; k-- > 0;) {
    const double* c = piece.position.data() + k * n;
    for (std::size_t i = 0; i < n; ++i) {
      state.velocity[i] = state.velocity[i] * s + state.position[i];
      state.position[i] = state.position[i] * s + c[i];
    }
  }
  if (piece.unit != 1) {
    for (double& v : state.velocity) v /= piece.unit;
  }
}

void evaluate_multipliers(const Piece& piece, double time, std::vector<double>& multipliers) {
  const std::size_t count = piece.rows.size();
  assert(piece.multiplier.size() == count * piece.multiplier_orders);
  const double s = local_time(piece, time);
  multipliers.resize(count);
  sum_up(piece.multiplier.data(), count, piece.multiplier_orders, s, multipliers.data());
  if (!piece.has_pole()) return;
  const double distance = std::abs(s - piece.pole);
  if (distance > 0) {
    for (double& value : multipliers) value /= distance;
    return;
  }
  // At the pole itself: infinite, or the rate of the sum where that vanishes.
  for (std::size_t j = 0; j < count; ++j) {
    double rate = 0;
    double sum = 0;
    double terms = 0;
    for (std::uint32_t k = piece.multiplier_orders; k-- > 0;) {
      const double c = piece.multiplier[k * count + j];
      rate = rate * s + sum;
      sum = sum * s + c;
      terms = terms * std::max(s, piece.length / piece.unit) + std::abs(c);
    }
    multipliers[j] = std::abs(sum) > no_pole * terms ? std::copysign(std::numeric_limits<double>::infinity(), sum)
                                                     : (piece.pole > 0 ? -rate : rate);
  }
}

void evaluate_rho(const Piece& piece, double time, std::vector<double>& rho) {
  if (piece.rho.empty()) {
    rho.clear();
    return;
  }
  const std::size_t count = piece.rows.size();
  assert(piece.rho.size() == count);
  const double s = local_time(piece, time);
  rho.assign(count, 0.0);
  for (std::size_t k = piece.multiplier_orders; k-- > 0;) {
    const double* c = piece.multiplier.data() + k * count;
    for (std::size_t j = 0; j < count; ++j) {
      rho[j] = (rho[j] + c[j] / static_cast<double>(k + 1)) * s;
    }
  }
  for (std::size_t j = 0; j < count; ++j) {
    rho[j] = rho[j] * piece.unit + piece.rho[j];
  }
}

}  // namespace zwang::motion
