/// Evaluation at a state takes no memory.
#include <gtest/gtest.h>

#include "counted_new.hpp"
#include "sight.hpp"

namespace allocation_tests {
namespace {

TEST(Evaluation, takes_no_memory) {
  Sight sight(R"toml(
gravity = [0, 0, "-g*cos(t)"]
[parameters]
g = 9.81
[points.bead]
count = 20
mass = 1
position = ["i", 0, "i^2"]
force = ["-bead[i].x'", 0, 0]
[coordinates.w]
initial = 1
velocity = 1
[coordinates.u]
initial = 1
[energy]
kinetic = "w'^2 + u'^2*(2 + w^2) + w'*u'*cos(w)"
potential = "sum(i = 1..19, distance(bead[i], bead[i+1])^2)"
[constraints]
link = { for = "i = 1..19", condition = "distance(bead[i], bead[i+1]) <= 1" }
skate = "w'*sin(u) = u'*cos(w)"
)toml");
  const std::size_t before = allocations();
  for (int k = 0; k < 10; ++k) sight.look();
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace allocation_tests
