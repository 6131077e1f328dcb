/// Small systems with known motions.
#pragma once

namespace zwang::testing {

/// Falls from the height h = 1 under g = 10, thrown with 1 along x; strikes at sqrt(2 h / g) = sqrt(0.2) with sqrt(20).
inline constexpr const char* ball = R"toml(title = "A ball"
gravity = [0, "-g"]
[parameters]
g = 10
e = 0.5
lift = 0
[points.ball]
mass = 2
position = [0, 1]
velocity = [1, 0]
force = [0, "lift"]
[constraints]
floor = { condition = "ball.y >= 0", restitution = "e" }
[outputs]
height = "ball.y"
[simulation]
until = 0.8
samples = 9
)toml";

/// Hangs at rest on a string of length L under g = 10: the string carries m g = 30.
inline constexpr const char* hanging = R"toml(gravity = [0, 0, -10]
[parameters]
L = 2
[points.weight]
mass = 3
position = [0, 0, "-L"]
[constraints]
string = "distance(weight, [0, 0, 0]) <= L"
)toml";

/// A knife edge that slides along itself and turns: the condition on velocities does not integrate, and its two laws differ once rho starts
/// other than at 0.
inline constexpr const char* blade = R"toml([coordinates.x]
initial = 0
velocity = 1
[coordinates.y]
initial = 0
[coordinates.w]
initial = 0
velocity = 1
[energy]
kinetic = "x'^2/2 + y'^2/2 + w'^2/2"
[constraints]
edge = "x'*sin(w) - y'*cos(w) = 0"
[simulation]
until = 1
)toml";

}  // namespace zwang::testing
