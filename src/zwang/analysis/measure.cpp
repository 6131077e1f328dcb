/// The form theta as jets at random points, flags with and without it, and densities among functions that suggest themselves.
#include "zwang/analysis/measure.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "zwang/analysis/flag.hpp"
#include "zwang/analysis/integrals.hpp"
#include "zwang/analysis/lane.hpp"
#include "zwang/analysis/leaf.hpp"
#include "zwang/analysis/pfaffian.hpp"
#include "zwang/analysis/redundant.hpp"
#include "zwang/analysis/sides.hpp"
#include "zwang/analysis/tangent.hpp"
#include "zwang/analysis/tolerances.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/error.hpp"
#include "zwang/linear/spaces.hpp"

namespace zwang::analysis {

namespace {

using expressions::Expr;
using expressions::NodeKind;
using expressions::Symbol;
using expressions::SymbolKind;
using linear::Matrix;

constexpr double most_of_a_jet = 20000;
/// Products of coefficients that are spent on one question, some seconds; those of wide numbers count for so many.
constexpr double most_products = 2e9;
constexpr double wide_products = 30;
/// Above this number of columns the form theta is not made; on what is allowed by holonomic equations it is Jacobi's anyway.
constexpr std::size_t most_columns_of_theta = 40;

/// All equations as forms: gradients of the holonomic ones, then the Pfaffian ones.
std::vector<std::vector<Expr>> all_forms(PfaffianSystem& system) {
  std::vector<std::vector<Expr>> out;
  for (const Expr f : system.holonomic) {
    std::vector<Expr> form;
    for (std::size_t c = 0; c < system.columns.size(); ++c) {
      form.push_back(expressions::derivative(system.graph, f, system.graph.node(system.columns[c].symbol).symbol));
    }
    out.push_back(std::move(form));
  }
  out.insert(out.end(), system.pfaffian.begin(), system.pfaffian.end());
  return out;
}

/// Jets of everything at a point, in units of the columns.
template <class S>
struct Here {
  std::shared_ptr<const JetShape> shape;
  std::vector<std::vector<Jet<S>>> forms;  ///< p: [form][column], not in units
  std::vector<Jet<S>> theta;               ///< [column], right to one order less than the shape's
  std::vector<Jet<S>> jacobi;              ///< d log (det M det Phi), likewise
  Matrix allowed;                          ///< W - Q at the point
  bool finite = true;
};

template <class S>
class Workshop {
 public:
  explicit Workshop(const JetShape& shape) : shape_(shape) {}
  using Table = std::vector<std::vector<Jet<S>>>;

  [[nodiscard]] Table product(const Table& a, const Table& b) const {
    Table out(a.size(), std::vector<Jet<S>>(b.empty() ? 0 : b[0].size(), zero()));
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t k = 0; k < b.size(); ++k) {
        if (is_zero(a[i][k])) continue;
        for (std::size_t j = 0; j < b[k].size(); ++j) {
          if (!is_zero(b[k][j])) add_to(out[i][j], multiply(shape_, a[i][k], b[k][j]));
        }
      }
    }
    return out;
  }
  [[nodiscard]] static Table transposed(const Table& a) {
    Table out(a.empty() ? 0 : a[0].size(), std::vector<Jet<S>>(a.size()));
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t k = 0; k < a[i].size(); ++k) out[k][i] = a[i][k];
    }
    return out;
  }
  /// By elimination with the largest pivot; empty if the matrix is singular at the point.
  [[nodiscard]] Table inverse(Table a) const {
    const std::size_t m = a.size();
    Table out(m, std::vector<Jet<S>>(m, zero()));
    for (std::size_t i = 0; i < m; ++i) out[i][i] = constant(shape_, S(1));
    double scale = 0;
    for (const auto& row : a) {
      for (const auto& x : row) scale = std::max(scale, std::abs(narrow(x[0])));
    }
    for (std::size_t c = 0; c < m; ++c) {
      std::size_t best = c;
      for (std::size_t i = c; i < m; ++i) {
        if (std::abs(narrow(a[i][c][0])) > std::abs(narrow(a[best][c][0]))) best = i;
      }
      if (!(std::abs(narrow(a[best][c][0])) > form_pivot * scale)) return {};
      std::swap(a[best], a[c]);
      std::swap(out[best], out[c]);
      const Jet<S> pivot = reciprocal(shape_, a[c][c]);
      for (std::size_t k = 0; k < m; ++k) {
        a[c][k] = multiply(shape_, a[c][k], pivot);
        out[c][k] = multiply(shape_, out[c][k], pivot);
      }
      for (std::size_t i = 0; i < m; ++i) {
        if (i == c || is_zero(a[i][c])) continue;
        const Jet<S> factor = a[i][c];
        for (std::size_t k = 0; k < m; ++k) {
          add_to(a[i][k], multiply(shape_, factor, a[c][k]), -1);
          add_to(out[i][k], multiply(shape_, factor, out[c][k]), -1);
        }
      }
    }
    return out;
  }
  [[nodiscard]] Jet<S> zero() const { return constant(shape_, S(0)); }

 private:
  const JetShape& shape_;
};

