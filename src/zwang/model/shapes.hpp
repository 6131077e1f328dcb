/// Shapes: expressions in slots, and for each the tape that evaluates it with its derivatives; members of one shape are
/// collected as the lanes of one group.
///
/// Whether velocities occur in a condition, and linearly, is decided on the simplified expression: first by its form,
/// multiplied out; where the form leaves a doubt (sin(w)^2 + cos(w)^2 - 1 as a factor) by its values at random states,
/// where the second difference f(v + w) + f(v - w) - 2 f(v) of a linear function vanishes.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "zwang/expressions/graph.hpp"
#include "zwang/model/interpret.hpp"
#include "zwang/model/model.hpp"

namespace zwang::model {

/// One member's state around which expressions are probed: values of its slots at the start.
struct Probe {
  double time = 0;
  std::vector<double> positions;
  std::vector<double> velocities;
  std::vector<double> constants;
  std::vector<double> modes = {};  ///< filled by the shapes
  expressions::Names names;        ///< of the slots, for messages
};

/// Which slots of a member's trace fill the slots of its shape.
struct SlotMap {
  std::vector<std::uint32_t> positions;
  std::vector<std::uint32_t> velocities;
  std::vector<std::uint32_t> constants;
};

/// A condition's expression in its shape.
struct RowShape {
  bool restricts = true;  ///< a position or velocity occurs
  bool holonomic = true;
  bool kinks = false;     ///< corners of positions are left inside
  bool spoke = false;     ///< of a cone (expressions/cones.hpp), behind the row that it stands for in its apex
  std::string nonlinear;  ///< the term that is not linear in the velocities, or ""
  std::uint32_t group = 0;
  SlotMap slots;
};

/// A force's expression or a part of an energy's in its shape.
struct TermShape {
  std::string wrong;  ///< the term of a kinetic energy that is not quadratic in the velocities, or ""
  std::uint32_t group = 0;
  SlotMap slots;
};

class Shapes {
 public:
  [[nodiscard]] expressions::Graph& graph() { return graph_; }

  /// `jump`: the function with corners at which f is not continuous, or "".
  [[nodiscard]] RowShape row(expressions::Expr f, const Probe& probe, std::string& jump);
  /// The spokes of a position inequality f <= 0 that has a corner in a point (expressions/cones.hpp), or none.
  [[nodiscard]] std::vector<RowShape> spokes(expressions::Expr f, const Probe& probe);
  /// Does f jump where one of its corners turns?
  [[nodiscard]] bool jumps(expressions::Expr f, const Probe& probe);
  /// A row in which nothing occurs, beside others of a vector equation that do: a lane without slots.
  [[nodiscard]] RowShape empty_row(expressions::Expr f, bool holonomic);
  [[nodiscard]] TermShape force(std::span<const expressions::Expr> outputs, const Probe& probe);
  /// An energy, in parts that have no velocities (potential: positions) in common when there are many of them.
  [[nodiscard]] std::vector<TermShape> energy(TermKind kind, expressions::Expr e, const Probe& probe,
                                              std::string& jump);

  void add_row_lane(const RowShape& shape, const Slots& slots, std::uint32_t row);
  void add_term_lane(const TermShape& shape, const Slots& slots, std::span<const std::uint32_t> targets);

  /// The group of one term alone, for observables; of kind potential with its gradient.
  [[nodiscard]] TermGroup single(expressions::Expr e, const Slots& slots, const Probe& probe,
                                 TermKind kind = TermKind::force);

  /// Did an answer depend on values at the start, since this was asked last?
  [[nodiscard]] bool asked_about_state() { return std::exchange(asked_about_state_, false); }

  /// The groups made so far, without their lanes; of another compilation, to which shapes that it made belong.
  struct Groups {
    std::vector<RowGroup> rows;
    std::vector<TermGroup> terms;
  };
  [[nodiscard]] std::size_t row_groups() const { return rows_.size(); }
  [[nodiscard]] expressions::Tape& row_tape(std::uint32_t group) { return rows_[group].tape; }
  [[nodiscard]] const RowGroup& row_group(std::uint32_t group) const { return rows_[group]; }
  /// Rows that the group has so far.
  [[nodiscard]] std::size_t row_lanes(std::uint32_t group) const { return rows_[group].row.size(); }
  [[nodiscard]] Groups groups() const;
  void take_over(const Groups& groups);

  /// The groups with their lanes side by side.
  [[nodiscard]] std::vector<RowGroup> take_rows();
  [[nodiscard]] std::vector<TermGroup> take_terms();

 private:
  /// Lanes one after the other, until their number is known.
  struct Lanes {
    std::vector<std::uint32_t> positions, velocities, targets;
    std::vector<double> constants;
  };
  /// An expression taken apart: outputs, then the switching functions and their other arguments.
  struct Apart {
    std::vector<expressions::Expr> outputs;
    std::vector<expressions::Expr> switching;
    std::vector<expressions::Corner> corners;
    std::uint32_t modes = 0;
    SlotMap slots;
    [[nodiscard]] std::vector<std::uint32_t> key() const;
  };
  [[nodiscard]] Apart take_apart(std::span<const expressions::Expr> outputs, const Probe& probe, bool continued,
                                 bool directed = false);
  /// The corner at which the first output, `source` taken apart, jumps, or "".
  [[nodiscard]] std::string find_jump(expressions::Expr source, const Apart& apart, const Probe& probe);
  [[nodiscard]] Probe with_modes(const Apart& apart, const Probe& probe);
  [[nodiscard]] bool moves_on_any_side(expressions::Expr f, const Probe& probe);
  void add_corners(Slotted& group, const Apart& apart);
  [[nodiscard]] SlotMap compact(std::vector<expressions::Expr>& expressions);
  [[nodiscard]] std::vector<expressions::Expr> separate(expressions::Expr e, expressions::SymbolKind by);
  [[nodiscard]] std::uint32_t row_group(const Apart& apart, bool holonomic);
  [[nodiscard]] std::uint32_t term_group(TermKind kind, const Apart& apart);
  void make_tape(TermGroup& group, const std::vector<expressions::Expr>& outputs);

  /// The jump of the expression that was asked about last, at the state where it was looked for: its row is often made next.
  struct Asked {
    expressions::Expr f{};
    double time = std::numeric_limits<double>::quiet_NaN();  ///< equal to none: nothing was asked yet
    std::vector<double> positions;
    std::vector<double> velocities;
    std::vector<double> constants;
    std::string jump;
  };

  expressions::Graph graph_;
  bool asked_about_state_ = false;
  Asked asked_;
  std::vector<RowGroup> rows_;
  std::vector<Lanes> row_lanes_;
  std::map<std::pair<bool, std::vector<std::uint32_t>>, std::uint32_t> row_of_;
  std::vector<TermGroup> terms_;
  std::vector<Lanes> term_lanes_;
  std::map<std::pair<TermKind, std::vector<std::uint32_t>>, std::uint32_t> term_of_;
};

}  // namespace zwang::model
