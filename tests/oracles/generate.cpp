/// Draws a system, writes it as a reference problem, and enumerates its answer.
#include "oracles/generate.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "laws/enumeration.hpp"

namespace zwang::oracles {

namespace {

using laws::Real;
using nlohmann::json;

/// A small rational with its exact text.
struct Exact {
  int numerator = 0;
  int denominator = 1;
  [[nodiscard]] Real value() const { return static_cast<Real>(numerator) / static_cast<Real>(denominator); }
  [[nodiscard]] std::string text() const {
    return denominator == 1 ? std::to_string(numerator) : std::to_string(numerator) + "/" + std::to_string(denominator);
  }
};

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed * 0x9E3779B97F4A7C15ULL + 1) {}
  int between(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return between(1, 100) <= percent; }
  Exact halves(int most) {
    const int twice = between(-2 * most, 2 * most);
    return twice % 2 == 0 ? Exact{twice / 2, 1} : Exact{twice, 2};
  }
  std::size_t index(std::size_t count) { return static_cast<std::size_t>(between(0, static_cast<int>(count) - 1)); }

 private:
  std::mt19937_64 engine_;
};

std::string digits(Real value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.22Lg", value);
  return buffer.data();
}

struct Quadratic {
  std::size_t i = 0;
  std::size_t j = 0;
  int coefficient = 0;
};

struct Draw {
  std::string name;
  bool holonomic = true;
  bool equation = false;
  bool reversed = false;  ///< written as -f >= 0
  std::vector<int> g;
  std::vector<Quadratic> h;
  Real c = 0;  ///< f at the state
  Real e = 0;  ///< rate by time alone (nonholonomic: part without velocities)
  Real d = 0;  ///< half the second derivative by time alone (nonholonomic: first)
};

struct System {
  std::vector<std::string> names;
  std::vector<Exact> mass, force, q, v, blow;
  int t = 0;
  std::vector<Draw> conditions;
};

constexpr std::array<Exact, 8> masses = {{{1, 1}, {2, 1}, {1, 2}, {3, 1}, {1, 3}, {5, 2}, {4, 1}, {3, 2}}};

System draw_system(Dice& dice, const Mixture& mixture) {
  System system;
  const std::string letters = mixture.spatial ? "xyz" : "xy";
  for (std::size_t p = 1; p <= mixture.points; ++p) {
    const auto mass = masses[dice.index(masses.size())];
    for (const char letter : letters) {
      system.names.push_back(letter + std::to_string(p));
      system.mass.push_back(mass);
      system.force.push_back(mixture.degenerate && dice.chance(60) ? Exact{} : dice.halves(9));
      system.q.push_back(dice.halves(3));
      system.v.push_back(mixture.degenerate && dice.chance(70) ? Exact{} : dice.halves(2));
      system.blow.push_back(Exact{});
    }
  }
  system.t = dice.between(0, 3);
  const std::size_t n = system.names.size();
  const auto draw = [&](const std::string& name, bool holonomic, bool equation) {
    Draw condition;
    condition.name = name;
    condition.holonomic = holonomic;
    condition.equation = equation;
    condition.reversed = !equation && dice.chance(30);
    condition.g.assign(n, 0);
    // A gradient of its own, or one that depends on the others'.
    std::vector<const Draw*> same_kind;
    for (const auto& other : system.conditions)
      if (other.equation == equation || !equation) same_kind.push_back(&other);
    if (mixture.dependent && !same_kind.empty() && dice.chance(50)) {
      const auto& first = *same_kind[dice.index(same_kind.size())];
      const auto& second = *same_kind[dice.index(same_kind.size())];
      const int a = dice.between(1, 2) * (dice.chance(80) ? 1 : -1);
      const int b = dice.chance(50) ? 0 : dice.between(1, 2);
      for (std::size_t i = 0; i < n; ++i) condition.g[i] = a * first.g[i] + b * second.g[i];
    }
    bool is_zero = true;
    for (const int x : condition.g) is_zero = is_zero && x == 0;
    while (is_zero)
      for (auto& x : condition.g) {
        x = dice.chance(50) ? dice.between(-2, 2) : 0;
        is_zero = is_zero && x == 0;
      }
    const bool straight = mixture.degenerate && (mixture.dependent || dice.chance(60));
    const int terms = straight ? 0 : dice.between(1, 2);
    for (int k = 0; k < terms; ++k)
      condition.h.push_back({dice.index(n), dice.index(n), dice.between(1, 2) * (dice.chance(50) ? 1 : -1)});
    condition.d = mixture.degenerate && dice.chance(80) ? 0 : static_cast<Real>(dice.between(-3, 3)) / 2;
    system.conditions.push_back(condition);
  };
  for (std::size_t k = 1; k <= mixture.inequalities; ++k) draw("f" + std::to_string(k), true, false);
  for (std::size_t k = 1; k <= mixture.equations; ++k) draw("phi" + std::to_string(k), true, true);
  for (std::size_t k = 1; k <= mixture.nonholonomic_equations; ++k) draw("psi" + std::to_string(k), false, true);
  for (std::size_t k = 1; k <= mixture.nonholonomic_inequalities; ++k) draw("h" + std::to_string(k), false, false);
  return system;
}

