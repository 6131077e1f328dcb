/// The compiled model: what mechanics needs, immutable after `compile`.
///
/// Scalar variables q[0..n) are numbered body by body in the order of the file; a member of a family has its components
/// side by side. Conditions are numbered in the order of the file, seizures after the constraints; every condition
/// stands for one or more scalar rows f = 0 or f <= 0. Rows (and force terms) of the same shape share one tape, and are
/// the lanes of that tape. Reference: docs/mathematics, sections 1 and 2.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/expressions/corners.hpp"
#include "zwang/expressions/tape.hpp"
#include "zwang/matrix.hpp"
#include "zwang/system.hpp"

namespace zwang::model {

/// What lanes of one shape have in common: the slots of their tapes, and the corners of their expressions. The modes of the
/// corners are the last of the constants: `constant_of` holds those of the initial state, a motion holds its own.
struct Slotted {
  std::uint32_t positions = 0;   ///< number of position slots
  std::uint32_t velocities = 0;  ///< number of velocity slots
  std::uint32_t constants = 0;   ///< number of constant slots, modes included
  std::uint32_t lanes = 0;
  std::vector<std::uint32_t> position_of;  ///< variable: [slot * lanes + lane]
  std::vector<std::uint32_t> velocity_of;  ///< variable: [slot * lanes + lane]
  std::vector<double> constant_of;         ///< value: [slot * lanes + lane]

  std::uint32_t modes = 0;  ///< number of mode slots
  std::vector<expressions::Corner> corners;
  expressions::Tape switching;  ///< same inputs; outputs: g of every corner, then the other argument of every corner
  expressions::Tape slopes;  ///< same inputs; outputs of every corner: dg/dq by position slot, dg/dv by velocity slot
  std::uint32_t first_switch = 0;  ///< of the model's: corner c of lane l is switch first_switch + c * lanes + l
  std::uint32_t first_mode = 0;  ///< mode slot s of lane l is number first_mode + s * lanes + l among the model's modes
  [[nodiscard]] std::uint32_t steady() const { return constants - modes; }
};

/// Rows of one shape. Tape inputs, in this order: t, position slots, velocity slots (nonholonomic rows only),
/// constant slots. Outputs: f, then its derivative by every position slot (holonomic) or velocity slot (nonholonomic),
/// then, for holonomic rows in which t occurs, df/dt, and for nonholonomic rows f = p.v + p0 with p0 not zero, p0.
struct RowGroup : Slotted {
  expressions::Tape tape;
  bool holonomic = true;
  bool rheonomic = false;               ///< df/dt (nonholonomic: p0) is the last output
  std::vector<std::uint32_t> row;       ///< [lane]
  std::vector<std::uint32_t> entry_of;  ///< place in the rows' CSR entries: [derivative slot * lanes + lane]

