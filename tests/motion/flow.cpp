/// First-order systems made unfree: closed forms, Maurer's two routes to the same rates, ends, and runs put aside.
#include "zwang/motion/flow.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "zwang/model/flow.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion::flow_tests {

namespace {

constexpr double exactness = 1e-11;  ///< what a run at the default tolerance is good to, at sizes of about 1

using Vector = std::vector<double>;

/// A run with all its pieces.
struct Course {
  explicit Course(const std::string& text, const Options& options = {})
      : model(model::load(text, "model.toml")), motion(begin(model, options)) {
    while (advance(motion)) {
      if (motion.piece.length > 0) pieces.push_back(motion.piece);
      for (const Event& event : motion.events) events.push_back(event);
    }
  }
  [[nodiscard]] const Piece& piece_at(double time) const {
    std::size_t k = 0;
    while (k + 1 < pieces.size() && pieces[k].end() < time) ++k;
    return pieces.at(k);
  }
  [[nodiscard]] model::State at(double time) const {
    model::State state;
    evaluate(piece_at(time), time, state);
    return state;
  }
  [[nodiscard]] Vector multipliers(double time) const {
    Vector out;
    evaluate_multipliers(piece_at(time), time, out);
    return out;
  }
  model::Model model;
  Motion motion;
  std::vector<Piece> pieces;
  std::vector<Event> events;
};

/// Compares positions with a closed form at eleven instants of the run.
void expect_course(const Course& course, double until, const std::function<Vector(double)>& truth,
                   double tolerance = exactness) {
  ASSERT_EQ(course.motion.status, Status::finished) << course.motion.why;
  for (int k = 0; k <= 10; ++k) {
    const double time = until * k / 10;
    const model::State state = course.at(time);
    const Vector expected = truth(time);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(state.position[i], expected[i], tolerance) << "variable " << i << " at " << time;
    }
  }
}

/// Variables x1, x2, ... with their starts and rates.
std::string system(const std::vector<std::string>& starts, const std::vector<std::string>& rates,
                   const std::string& rest) {
  std::string text;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    text += fmt::format("[coordinates.x{}]\ninitial = \"{}\"\n", k + 1, starts[k]);
  }
  text += "[flow]\n";
  for (std::size_t k = 0; k < rates.size(); ++k) text += fmt::format("x{} = \"{}\"\n", k + 1, rates[k]);
  return text + rest;
}

const std::string sphere = "[constraints]\nsphere = \"(x1^2 + x2^2 + x3^2 - 1)/2 = 0\"\n";

// ---------------------------------------------------------------------------------------------- free flows

TEST(FreeFlow, grows_like_the_logistic_function) {
  const Course course(system({"0.1"}, {"x1*(1 - x1)"}, "[simulation]\nuntil = 8\n"));
  expect_course(course, 8, [](double t) { return Vector{1 / (1 + 9 * std::exp(-t))}; });
}

TEST(FreeFlow, depends_on_time_as_written) {
  const Course course(system({"1"}, {"-2*t*x1"}, "[simulation]\nstart = 0\nuntil = 2\n"));
  expect_course(course, 2, [](double t) { return Vector{std::exp(-t * t)}; });
}

/// Lorenz's equations by their own recurrence, 40 orders in long double: a truth of some 17 digits for short times.
std::array<long double, 3> lorenz(long double until) {
  std::array<long double, 3> state = {1, 1, 1};
  constexpr int orders = 40;
  constexpr int steps = 400;
  const long double h = until / steps;
  for (int step = 0; step < steps; ++step) {
    std::array<std::array<long double, orders + 1>, 3> c{};
    for (std::size_t i = 0; i < 3; ++i) c[i][0] = state[i];
    for (std::size_t k = 0; k < orders; ++k) {
      long double xz = 0;
      long double xy = 0;
      for (std::size_t l = 0; l <= k; ++l) {
        xz += c[0][l] * c[2][k - l];
        xy += c[0][l] * c[1][k - l];
      }
      const auto by = static_cast<long double>(k + 1);
      c[0][k + 1] = 10 * (c[1][k] - c[0][k]) / by;
      c[1][k + 1] = (28 * c[0][k] - xz - c[1][k]) / by;
      c[2][k + 1] = (xy - 8 * c[2][k] / 3) / by;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      long double sum = 0;
      for (std::size_t k = orders + 1; k-- > 0;) sum = sum * h + c[i][k];
      state[i] = sum;
    }
  }
  return state;
}