/// Everything that is asked of the system, as programs on jets.
class Forms {
 public:
  explicit Forms(PfaffianSystem& system)
      : system_(system), forms_(all_forms(system)), program_(system.graph, flat(system, forms_)) {}

  [[nodiscard]] std::size_t count() const { return forms_.size(); }
  [[nodiscard]] std::size_t columns() const { return system_.columns.size(); }
  [[nodiscard]] std::size_t variables() const { return system_.mass.size(); }
  [[nodiscard]] const std::vector<std::vector<Expr>>& expressions() const { return forms_; }

  template <class S>
  [[nodiscard]] Here<S> at(const std::vector<double>& x, std::size_t order) const {
    const std::size_t n = variables();
    const std::size_t N = columns();
    const std::size_t r = count();
    Here<S> out;
    out.shape = jet_shape(N, order);
    const JetShape& shape = *out.shape;
    const auto symbol = [&](Symbol s) {
      if (s.kind == SymbolKind::constant) {
        const PfaffianSystem::Constant& c = system_.constants[s.index];
        return constant(shape, c.pi ? pi<S>() : S(c.value));
      }
      const std::size_t column = s.kind == SymbolKind::time ? system_.time_column : system_.column_of[s.index];
      Jet<S> jet = constant(shape, S(x[column]));
      if (order > 0) jet[1 + column] = S(system_.columns[column].unit);
      return jet;
    };
    const std::vector<Jet<S>> all = program_.evaluate<S>(shape, symbol);
    for (const Jet<S>& jet : all) {
      for (const S& c : jet) out.finite = out.finite && std::isfinite(narrow(c));
    }
    if (!out.finite) return out;
    std::size_t place = 0;
    out.forms.assign(r, {});
    for (auto& form : out.forms) {
      for (std::size_t c = 0; c < N; ++c) form.push_back(all[place++]);
    }
    using Table = typename Workshop<S>::Table;
    Table mass(n, std::vector<Jet<S>>(n));
    for (auto& row : mass) {
      for (auto& entry : row) entry = all[place++];
    }
    const Workshop<S> shop(shape);
    const Table w = shop.inverse(mass);
    if (w.empty()) {
      out.finite = false;
      return out;
    }
    Table p(r);
    for (std::size_t s = 0; s < r; ++s)
      p[s].assign(out.forms[s].begin(), out.forms[s].begin() + static_cast<std::ptrdiff_t>(n));
    Table rm;  // R
    Table q(n, std::vector<Jet<S>>(n, shop.zero()));
    if (r > 0) {
      const Table wp = shop.product(w, Workshop<S>::transposed(p));
      const Table phi = shop.inverse(shop.product(p, wp));
      if (phi.empty()) {
        out.finite = false;
        return out;
      }
      rm = shop.product(wp, phi);
      q = shop.product(rm, Workshop<S>::transposed(wp));
    }

    // theta_k and the logarithmic derivative of Jacobi's determinant; derivatives by the columns themselves, not in units.
    const auto by = [&](const Jet<S>& a, std::size_t column) {
      Jet<S> out_jet = derivative(shape, a, column);
      for (S& c : out_jet) c = c / S(system_.columns[column].unit);
      return out_jet;
    };
    for (std::size_t k = 0; k < N; ++k) {
      Jet<S> sum = shop.zero();
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          const Jet<S> slope = by(mass[i][j], k);
          if (is_zero(slope)) continue;
          Jet<S> part = w[i][j];
          add_to(part, q[i][j], -1);
          add_to(sum, multiply(shape, part, slope));
        }
      }
      Jet<S> other = sum;
      for (std::size_t s = 0; s < r; ++s) {
        for (std::size_t i = 0; i < n; ++i) {
          Jet<S> even = by(out.forms[s][i], k);
          add_to(other, multiply(shape, rm[i][s], even), 2);
          add_to(even, by(out.forms[s][k], i));
          add_to(sum, multiply(shape, rm[i][s], even));
        }
      }
      out.theta.push_back(std::move(sum));
      out.jacobi.push_back(std::move(other));
    }
    out.allowed = Matrix(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) out.allowed(i, j) = narrow(w[i][j][0]) - narrow(q[i][j][0]);
    }
    return out;
  }

  /// W - Q at a point, and the derivative of log (det M det Phi) along a direction.
  struct Numbers {
    bool finite = false;
    Matrix allowed;
    double jacobi = 0;
  };
  [[nodiscard]] Numbers numbers(const std::vector<double>& x, const std::vector<double>& direction) const {
    const std::size_t n = variables();
    const std::size_t N = columns();
    const std::size_t r = count();
    Numbers out;
    const auto shape = jet_shape(1, 1);
    const std::vector<Jet<double>> all = program_.evaluate<double>(*shape, [&](Symbol s) {
      if (s.kind == SymbolKind::constant) return constant(*shape, system_.constants[s.index].value);
      const std::size_t column = s.kind == SymbolKind::time ? system_.time_column : system_.column_of[s.index];
      Jet<double> jet = constant(*shape, x[column]);
      jet[1] = direction[column];
      return jet;
    });
    for (const Jet<double>& jet : all) {
      if (!std::isfinite(jet[0]) || !std::isfinite(jet[1])) return out;
    }
    Matrix p(r, n);
    Matrix p_rate(r, n);
    Matrix mass(n, n);
    Matrix mass_rate(n, n);
    for (std::size_t s = 0; s < r; ++s) {
      for (std::size_t i = 0; i < n; ++i) {
        p(s, i) = all[s * N + i][0];
        p_rate(s, i) = all[s * N + i][1];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        mass(i, k) = all[r * N + i * n + k][0];
        mass_rate(i, k) = all[r * N + i * n + k][1];
      }
    }
    Matrix one(n, n);
    for (std::size_t i = 0; i < n; ++i) one(i, i) = 1;
    if (linear::rank(mass) < n) return out;
    out.allowed = solve_square(mass, one);
    const auto trace = [](const Matrix& a, const Matrix& b) {
      double sum = 0;
      for (std::size_t i = 0; i < a.rows; ++i) {
        for (std::size_t k = 0; k < a.columns; ++k) sum += a(i, k) * b(k, i);
      }
      return sum;
    };
    if (r > 0) {
      const Matrix wp = linear::product(out.allowed, linear::transpose(p));
      const Matrix phi = linear::product(p, wp);
      if (linear::rank(phi, form_pivot) < r) return out;
      const Matrix back = solve_square(phi, linear::transpose(wp));  // Phi^-1 P W
      const Matrix q = linear::product(wp, back);
      for (std::size_t e = 0; e < q.entry.size(); ++e) out.allowed.entry[e] -= q.entry[e];
      out.jacobi += 2 * trace(back, linear::transpose(p_rate));
    }
    out.jacobi += trace(out.allowed, mass_rate);
    out.finite = true;
    return out;
  }

  /// Products of coefficients that `at` asks for at an order, at most.
  [[nodiscard]] double products(std::size_t order) const {
    const auto n = static_cast<double>(variables());
    const auto N = static_cast<double>(columns());
    const auto r = static_cast<double>(count());
    const double of_jets = 2 * n * n * n + 2 * r * r * r + 2 * n * n * r + 2 * n * r * r + N * (n * n + 2 * n * r);
    return of_jets * JetShape::count(2 * columns(), order);
  }

 private:
  static std::vector<Expr> flat(const PfaffianSystem& system, const std::vector<std::vector<Expr>>& forms) {
    std::vector<Expr> out;
    for (const auto& form : forms) out.insert(out.end(), form.begin(), form.end());
    for (const auto& row : system.mass) out.insert(out.end(), row.begin(), row.end());
    return out;
  }

  PfaffianSystem& system_;
  std::vector<std::vector<Expr>> forms_;
  Program program_;
};

