/// Steps of what touches all the time: beads on a wire, discs that lie in a box, a net on a ball.
///
/// Milliseconds of processor time per step after the first steps, how many conditions there are and how many carry, and the deepest that anything is entered. beads.py
/// has the beads beside MuJoCo. Arguments: which of the cases, by number.
#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "processor_time.hpp"
#include "zwang/model/read.hpp"
#include "zwang/stepping/course.hpp"

namespace {

using namespace zwang;

/// Beads one above the other on a wire, the lowest on the floor.
constexpr const char* beads = R"toml(
gravity = [0, -9.81]
[points.b]
count = 100
mass = 0.01
position = [0, "0.02*(i - 1) + 0.01"]
[constraints]
wire = { for = "i = 1..100", condition = "b[i].x = 0" }
floor = { condition = "b[1].y >= 0.01", restitution = 0 }
apart = { for = "i = 1..99", condition = "b[i+1].y - b[i].y >= 0.02", restitution = 0 }
[simulation]
until = 10
method = "stepping"
step = 1e-3
)toml";

/// Discs that lie in rows above each other, every second row moved by half a disc: at rest where they touch those beside them, sagging where they are a little
/// apart. Conditions between all pairs, or between neighbours alone.
std::string discs(int rows, bool all_pairs, double apart) {
  std::string text = fmt::format(R"toml(
gravity = [0, -9.81]
[parameters]
m = {0}
n = "m^2"
d = 1
w = {1}
[points.b]
count = "n"
mass = 1
position = ["w*(i - 1 - m*floor((i-1)/m)) + 0.5*w*(floor((i-1)/m) - 2*floor(floor((i-1)/m)/2))", "floor((i-1)/m)*sqrt(d^2 - w^2/4)"]
[constraints]
low = {{ for = "i = 1..n", condition = "b[i].y >= 0", restitution = 0 }}
left = {{ for = "i = 1..n", condition = "b[i].x >= 0", restitution = 0 }}
right = {{ for = "i = 1..n", condition = "b[i].x <= w*(m - 0.5)", restitution = 0 }}
)toml",
                                 rows, apart);
  if (all_pairs) {
    text += "apart = { for = \"i = 1..n, j = i+1..n\", condition = \"distance(b[i], b[j]) >= d\", restitution = 0 }\n";
  } else {
    // The two above: of even and of odd rows.
    text += R"toml(
beside = { for = "r = 1..m, c = 1..m-1", condition = "distance(b[(r-1)*m + c], b[(r-1)*m + c + 1]) >= d", restitution = 0 }
above = { for = "r = 1..m-1, c = 1..m", condition = "distance(b[(r-1)*m + c], b[r*m + c]) >= d", restitution = 0 }
odd = { for = "r = 1..floor((m-1)/2), c = 1..m-1", condition = "distance(b[(2*r-1)*m + c], b[2*r*m + c + 1]) >= d", restitution = 0 }
even = { for = "r = 1..floor(m/2), c = 2..m", condition = "distance(b[(2*r-2)*m + c], b[(2*r-1)*m + c - 1]) >= d", restitution = 0 }
)toml";
  }
  return text + "[simulation]\nuntil = 10\nmethod = \"stepping\"\nstep = 1e-3\n";
}

/// A net of strings over a ball: m knots along each side.
std::string net(int side) {
  return fmt::format(R"toml(
gravity = [0, 0, -9.81]
[parameters]
m = {0}
s = "2/m"
[points.k]
count = "m^2"
mass = "1/m^2"
position = ["s*(i - 1 - m*floor((i-1)/m)) - 1 + s/2", "s*floor((i-1)/m) - 1 + s/2", 0.5001]
[constraints]
along = {{ for = "r = 1..m, c = 1..m-1", condition = "distance(k[(r-1)*m + c], k[(r-1)*m + c + 1]) <= s", restitution = 0 }}
across = {{ for = "r = 1..m-1, c = 1..m", condition = "distance(k[(r-1)*m + c], k[r*m + c]) <= s", restitution = 0 }}
ball = {{ for = "i = 1..m^2", condition = "k[i].x^2 + k[i].y^2 + k[i].z^2 >= 0.25", restitution = 0 }}
[simulation]
until = 10
method = "stepping"
step = 1e-3
)toml",
                     side);
}

void measure(const char* name, const std::string& text, int first, int steps) {
  double from = processor_seconds();
  const model::Model model = model::load(text, name);
  const double reading = processor_seconds() - from;
  stepping::Course course(model, model.simulation.until, model.simulation.step);
  course.begin();
  int gone = 0;
  const auto go = [&](int until) {
    while (gone < until && course.go()) ++gone;
  };
  go(first);
  from = processor_seconds();
  go(first + steps);
  const double each = (processor_seconds() - from) / steps;
  // Of a course that ended before, the steps that were not gone would count as quick ones.
  if (gone < first + steps) {
    fmt::print("{:>24} {:>9} {:>9} no figure: it ended after {} of {} steps, {}\n", name, model.variables, model.rows(),
               gone, first + steps, course.now.why);
    return;
  }
  std::size_t held = 0;
  for (const std::uint8_t one : course.now.held) held += one != 0 ? 1 : 0;
  fmt::print("{:>24} {:>9} {:>9} {:>9} {:>12.4f} {:>10.1e} {:>10.2f}\n", name, model.variables, model.rows(), held,
             1e3 * each, course.now.penetration, reading);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> cases;
  for (int k = 1; k < argc; ++k) cases.push_back(std::atoi(argv[k]));
  const std::vector<std::function<void()>> all = {
      [] { measure("100 beads", beads, 20, 2000); },
      [] { measure("100 discs, all pairs", discs(10, true, 1), 20, 200); },
      [] { measure("100 discs", discs(10, false, 1), 20, 500); },
      // (Later discs fall between those that conditions know as their neighbours.)
      [] { measure("100 discs, sagging", discs(10, false, 1.01), 20, 300); },
      [] { measure("10^4 discs", discs(100, false, 1), 5, 20); },
      [] { measure("10^4 discs, sagging", discs(100, false, 1.01), 5, 20); },
      [] { measure("net of 10^4 strings", net(71), 10, 10); },
      [] { measure("net of 10^5 strings", net(224), 10, 5); },
  };
  for (int k = 0; cases.size() < all.size() && argc == 1; ++k) cases.push_back(k);
  fmt::print("{:>24} {:>9} {:>9} {:>9} {:>12} {:>10} {:>10}\n", "case", "variables", "rows", "carry", "ms per step",
             "entered", "reading s");
  for (const int one : cases) all.at(static_cast<std::size_t>(one))();
  return 0;
}
