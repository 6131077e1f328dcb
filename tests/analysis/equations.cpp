/// The equations written out say what the engine computes: every formula is put to numbers, member by member, and compared
/// with masses, forces, rows and their derivatives as the tapes give them.
#include "zwang/analysis/equations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <random>

#include "places.hpp"
#include "zwang/error.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"

namespace zwang::analysis::equations_tests {
namespace {

using expressions::Expr;
using expressions::NodeKind;
using expressions::Symbol;
using expressions::SymbolKind;
using model::NameSort;

// Rounding of formulas of some hundred operations, relative to the largest number met.
constexpr double rounding = 1e-11;

/// What has no value because a member of a family does not exist.
using Maybe = std::optional<double>;
using Indices = std::map<std::uint32_t, double>;

struct System {
  explicit System(const std::string& text, bool members = false)
      : draft(model::read(text, "system")),
        model(model::compile(draft)),
        equations(analysis::equations(draft, model, members)),
        state(model::initial_state(model)),
        scratch(model::make_scratch(model)),
        dynamics(model::make_dynamics(model)),
        rows(model::make_rows(model)) {
    // Near the start, so that every term shows; multipliers and accelerations at random, for the formulas hold for all.
    std::mt19937 dice(7);
    std::uniform_real_distribution<double> small(-0.1, 0.1);
    std::uniform_real_distribution<double> any(-2, 2);
    const std::size_t n = model.variables;
    state.time += 0.3;
    for (double& q : state.position) q += small(dice);
    for (double& v : state.velocity) v += any(dice);
    on_the_unit_sphere();
    for (std::size_t k = 0; k < n; ++k) acceleration.push_back(any(dice));
    for (std::size_t k = 0; k < model.rows(); ++k) {
      multiplier.push_back(any(dice));
      rho.push_back(any(dice));
    }
    evaluate_dynamics(model, state, scratch, dynamics);
    evaluate_rows(model, state, scratch, rows);
  }

  /// Quaternions of bodies have length one, and keep it: beside that formulas and engine may differ.
  void on_the_unit_sphere() {
    for (const model::Body& body : model.bodies) {
      for (std::uint32_t member = 0; body.turns() && member < body.members(); ++member) {
        double* e = state.position.data() + body.first + member * body.dimension + 3;
        double* rate = state.velocity.data() + body.first + member * body.dimension + 3;
        double square = 0;
        for (int k = 0; k < 4; ++k) square += e[k] * e[k];
        double along = 0;
        for (int k = 0; k < 4; ++k) {
          e[k] /= std::sqrt(square);
          along += e[k] * rate[k];
        }
        for (int k = 0; k < 4; ++k) rate[k] -= along * e[k];
      }
    }
  }

  model::Draft draft;
  model::Model model;
  Equations equations;
  model::State state;
  model::Scratch scratch;
  model::Dynamics dynamics;
  model::Rows rows;
  std::vector<double> acceleration, multiplier, rho;

  [[nodiscard]] const model::Symbols& symbols() const { return equations.symbols; }

  [[nodiscard]] std::optional<std::uint32_t> variable(std::uint32_t body, std::uint32_t component,
                                                      const std::vector<Expr>& index, const Indices& indices) {
    const model::Body& b = model.bodies[body];
    std::uint32_t member = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      const double i = std::round(symbols().number(index[d], indices));
      if (i < 1 || i > b.counts[d]) return std::nullopt;
      member = member * b.counts[d] + static_cast<std::uint32_t>(i) - 1;
    }
    return b.first + member * b.dimension + component;
  }

  [[nodiscard]] std::optional<std::uint32_t> row(std::uint32_t condition, std::uint32_t component,
                                                 const std::vector<Expr>& index, const Indices& indices) {
    const model::Condition& c = model.conditions[condition];
    for (std::uint32_t member = 0; member * c.components < c.rows; ++member) {
      bool same = true;
      for (std::size_t d = 0; d < index.size(); ++d) {
        same = same && std::round(symbols().number(index[d], indices)) == c.index_values[member * c.indices + d];
      }
      if (same) return c.first_row + member * c.components + component;
    }
    return std::nullopt;
  }