  // nonholonomic rows: what the variational law needs besides
  expressions::Tape bend;   ///< same inputs; outputs: p by velocity slot, then df/dq by position slot
  bool bend_works = false;  ///< t occurs or p0 does: reactions under that law may do work
};

enum class TermKind : std::uint8_t {
  force,      ///< outputs: force components, added to X at `target_of`
  potential,  ///< outputs: V, then dV/dq by position slot: X -= dV/dq
  kinetic     ///< outputs: T, dT/dq by position slot, p = dT/dv by velocity slot, then d2T/dv_i dv_j for i <= j
};

/// Force and energy terms of one shape. Tape inputs: t, position slots, velocity slots, constant slots.
struct TermGroup : Slotted {
  TermKind kind = TermKind::force;
  expressions::Tape tape;
  std::vector<std::uint32_t> target_of;  ///< force: [output * lanes + lane]
  bool uses_velocity = false;            ///< a force that depends on velocities
  bool uses_time = false;
};

/// A blow: `impulse` (mass times velocity) on some variables. On a rigid body beside its centre, or that turns it, what it gives to the
/// variables of the orientation depends on the orientation of that instant (`impulse_of` in bodies.hpp); `impulse` is then the vector as
/// written.
struct Blow {
  enum class Sort : std::uint8_t { plain, mark, torque };
  std::string on;
  double at = 0;
  std::vector<std::uint32_t> variables;  ///< of a mark or torque: all of the body
  std::vector<double> impulse;
  Sort sort = Sort::plain;
  std::vector<double> mark = {};  ///< where it strikes, in the body's axes
};

/// A point fixed in a rigid body, or one in every member of a family, in the body's axes.
struct Mark {
  std::string name;
  std::vector<double> at;  ///< [member * components + component]
};

/// What a rigid body is, beside its place among the variables. Empty for points and coordinates.
struct Rigid {
  std::vector<Mark> marks;
  std::vector<double>
      inertia;  ///< [member * 9 + row * 3 + column] in the body's axes about its centre; in the plane one number each
  std::string shape = {};  ///< "box", "ball", ...; empty: none
  std::vector<double> sizes =
      {};  ///< of the shape, `shape_sizes` numbers per member; of a polygon its corners about the centre
  std::uint32_t shape_sizes = 0;
};

/// A body in space, or a member, with one moment of inertia far below the others: entries of the mass matrix would not know it (linear/halves.hpp).
struct Slender {
  std::uint32_t first = 0;  ///< variable of its x
  std::uint32_t block = 0;  ///< of the mass matrix: its seven variables
  double mass = 0;
  std::array<double, 3> moments{};  ///< along its axes
  std::uint32_t axis = 0;           ///< of the least
  double stretching = 0;            ///< c of docs/mathematics, section 23.2
  double reach = 0;                 ///< as far from its centre as masses and marks are, or farther
};

/// A condition that stands in no table of conditions but follows from what a body or joint is: what it is made of.
struct Generated {
  std::uint32_t condition = 0;
  std::string formula;                                  ///< a condition in the language of the model
  std::string ranges;                                   ///< "i = 1..8", or empty
  std::vector<std::pair<std::string, double>> numbers;  ///< names that stand in it for numbers
  std::string of = {};                                  ///< the spring whose term it is
};

/// What a joint holds: a point of a rigid body, a point, or a fixed place.
struct Partner {
  std::uint32_t body = ~std::uint32_t{0};  ///< beyond all bodies: a fixed place
  std::uint32_t member = 0;
  std::vector<double> at = {};  ///< in the body's axes, of a point zero; of a fixed place where it is
};

/// A joint, or a member of a family of them: its conditions are neighbours, one row each.
struct Joint {
  std::string name;
  std::string kind;
  Partner first, second;
  std::uint32_t first_row = 0;
  std::uint32_t rows = 0;
};

/// A spring or damper between two ends, or on the joint of that number.
struct Spring {
  std::string name;
  Partner first, second;
  std::uint32_t joint = ~std::uint32_t{0};
  std::vector<std::uint32_t> switches = {};  ///< of one that can be let go: the corners that turn its terms off
};
/// Does a release with this text name the spring, or the family to which it belongs?
[[nodiscard]] bool names_spring(std::string_view text, std::string_view spring);
/// The number by which the terms of a spring that can be let go know it: their switching function, positive and the same for ever.
[[nodiscard]] double keeper_of(std::size_t spring);
[[nodiscard]] std::size_t spring_of(double keeper);

/// A half-space that bodies are kept in: normal . r >= offset, with a unit normal.
struct HalfSpace {
  std::string name;
  std::vector<double> normal;
  double offset = 0;                     ///< at the start
  std::vector<std::uint32_t> rows = {};  ///< of the model, those of this half-space
  bool moves = false;                    ///< the offset depends on t
};

/// Conditions distance(a, b) >= least between any two members of a family, or between the members of two, that are not written out as rows: there
/// are as many as pairs. Their numbers follow those of the rows, in the order in which they would be written.
struct PairFamily {
  /// Members `low` to `high` of a body, counted from 0.
  struct Side {
    std::uint32_t body = 0;
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    [[nodiscard]] std::uint32_t count() const { return high - low + 1; }
  };
  std::uint32_t condition = 0;
  std::uint32_t group = 0;  ///< the shape of its rows; no lane of it is theirs
  /// Per position slot of the shape: the component, counted on from those of the first member to those of the second.
  std::vector<std::uint32_t> slots;
  Side first, second;
  bool within = false;  ///< both sides are one, and every two members are a pair once
  double least = 0;
  double restitution = 0;
  std::uint64_t first_row = 0;
  [[nodiscard]] std::uint64_t pairs() const;
};

/// A position inequality f = A + B |w| <= 0, and the spokes A + B c.w <= 0 that stand for it in its apex (expressions/cones.hpp): the three rows behind it, of which it
/// is the twin. They count there only, and it does not.
struct Cone {
  std::uint32_t row = 0;
  [[nodiscard]] std::uint32_t spoke(std::size_t which) const { return row + 1 + static_cast<std::uint32_t>(which); }
};

/// Two members of a pair family.
struct Pair {
  std::uint32_t family = 0;
  std::uint32_t first = 0;   ///< of the first side
  std::uint32_t second = 0;  ///< of the second
};

/// A condition let go: from a time on, or from the first instant at which `when` is true. All rows of the condition, or those
/// of one member. Or springs.
struct Release {
  std::string name;  ///< as written: "sling", "link[3]"
  double at = 0;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> springs = {};
  std::vector<std::uint32_t> when;  ///< none or one: number among the model's truths
};

/// An expression of the state to be recorded or watched ([outputs], stop): one lane, tape with the single output f.
struct Observable {
  std::string name;
  std::string text;
  TermGroup term;  ///< kind force, one output, target unused
};

/// A function of positions and time whose rate keeps its free form in a flow: one lane, tape with the outputs phi, then its
/// derivative by every position slot.
struct FreeFunction {
  std::string text;
  TermGroup term;  ///< kind potential
};

/// A point of [view] or a family of them: made of the state to be looked at, it has no part in the motion. `first` is the number
/// of its first member's first component among the components of the view.
struct ViewPoint : Body {
  double size = -1;  ///< radius in the picture; negative: not given
};

/// A corner of a drawn line: a member of a body, a member of a point of the view, or a fixed place.
struct ViewAnchor {
  enum class Kind : std::uint8_t { body, view, fixed };
  Kind kind = Kind::fixed;
  std::uint32_t index = 0;   ///< of the body or point of the view
  std::uint32_t member = 0;  ///< of the family
  std::vector<double> at;    ///< of a fixed place
};

struct ViewLine {
  std::string name;
  bool closed = false;
  std::vector<ViewAnchor> through;
};

/// How the model wants to be seen. Nothing of it enters the mechanics.
struct View {
  std::uint32_t dimension = 0;  ///< 2 or 3; 0: not given
  std::vector<double> up;       ///< empty: not given
  std::vector<ViewPoint> points;
  std::vector<Observable> components;  ///< of all members, side by side; functions of positions and time
  std::vector<ViewLine> lines;
};

/// How a run goes from instant to instant: by its events, or in steps of one length.
enum class Method : std::uint8_t { events, stepping };
/// "events", "stepping".
[[nodiscard]] std::string_view words(Method method);

struct Simulation {
  Method method = Method::events;
  double step = 1e-3;  ///< length of a step, of `stepping`
  double start = 0;
  double until = 10;
  bool has_until = false;
  double tolerance = 1e-12;
  std::uint32_t samples = 1001;
  double touch = 1e-12;
  std::vector<Observable> stop;  ///< none or one: the run ends when f <= 0 becomes true
  std::vector<std::uint32_t>
      stop_truth;  ///< instead, for several comparisons or corners: number among the model's truths
};

/// A number of the start that was computed, and how far rounding may have put it off.
struct Doubt {
  std::uint32_t variable = 0;
  double amount = 0;
};

struct Model {
  std::string file;
  std::string title;
  std::string text;  ///< the model file as it was read
  std::vector<Parameter> parameters;