TEST(FreeFlow, follows_lorenz_as_another_series_does) {
  const Course course(
      system({"1", "1", "1"}, {"10*(x2 - x1)", "28*x1 - x1*x3 - x2", "x1*x2 - 8*x3/3"}, "[simulation]\nuntil = 2\n"));
  ASSERT_EQ(course.motion.status, Status::finished);
  const std::array<long double, 3> truth = lorenz(2);
  // Neighbours part by a factor of about 40 over this time, and the numbers are about 10.
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(course.motion.state.position[i], static_cast<double>(truth[i]), 2e-11);
  }
  EXPECT_TRUE(course.motion.multipliers.empty());
}

TEST(FreeFlow, stays_at_an_equilibrium_in_one_step) {
  const Course course(system({"1", "0"}, {"x2*x1", "1 - x1^2"}, "[simulation]\nuntil = 1000\n"));
  EXPECT_EQ(course.motion.status, Status::finished);
  EXPECT_EQ(course.motion.steps, 1U);
  EXPECT_EQ(course.motion.state.position, (Vector{1, 0}));
}

TEST(FreeFlow, free_functions_alone_change_nothing) {
  const std::string end = "[simulation]\nuntil = 3\n";
  const Course plain(system({"1", "0.5"}, {"-x2 + x1/10", "x1"}, end));
  const Course named(
      system({"1", "0.5"}, {"-x2 + x1/10", "x1"}, "[free]\nfunctions = [\"x1 + x2\", \"exp(x2)\"]\n" + end));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(plain.motion.state.position[i], named.motion.state.position[i], 1e-13);
  }
}

TEST(FreeFlow, that_runs_away_gives_up_where_it_does) {
  const Course course(system({"1"}, {"x1^2"}, "[simulation]\nuntil = 2\n"));
  EXPECT_EQ(course.motion.status, Status::gave_up);
  EXPECT_NEAR(course.motion.state.time, 1.0, 1e-10);
}

// ------------------------------------------------------------------------------- orthogonal projection

TEST(OrthogonalFlow, on_the_sphere_climbs_like_tanh) {
  const Course course(system({"4/5", "0", "-3/5"}, {"0", "0", "1"}, sphere + "[simulation]\nuntil = 3\n"));
  const double from = std::atanh(-0.6);
  expect_course(course, 3, [&](double t) {
    const double z = std::tanh(t + from);
    return Vector{std::sqrt(1 - z * z), 0, z};
  });
  // lambda = x.X = x3.
  for (const double t : {0.0, 1.0, 2.5}) EXPECT_NEAR(course.multipliers(t)[0], std::tanh(t + from), exactness);
  EXPECT_LT(course.motion.position_drift, 1e-14);
}

TEST(OrthogonalFlow, moves_with_a_moving_plane) {
  const Course course(system({"0", "0", "0"}, {"1", "2", "4"},
                             "[constraints]\nplane = \"x1 + x2 + x3 = t^2\"\n[simulation]\nuntil = 2\n"));
  // n.X + f_t = 7 - 2 t, |n|^2 = 3.
  expect_course(course, 2, [](double t) {
    const double off = (7 * t - t * t) / 3;
    return Vector{t - off, 2 * t - off, 4 * t - off};
  });
  EXPECT_NEAR(course.multipliers(1.0)[0], (7 - 2.0) / 3, exactness);
}

TEST(OrthogonalFlow, under_two_conditions_follows_their_circle) {
  // In the plane x3 = 1/2 on the unit sphere: theta' = X.e / rho with X = (0, 1, 7), so sin theta = tanh(t / rho).
  const Course course(
      system({"sqrt(3)/2", "0", "1/2"}, {"0", "1", "7"},
             "[constraints]\nsphere = \"x1^2 + x2^2 + x3^2 = 1\"\nplane = \"x3 = 1/2\"\n[simulation]\nuntil = 2\n"));
  const double radius = std::sqrt(3.0) / 2;
  expect_course(course, 2, [&](double t) {
    const double sine = std::tanh(t / radius);
    return Vector{radius * std::sqrt(1 - sine * sine), radius * sine, 0.5};
  });
}