Real along_velocity(const System& system, const Draw& condition) {
  Real sum = 0;
  for (std::size_t i = 0; i < system.names.size(); ++i) sum += static_cast<Real>(condition.g[i]) * system.v[i].value();
  return sum;
}

/// f'' (nonholonomic: f') for vanishing accelerations.
Real curvature(const System& system, const Draw& condition) {
  Real sum = 0;
  for (const auto& [i, j, coefficient] : condition.h)
    sum += static_cast<Real>(coefficient) * system.v[i].value() * system.v[j].value();
  return condition.holonomic ? 2 * sum + 2 * condition.d : sum + condition.d;
}

/// The condition in the words of the reference file.
json write(const System& system, const Draw& condition) {
  const int sign = condition.reversed ? -1 : 1;
  const auto constant = [&](Real x) { return "(" + digits(static_cast<Real>(sign) * x) + ")"; };
  const auto offset = [&](std::size_t i) { return "(" + system.names[i] + "-(" + system.q[i].text() + "))"; };
  std::string text = constant(condition.c);
  for (std::size_t i = 0; i < system.names.size(); ++i)
    if (condition.g[i] != 0)
      text += "+(" + std::to_string(sign * condition.g[i]) + ")*" +
              (condition.holonomic ? offset(i) : "v_" + system.names[i]);
  for (const auto& [i, j, coefficient] : condition.h)
    text += "+(" + std::to_string(sign * coefficient) + ")*" + offset(i) + "*" +
            (condition.holonomic ? offset(j) : "v_" + system.names[j]);
  const std::string time = "(t-(" + std::to_string(system.t) + "))";
  if (condition.holonomic)
    text += "+" + constant(condition.e) + "*" + time + "+" + constant(condition.d) + "*" + time + "**2";
  else
    text += "+" + constant(condition.e) + "+" + constant(condition.d) + "*" + time;
  return {{"name", condition.name},
          {"expr", text},
          {"sense", condition.equation   ? "=0"
                    : condition.reversed ? ">=0"
                                         : "<=0"},
          {"kind", condition.holonomic ? "holonomic" : "nonholonomic"}};
}

json texts(const std::vector<Exact>& values) {
  json out = json::array();
  for (const auto& value : values) out.push_back(value.text());
  return out;
}

json write(const System& system, const std::string& id, const std::string& group) {
  json out = {{"id", id},
              {"group", group},
              {"system",
               {{"coords", system.names},
                {"masses", texts(system.mass)},
                {"forces", texts(system.force)},
                {"constraints", json::array()},
                {"state", {{"t", std::to_string(system.t)}, {"q", texts(system.q)}, {"v", texts(system.v)}}}}}};
  for (const auto& condition : system.conditions) out["system"]["constraints"].push_back(write(system, condition));
  return out;
}