/// How many combinations integrate, with dG - theta among the forms or without.
template <class S>
struct Count {
  bool ended = false;
  bool clear = false;
  std::size_t plain = 0;
  std::size_t with = 0;
  double kept = 0;  ///< the smallest singular value that told the flags apart
};

template <class S>
Count<S> count_at(const Forms& forms, const PfaffianSystem& system, const std::vector<double>& x, Thresholds thresholds,
                  double& products) {
  Count<S> out;
  const std::size_t N = forms.columns();
  for (std::size_t order = 2; order <= N + 2; ++order) {
    if (JetShape::count(N, order + 1) > most_of_a_jet) return out;
    products -= forms.products(order + 1) * (std::is_same_v<S, Wide> ? wide_products : 1.0);
    if (products < 0) return out;
    const Here<S> here = forms.at<S>(x, order + 1);
    if (!here.finite) return out;
    FormsAt<S> plain;
    plain.shape = here.shape;
    for (std::size_t c = 0; c < N; ++c) plain.variable.push_back(static_cast<int>(c));
    plain.form = here.forms;
    for (auto& form : plain.form) {
      for (std::size_t c = 0; c < N; ++c) {
        for (S& entry : form[c]) entry = entry * S(system.columns[c].unit);
      }
    }
    FormsAt<S> with = plain;
    with.variable.push_back(-1);
    for (auto& form : with.form) form.push_back(constant(*here.shape, S(0)));
    std::vector<Jet<S>> extra;
    for (std::size_t c = 0; c < N; ++c) {
      Jet<S> entry = here.theta[c];
      for (S& coefficient : entry) coefficient = -coefficient * S(system.columns[c].unit);
      extra.push_back(std::move(entry));
    }
    extra.push_back(constant(*here.shape, S(1)));
    with.form.push_back(std::move(extra));
    const DerivedFlag<S> a = derived_flag(plain, order, thresholds);
    const DerivedFlag<S> b = derived_flag(with, order, thresholds);
    if ((!a.ended || !b.ended) && order < N + 2) continue;
    const auto clear = [](const std::vector<Gap>& gaps) {
      return std::all_of(gaps.begin(), gaps.end(), [](const Gap& gap) { return gap.clear; });
    };
    out.ended = a.ended && b.ended;
    out.clear = clear(a.gaps) && clear(b.gaps);
    out.plain = a.ranks.back();
    out.with = b.ranks.back();
    for (const Gap& gap : b.gaps) {
      if (gap.kept > 0 && gap.rank < gap.most) out.kept = out.kept == 0 ? gap.kept : std::min(out.kept, gap.kept);
    }
    if (out.kept == 0 && !b.gaps.empty()) out.kept = b.gaps.back().kept;
    return out;
  }
  return out;
}