TEST(OrthogonalFlow, under_a_condition_on_rates_that_does_not_integrate) {
  const Course course(system({"0", "0", "0"}, {"1", "0", "1"},
                             "[constraints]\nblade = \"x2' - x3*x1' = 0\"\n[simulation]\nuntil = 2\n"));
  expect_course(course, 2, [](double t) { return Vector{std::atan(t), std::log(1 + t * t) / 2, t}; });
  EXPECT_NEAR(course.multipliers(1.5)[0], -1.5 / (1 + 1.5 * 1.5), exactness);
}

TEST(OrthogonalFlow, shares_the_multipliers_of_conditions_that_say_the_same) {
  const Course course(system({"4/5", "0", "-3/5"}, {"0", "0", "1"},
                             "[constraints]\na = \"(x1^2 + x2^2 + x3^2 - 1)/2 = 0\"\nb = \"(x1^2 + x2^2 + x3^2 - 1)/2 "
                             "= 0\"\n[simulation]\nuntil = 1\n"));
  ASSERT_EQ(course.motion.status, Status::finished) << course.motion.why;
  EXPECT_NEAR(course.motion.state.position[2], std::tanh(1 + std::atanh(-0.6)), exactness);
  EXPECT_NEAR(course.motion.multipliers[0], course.motion.multipliers[1], exactness);
  EXPECT_NEAR(course.motion.multipliers[0] + course.motion.multipliers[1], course.motion.state.position[2], exactness);
}

TEST(OrthogonalFlow, of_a_family_keeps_its_sum) {
  // x_i' = i - lambda, lambda the mean: x_i = (i - (n + 1)/2) t.
  const Course course(
      "[coordinates.x]\ncount = 30\ninitial = 0\n[flow]\nx = \"i\"\n[constraints]\nsum = \"sum(k = 1..30, x[k]) = "
      "0\"\n[simulation]\nuntil = 2\n");
  ASSERT_EQ(course.motion.status, Status::finished);
  for (std::size_t k = 0; k < 30; ++k) {
    EXPECT_NEAR(course.motion.state.position[k], 2 * (static_cast<double>(k + 1) - 15.5), 1e-10);
  }
  EXPECT_NEAR(course.motion.multipliers[0], 15.5, exactness);
}

TEST(OrthogonalFlow, of_a_family_may_talk_to_its_neighbours) {
  // A wave of one period on a ring decays with the eigenvalue 2 cos(2 pi / n) - 2; the mean is held at t.
  constexpr int n = 12;
  const Course course(fmt::format(
      "[parameters]\nn = {}\n[coordinates.x]\ncount = \"n\"\ninitial = \"cos(2*pi*i/n)\"\n[flow]\nx = "
      "\"x[mod(i, n) + 1] + x[mod(i + n - 2, n) + 1] - 2*x[i]\"\n[constraints]\nmean = \"sum(k = 1..n, x[k])/n = "
      "t\"\n[simulation]\nuntil = 3\n",
      n));
  const double decay = 2 * std::cos(2 * M_PI / n) - 2;
  expect_course(course, 3, [&](double t) {
    Vector out;
    for (int k = 1; k <= n; ++k) out.push_back(t + std::exp(decay * t) * std::cos(2 * M_PI * k / n));
    return out;
  });
}

// -------------------------------------------------------------------------------------- free functions

TEST(ObliqueFlow, with_radial_free_functions_is_the_orthogonal_projection_on_the_sphere) {
  const std::vector<std::string> start = {"3/5", "0", "4/5"};
  const std::vector<std::string> rates = {"-x2 + x3", "x1", "x1 - x3"};
  const std::string end = "[simulation]\nuntil = 1\n";
  const Course orthogonal(system(start, rates, sphere + end));
  const Course radial(system(start, rates, "[free]\nfunctions = [\"x1/x3\", \"x2/x3\"]\n" + sphere + end));
  for (const double t : {0.1, 0.5, 1.0}) {
    const model::State a = orthogonal.at(t);
    const model::State b = radial.at(t);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(a.position[i], b.position[i], 1e-14);
      EXPECT_NEAR(a.velocity[i], b.velocity[i], 1e-13);
    }
    // The gradient of the sphere is p |x|^2, and |x| = 1.
    EXPECT_NEAR(orthogonal.multipliers(t)[0], radial.multipliers(t)[0], 1e-13);
  }
}

