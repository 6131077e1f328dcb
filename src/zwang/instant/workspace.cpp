/// The memory of one moment, and the nearest-point problem cut out of a model's rows.
#include <array>
#include <cmath>

#include "zwang/expressions/bends.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/tolerances.hpp"
#include "zwang/instant/workspace_impl.hpp"

namespace zwang::instant {

std::string_view words(Role role) {
  switch (role) {
    case Role::equation: return "equation";
    case Role::binding: return "binding";
    case Role::marginal: return "marginal";
    case Role::leaving: return "leaving";
    case Role::passive_in_velocity: return "passive in velocity";
    case Role::passive_in_position: return "passive in position";
    case Role::approached: return "approached";
    case Role::violated: return "violated";
    case Role::absent: return "absent";
  }
  return "";
}

std::string_view words(Status status) {
  switch (status) {
    case Status::determined: return "determined";
    case Status::ambiguous: return "ambiguous";
    case Status::impact: return "impact";
    case Status::inadmissible: return "inadmissible";
    case Status::jammed: return "jammed";
    case Status::undecided: return "undecided";
  }
  return "";
}

Workspace::Workspace(const model::Model& model) : impl_(std::make_unique<Impl>(model)) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

const model::Dynamics& Workspace::dynamics() const { return impl_->dynamics; }
const model::Rows& Workspace::rows() const { return impl_->rows; }
const std::vector<double>& Workspace::acceleration_terms() const { return impl_->a_scale; }
const std::vector<double>& Workspace::touch_values() const { return impl_->touch_value; }
void Workspace::leave_out(RowSet rows) { impl_->left_out = std::move(rows); }

Evaluation& Workspace::evaluation() const { return *impl_; }

Evaluation::Evaluation(const model::Model& model)
    : scratch(model::make_scratch(model)), dynamics(model::make_dynamics(model)), rows(model::make_rows(model)) {}

Workspace::Impl::Impl(const model::Model& model) : Evaluation(model) {
  scratch_n.resize(model.variables);
  scratch_m.resize(model.variables);
  problem.start.reserve(model.rows() + 1U);
  problem.column.reserve(model.row_column.size());
  problem.entry.reserve(model.row_column.size());
  problem.h.reserve(model.rows());
  problem.kind.reserve(model.rows());
  problem.row.reserve(model.rows());
  problem.a0.reserve(model.variables);
  last_effective.reserve(model.rows());
}

std::span<const std::uint8_t> Workspace::Impl::unevaluated(const model::Model& model, const Options& options) {
  if (!options.gone.is_told() || !has_alternatives(model)) return left_out.marks();
  skipped = options.gone.marks();
  for (std::size_t row = 0; row < left_out.marks().size(); ++row) skipped[row] |= left_out.marks()[row];
  return skipped;
}

void Subproblem::clear() {
  a0.clear();
  start.assign(1, 0U);
  column.clear();
  entry.clear();
  h.clear();
  kind.clear();
  row.clear();
  h_bound.clear();
  entry_bound.clear();
}

void Subproblem::append(const model::Model& model, const model::Rows& rows, std::uint32_t model_row, double offset,
                        gauss::RowKind row_kind) {
  for (std::uint32_t e = model.row_start[model_row]; e < model.row_start[model_row + 1]; ++e) {
    column.push_back(model.row_column[e]);
    entry.push_back(rows.entry[e]);
  }
  start.push_back(static_cast<std::uint32_t>(entry.size()));
  h.push_back(offset);
  kind.push_back(row_kind);
  row.push_back(model_row);
}

gauss::Problem Subproblem::view(const linear::Mass& mass) const {
  gauss::Problem problem;
  problem.mass = &mass;
  problem.a0 = a0;
  problem.start = start;
  problem.column = column;
  problem.entry = entry;
  problem.h = h;
  problem.kind = kind;
  problem.h_bound = h_bound;
  problem.entry_bound = entry_bound;
  return problem;
}

void solve_absolute(const linear::Mass& mass, const std::vector<double>& x, std::vector<double>& y,
                    bool about_least_axis) {
  const std::size_t n = x.size();
  y.resize(n);
  const auto m = mass.diagonal();
  for (std::uint32_t i = 0; i < n; ++i) {
    y[i] = mass.block_of(i) < 0 ? x[i] / m[i] : 0.0;
  }
  for (const linear::Mass::Block& block : mass.blocks()) {
    // |W| column by column from the factor: L L^T w = e_j.
    const std::size_t b = block.variables.size();
    if (block.turn) {
      const linear::Mass::Turn& turn = *block.turn;
      const std::uint32_t* const variable = block.variables.data();
      for (std::size_t c = 0; c < 3; ++c) y[variable[c]] = x[variable[c]] / turn.mass;
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
          double sum = 0;
          for (std::size_t k = 0; k < 4; ++k) {
            if (k == turn.light && !about_least_axis) continue;
            sum += turn.axis[4 * k + i] * turn.axis[4 * k + j] / turn.weight[k];
          }
          y[variable[3 + i]] += std::abs(sum) * x[variable[3 + j]];
        }
      }
      continue;
    }
    constexpr std::size_t largest = 64;
    std::array<double, largest> column;  // NOLINT: written before it is read
    for (std::size_t j = 0; j < b; ++j) {
      if (b > largest) {
        // Beyond that size the diagonal stands for the whole: a lower bound, good enough to tell noise from numbers.
        y[block.variables[j]] += x[block.variables[j]] / block.entries[j * b + j];
        continue;
      }
      for (std::size_t i = 0; i < b; ++i) {
        double sum = i == j ? 1.0 : 0.0;
        for (std::size_t k = j; k < i; ++k) {
          sum -= block.factor[k * b + i] * column[k];
        }
        column[i] = i < j ? 0.0 : sum / block.factor[i * b + i];
      }
      for (std::size_t i = b; i-- > 0;) {
        for (std::size_t k = i + 1; k < b; ++k) {
          column[i] -= block.factor[i * b + k] * column[k];
        }
        column[i] /= block.factor[i * b + i];
      }
      for (std::size_t i = 0; i < b; ++i) {
        y[block.variables[i]] += std::abs(column[i]) * x[block.variables[j]];
      }
    }
  }
}