/// A random point near the state; columns that vanish there become positive.
std::vector<double> random_point(const PfaffianSystem& system, Dice& dice) {
  std::vector<double> x;
  for (const PfaffianSystem::Column& column : system.columns) {
    const double far = 0.35 * column.unit * dice.throw_one();
    x.push_back(column.value + (column.value == 0 ? std::abs(far) + 0.05 * column.unit : far));
  }
  return x;
}

/// Directions that the forms allow, orthonormal in units of the columns.
Matrix allowed_directions(const PfaffianSystem& system, const Here<double>& here) {
  const std::size_t N = system.columns.size();
  Matrix rows(here.forms.size(), N);
  for (std::size_t s = 0; s < here.forms.size(); ++s) {
    double length = 0;
    for (std::size_t c = 0; c < N; ++c)
      length = elementary::hypot(length, here.forms[s][c][0] * system.columns[c].unit);
    for (std::size_t c = 0; c < N && length > 0; ++c)
      rows(s, c) = here.forms[s][c][0] * system.columns[c].unit / length;
  }
  Matrix z = linear::null_space(rows);
  for (std::size_t k = 0; k < z.columns; ++k) {
    for (std::size_t c = 0; c < N; ++c) z(c, k) *= system.columns[c].unit;
  }
  return z;
}

/// A one-form along directions.
std::vector<double> along(const Matrix& z, const std::vector<double>& form) {
  std::vector<double> out(z.columns, 0.0);
  for (std::size_t k = 0; k < z.columns; ++k) {
    for (std::size_t c = 0; c < z.rows; ++c) out[k] += z(c, k) * form[c];
  }
  return out;
}
double most_of(const std::vector<double>& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

/// One sample: a point, what is allowed there, theta and Jacobi's form along it.
struct Sample {
  std::vector<double> x;
  Matrix z;
  std::vector<double> theta, jacobi;
  double size = 0;  ///< of the terms of theta
};

std::vector<double> values_of(const std::vector<Jet<double>>& jets) {
  std::vector<double> out;
  for (const Jet<double>& jet : jets) out.push_back(jet[0]);
  return out;
}

// ---- densities among functions that suggest themselves

Expr determinant(expressions::Graph& graph, const std::vector<std::vector<Expr>>& a) {
  const std::size_t m = a.size();
  if (m == 0) return graph.number(1);
  if (m == 1) return a[0][0];
  Expr sum = graph.number(0);
  for (std::size_t c = 0; c < m; ++c) {
    if (graph.is_number(a[0][c], 0)) continue;
    std::vector<std::vector<Expr>> minor;
    for (std::size_t i = 1; i < m; ++i) {
      minor.emplace_back();
      for (std::size_t k = 0; k < m; ++k) {
        if (k != c) minor.back().push_back(a[i][k]);
      }
    }
    const Expr term = graph.multiply(a[0][c], determinant(graph, minor));
    sum = graph.add(sum, c % 2 == 0 ? term : graph.multiply(graph.number(-1), term));
  }
  return sum;
}

/// Jacobi's determinant as an expression: (-1)^r det [[M, P^T], [P, 0]]; with constant single masses det Phi alone.
Expr jacobi_determinant(PfaffianSystem& system, const std::vector<std::vector<Expr>>& forms) {
  expressions::Graph& graph = system.graph;
  const std::size_t n = system.mass.size();
  const std::size_t r = forms.size();
  bool plain = true;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      constexpr unsigned by_constants = 1U << static_cast<unsigned>(SymbolKind::constant);
      const bool fixed = (graph.kinds(system.mass[i][k]) & ~by_constants) == 0;
      plain = plain && (i == k ? fixed : graph.is_number(system.mass[i][k], 0));
    }
  }
  if (plain) {
    std::vector<std::vector<Expr>> phi(r, std::vector<Expr>(r, graph.number(0)));
    for (std::size_t s = 0; s < r; ++s) {
      for (std::size_t t = 0; t < r; ++t) {
        for (std::size_t i = 0; i < n; ++i) {
          const Expr product = graph.multiply(forms[s][i], forms[t][i]);
          phi[s][t] = graph.add(phi[s][t], graph.divide(product, system.mass[i][i]));
        }
      }
    }
    return expressions::expand(graph, determinant(graph, phi));
  }
  std::vector<std::vector<Expr>> whole(n + r, std::vector<Expr>(n + r, graph.number(0)));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) whole[i][k] = system.mass[i][k];
    for (std::size_t s = 0; s < r; ++s) whole[i][n + s] = whole[n + s][i] = forms[s][i];
  }
  const Expr bordered = determinant(graph, whole);
  return expressions::expand(graph, r % 2 == 0 ? bordered : graph.negate(bordered));
}