TEST(ObliqueFlow, leaves_the_free_variables_as_they_would_be) {
  const Course course(system({"0.6", "0", "0.8"}, {"-x1", "-x2 + x1", "5"},
                             "[free]\nfunctions = [\"x1\", \"x2\"]\n" + sphere + "[simulation]\nuntil = 2\n"));
  expect_course(course, 2, [](double t) {
    const double x1 = 0.6 * std::exp(-t);
    const double x2 = 0.6 * t * std::exp(-t);
    return Vector{x1, x2, std::sqrt(1 - x1 * x1 - x2 * x2)};
  });
  // lambda = x.X.
  const model::State state = course.at(1.25);
  const Vector& x = state.position;
  EXPECT_NEAR(course.multipliers(1.25)[0], -x[0] * x[0] + x[1] * (x[0] - x[1]) + 5 * x[2], exactness);
}

TEST(ObliqueFlow, turns_on_a_growing_circle_with_its_angle_free) {
  const Course course(system({"1", "0"}, {"-x2", "x1"},
                             "[free]\nfunctions = [\"atan2(x2, x1)\"]\n[constraints]\nring = \"x1^2 + x2^2 = (1 + "
                             "t)^2\"\n[simulation]\nuntil = 3\n"));
  expect_course(course, 3, [](double t) { return Vector{(1 + t) * std::cos(t), (1 + t) * std::sin(t)}; });
  for (const double t : {0.0, 1.0, 2.0}) EXPECT_NEAR(course.multipliers(t)[0], -2 * (1 + t), exactness);
}

TEST(ObliqueFlow, under_a_condition_on_rates) {
  const Course course(system({"0", "0", "0"}, {"1", "0", "1"},
                             "[free]\nfunctions = [\"x1\", \"x3\"]\n[constraints]\nblade = \"x2' - x3*x1' = "
                             "2\"\n[simulation]\nuntil = 2\n"));
  expect_course(course, 2, [](double t) { return Vector{t, t * t / 2 + 2 * t, t}; });
  EXPECT_NEAR(course.multipliers(1.0)[0], -3.0, exactness);
}

TEST(ObliqueFlow, explicit_time_in_a_free_function_plays_no_part) {
  const std::string rest = sphere + "[simulation]\nuntil = 1\n";
  const Course plain(system({"0.6", "0", "0.8"}, {"x2", "x3", "x1"}, "[free]\nfunctions = [\"x1\", \"x2\"]\n" + rest));
  const Course timed(system({"0.6", "0", "0.8"}, {"x2", "x3", "x1"},
                            "[free]\nfunctions = [\"x1 + sin(t)\", \"x2 - 3*t^2\"]\n" + rest));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(plain.motion.state.position[i], timed.motion.state.position[i], 1e-13);
  }
}

TEST(ObliqueFlow, functions_of_the_free_functions_give_the_same_motion) {
  // Maurer, section 3: only the system of free functions matters.
  const std::string rest = sphere + "[simulation]\nuntil = 1.5\n";
  const Course one(system({"0.6", "0", "0.8"}, {"x2", "x3", "-x2"}, "[free]\nfunctions = [\"x1\", \"x2\"]\n" + rest));
  const Course two(system({"0.6", "0", "0.8"}, {"x2", "x3", "-x2"},
                          "[free]\nfunctions = [\"x1*exp(x2)\", \"x2 + sin(x1)\"]\n" + rest));
  // Both end at the equator, which is reached like a root of the time that is left: there the times are compared.
  EXPECT_EQ(one.motion.status, Status::singular);
  EXPECT_NEAR(one.motion.state.time, two.motion.state.time, 1e-12);
  for (const double t : {0.3, 0.6, 0.9 * one.motion.state.time}) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(one.at(t).position[i], two.at(t).position[i], 1e-12);
  }
}

TEST(ObliqueFlow, a_dependent_condition_carries_nothing) {
  const Course course(system({"0.6", "0", "0.8"}, {"-x1", "-x2", "0"},
                             "[free]\nfunctions = [\"x1\", \"x2\"]\n[constraints]\na = \"(x1^2 + x2^2 + x3^2 - 1)/2 = "
                             "0\"\nb = \"x1^2 + x2^2 + x3^2 = 1\"\n[simulation]\nuntil = 1\n"));
  ASSERT_EQ(course.motion.status, Status::finished) << course.motion.why;
  EXPECT_NEAR(course.motion.state.position[2], std::sqrt(1 - 0.36 * std::exp(-2)), exactness);
  EXPECT_NEAR(course.motion.multipliers[0], -0.36 * std::exp(-2), exactness);
  EXPECT_EQ(course.motion.multipliers[1], 0);
}