  Maybe leaf(Symbol symbol, const Indices& indices) {
    if (symbol.kind == SymbolKind::time) return state.time;
    if (symbol.kind != SymbolKind::constant) {
      const model::Reference& r = symbols().variables[symbol.index];
      const auto k = variable(r.body, r.component, r.index, indices);
      if (!k) return std::nullopt;
      return symbol.kind == SymbolKind::position ? state.position[*k] : state.velocity[*k];
    }
    const model::NamedConstant& c = symbols().constants[symbol.index];
    switch (c.sort) {
      case NameSort::parameter:
      case NameSort::pi: return c.value;
      case NameSort::index: return indices.at(symbol.index);
      case NameSort::acceleration:
      case NameSort::free: {
        const auto k = variable(c.subject, c.component, c.index, indices);
        if (!k) return std::nullopt;
        return c.sort == NameSort::free ? free().at(*k) : acceleration[*k];
      }
      case NameSort::root: {
        const Root& root = equations.roots[c.subject];
        Indices inner;
        for (std::size_t d = 0; d < root.index.size(); ++d) {
          inner[root.index[d].index] = symbols().number(c.index[d], indices);
        }
        const Maybe sum = value(root.sum, inner, true);
        return sum ? Maybe(std::sqrt(*sum)) : std::nullopt;
      }
      default: break;
    }
    const auto k = row(c.subject, c.component, c.index, indices);
    if (!k) return std::nullopt;
    if (c.sort == NameSort::rate) return rows.rate[*k];
    return c.sort == NameSort::rho ? rho[*k] : multiplier[*k];
  }

  /// The value; of a sum those terms are left out that speak of members that do not exist (unless `strict`).
  Maybe value(Expr e, const Indices& indices, bool strict = false) {
    const expressions::Node node = symbols().graph.node(e);
    if (node.kind == NodeKind::number) return node.number;
    if (node.kind == NodeKind::symbol) return leaf(node.symbol, indices);
    std::vector<double> arguments;
    for (const Expr child : node.children) {
      const Maybe part = value(child, indices, strict);
      if (part) {
        arguments.push_back(*part);
      } else if (strict || node.kind != NodeKind::sum) {
        return std::nullopt;
      }
    }
    double out = node.kind == NodeKind::product ? 1 : 0;
    if (node.kind == NodeKind::sum) {
      for (const double a : arguments) out += a;
      return arguments.empty() ? std::nullopt : Maybe(out);
    }
    if (node.kind == NodeKind::product) {
      for (const double a : arguments) out *= a;
      return out;
    }
    if (node.kind == NodeKind::power) return std::pow(arguments[0], arguments[1]);
    return expressions::evaluate(node.function, arguments);
  }

  void for_members(const std::vector<model::SymbolicRange>& ranges, Indices indices,
                   const std::function<void(const Indices&)>& visit, std::size_t level = 0) {
    if (level == ranges.size()) {
      visit(indices);
      return;
    }
    const double low = symbols().number(ranges[level].low, indices);
    const double high = symbols().number(ranges[level].high, indices);
    for (double k = low; k <= high; ++k) {
      indices[ranges[level].symbol.index] = k;
      for_members(ranges, indices, visit, level + 1);
    }
  }

  /// Forces may not speak of members that do not exist once their brackets are true; reactions may.
  double pieces(const std::vector<Piece>& pieces, const Indices& indices, bool strict) {
    double total = 0;
    for (const Piece& piece : pieces) {
      for_members(piece.over, indices, [&](const Indices& inner) {
        bool holds = true;
        for (const auto& [left, right] : piece.when) {
          holds = holds && symbols().number(left, inner) == symbols().number(right, inner);
        }
        for (const auto& [left, right] : piece.within) {
          holds = holds && symbols().number(left, inner) <= symbols().number(right, inner);
        }
        if (!holds) return;
        const Maybe part = value(piece.value, inner, strict);
        EXPECT_TRUE(part || !strict) << "a force of a member that does not exist";
        total += part.value_or(0);
      });
    }
    return total;
  }

  /// Rows as dense vectors.
  std::vector<double> gradient(std::uint32_t row) {
    std::vector<double> out(model.variables, 0.0);
    for (std::uint32_t k = model.row_start[row]; k < model.row_start[row + 1]; ++k) {
      out[model.row_column[k]] = rows.entry[k];
    }
    return out;
  }

  /// W x by the factored masses.
  std::vector<double> over_mass(const std::vector<double>& x) {
    std::vector<double> out(x.size());
    dynamics.mass.solve(x, out);
    return out;
  }

