/// A motion with events: a weight on a string is thrown upwards, the string goes slack, is jerked taut, and the weight swings on.
///
/// With v^2 = 4 g L at the lowest point the string carries the weight up to the height L (1 + 2/3) above it, where the multiplier falls to
/// zero; from there a parabola, until the string is taut again with speed: a shock.
#include <cstdio>
#include <string>
#include <string_view>
#include <zwang/zwang.hpp>

namespace {

const char* const weight = R"toml(
title = "A weight on a string"
gravity = [0, 0, "-g"]

[parameters]
g = 9.81
L = 1

[points.a]
mass     = 1
position = [0, 0, "-L"]
velocity = ["sqrt(4*g*L)", 0, 0]

[constraints]
string = "distance(a, [0, 0, 0]) <= L"
)toml";

std::string text(std::string_view words) { return std::string(words); }

}  // namespace

int main() try {
  const zwang::Model model = zwang::parse(weight);
  const std::uint32_t string = model.row("string");

  // Now: the string carries the weight and bends its path, m g + m v^2 / L = 5 m g.
  const zwang::instant::Instant now = zwang::accelerate(model);
  std::printf("%s: the string is %s and pulls with %.4f\n", text(words(now.status)).c_str(),
              text(words(now.role[string])).c_str(), now.multipliers[string]);

  // The motion, and what happens in it.
  const zwang::Motion motion = zwang::run(model, {.until = 2, .samples = 5});
  for (const zwang::motion::Event& event : motion.events()) {
    std::printf("t = %.6f  %-8s height %+.6f", event.time, text(words(event.kind)).c_str(),
                model.part("a", event.position)[2]);
    for (const auto& [row, impulse] : event.impulses) {
      std::printf("  %s struck with %.6f", model.row_names()[row].c_str(), impulse);
    }
    std::printf("\n");
  }

  // It is a function of time.
  for (const double time : motion.times()) {
    const zwang::State state = motion.at(time);
    std::printf("t = %.1f  x = %+.6f  z = %+.6f\n", time, state.position[0], state.position[2]);
  }
  const zwang::motion::Account& account = motion.account();
  std::printf("%s; energy %.4f - %.4f lost = %.4f\n", text(words(motion.status())).c_str(), account.energy.initial,
              account.energy.lost, account.energy.final);
  return motion.status() == zwang::motion::Status::finished ? 0 : 1;
} catch (const zwang::Error& error) {
  std::fprintf(stderr, "%s\n", zwang::render(error).c_str());
  return 1;
}