/// x' = A x under c.x = d with free functions B x, everything written out with six digits.
TEST(ObliqueFlow, of_a_linear_system_is_the_exponential_of_its_reduced_matrix) {
  EXPECT_TRUE(rc::check("linear systems", [] {
    constexpr std::size_t n = 4;
    const auto number = [] { return *rc::gen::inRange(-1000000, 1000001) / 1e6; };
    const auto row = [&](std::size_t width) {
      Vector out(width);
      for (double& value : out) value = number();
      return out;
    };
    const auto text = [](const Vector& factors) {
      std::string out;
      for (std::size_t k = 0; k < factors.size(); ++k) {
        out += fmt::format("{}({})*x{}", k > 0 ? " + " : "", factors[k], k + 1);
      }
      return out;
    };
    std::vector<Vector> a(n), f;
    for (Vector& one : a) one = row(n);
    const auto conditions = static_cast<std::size_t>(*rc::gen::inRange(1, 4));
    for (std::size_t k = 0; k < n; ++k) f.push_back(row(n));  // conditions first, then free functions
    Vector start = row(n);
    const bool oblique = *rc::gen::arbitrary<bool>();

    // u = -F^-1 (C A x, 0) or -C^T (C C^T)^-1 C A x, by elimination in long double.
    const auto solve = [](std::vector<std::vector<long double>> m, std::vector<long double> b) {
      const std::size_t size = b.size();
      long double least = 1;
      for (std::size_t k = 0; k < size; ++k) {
        std::size_t best = k;
        for (std::size_t i = k; i < size; ++i) best = std::abs(m[i][k]) > std::abs(m[best][k]) ? i : best;
        std::swap(m[k], m[best]);
        std::swap(b[k], b[best]);
        least = std::min(least, std::abs(m[k][k]));
        for (std::size_t i = k + 1; i < size; ++i) {
          const long double part = m[i][k] / m[k][k];
          for (std::size_t j = k; j < size; ++j) m[i][j] -= part * m[k][j];
          b[i] -= part * b[k];
        }
      }
      for (std::size_t k = size; k-- > 0;) {
        for (std::size_t j = k + 1; j < size; ++j) b[k] -= m[k][j] * b[j];
        b[k] /= m[k][k];
      }
      return std::pair{b, least};
    };
    const auto times = [&](const Vector& left, const std::vector<long double>& x) {
      return std::inner_product(left.begin(), left.end(), x.begin(), 0.0L);
    };
    bool regular = true;
    const auto rate = [&](const std::vector<long double>& x) {
      std::vector<long double> free(n), broken(conditions);
      for (std::size_t i = 0; i < n; ++i) free[i] = times(a[i], x);
      for (std::size_t c = 0; c < conditions; ++c) broken[c] = times(f[c], free);
      if (oblique) {
        std::vector<std::vector<long double>> m(n, std::vector<long double>(n));
        std::vector<long double> b(n, 0);
        for (std::size_t i = 0; i < n; ++i) std::copy(f[i].begin(), f[i].end(), m[i].begin());
        for (std::size_t c = 0; c < conditions; ++c) b[c] = -broken[c];
        const auto [u, least] = solve(m, b);
        regular = regular && least > 0.05L;
        for (std::size_t i = 0; i < n; ++i) free[i] += u[i];
        return free;
      }
      std::vector<std::vector<long double>> gram(conditions, std::vector<long double>(conditions));
      for (std::size_t c = 0; c < conditions; ++c) {
        for (std::size_t d = 0; d < conditions; ++d) {
          gram[c][d] = std::inner_product(f[c].begin(), f[c].end(), f[d].begin(), 0.0L);
        }
      }
      const auto [lambda, least] = solve(gram, broken);
      regular = regular && least > 0.05L;
      for (std::size_t c = 0; c < conditions; ++c) {
        for (std::size_t i = 0; i < n; ++i) free[i] -= f[c][i] * lambda[c];
      }
      return free;
    };

    // The exponential by its series, 50 short steps; neighbours part by e^8 at most.
    std::vector<long double> x(start.begin(), start.end());
    long double norm = 0;
    for (std::size_t k = 0; k < n; ++k) {
      std::vector<long double> unit(n, 0);
      unit[k] = 1;
      for (const long double value : rate(unit)) norm = std::max(norm, std::abs(value));
    }
    RC_PRE(regular && norm < 2);
    for (int step = 0; step < 50; ++step) {
      std::vector<long double> term = x;
      for (int k = 1; k <= 20; ++k) {
        term = rate(term);
        for (long double& value : term) value *= 0.02L / k;
        for (std::size_t i = 0; i < n; ++i) x[i] += term[i];
      }
    }

    std::vector<std::string> starts, rates;
    for (std::size_t i = 0; i < n; ++i) {
      starts.push_back(fmt::format("{}", start[i]));
      rates.push_back(text(a[i]));
    }
    std::string rest;
    if (oblique) {
      rest = "[free]\nfunctions = [";
      for (std::size_t k = conditions; k < n; ++k)
        rest += fmt::format("{}\"{}\"", k > conditions ? ", " : "", text(f[k]));
      rest += "]\n";
    }
    rest += "[constraints]\n";
    for (std::size_t c = 0; c < conditions; ++c) {
      rest += fmt::format("c{} = \"{} = {:.17g}\"\n", c, text(f[c]),
                          std::inner_product(f[c].begin(), f[c].end(), start.begin(), 0.0));
    }
    const Course course(system(starts, rates, rest + "[simulation]\nuntil = 1\n"));
    RC_ASSERT(course.motion.status == Status::finished);
    for (std::size_t i = 0; i < n; ++i) {
      RC_ASSERT(std::abs(course.motion.state.position[i] - static_cast<double>(x[i])) <= exactness);
    }
  }));
}

