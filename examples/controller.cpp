/// A controller that steps: a cart is pushed so that the pole on it stays upright, by a force that is set fifty times a second.
///
/// The pole is a point at the end of a rod of length L; u is a parameter of the model, the force on the cart. The controller feeds back angle and
/// place with their rates; a blow after two seconds is what it has to mend.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <zwang/zwang.hpp>

namespace {

const char* const cart_and_pole = R"toml(
gravity = [0, -9.81]

[parameters]
L = 0.8
u = 0

[points.cart]
mass     = 1
position = [0, 0]
force    = ["u", 0]

[points.pole]
mass     = 0.2
position = ["L*sin(0.1)", "L*cos(0.1)"]

[constraints]
track = "cart.y = 0"
rod   = "distance(cart, pole) = L"
)toml";

}  // namespace

int main() try {
  const zwang::Model model = zwang::parse(cart_and_pole);
  zwang::Stepper stepper(model);
  const double beat = 1.0 / 50;
  double largest = 0;
  for (int k = 0; k < 250; ++k) {
    // What is seen.
    const zwang::State& state = stepper.state();
    const auto cart = model.part("cart", state.position);
    const auto pole = model.part("pole", state.position);
    const double angle = std::atan2(pole[0] - cart[0], pole[1] - cart[1]);
    const double turning =
        (model.part("pole", state.velocity)[0] - model.part("cart", state.velocity)[0]) / (pole[1] - cart[1]);
    if (k % 50 == 0)
      std::printf("t = %.2f  cart at %+.3f  pole at %+6.2f degrees\n", stepper.time(), cart[0], angle * 57.29577951);
    if (stepper.time() > 4) largest = std::max(largest, std::abs(angle));

    // What is done: a force until the next beat, and once a blow from outside.
    stepper.set("u", 40 * angle + 8 * turning + 1.5 * cart[0] + 3 * model.part("cart", state.velocity)[0]);
    if (k == 100) stepper.push("pole", {0.15, 0});
    stepper.advance_through((k + 1) * beat);
    if (stepper.status() != zwang::motion::Status::going) {
      std::printf("%s\n", stepper.why().c_str());
      return 1;
    }
  }
  std::printf("upright: the last second saw less than %.1f degrees\n", std::ceil(largest * 57.29577951 * 10) / 10);
  return largest < 0.05 ? 0 : 1;
} catch (const zwang::Error& error) {
  std::fprintf(stderr, "%s\n", zwang::render(error).c_str());
  return 1;
}