laws::Matrix mass_matrix(const System& system) {
  laws::Matrix M(system.names.size(), laws::Vector(system.names.size(), 0));
  for (std::size_t i = 0; i < M.size(); ++i) M[i][i] = system.mass[i].value();
  return M;
}

laws::Row row_of(const Draw& condition, Real h) {
  laws::Row row;
  for (const int x : condition.g) row.g.push_back(static_cast<Real>(x));
  row.h = h;
  row.equation = condition.equation;
  return row;
}

json list(const laws::Vector& values) {
  json out = json::array();
  for (const Real value : values) out.push_back(digits(value));
  return out;
}

}  // namespace

Mixture random_mixture(std::uint64_t seed) {
  Dice dice(seed ^ 0x5DEECE66DULL);
  Mixture mixture;
  mixture.points = static_cast<std::size_t>(dice.between(1, 3));
  mixture.spatial = dice.chance(60);
  mixture.inequalities = static_cast<std::size_t>(dice.between(1, 7));
  const int room = static_cast<int>(mixture.points) * (mixture.spatial ? 3 : 2);
  mixture.equations = static_cast<std::size_t>(dice.between(0, room > 3 ? 2 : 0));
  mixture.nonholonomic_equations = static_cast<std::size_t>(dice.between(0, room > 4 ? 1 : 0));
  mixture.nonholonomic_inequalities = static_cast<std::size_t>(dice.between(0, 2));
  mixture.dependent = dice.chance(40);
  mixture.passive = dice.chance(40);
  mixture.degenerate = dice.chance(30);
  return mixture;
}

json random_accelerations(std::uint64_t seed, const Mixture& mixture) {
  Dice dice(seed);
  auto system = draw_system(dice, mixture);

  // The part by time alone makes every condition effective, or open, or receding.
  json ineffective = json::object();
  for (auto& condition : system.conditions) {
    const Real rate = along_velocity(system, condition);
    condition.e = -rate;
    if (condition.equation || !mixture.passive || !dice.chance(40)) continue;
    const bool open = condition.holonomic && dice.chance(50);
    (open ? condition.c : condition.e) -= static_cast<Real>(dice.between(1, 4)) / 2;
    if (open) condition.e += dice.between(-2, 2);
    ineffective[condition.name] = open ? "f<0" : "f'<0";
  }
  auto out = write(system, "random accelerations " + std::to_string(seed), "g1");

  // The truth.
  laws::Vector free;
  for (std::size_t i = 0; i < system.names.size(); ++i)
    free.push_back(system.force[i].value() / system.mass[i].value());
  std::vector<laws::Row> rows;
  std::vector<std::string> names;
  for (const auto& condition : system.conditions) {
    if (ineffective.contains(condition.name)) continue;
    rows.push_back(row_of(condition, curvature(system, condition)));
    names.push_back(condition.name);
  }
  const auto truth = laws::nearest(mass_matrix(system), free, rows);
  json expected = {{"tol", 1e-11}, {"feasible", truth.feasible}, {"ineffective", ineffective}};
  bool straight = true;
  for (const auto& condition : system.conditions) straight = straight && condition.h.empty();
  expected["higher_order"] = !straight && laws::has_neutral_combination(rows);
  if (truth.feasible) {
    expected["accelerations"] = list(truth.a);
    expected["constraint_Z"] = digits(truth.least);
    expected["multipliers_unique"] = truth.unique;
    laws::Vector reaction;
    for (std::size_t i = 0; i < free.size(); ++i) reaction.push_back(system.mass[i].value() * (truth.a[i] - free[i]));
    expected["reaction"] = list(reaction);
    expected["margin"] = static_cast<double>(truth.margin);
    for (std::size_t j = 0; j < rows.size(); ++j) {
      if (rows[j].equation) {
        if (truth.unique) expected["eq_multipliers"][names[j]] = digits(truth.lambda[j]);
        continue;
      }
      if (truth.unique) expected["multipliers"][names[j]] = digits(truth.lambda[j]);
      expected["fpp"][names[j]] = digits(truth.w[j]);
      expected["free_fpp"][names[j]] = digits(laws::dot(rows[j].g, free) + rows[j].h);
    }
  }
  out["expected"] = expected;
  return out;
}