TEST(ObliqueFlow, keeps_the_rates_of_its_free_functions_all_along) {
  // phi1 = x1 x2, phi2 = sin(x3) + x1: grad phi.x' = grad phi.X at every instant.
  const Course course(system({"1", "0.5", "0.3", "0.2"}, {"x2*x3", "cos(x1) - x4", "-x1", "x3 + sin(t)"},
                             "[free]\nfunctions = [\"x1*x2\", \"sin(x3) + x1\"]\n[constraints]\na = \"x1*x4 + x3^2 = "
                             "0.29\"\nb = \"x4' + x1*x2' = 0.1*t\"\n[simulation]\nuntil = 1.2\n"));
  ASSERT_EQ(course.motion.status, Status::finished) << course.motion.why;
  for (int k = 0; k <= 24; ++k) {
    const double t = 0.05 * k;
    const model::State state = course.at(t);
    const Vector& x = state.position;
    const Vector& v = state.velocity;
    const Vector X = {x[1] * x[2], std::cos(x[0]) - x[3], -x[0], x[2] + std::sin(t)};
    EXPECT_NEAR(x[1] * v[0] + x[0] * v[1], x[1] * X[0] + x[0] * X[1], exactness) << t;
    EXPECT_NEAR(std::cos(x[2]) * v[2] + v[0], std::cos(x[2]) * X[2] + X[0], exactness) << t;
    EXPECT_NEAR(x[0] * x[3] + x[2] * x[2], 0.29, exactness) << t;
    EXPECT_NEAR(v[3] + x[0] * v[1], 0.1 * t, exactness) << t;

    // The multipliers are what the free rates make of the conditions, and one state tells the same.
    const Vector lambda = course.multipliers(t);
    EXPECT_NEAR(lambda[0], x[3] * X[0] + 2 * x[2] * X[2] + x[0] * X[3], exactness) << t;
    EXPECT_NEAR(lambda[1], X[3] + x[0] * X[1] - 0.1 * t, exactness) << t;
    const model::Rates there = model::rates(course.model, state);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(there.rate[i], v[i], exactness);
    for (std::size_t row = 0; row < 2; ++row) EXPECT_NEAR(there.multiplier[row], lambda[row], exactness);
  }
  EXPECT_LT(course.motion.position_drift, 1e-13);
  EXPECT_LT(course.motion.velocity_drift, 1e-12);
}

// ---------------------------------------------------------------------------------------------------- ends