/// A factor of the density: its logarithmic derivative along what is allowed, at every sample.
struct Factor {
  Expr function;
  bool exponential = false;  ///< e^(b f) instead of |f|^b
  std::vector<double> slope;
};

class Densities {
 public:
  Densities(PfaffianSystem& system, const Forms& forms, const std::vector<Sample>& samples)
      : system_(system), forms_(forms), samples_(samples) {
    for (const Sample& sample : samples_) {
      wanted_.insert(wanted_.end(), sample.theta.begin(), sample.theta.end());
      for (std::size_t k = 0; k < sample.theta.size(); ++k) size_.push_back(std::max(sample.size, least_divergence));
    }
  }

  /// The simplest density found, or nothing.
  [[nodiscard]] std::optional<Expr> find(double& residual) {
    collect();
    // Products of one, two and three factors.
    for (std::size_t count = 1; count <= 3; ++count) {
      std::vector<std::size_t> chosen;
      if (const auto found = try_sets(chosen, 0, count, residual)) return found;
    }
    return std::nullopt;
  }

 private:
  void collect() {
    expressions::Graph& graph = system_.graph;
    const auto& forms = forms_.expressions();
    const std::size_t n = system_.mass.size();
    const std::size_t r = forms.size();
    if (n + r <= 7) offer(jacobi_determinant(system_, forms), false);
    // Minors of P: whatever mixes the forms shows in them.
    if (r >= 1 && n <= 6) {
      std::vector<std::size_t> columns(r);
      const auto choose = [&](auto&& self, std::size_t at, std::size_t from) -> void {
        if (at == r) {
          std::vector<std::vector<Expr>> minor(r);
          for (std::size_t s = 0; s < r; ++s) {
            for (const std::size_t c : columns) minor[s].push_back(forms[s][c]);
          }
          offer(expressions::expand(graph, determinant(graph, minor)), false);
          return;
        }
        for (std::size_t c = from; c < n; ++c) {
          columns[at] = c;
          self(self, at + 1, c + 1);
        }
      };
      choose(choose, 0, 0);
    }
    // Parts of the coefficients and of the mass matrix, the variables, and exponentials of both.
    std::vector<Expr> parts;
    for (const auto& form : forms) parts.insert(parts.end(), form.begin(), form.end());
    for (const auto& row : system_.mass) parts.insert(parts.end(), row.begin(), row.end());
    std::set<std::uint32_t> seen;
    std::vector<Expr> pieces;
    const auto descend = [&](auto&& self, Expr e) -> void {
      if (!seen.insert(e.id).second || pieces.size() > 60) return;
      const expressions::Node node = graph.node(e);
      if (node.kind == NodeKind::number) return;
      pieces.push_back(e);
      const std::vector<Expr> children(node.children.begin(), node.children.end());
      for (const Expr child : children) self(self, child);
    };
    for (const Expr e : parts) descend(descend, e);
    for (const PfaffianSystem::Column& column : system_.columns) offer(column.symbol, false);
    for (const Expr e : pieces) offer(e, false);
    for (const PfaffianSystem::Column& column : system_.columns) offer(column.symbol, true);
    for (const PfaffianSystem::Column& column : system_.columns) {
      offer(graph.multiply(column.symbol, column.symbol), true);
    }
    for (const Expr e : pieces) offer(e, true);
  }

  void offer(Expr e, bool exponential) {
    if (!known_.insert({e.id, exponential}).second || factors_.size() > 80) return;
    Factor factor{e, exponential, {}};
    bool moves = false;
    for (const Sample& sample : samples_) {
      const ValueAndGradient here = differentiate(system_, e, sample.x);
      std::vector<double> gradient = here.gradient;
      for (double& slope : gradient) {
        if (!exponential) slope /= here.value;
        if (!std::isfinite(slope)) return;
      }
      const std::vector<double> part = along(sample.z, gradient);
      moves = moves || most_of(part) > no_slope;
      factor.slope.insert(factor.slope.end(), part.begin(), part.end());
    }
    if (moves) factors_.push_back(std::move(factor));
  }