  std::vector<Body> bodies;
  std::vector<Rigid> rigids;             ///< per body
  std::uint32_t variables = 0;           ///< n
  std::vector<double> initial_position;  ///< q at the start
  std::vector<double> initial_velocity;  ///< v at the start
  /// What of the start is further off by rounding than by a part of itself: the cosine of pi/2 is not zero.
  std::vector<Doubt> position_doubts, velocity_doubts;

  std::vector<double> point_mass;                       ///< per variable; 0 for coordinates
  std::vector<std::vector<std::uint32_t>> mass_blocks;  ///< variables coupled by `kinetic`
  std::vector<Slender> slender;                         ///< by their variables
  std::vector<double> constant_force;  ///< per variable: mass times gravity when gravity is constant, else 0
  std::vector<TermGroup> terms;

  std::vector<Condition> conditions;
  std::vector<RowKind> row_kind;               ///< per row
  std::vector<std::uint32_t> row_condition;    ///< per row
  std::vector<std::uint32_t> row_group;        ///< per row
  std::vector<std::uint32_t> row_lane;         ///< per row
  std::vector<std::uint32_t> row_alternative;  ///< per row: the alternative of its member to which it belongs
  /// Per row: an inequality that keeps corners inside has a twin, the same function with modes of its own, for the other side of a
  /// kink where both sides hold at once; the row behind it, and of that the row before it. All others: itself.
  std::vector<std::uint32_t> row_twin;
  std::vector<Cone> cones;               ///< by their rows
  std::vector<std::uint32_t> row_start;  ///< CSR pattern of the gradients, columns ascending
  std::vector<std::uint32_t> row_column;
  std::vector<RowGroup> groups;
  std::vector<PairFamily> pairs;  ///< none where every condition is written out as rows
  std::vector<Pair> met;          ///< those of them that are rows after all, the last of the model

