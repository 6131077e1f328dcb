/// What derivatives by parameters cost, in motions: the motion alone, then how the model depends on each parameter, then the derivatives along the motion.
///
/// The goal for p parameters is (1 + 0.6 p) motions in all, so at most 0.6 in the last columns. Processor time, medians of interleaved runs; only ratios mean
/// anything. With an argument only the models whose names contain it.
///
///   bench_derivatives --once FILE PARAMETERS STAGE
///
/// does it once and prints nothing, for those who count instructions (derivatives_in_instructions.py): the model alone (STAGE 0), then the motion (1), then the slopes of the model's
/// numbers (2), then the derivatives along the motion (3). FILE may be one of the names above.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "processor_time.hpp"
#include "zwang/model/read.hpp"
#include "zwang/sensitivity/sensitivity.hpp"

namespace {

using namespace zwang;

struct Case {
  const char* name;
  std::string text;
  std::vector<std::string> parameters;
};

constexpr const char* double_pendulum = R"toml(
[parameters]
g = 10
m1 = 1.1
m2 = 1.2
l1 = 1.3
l2 = 0.9
[coordinates.q1]
initial = "atan2(4, 3)"
velocity = 1
[coordinates.q2]
initial = 0
velocity = 2
[energy]
kinetic = "(m1 + m2)/2*l1^2*q1'^2 + m2/2*l2^2*q2'^2 + m2*l1*l2*q1'*q2'*cos(q1 - q2)"
potential = "-(m1 + m2)*g*l1*cos(q1) - m2*g*l2*cos(q2)"
[simulation]
until = 10
)toml";

constexpr const char* ball = R"toml(
gravity = [0, 0, "-g"]
[parameters]
g = 10
e = 0.9
w = 4
[points.ball]
mass = 2
position = [0, 0, 0]
velocity = [1, 0, "-w"]
[constraints]
floor = { condition = "ball.z >= 0", restitution = "e" }
[simulation]
until = 6
)toml";

constexpr const char* string_pendulum = R"toml(
gravity = [0, "-g"]
[parameters]
g = 10
L = 1
k = 4.7
[points.bob]
mass = 1
position = [0, "-L"]
velocity = ["sqrt(k*g*L)", 0]
[constraints]
string = "distance(bob, [0, 0]) <= L"
[simulation]
until = 6
)toml";

constexpr const char* bars = R"toml(
gravity = [0, "-g"]
[parameters]
g = 10
m = 1.1
s = 0.2
[bodies.upper]
mass = "m"
shape = { rod = 1 }
position = [0.5, 0]
[bodies.upper.marks]
start = [-0.5, 0]
end = [0.5, 0]
[bodies.lower]
mass = 1
shape = { rod = 1 }
position = [1, 0.5]
orientation = "pi/2"
spin = "s"
velocity = ["-s/2", 0]
[bodies.lower.marks]
start = [-0.5, 0]
[joints]
shoulder = { hinge = [[0, 0], "upper.start"] }
elbow = { hinge = ["upper.end", "lower.start"] }
[simulation]
until = 3
)toml";

/// Rods, one hanging from the other, let go from the side.
std::string chain(int rods) {
  std::string text = "gravity = [0, \"-g\"]\n[parameters]\ng = 10\nm = 1.1\nv = 0.3\n";
  for (int k = 1; k <= rods; ++k) {
    text += "[points.p" + std::to_string(k) + "]\nmass = " + (k == rods ? std::string("\"m\"") : std::string("1")) +
            "\nposition = [" + std::to_string(k) + ", 0]\nvelocity = [0, " + (k == rods ? "\"v\"" : "0") + "]\n";
  }
  text += "[constraints]\n";
  for (int k = 1; k <= rods; ++k) {
    text += "r" + std::to_string(k) + " = \"distance(p" + std::to_string(k) + ", " +
            (k == 1 ? std::string("[0, 0]") : "p" + std::to_string(k - 1)) + ") = 1\"\n";
  }
  return text + "[simulation]\nuntil = 3\n";
}