  std::optional<Expr> try_sets(std::vector<std::size_t>& chosen, std::size_t from, std::size_t count,
                               double& residual) {
    if (chosen.size() == count) return fit(chosen, residual);
    // Three factors only among the first, which are the likeliest.
    const std::size_t most = count == 3 ? std::min<std::size_t>(factors_.size(), 24) : factors_.size();
    for (std::size_t k = from; k < most; ++k) {
      chosen.push_back(k);
      if (const auto found = try_sets(chosen, k + 1, count, residual)) return found;
      chosen.pop_back();
    }
    return std::nullopt;
  }

  /// Exponents by least squares; they must come out as simple fractions.
  std::optional<Expr> fit(const std::vector<std::size_t>& chosen, double& residual) {
    const std::size_t rows = wanted_.size();
    Matrix a(rows, chosen.size());
    std::vector<double> b(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0; k < chosen.size(); ++k) a(i, k) = factors_[chosen[k]].slope[i] / size_[i];
      b[i] = wanted_[i] / size_[i];
    }
    // The smaller normal equations first: most sets fail there.
    Matrix normal(chosen.size(), chosen.size());
    std::vector<double> right(chosen.size(), 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0; k < chosen.size(); ++k) {
        right[k] += a(i, k) * b[i];
        for (std::size_t l = 0; l < chosen.size(); ++l) normal(k, l) += a(i, k) * a(i, l);
      }
    }
    std::vector<double> exponent = linear::least_norm(normal, right);
    for (double& x : exponent) {
      const double twelfths = std::round(12 * x);
      if (std::abs(12 * x - twelfths) > twelfth_digits || std::abs(twelfths) > 144) return std::nullopt;
      x = twelfths / 12;
      if (x == 0) return std::nullopt;
    }
    double worst = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      double sum = -b[i];
      for (std::size_t k = 0; k < chosen.size(); ++k) sum += exponent[k] * a(i, k);
      worst = std::max(worst, std::abs(sum));
    }
    if (worst > density_residual) return std::nullopt;
    residual = worst;
    expressions::Graph& graph = system_.graph;
    Expr density = graph.number(1);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const Factor& factor = factors_[chosen[k]];
      Expr part = factor.function;
      if (factor.exponential) {
        const Expr scaled = graph.multiply(graph.number(exponent[k]), part);
        part = graph.apply(expressions::Function::exp, scaled);
      } else {
        // A factor that is negative here counts by its size.
        if (differentiate(system_, part, samples_.front().x).value < 0) {
          part = expressions::expand(graph, graph.multiply(graph.number(-1), part));
        }
        if (exponent[k] != 1) part = graph.power(part, graph.number(exponent[k]));
      }
      density = graph.multiply(density, part);
    }
    return density;
  }

  PfaffianSystem& system_;
  const Forms& forms_;
  const std::vector<Sample>& samples_;
  std::vector<double> wanted_, size_;
  std::vector<Factor> factors_;
  std::set<std::pair<std::uint32_t, bool>> known_;
};

/// tr((W - Q) dX/dv) at a state: what forces that depend on the velocities take away.
double friction(const model::Model& model, const model::State& state, const Matrix& allowed) {
  double sum = 0;
  for (const model::TermGroup& group : model.terms) {
    if (group.kind != model::TermKind::force || group.velocities == 0) continue;
    for (std::size_t lane = 0; lane < group.lanes; ++lane) {
      Lane at(group, lane, state);
      for (std::size_t slot = 0; slot < group.velocities; ++slot) {
        at.by_velocity(slot);
        const std::uint32_t v = group.velocity_of[slot * group.lanes + lane];
        for (std::size_t k = 0; k < group.tape.outputs.size(); ++k) {
          sum += allowed(v, group.target_of[k * group.lanes + lane]) * at.derivative(k);
        }
      }
    }
  }
  return sum;
}

std::vector<double> point_of(const PfaffianSystem& system, const model::State& state) {
  std::vector<double> x = state.position;
  if (system.time_column < system.columns.size()) x.push_back(state.time);
  return x;
}

double divergence_at(const PfaffianSystem& system, const Forms& forms, const model::Model& model,
                     const model::State& state) {
  if (system.pfaffian.empty() && system.columns.size() > most_columns_of_theta) {
    std::vector<double> direction = state.velocity;
    if (system.time_column < system.columns.size()) direction.push_back(1);
    const Forms::Numbers here = forms.numbers(point_of(system, state), direction);
    return here.finite ? friction(model, state, here.allowed) - here.jacobi : std::nan("");
  }
  const Here<double> here = forms.at<double>(point_of(system, state), 1);
  if (!here.finite) return std::nan("");
  double sum = 0;
  for (std::size_t k = 0; k < model.variables; ++k) sum -= here.theta[k][0] * state.velocity[k];
  if (system.time_column < system.columns.size()) sum -= here.theta[system.time_column][0];
  return sum + friction(model, state, here.allowed);
}

}  // namespace