TEST(SingularFlow, ends_where_the_free_variables_leave_the_sphere) {
  const Course course(system({"0.6", "0", "0.8"}, {"x1", "x2", "0"},
                             "[free]\nfunctions = [\"x1\", \"x2\"]\n" + sphere + "[simulation]\nuntil = 2\n"));
  EXPECT_EQ(course.motion.status, Status::singular) << course.motion.why;
  EXPECT_NEAR(course.motion.state.time, std::log(1 / 0.6), exactness);
  EXPECT_EQ(course.motion.culprits, std::vector<std::uint32_t>{0});
  EXPECT_NE(course.motion.why.find("dependent"), std::string::npos) << course.motion.why;
  ASSERT_EQ(course.events.size(), 1U);
  EXPECT_EQ(course.events[0].kind, EventKind::singular);
  // Up to there it is right.
  EXPECT_NEAR(course.at(0.5).position[2], std::sqrt(1 - 0.36 * std::exp(1.0)), exactness);
}

TEST(SingularFlow, ends_where_free_functions_become_dependent_though_the_rates_are_smooth) {
  const Course course(system({"1", "1", "0"}, {"-1", "0", "3"},
                             "[free]\nfunctions = [\"x1\", \"x1*x2\"]\n[constraints]\nplane = \"x3 = "
                             "0\"\n[simulation]\nuntil = 2\n"));
  EXPECT_EQ(course.motion.status, Status::singular);
  EXPECT_NEAR(course.motion.state.time, 1.0, exactness);
  EXPECT_NE(course.motion.why.find("x1*x2"), std::string::npos) << course.motion.why;
  EXPECT_TRUE(course.motion.culprits.empty());
}

TEST(SingularFlow, ends_where_a_dependence_is_only_touched) {
  // The determinant is (1 - x1)^2: it does not change its sign.
  const Course course(system({"0", "1", "0"}, {"1", "0", "3"},
                             "[free]\nfunctions = [\"x1\", \"(1 - x1)^2*x2\"]\n[constraints]\nplane = \"x3 = "
                             "0\"\n[simulation]\nuntil = 2\n"));
  EXPECT_EQ(course.motion.status, Status::singular);
  // It ends where 1e-11 of a gradient is left, at 2e-11 before.
  EXPECT_NEAR(course.motion.state.time, 1.0, 3e-11);
}

TEST(SingularFlow, ends_at_a_crossing_of_the_surface) {
  const Course course(
      system({"1", "0"}, {"-1", "0"}, "[constraints]\ncross = \"x1*x2 = 0\"\n[simulation]\nuntil = 2\n"));
  EXPECT_EQ(course.motion.status, Status::singular) << course.motion.why;
  EXPECT_NEAR(course.motion.state.time, 1.0, exactness);
  EXPECT_EQ(course.motion.culprits, std::vector<std::uint32_t>{0});
}

TEST(SingularFlow, passes_near_a_dependence_without_harm) {
  // The largest x1 is 1 - 1e-6: the gradient of the sphere comes within 1.4e-3 of the free plane.
  const std::string most = "(1 - 1e-6)";
  const Course course(system({"0", "0", "1"}, {most + "*cos(t)", "0", "0"},
                             "[free]\nfunctions = [\"x1\", \"x2\"]\n" + sphere + "[simulation]\nuntil = 3\n"));
  expect_course(course, 3, [](double t) {
    const double x1 = (1 - 1e-6) * std::sin(t);
    return Vector{x1, 0, std::sqrt(1 - x1 * x1)};
  });
}

TEST(JammedFlow, says_that_the_conditions_contradict_each_other) {
  const Course course(
      system({"0", "0"}, {"1", "1"}, "[constraints]\na = \"x1 = 0\"\nb = \"x1 = t\"\n[simulation]\nuntil = 1\n"));
  EXPECT_EQ(course.motion.status, Status::jammed);
  EXPECT_EQ(course.motion.culprits.size(), 1U);
  EXPECT_EQ(course.motion.steps, 0U);
}

TEST(InadmissibleFlow, is_not_run) {
  const Course course(system({"0.6", "0", "0.9"}, {"x2", "x3", "x1"}, sphere));
  EXPECT_EQ(course.motion.status, Status::inadmissible);
  EXPECT_EQ(course.motion.culprits, std::vector<std::uint32_t>{0});
}

