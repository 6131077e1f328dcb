/// What an instant costs as the system grows: chains, columns, nets and stars of 10 to 10^4 members, and a hub of 10^5 strings.
///
/// Processor time of the start and per piece of motion that follows, an event or a step of the series, in one run. The last column is the cost per piece and member beside
/// that of the size before: 1 where the cost grows with the size, 10 where it grows with its square. A case that takes longer than some seconds is the last of its kind.
/// Arguments: names of kinds, and `most=N`.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "processor_time.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace {

using namespace zwang;

/// Seconds of a case beyond which no larger one of its kind is begun, and pieces that are followed.
constexpr double most_seconds = 5;
constexpr int pieces = 10;

/// Strings in a row, level at the start, held at one end.
std::string chain(int n) {
  return fmt::format(R"toml(
gravity = [0, -9.81]
[parameters]
o = [0, 0]
[points.b]
count = {}
mass = 1
position = ["i", 0]
[constraints]
first = "distance(b[1], o) <= 1"
link = {{ for = "i = 1..{}", condition = "distance(b[i], b[i+1]) <= 1" }}
)toml",
                     n, n - 1);
}

/// Beads on a wire, one on the other, and one more that falls on them.
std::string column(int n) {
  return fmt::format(R"toml(
gravity = [0, -9.81]
[parameters]
n = {}
[points.b]
count = "n"
mass = 1
position = [0, "i + max(0, i - n + 1)*0.01"]
[constraints]
wire = {{ for = "i = 1..n", condition = "b[i].x = 0" }}
floor = {{ condition = "b[1].y >= 1", restitution = 0.5 }}
apart = {{ for = "i = 1..n-1", condition = "b[i+1].y - b[i].y >= 1", restitution = 0.5 }}
)toml",
                     n);
}

/// A taut net with a ball below its middle.
std::string net(int n) {
  int side = 2;
  while ((side + 1) * (side + 1) <= n) ++side;
  return fmt::format(R"toml(
gravity = [0, 0, -9.81]
[parameters]
m = {}
[points.k]
count = "m^2"
mass = 1
position = ["mod(i - 1, m) - (m - 1)/2 + 0.01", "floor((i - 1)/m) - (m - 1)/2 + 0.02", 0.6]
[points.ball]
mass = "m"
position = [0, 0, 0]
velocity = [0, 0, 1]
[constraints]
along = {{ for = "r = 1..m, c = 1..m-1", condition = "distance(k[(r-1)*m + c], k[(r-1)*m + c + 1]) <= 1" }}
across = {{ for = "r = 1..m-1, c = 1..m", condition = "distance(k[(r-1)*m + c], k[r*m + c]) <= 1" }}
apart = {{ for = "i = 1..m^2", condition = "distance(k[i], ball) >= 0.5", restitution = 0 }}
)toml",
                     side);
}

/// A hub on strings, every other one slack.
std::string star(int n) {
  return fmt::format(R"toml(
gravity = [0, -9.81]
[parameters]
n = {}
[points.hub]
mass = "n"
position = [0, 0]
[points.b]
count = "n"
mass = 1
position = ["cos(2*pi*i/n)", "sin(2*pi*i/n)"]
velocity = ["0.1*cos(2*pi*i/n)", "0.1*sin(2*pi*i/n)"]
[constraints]
string = {{ for = "i = 1..n", condition = "distance(b[i], hub) <= 1 + 0.01*mod(i, 2)", restitution = 0 }}
)toml",
                     n);
}

/// Seconds that it took.
double measure(const char* name, const std::string& text, int n, double& before, int size_before) {
  const double begun = processor_seconds();
  const model::Model model = model::load(text + "[simulation]\nuntil = 1\n", name);
  double from = processor_seconds();
  auto motion = motion::begin(model);
  const double start = processor_seconds() - from;
  from = processor_seconds();
  int count = 0;
  while (count < pieces && processor_seconds() - from < most_seconds && motion::advance(motion)) ++count;
  const double each = (processor_seconds() - from) / std::max(count, 1);
  const double growth = before > 0 ? each / before * size_before / n : 0;
  fmt::print("{:>8} {:>7} {:>8} {:>10.3f} {:>10.3f} {:>7} {:>12.3f} {:>8.2f} {}\n", name, n, model.rows(), from - begun,
             1e3 * start, count, 1e3 * each, growth,
             motion.status == motion::Status::going || motion.status == motion::Status::finished ? "" : motion.why);
  before = each;
  return processor_seconds() - begun;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> wanted;
  int most = 100'000;
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    if (word.substr(0, 5) == "most=") {
      most = std::atoi(argv[k] + 5);
    } else {
      wanted.emplace_back(word);
    }
  }
  struct Kind {
    const char* name;
    std::function<std::string(int)> text;
    int largest;
  };
  const std::vector<Kind> kinds = {
      {"chain", chain, 10'000}, {"column", column, 10'000}, {"net", net, 10'000}, {"star", star, 100'000}};
  fmt::print("{:>8} {:>7} {:>8} {:>10} {:>10} {:>7} {:>12} {:>8}\n", "kind", "members", "rows", "reading s", "start ms",
             "pieces", "ms per piece", "growth");
  for (const Kind& kind : kinds) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), kind.name) == wanted.end()) continue;
    double before = 0;
    int size_before = 0;
    for (const int n : {10, 30, 100, 300, 1000, 3000, 10'000, 30'000, 100'000}) {
      if (n > std::min(most, kind.largest)) break;
      if (measure(kind.name, kind.text(n), n, before, size_before) > most_seconds) break;
      size_before = n;
    }
  }
  return 0;
}