  /// X with what rho adds, over the masses.
  const std::vector<double>& free() {
    if (free_.empty()) {
      free_ = dynamics.force;
      bend(free_);
      free_ = over_mass(free_);
    }
    return free_;
  }
  void bend(std::vector<double>& force) {
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      if (model.conditions[model.row_condition[row]].law != model::Law::variational) continue;
      add_bend(model, row, state, -rho[row], force);
    }
  }

 private:
  std::vector<double> free_;
};

void expect_near(double given, double wanted, double scale, const std::string& what) {
  EXPECT_LE(std::abs(given - wanted), rounding * (1 + scale)) << what << ": " << given << " instead of " << wanted;
}

/// f, f', f'', F and the gradient of every row.
void compare_rows(System& system) {
  for (const EquationRow& row : system.equations.rows) {
    const model::SymbolicCondition& member = system.symbols().conditions[row.member];
    system.for_members(member.ranges, {}, [&](const Indices& indices) {
      const auto k = system.row(member.condition, row.component, member.index, indices);
      ASSERT_TRUE(k);
      const std::string name = row_name(system.model, *k);
      const double scale = system.rows.curvature_scale[*k] + std::abs(system.rows.rate[*k]);
      const bool holonomic = is_holonomic(row.kind);
      EXPECT_EQ(row.kind, system.model.row_kind[*k]);
      if (holonomic) expect_near(*system.value(row.f, indices, true), system.rows.value[*k], scale, "f of " + name);
      expect_near(*system.value(holonomic ? row.first : row.f, indices, true), system.rows.rate[*k], scale,
                  "f' of " + name);
      expect_near(*system.value(row.curvature, indices, true), system.rows.curvature[*k], scale, "F of " + name);
      std::vector<double> gradient(system.model.variables, 0.0);
      for (const RowEntry& entry : row.entries) {
        const model::Reference& r = system.symbols().variables[entry.variable];
        gradient[*system.variable(r.body, r.component, r.index, indices)] += *system.value(entry.value, indices, true);
      }
      const std::vector<double> wanted = system.gradient(*k);
      double second = system.rows.curvature[*k];
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        expect_near(gradient[i], wanted[i], 1, "gradient of " + name);
        second += wanted[i] * system.acceleration[i];
      }
      expect_near(*system.value(holonomic ? row.second : row.first, indices, true), second, scale + 10,
                  "f'' of " + name);
    });
  }
}

/// left - force - reaction = M a - X + J^T lambda + rho (dp/dt - df/dq), for any a, lambda, rho.
void compare_lines(System& system) {
  const std::size_t n = system.model.variables;
  std::vector<double> force = system.dynamics.force;
  system.bend(force);
  std::vector<double> reaction(n, 0.0);
  for (std::uint32_t row = 0; row < system.model.rows(); ++row) {
    const std::vector<double> g = system.gradient(row);
    for (std::size_t i = 0; i < n; ++i) reaction[i] -= system.multiplier[row] * g[i];
  }
  std::vector<double> inertia(n, 0.0);
  system.dynamics.mass.multiply(system.acceleration, inertia);
  std::size_t seen = 0;
  for (const EquationLine& line : system.equations.lines) {
    const model::SymbolicBody& body = system.symbols().bodies[line.member];
    system.for_members(body.ranges, {}, [&](const Indices& indices) {
      const std::uint32_t k = *system.variable(body.body, line.component, body.index, indices);
      const std::string name = variable_name(system.model, k);
      const double scale = system.dynamics.force_scale[k] + 10;
      expect_near(system.pieces(line.left, indices, true), inertia[k], scale, "M a of " + name);
      // The reaction may speak of members that do not exist; with its multipliers they vanish.
      expect_near(system.pieces(line.force, indices, false), force[k], scale, "force on " + name);
      expect_near(system.pieces(line.reaction, indices, false), reaction[k], scale, "reaction on " + name);
      ++seen;
    });
  }
  EXPECT_EQ(seen, n);
}