double divergence(const model::Draft& draft, const model::Model& model, const model::State& state) {
  PfaffianSystem system = pfaffian_system(draft, model, state, Timed::by_conditions_or_masses);
  (void)leave_out_redundant(system);
  const Forms forms(system);
  return divergence_at(system, forms, model, state);
}

namespace {

/// Beside the form theta: what do forces that depend on the velocities make of volumes, tr((W - Q) dX/dv)?
struct Resistance {
  enum class Kind : std::uint8_t {
    none,    ///< nothing, at any velocity
    linear,  ///< a linear form of the velocities, that changes theta
    other    ///< something that no density of the position can make up for
  };
  Kind kind = Kind::none;
  std::vector<double> witness;
  double size = 0;
};

/// At random points: nothing at all; odd and of first degree in the velocities; or neither.
Resistance resistance(const PfaffianSystem& system, const Forms& forms, const model::Model& model,
                      const model::State& state, Dice& dice) {
  Resistance out;
  if (std::none_of(model.terms.begin(), model.terms.end(), [](const model::TermGroup& group) {
        return group.kind == model::TermKind::force && group.velocities > 0;
      })) {
    return out;
  }
  const int wanted = model.switches > 0 ? 24 : 6;
  const int most_tries = model.switches > 0 ? 80 : 40;
  model::State probe = state;
  const std::vector<double> nowhere(system.columns.size(), 0.0);
  int seen = 0;
  for (int tries = 0; tries < most_tries && seen < wanted; ++tries) {
    // The state itself is one of the points: there the numbers are what the model is about.
    const std::vector<double> x = tries == 0 ? point_of(system, state) : random_point(system, dice);
    std::vector<double> v(model.variables);
    for (double& speed : v) speed = dice.throw_one();
    const Forms::Numbers here = forms.numbers(x, nowhere);
    if (!here.finite) continue;
    ++seen;
    // Only velocities that the conditions allow count; W - Q leads to them. (Of moving conditions none of the multiples would be allowed.)
    if (system.time_column == system.columns.size()) v = times(here.allowed, v);
    probe.position.assign(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(model.variables));
    // Resistance may grow with the time, and be none at the start.
    if (system.time_column < system.columns.size()) {
      probe.time = x[system.time_column];
    } else if (tries > 0) {
      probe.time = state.time + dice.throw_one();
    }
    // Resistance may begin at a place, or a time, that no try comes to.
    probe.modes.clear();
    if (tries % 2 != 0) throw_sides(model, probe, dice);
    const auto at = [&](double factor) {
      for (std::size_t i = 0; i < v.size(); ++i) probe.velocity[i] = factor * v[i];
      return friction(model, probe, here.allowed);
    };
    const double once = at(1);
    if (!std::isfinite(once)) continue;
    const double size = std::max(std::abs(once), std::abs(at(-1)));
    if (size <= no_resistance) continue;
    const double twice = std::max(std::abs(at(2) - 2 * once), std::abs(at(-1) + once));
    // Through a corner in the velocities |v| is of first degree too, but not odd.
    const bool first_degree = twice <= same_degree * size && std::abs(at(0)) <= same_degree * size;
    if (!first_degree) {
      out.kind = Resistance::Kind::other;
      out.witness = x;
      out.size = size;
      return out;
    }
    out.kind = Resistance::Kind::linear;
    out.size = std::max(out.size, size);
  }
  return out;
}

}  // namespace

