/// Somebody else's program: of two unit masses that fall with g = 9.81 one lies on a floor, z >= 0.
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>
#include <zwang/zwang.hpp>

int main() {
  namespace gauss = zwang::gauss;

  // The row of the floor: -z'' <= 0 for the first mass.
  zwang::Mass mass({1.0, 1.0});
  const bool positive = mass.factor();
  const std::array<double, 2> free = {-9.81, -9.81};
  const std::array<std::uint32_t, 2> start = {0, 1};
  const std::array<std::uint32_t, 1> column = {0};
  const std::array<double, 1> entry = {-1.0};
  const std::array<double, 1> offset = {0.0};
  const std::array<gauss::RowKind, 1> kind = {gauss::RowKind::inequality};
  const gauss::Problem problem{&mass, free, start, column, entry, offset, kind};

  // The floor carries the weight of the first mass; the second falls freely.
  gauss::Workspace workspace;
  gauss::Solution solution;
  gauss::solve(problem, {}, workspace, solution);
  std::vector<double> scratch;
  const gauss::Certificate certificate = gauss::verify(problem, solution.a, solution.lambda, scratch);
  std::printf("%g %g, floor %g\n", solution.a[0], solution.a[1], solution.lambda[0]);
  const bool right = positive && problem.check().empty() && solution.status == gauss::Status::solved &&
                     solution.a[0] == 0.0 && solution.a[1] == -9.81 && solution.lambda[0] == 9.81 &&
                     certificate.worst() <= 1e-15;
  return right ? 0 : 1;
}
