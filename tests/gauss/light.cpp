/// A light variable that heavy ones hold: its motion to nearly all digits, where a = a0 - W J^T lambda has none left.
#include "zwang/gauss/light.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "zwang/gauss.hpp"

namespace zwang::gauss::light_tests {
namespace {

/// A hub, variables 0 and 1, under the force (1, 0.5), with strings u_i.(b_i - hub) <= 0 to beads of mass 1 that are pulled away along
/// them; every fifth is pushed inwards and its string is slack. Every string may stand there twice.
struct Star {
  std::vector<double> mass, a0, entry, h;
  std::vector<std::uint32_t> start = {0}, column;
  std::vector<RowKind> kind;
  linear::Mass masses;
  std::array<double, 2> right{};  ///< the hub's motion, from its two equations  (M + sum u u^T) a = X + sum u (u.a0)

  Star(std::uint32_t strings, double hub, bool twice) {
    const double across = 1, up = 0.5;
    mass = {hub, hub};
    a0 = {across / hub, up / hub};
    double xx = hub, xy = 0, yy = hub, x = across, y = up;
    for (std::uint32_t k = 0; k < strings; ++k) {
      const double ux = std::cos(0.7 * k), uy = std::sin(0.7 * k);
      const double pull = k % 5 == 4 ? -2 : 2 + 0.1 * std::sin(1.3 * k);
      mass.insert(mass.end(), {1.0, 1.0});
      a0.insert(a0.end(), {pull * ux, pull * uy});
      for (int copy = 0; copy < (twice ? 2 : 1); ++copy) {
        column.insert(column.end(), {0, 1, 2 + 2 * k, 3 + 2 * k});
        entry.insert(entry.end(), {-ux, -uy, ux, uy});
        start.push_back(static_cast<std::uint32_t>(column.size()));
        h.push_back(0);
        kind.push_back(RowKind::inequality);
      }
      if (pull < 0) continue;
      xx += ux * ux;
      xy += ux * uy;
      yy += uy * uy;
      x += pull * ux;
      y += pull * uy;
    }
    const double determinant = xx * yy - xy * xy;
    right = {(yy * x - xy * y) / determinant, (xx * y - xy * x) / determinant};
    masses = linear::Mass(mass);
    EXPECT_TRUE(masses.factor());
  }
  [[nodiscard]] Problem problem() const { return {&masses, a0, start, column, entry, h, kind}; }
};

TEST(Light, a_hub_of_any_mass_moves_as_its_two_equations_say) {
  for (const std::uint32_t strings : {12U, 129U, 300U}) {
    for (const double hub : {1e-12, 1e-9, 1e-6, 1e-3, 1.0, 1e6, 1e12}) {
      for (const bool twice : {false, true}) {
        if (twice && strings == 300) continue;
        const Star star(strings, hub, twice);
        Workspace workspace;
        Solution solution;
        solve(star.problem(), {}, workspace, solution);
        ASSERT_EQ(solution.status, Status::solved) << strings << " " << hub << " " << twice;
        const double size = std::abs(star.right[0]) + std::abs(star.right[1]);
        EXPECT_NEAR(solution.a[0], star.right[0], 1e-9 * size) << strings << " " << hub << " " << twice;
        EXPECT_NEAR(solution.a[1], star.right[1], 1e-9 * size) << strings << " " << hub << " " << twice;
      }
    }
  }
}

}  // namespace
}  // namespace zwang::gauss::light_tests
