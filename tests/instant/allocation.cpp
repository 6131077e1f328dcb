/// `accelerate` allocates nothing once its workspace is warm.
#include <gtest/gtest.h>

#include "model/counted_new.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/model/read.hpp"

namespace allocation_tests {
namespace {

TEST(Instant, a_warm_accelerate_allocates_nothing) {
  const auto model = zwang::model::load(R"toml(
gravity = [0, 0, -9.81]
[points.a]
mass = 1
position = [0, 0, -1]
velocity = [1, 0, 0]
[points.b]
mass = 2
position = [0, 0, -2]
velocity = [1, 0.5, 0]
[points.c]
mass = 3
position = [1, 0, -2]
velocity = [1, 0, 0]
[constraints]
upper = "norm(a) <= 1"
lower = "distance(a, b) <= 1"
rod = "distance(b, c) = 1"
floor = "c.z >= -2"
)toml",
                                        "test.toml");
  const auto state = zwang::model::initial_state(model);
  zwang::instant::Workspace workspace(model);
  zwang::instant::Instant instant;
  zwang::instant::Options options;
  options.warm = true;
  zwang::instant::accelerate(model, state, options, workspace, instant);
  ASSERT_EQ(instant.status, zwang::instant::Status::determined);
  zwang::instant::accelerate(model, state, options, workspace, instant);
  const std::size_t before = allocations();
  for (int i = 0; i < 10; ++i) {
    zwang::instant::accelerate(model, state, options, workspace, instant);
  }
  EXPECT_EQ(allocations() - before, 0U);
}

}  // namespace
}  // namespace allocation_tests