/// Phi = J W J^T and Phi0 = J W X + F.
void compare_phi(System& system) {
  if (!system.equations.written) return;
  const std::uint32_t m = system.model.rows();
  std::vector<double> phi(std::size_t{m} * m, 0.0);
  std::vector<bool> filled(phi.size(), false);
  for (const PhiEntry& entry : system.equations.phi) {
    const EquationRow& row = system.equations.rows[entry.row];
    const EquationRow& column = system.equations.rows[entry.column];
    const model::SymbolicCondition& here = system.symbols().conditions[row.member];
    const model::SymbolicCondition& there = system.symbols().conditions[column.member];
    system.for_members(here.ranges, {}, [&](const Indices& indices) {
      const auto i = system.row(here.condition, row.component, here.index, indices);
      // Letters of the column that are not solved run over everything.
      std::vector<std::uint32_t> open;
      for (const Expr e : entry.column_index) {
        for (const Symbol symbol : expressions::symbols(system.symbols().graph, e)) {
          const bool index = system.symbols().constants[symbol.index].sort == NameSort::index;
          if (index && !indices.contains(symbol.index)) open.push_back(symbol.index);
        }
      }
      std::function<void(std::size_t, Indices)> each = [&](std::size_t level, Indices all) {
        if (level < open.size()) {
          for (double k = 0; k <= 40; ++k) {
            all[open[level]] = k;
            each(level + 1, all);
          }
          return;
        }
        const auto j = system.row(there.condition, column.component, entry.column_index, all);
        if (!i || !j) return;
        const double value = system.pieces(entry.value, all, false);
        if (open.empty() || entry.value.empty()) {
          phi[*i * m + *j] += value;
        } else {
          phi[*i * m + *j] = value;
        }
        filled[*i * m + *j] = true;
      };
      each(0, indices);
    });
  }
  for (std::uint32_t i = 0; i < m; ++i) {
    const std::vector<double> column = system.over_mass(system.gradient(i));
    for (std::uint32_t j = 0; j < m; ++j) {
      const std::vector<double> g = system.gradient(j);
      double wanted = 0;
      for (std::size_t k = 0; k < g.size(); ++k) wanted += g[k] * column[k];
      const double given = filled[std::size_t{i} * m + j] ? phi[std::size_t{i} * m + j] : phi[std::size_t{j} * m + i];
      expect_near(given, wanted, 10, "Phi of " + row_name(system.model, i) + " and " + row_name(system.model, j));
    }
  }
  for (const EquationRow& row : system.equations.rows) {
    const model::SymbolicCondition& member = system.symbols().conditions[row.member];
    system.for_members(member.ranges, {}, [&](const Indices& indices) {
      const auto k = system.row(member.condition, row.component, member.index, indices);
      const std::vector<double> g = system.gradient(*k);
      double wanted = system.rows.curvature[*k];
      double scale = system.rows.curvature_scale[*k];
      for (std::size_t i = 0; i < g.size(); ++i) {
        wanted += g[i] * system.free()[i];
        scale += std::abs(g[i] * system.free()[i]);
      }
      expect_near(*system.value(row.free_value, indices, true), wanted, scale, "Phi0 of " + row_name(system.model, *k));
    });
  }
}

void compare(const std::string& text, bool members = false) {
  System system(text, members);
  compare_rows(system);
  compare_lines(system);
  compare_phi(system);
}

std::string file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Equations, of_the_gallery_say_what_the_engine_computes) {
  std::size_t models = 0;
  for (const auto& entry : places::gallery_sample(2)) {
    const std::string text = file(entry.path() / "model.toml");
    if (text.empty() || text.find("\n[flow]") != std::string::npos) continue;
    // A net of 30 x 30 knots says no more than one of 4 x 4, and a heap no more than two layers of it.
    std::string small = text;
    for (const auto& [much, less] :
         {std::pair{"n     = 30", "n     = 4 "}, std::pair{"\nn = 12 ", "\nn = 4 "},
          std::pair{"\nrows = 6 ", "\nrows = 2 "}, std::pair{"\nside = 12 ", "\nside = 2 "},
          std::pair{"\nside   = 10 ", "\nside   = 2 "}, std::pair{"\nside = 8 ", "\nside = 2 "}}) {
      const std::string large = much;
      if (const std::size_t at = small.find(large); at != std::string::npos) small.replace(at, large.size(), less);
    }
    SCOPED_TRACE(entry.path().filename().string());
    // Conditions of several parts are rows of the engine and one formula on paper; at a corner the engine is on one of its sides.
    // What is told of them is held by the tests of switches.
    const model::Model model = model::load(small, "model.toml");
    const bool parts = std::any_of(model.conditions.begin(), model.conditions.end(),
                                   [](const model::Condition& one) { return one.alternatives > 1; });
    if (model.switches > 0 || parts) continue;
    compare(small);
    ++models;
  }
  EXPECT_GE(models, 10U);
}

