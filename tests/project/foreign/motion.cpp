/// Somebody else's program: a ball is let fall, its bounce is recorded, read again, stepped through and shown on a page.
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <zwang/zwang.hpp>

int main() {
  const zwang::Model model = zwang::parse(R"(
    gravity = [0, -10]
    [points.ball]
    mass = 1
    position = [0, 5]
    [constraints]
    floor = { condition = "ball.y >= 0", restitution = 0.5 }
  )");
  const zwang::Motion motion = zwang::record(model, "ball.sqlite", {.until = 1.5});
  const zwang::Motion again = zwang::open_run("ball.sqlite");
  zwang::Stepper stepper(model);
  const auto& events = stepper.advance(10);
  zwang::write_page(again, "ball.html");
  const std::string kind(words(events.at(0).kind));
  std::printf("zwang %s: %s at %.3f, height at 1.5: %.3f\n", zwang::version, kind.c_str(), stepper.time(),
              again.at(1.5).position[1]);
  const bool right = motion.status() == zwang::motion::Status::finished && kind == "impact" &&
                     std::abs(stepper.time() - 1) < 1e-14 && std::abs(again.at(1.5).position[1] - 1.25) < 1e-12 &&
                     zwang::equations(model).find("ball") != std::string::npos &&
                     zwang::analysis::energy_rate(model, model.initial()).conserved();
  return right ? 0 : 1;
}