bool opens_as_it_stands(const Workspace::Impl& impl, const std::vector<double>& y, const std::vector<double>& size) {
  const Subproblem& problem = impl.problem;
  std::vector<double> left(problem.a0.size(), 0.0);
  double sum = 0;
  double rounding = 0;
  for (std::size_t j = 0; j < problem.size(); ++j) {
    if (y[j] == 0) continue;
    sum += y[j] * problem.h[j];
    rounding += std::abs(y[j]) * impl.rows.curvature_scale[problem.row[j]];
    for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
      left[problem.column[e]] += y[j] * problem.entry[e];
    }
  }
  rounding *= rounding_steps * epsilon;
  for (std::size_t i = 0; i < left.size(); ++i) rounding += std::abs(left[i]) * size[i];
  return sum < -rounding;
}

bool nowhere_positive(const model::Model& model, const Subproblem& problem, const std::vector<double>& y) {
  using expressions::Bend;
  std::vector<std::optional<Bend>> bends(model.groups.size());
  for (std::size_t j = 0; j < problem.size(); ++j) {
    if (y[j] == 0) continue;
    const model::RowGroup& group = model.groups[model.row_group[problem.row[j]]];
    if (!group.holonomic || group.rheonomic) return false;
    std::optional<Bend>& known = bends[model.row_group[problem.row[j]]];
    if (!known) known = expressions::bend_of(group.tape, 0, std::size_t{1} + group.positions + group.velocities);
    const Bend bend = *known;
    const bool flat = bend == Bend::constant || bend == Bend::affine;
    if (!flat && !(y[j] > 0 && bend == Bend::concave)) return false;
  }
  return true;
}

}  // namespace zwang::instant