TEST(RoughFlow, is_brought_onto_the_conditions_along_the_free_directions) {
  // x1 and x2 are free: only x3 gives way.
  const Course course(system({"0.6", "0", "0.8 + 1e-10"}, {"0", "0", "0"},
                             "[free]\nfunctions = [\"x1\", \"x2\"]\n" + sphere + "[simulation]\nuntil = 1\n"));
  ASSERT_EQ(course.motion.status, Status::finished);
  EXPECT_EQ(course.motion.state.position[0], 0.6);
  EXPECT_NEAR(course.motion.state.position[2], 0.8, 1e-16);
  EXPECT_NEAR(course.motion.position_correction, 1e-10, 1e-15);
}

TEST(StoppedFlow, ends_when_its_expression_comes_true) {
  const Course course(
      system({"4/5", "0", "-3/5"}, {"0", "0", "1"}, sphere + "[simulation]\nuntil = 9\nstop = \"x3 >= 1/2\"\n"));
  EXPECT_EQ(course.motion.status, Status::stopped);
  EXPECT_NEAR(course.motion.state.time, std::atanh(0.5) - std::atanh(-0.6), exactness);
  // Rates may stand in it, too: x3' = 1 - x3^2 falls to 1/2.
  const Course slow(
      system({"4/5", "0", "-3/5"}, {"0", "0", "1"}, sphere + "[simulation]\nuntil = 9\nstop = \"x3' <= 1/2\"\n"));
  EXPECT_NEAR(slow.motion.state.time, std::atanh(std::sqrt(0.5)) - std::atanh(-0.6), exactness);
  const Course at_once(system({"1"}, {"1"}, "[simulation]\nstop = \"x1 >= 1\"\n"));
  EXPECT_EQ(at_once.motion.status, Status::stopped);
  EXPECT_EQ(at_once.motion.steps, 0U);
}

// --------------------------------------------------------------------------------------------- put aside

TEST(FlowPutAside, goes_on_to_the_same_bits) {
  const std::string text = system({"1", "0.5", "0.3", "0.2"}, {"x2*x3", "cos(x1) - x4", "-x1", "x3 + sin(t)"},
                                  "[free]\nfunctions = [\"x1*x2\", \"sin(x3) + x1\"]\n[constraints]\na = \"x1*x4 + "
                                  "x3^2 = 0.29\"\nb = \"x4' + x1*x2' = 0.1*t\"\n[simulation]\nuntil = 1.2\n");
  const Course whole(text);
  const model::Model model = model::load(text, "model.toml");
  Motion motion = begin(model);
  std::uint64_t restored = 0;
  do {
    motion = restore(model, {}, save(motion));
    ++restored;
  } while (advance(motion));
  EXPECT_GT(restored, 3U);
  EXPECT_EQ(motion.steps, whole.motion.steps);
  EXPECT_EQ(motion.state.position, whole.motion.state.position);
  EXPECT_EQ(motion.state.velocity, whole.motion.state.velocity);
  EXPECT_EQ(motion.multipliers, whole.motion.multipliers);
  EXPECT_EQ(motion.position_drift, whole.motion.position_drift);
  EXPECT_EQ(motion.velocity_drift, whole.motion.velocity_drift);
}

TEST(FlowPutAside, goes_on_to_a_later_end) {
  const std::string text = system({"4/5", "0", "-3/5"}, {"0", "0", "1"}, sphere);
  const model::Model model = model::load(text, "model.toml");
  Options options;
  options.until = 1;
  Motion motion = begin(model, options);
  while (advance(motion)) {
  }
  options.until = 2;
  motion = restore(model, options, save(motion));
  while (advance(motion)) {
  }
  EXPECT_EQ(motion.status, Status::finished);
  EXPECT_EQ(motion.state.time, 2);
  EXPECT_NEAR(motion.state.position[2], std::tanh(2 + std::atanh(-0.6)), exactness);
}

TEST(FlowTolerance, turns_the_exactness) {
  const std::string text = system({"1", "0"}, {"-x2", "x1"}, "[simulation]\nuntil = 100\n");
  const auto error = [&](double tolerance) {
    Options options;
    options.tolerance = tolerance;
    const Course course(text, options);
    return std::hypot(course.motion.state.position[0] - std::cos(100.0),
                      course.motion.state.position[1] - std::sin(100.0));
  };
  EXPECT_LT(error(1e-15), 2e-14);
  EXPECT_LT(error(1e-12), 1e-11);
  EXPECT_LT(error(1e-6), 1e-4);
  EXPECT_GT(error(1e-6), error(1e-12));
}

}  // namespace

}  // namespace zwang::motion::flow_tests