json random_impact(std::uint64_t seed, const Mixture& mixture) {
  Dice dice(seed);
  auto system = draw_system(dice, mixture);
  const bool blow = dice.chance(60);
  for (auto& impulse : system.blow)
    if (blow && dice.chance(70)) impulse = {dice.between(-6, 6), 1};

  // Touching conditions with any rate, equations with or without a jump, some of them imposed suddenly.
  json ineffective = json::object();
  std::vector<bool> sudden;
  for (auto& condition : system.conditions) {
    const bool keep = mixture.degenerate ? dice.chance(70) : condition.equation && dice.chance(70);
    condition.e = keep ? -along_velocity(system, condition) : static_cast<Real>(dice.between(-3, 3));
    if (mixture.degenerate && dice.chance(50) && !keep) condition.e = 0;
    sudden.push_back(condition.equation && dice.chance(30));
    if (!condition.equation && condition.holonomic && mixture.passive && dice.chance(30)) {
      condition.c = -static_cast<Real>(dice.between(1, 4)) / 2;
      ineffective[condition.name] = "f<0";
    }
  }
  auto out = write(system, "random impact " + std::to_string(seed), "g2");
  out["system"]["external_impulse"] = texts(system.blow);
  for (std::size_t j = 0; j < sudden.size(); ++j)
    if (sudden[j]) out["system"]["constraints"][j]["suddenly_imposed"] = true;

  // The truth.
  const std::size_t n = system.names.size();
  laws::Vector alpha;
  Real T_before = 0;
  Real T_alpha = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Real m = system.mass[i].value();
    alpha.push_back(system.v[i].value() + system.blow[i].value() / m);
    T_before += m * system.v[i].value() * system.v[i].value() / 2;
    T_alpha += m * alpha[i] * alpha[i] / 2;
  }
  std::vector<laws::Row> rows;
  std::vector<const Draw*> drawn;
  json rates = json::object();
  for (const auto& condition : system.conditions) {
    rates[condition.name] = digits(along_velocity(system, condition) + condition.e);
    if (ineffective.contains(condition.name)) continue;
    rows.push_back(row_of(condition, condition.e));
    drawn.push_back(&condition);
  }
  const auto truth = laws::nearest(mass_matrix(system), alpha, rows);
  json expected = {{"tol", 1e-11}, {"feasible", truth.feasible}, {"ineffective", ineffective}, {"F_before", rates}};
  if (truth.feasible) {
    Real T_after = 0;
    Real lost = 0;
    Real work = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Real m = system.mass[i].value();
      T_after += m * truth.a[i] * truth.a[i] / 2;
      lost += m * (alpha[i] - truth.a[i]) * (alpha[i] - truth.a[i]) / 2;
    }
    for (std::size_t j = 0; j < rows.size(); ++j) {
      work += truth.lambda[j] * rows[j].h;
      if (rows[j].equation) {
        if (truth.unique) expected["eq_multipliers"][drawn[j]->name] = digits(truth.lambda[j]);
        continue;
      }
      if (truth.unique) expected["multipliers"][drawn[j]->name] = digits(truth.lambda[j]);
      expected["fdot_after"][drawn[j]->name] = digits(truth.w[j]);
    }
    expected["v_after"] = list(truth.a);
    expected["multipliers_unique"] = truth.unique;
    expected["margin"] = static_cast<double>(truth.margin);
    expected["T_before_exact"] = digits(T_before);
    expected["T_after_exact"] = digits(T_after);
    expected["T_alpha_exact"] = digits(T_alpha);
    expected["lost_velocity_vis_viva_exact"] = digits(lost);
    expected["rheonomic_work_exact"] = digits(work);
  }
  out["expected"] = expected;
  return out;
}

}  // namespace zwang::oracles