Measure measure(const model::Draft& draft, const model::Model& model, const model::State& state) {
  PfaffianSystem system = pfaffian_system(draft, model, state, Timed::by_conditions_or_masses);
  for (const model::Condition& condition : model.conditions) {
    if (condition.law == model::Law::variational) {
      throw Error(condition.place,
                  "`" + condition.name +
                      "` stands under the variational law: its motions have rho in their state, and dq dv is "
                      "no measure of them");
    }
  }
  (void)leave_out_redundant(system);
  Measure out;
  // Equations between positions: theta is the logarithmic derivative of Jacobi's determinant, whatever the model (19.3).
  out.holonomic = system.pfaffian.empty();
  const bool large = system.columns.size() > Measure::most_columns;
  if (large && !out.holonomic) {
    out.decided = false;
    out.divergence = std::nan("");
    out.why = "the system has more columns than can be looked at: " + std::to_string(system.columns.size());
    return out;
  }
  const Forms forms(system);
  out.divergence = divergence_at(system, forms, model, state);

  // Forces that depend on the velocities come first: they may end the question.
  Dice dice(0x6d656173);
  const Resistance resisting = resistance(system, forms, model, state, dice);
  if (resisting.kind == Resistance::Kind::other) {
    out.why = "forces that depend on the velocities change volumes, whatever the position";
    out.resisted = true;
    out.witness = resisting.witness;
    out.defect = resisting.size;
    return out;
  }
  if (resisting.kind == Resistance::Kind::linear) {
    // div is a linear form of the velocities on all there is: on one line every form is a differential.
    const bool one_line =
        out.holonomic && system.time_column == system.columns.size() && model.variables == system.conditions() + 1;
    out.exists = one_line;
    out.decided = one_line;
    if (!one_line) {
      out.why = "forces are of second degree in the velocities: whether a density makes up for them is not looked at";
    }
    return out;
  }

  // Random points: does dG - theta bring one more integrable combination?
  constexpr std::size_t wanted_points = 4;
  std::size_t against = 0;
  std::size_t unclear = 0;
  double products = most_products;
  for (int tries = 0; tries < 60 && out.points < wanted_points && !out.holonomic && products > 0; ++tries) {
    const std::vector<double> x = random_point(system, dice);
    Count<double> count = count_at<double>(forms, system, x, in_doubles, products);
    bool clear = count.ended && count.clear;
    std::size_t plain = count.plain;
    std::size_t with = count.with;
    double kept = count.kept;
    if (!clear) {
      const Count<Wide> wide = count_at<Wide>(forms, system, x, in_wide, products);
      clear = wide.ended && wide.clear;
      plain = wide.plain;
      with = wide.with;
      kept = wide.kept;
      if (!wide.ended && !count.ended) continue;
    }
    ++out.points;
    if (!clear) {
      ++unclear;
    } else if (with != plain + 1) {
      ++against;
      if (out.witness.empty()) {
        out.witness = x;
        out.defect = kept;
      }
    }
  }
  out.exists = against == 0;
  if (!out.holonomic && (out.points == 0 || unclear > 0)) {
    out.decided = against > 0;
    out.exists = false;
    if (!out.decided) {
      out.why = products <= 0     ? "the system is too large: its derivatives to the order needed are too many"
                : out.points == 0 ? "no point near the state has finite numbers, or the system is too large to look at"
                                  : "the singular values leave no clear gap: not decided";
    }
  }
  if (out.holonomic) {
    out.jacobi = true;
    if (large) return out;
  }

  // Samples along what is allowed: for the verdicts on 1 and on Jacobi's determinant, and for the search.
  std::vector<Sample> samples;
  double theta_size = 0;
  for (int tries = 0; tries < 200 && samples.size() < 24; ++tries) {
    Sample sample;
    sample.x = random_point(system, dice);
    const Here<double> here = forms.at<double>(sample.x, 1);
    if (!here.finite) continue;
    sample.z = allowed_directions(system, here);
    const std::vector<double> theta = values_of(here.theta);
    const std::vector<double> jacobi = values_of(here.jacobi);
    sample.theta = along(sample.z, theta);
    sample.jacobi = along(sample.z, jacobi);
    for (std::size_t c = 0; c < theta.size(); ++c) {
      sample.size = std::max(
          {sample.size, std::abs(theta[c]) * system.columns[c].unit, std::abs(jacobi[c]) * system.columns[c].unit});
    }
    theta_size = std::max(theta_size, sample.size);
    samples.push_back(std::move(sample));
  }
  if (samples.empty()) return out;
  double unit_defect = 0;
  double jacobi_defect = 0;
  for (Sample& sample : samples) {
    unit_defect = std::max(unit_defect, most_of(sample.theta));
    for (std::size_t k = 0; k < sample.theta.size(); ++k) {
      jacobi_defect = std::max(jacobi_defect, std::abs(sample.theta[k] - sample.jacobi[k]));
    }
  }
  const double small = no_divergence * std::max(theta_size, least_divergence_of_all);
  out.unit = unit_defect <= small;
  out.jacobi = out.holonomic || jacobi_defect <= small;

  if (out.unit || out.jacobi) {
    out.exists = true;
    out.decided = true;
    out.witness.clear();
  }
  if (!out.exists) {
    out.jacobi = false;
    if (out.decided)
      out.why = "no function of the position has the logarithmic derivative that the divergence asks for";
    return out;
  }

  // The density itself: 1, Jacobi's determinant, or a product of what occurs in the model.
  if (out.unit) {
    out.density = "1";
    out.residual = unit_defect / std::max(theta_size, 1.0);
    return out;
  }
  if (out.jacobi && system.mass.size() + forms.count() <= 8) {
    out.density = write_function(system, jacobi_determinant(system, forms.expressions()));
    out.residual = jacobi_defect / theta_size;
    return out;
  }
  // It is known then, only long; a shorter one is looked for where that is quick.
  constexpr std::size_t quick_columns = 10;
  if (out.jacobi && system.columns.size() > quick_columns) return out;
  Densities densities(system, forms, samples);
  if (const auto found = densities.find(out.residual)) out.density = write_function(system, *found);
  return out;
}

}  // namespace zwang::analysis
