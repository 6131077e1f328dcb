/// Functions of time that move walls, piece by piece.
#include "zwang/crowds/driver.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/crowds/tolerances.hpp"
#include "zwang/motion/lane.hpp"

namespace zwang::crowds {

double DriverPiece::value(double t) const {
  const double s = t - start;
  double sum = 0;
  for (std::uint32_t k = orders; k-- > 0;) sum = sum * s + c[k];
  return sum;
}

double DriverPiece::rate(double t) const {
  const double s = t - start;
  double sum = 0;
  for (std::uint32_t k = orders; k-- > 1;) sum = sum * s + k * c[k];
  return sum;
}

DriverPiece piece_from(const DriverShape& shape, double start, double until) {
  DriverPiece out;
  out.start = start;
  // The place is the origin and stays there.
  constexpr unsigned known = DriverPiece::orders;
  const std::vector<double> origin(known + 1, 0.0);
  motion::Along along;
  along.position = origin.data();
  along.velocity = origin.data();
  along.n = 1;
  along.known = known;
  along.time = start;
  std::vector<double> registers;
  motion::LaneBound bound;
  const double left = until - start;
  // In a unit of time in which the piece is neither long nor short, so that no coefficient leaves the range of numbers.
  for (int round = 0; round < most_units_of_time; ++round) {
    motion::run_lane(along, shape.slots, shape.tape, 0, registers);
    const bool finite = std::all_of(registers.begin(), registers.end(), [](double x) { return std::isfinite(x); });
    bool clear = false;
    const double h = finite ? motion::reach_of_lane(along, shape.slots, shape.tape, 0, registers, shape.value, {},
                                                    few_roundings, longest_in_units, bound, clear)
                            : 0.0;
    if (h < shortest_in_units) {
      along.unit *= shortest_in_units;
      continue;
    }
    out.length = std::min(h * along.unit, left);
    const double* c = registers.data() + std::size_t{shape.value} * (known + 1);
    double scale = 1;
    for (std::uint32_t k = 0; k < known; ++k) {
      out.c[k] = c[k] / scale;
      scale *= along.unit;
    }
    return out;
  }
  return out;
}

}  // namespace zwang::crowds