double took(int times, const std::function<void()>& work) {
  const double begin = processor_seconds();
  for (int k = 0; k < times; ++k) work();
  return (processor_seconds() - begin) / times;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure(const Case& one) {
  const model::Draft draft = model::read(one.text, one.name);
  const model::Model model = model::compile(draft, {});
  motion::Track track;
  const auto plain = [&] {
    track = {};
    motion::Motion motion = motion::begin(model);
    motion::follow(model, motion, track);
  };
  plain();
  const motion::RunView view = motion::view(model, track);
  const double once = took(1, plain);
  const int times = std::max(1, static_cast<int>(0.02 / std::max(once, 1e-6)));
  std::vector<double> alone, compiled, slopes_one, slopes_all, by_one, by_all;
  const std::vector<std::string> first(one.parameters.begin(), one.parameters.begin() + 1);
  const auto of_one = sensitivity::parameter_slopes(draft, {}, first);
  const auto of_all = sensitivity::parameter_slopes(draft, {}, one.parameters);
  for (int turn = 0; turn < 7; ++turn) {
    alone.push_back(took(times, plain));
    compiled.push_back(took(times, [&] { static_cast<void>(model::compile(draft, {})); }));
    slopes_all.push_back(
        took(times, [&] { static_cast<void>(sensitivity::parameter_slopes(draft, {}, one.parameters)); }));
    by_one.push_back(took(times, [&] { static_cast<void>(sensitivity::sensitivity(model, view, of_one, {})); }));
    by_all.push_back(took(times, [&] { static_cast<void>(sensitivity::sensitivity(model, view, of_all, {})); }));
  }
  const double base = median(alone);
  const auto p = static_cast<double>(one.parameters.size());
  std::printf("%-16s %6zu %6zu %12.1f %10.2f %12.2f %12.2f %12.2f\n", one.name, track.pieces.size(),
              track.events.size(), base * 1e6, median(compiled) / base, median(slopes_all) / base / p,
              median(by_one) / base, median(by_all) / base / p);
}

void once(const std::string& text, const std::string& name, const std::string& list, int stages) {
  std::vector<std::string> parameters;
  std::istringstream names(list);
  for (std::string one; std::getline(names, one, ',');) parameters.push_back(one);
  const model::Draft draft = model::read(text, name);
  const model::Model model = model::compile(draft, {});
  if (stages < 1) return;
  motion::Track track;
  motion::Motion motion = motion::begin(model);
  motion::follow(model, motion, track);
  if (stages < 2) return;
  const auto slopes = sensitivity::parameter_slopes(draft, {}, parameters);
  if (stages < 3) return;
  static_cast<void>(sensitivity::sensitivity(model, motion::view(model, track), slopes, {}));
}

std::string read_file(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

int main(int count, char** arguments) {
  const Case cases[] = {{"double-pendulum", double_pendulum, {"l1", "g", "m2", "l2"}},
                        {"rods-2", chain(2), {"g", "m", "v"}},
                        {"rods-12", chain(12), {"g", "m", "v"}},
                        {"ball", ball, {"g", "e", "w"}},
                        {"string-pendulum", string_pendulum, {"g", "L", "k"}},
                        {"bars", bars, {"g", "m", "s"}}};
  if (count == 5 && std::string_view(arguments[1]) == "--once") {
    const std::string_view name = arguments[2];
    const Case* own =
        std::find_if(std::begin(cases), std::end(cases), [&](const Case& one) { return one.name == name; });
    once(own != std::end(cases) ? own->text : read_file(arguments[2]), arguments[2], arguments[3],
         std::stoi(arguments[4]));
    return 0;
  }
  const std::string only = count > 1 ? arguments[1] : "";
  std::printf("%-16s %6s %6s %12s %10s %12s %12s %12s\n", "model", "pieces", "events", "motion, us", "compiling",
              "slopes / p", "along, p = 1", "along / p");
  for (const Case& one : cases) {
    if (std::string_view(one.name).find(only) != std::string_view::npos) measure(one);
  }
}