  /// A first-order system x' = X made unfree: X are the terms, all of kind force, every mass is 1, and velocities are the
  /// rates, those at the start too. Without free functions the rates are projected orthogonally.
  bool flow = false;
  std::vector<FreeFunction> free_functions;

  std::vector<Generated> generated;  ///< in the order of their conditions
  std::vector<Joint> joints;
  std::vector<Spring> springs;
  std::vector<HalfSpace> half_spaces;

  std::vector<Blow> blows;
  std::vector<Release> releases;
  std::vector<Observable> truths;  ///< of `stop` and `when`: 1 where true, made of modes alone
  std::uint32_t switches = 0;      ///< corners of all lanes of rows, terms and truths together
  std::uint32_t modes = 0;         ///< their modes together
  std::vector<Observable> outputs;
  Simulation simulation;
  View view;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(row_kind.size()); }
};

/// The row of two members of a pair family, the first of its first side, and the other way round.
[[nodiscard]] std::uint64_t pair_row(const PairFamily& family, std::uint32_t first, std::uint32_t second);
[[nodiscard]] std::pair<std::uint32_t, std::uint32_t> members_of_pair(const PairFamily& family, std::uint64_t row);
/// The family to which a number behind those of the rows belongs.
[[nodiscard]] const PairFamily& family_of(const Model& model, std::uint64_t row);
/// The condition that a row, or a pair that is not written out, belongs to.
[[nodiscard]] const Condition& condition_of(const Model& model, std::uint64_t row);
/// "string", "link[3]", "hook.x", "link[3].y".
[[nodiscard]] std::string row_name(const Model& model, std::uint64_t row);
/// The cone to which a row belongs, or nullptr.
[[nodiscard]] const Cone* cone_of(const Model& model, std::uint32_t row);
/// Numbers of rows with those of the parts of one condition added up, under its first row.
[[nodiscard]] std::vector<std::pair<std::uint32_t, double>> merged(
    const Model& model, const std::vector<std::pair<std::uint32_t, double>>& values);
/// The first row of the member to which a row belongs, if the rows of its members are parts of one condition; else itself.
[[nodiscard]] std::uint32_t leading_row(const Model& model, std::uint32_t row);
/// What switches: the bodies on which a force or potential acts whose corner this is; none for conditions and truths.
[[nodiscard]] std::vector<std::string> bodies_of_switch(const Model& model, std::uint32_t number);
/// The corner of a switch, and the row it belongs to (none: model.rows()).
struct SwitchPlace {
  const Slotted* group = nullptr;
  std::uint32_t corner = 0;
  std::uint32_t lane = 0;
  std::uint32_t row = 0;  ///< of a condition, else model.rows()
  bool truth = false;     ///< of `stop` or `when`
  std::uint32_t truth_number = 0;
};
[[nodiscard]] SwitchPlace place_of_switch(const Model& model, std::uint32_t number);
/// "a", "bead[3]", "knot[2,5]".
[[nodiscard]] std::string member_name(const Body& body, std::uint32_t member);
/// "x" of a point, "qw" or "angle" of a rigid body, "" of a coordinate.
[[nodiscard]] std::string_view component_name(const Body& body, std::uint32_t component);
/// "a.x", "bead[3].y", "w", "box.qw".
[[nodiscard]] std::string variable_name(const Model& model, std::uint32_t variable);

}  // namespace zwang::model