TEST(Equations, of_polygons_that_touch_are_refused_at_once) {
  const std::string text = file(places::source("gallery/stack-of-boxes/model.toml"));
  const model::Draft draft = model::read(text, "model.toml");
  const model::Model model = model::compile(draft);
  ASSERT_TRUE(too_long(model));
  try {
    (void)equations(draft, model);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("too many parts"), std::string::npos);
  }
}

TEST(Equations, written_member_by_member_say_the_same) {
  for (const char* name : {"chain-meets-beam", "hard-balls", "swinging-cradle", "spring-net", "falling-chain"}) {
    SCOPED_TRACE(name);
    compare(file(places::source("gallery/") + name + "/model.toml"), true);
  }
}

TEST(Equations, of_masses_that_depend_on_the_position_and_the_time) {
  compare(R"model([parameters]
m = 2
k = 0.7
[points.a]
mass = "m/3"
position = [1, 0.2]
velocity = [0.5, 1]
force = ["-k*a.x'*w", "sin(t)*w'^2"]
[coordinates.w]
initial = 0.4
velocity = 1
force = "a.x*w'"
[coordinates.u]
initial = 0.1
[energy]
kinetic = "m/2*(2 + sin(w)^2 + t^2)*w'^2 + (1 + u^2)*u'^2 + k*cos(w - u)*u'*w' + a.x*w' - k*u*t*u' + w^2/5"
potential = "k*(a.x - w)^2/2 + t*u^3 + norm(a)"
[constraints]
rail = "a.x*w + t*u = 0.3"
fast = "a.x'*u + w' <= t"
[simulation]
start = 0.5
)model");
}

TEST(Equations, of_sums_whose_members_end_at_the_ends) {
  // The force on x[i] comes from two neighbours, on the first and the last from one.
  compare(R"model([parameters]
n = 6
c = 1.5
[coordinates.x]
count = "n"
initial = "i/10"
velocity = "cos(i)"
force = "-c*i*x[i]'"
[energy]
kinetic = "sum(i = 1..n, x[i]'^2/2) + c/10*sum(i = 2..n, x[i]'*x[i-1]'*cos(x[i]))"
potential = """c/2*sum(i = 1..n-1, (x[i+1] - x[i])^2) + sum(i = 3..5, x[i]^4)
             - sum(i = 1..n, sum(j = i+1..n, cos(x[i] - x[j])))"""
[constraints]
ends = "x[1] + x[n] = 0.7"
pair = { for = "i = 1..n/2", condition = "x[i] - x[n+1-i] <= i" }
odd  = { for = "k = 0..2", condition = "x[2*k+1]' >= -k" }
)model");
}

TEST(Equations, of_sums_inside_of_functions_are_written_member_by_member) {
  // A chain of angles: the j-th velocity is a sum of j terms, squared.
  compare(R"model([parameters]
n = 4
l = 0.5
[coordinates.w]
count = "n"
initial = "i/5"
velocity = "1/i"
[energy]
kinetic = "sum(k = 1..n, (sum(j = 1..k, l*cos(w[j])*w[j]'))^2/2 + (sum(j = 1..k, l*sin(w[j])*w[j]'))^2/2)"
potential = "-sum(k = 1..n, sum(j = 1..k, 9.81*l*cos(w[j])))"
[constraints]
end = "sum(j = 1..n, l*sin(w[j])) <= 1"
)model");
}

TEST(Equations, of_conditions_under_the_variational_law) {
  compare(R"model([parameters]
k = 1.5
[points.a]
mass = 2
position = [1, 0.3]
velocity = [0.2, 1]
[coordinates.w]
initial = 0.4
velocity = 1
[energy]
kinetic = "(1 + sin(w)^2)*w'^2/2"
[constraints]
blade = { condition = "a.x'*sin(w) - a.y'*cos(w) + k*t*w' = a.x*t", law = "variational", multiplier = 0.3 }
slide = "a.x'*a.y + w' = 1"
)model");
}

TEST(Equations, shorten_squares_of_sine_and_cosine) {
  const System skate(file(places::source("gallery/skate/model.toml")));
  ASSERT_EQ(skate.equations.phi.size(), 1U);
  // Phi of a blade is 1/M whatever its direction.
  const expressions::Graph& graph = skate.symbols().graph;
  EXPECT_EQ(expressions::symbols(graph, skate.equations.phi[0].value[0].value).size(), 1U);
}

}  // namespace
}  // namespace zwang::analysis::equations_tests
