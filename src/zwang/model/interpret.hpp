/// What an expression means: one walk over the syntax tree that looks up names, checks dimensions and does the vector
/// algebra, for three kinds of scalars.
///
/// With the Tracer scalars are numbers (the values at the initial state) and the walk notes which positions, velocities
/// and constants it met: the slots. With the Builder scalars are expressions in those slots. Members of a family whose
/// walks leave the same trace have the same expression and differ in what fills the slots. The third kind, exact fractions with their
/// derivatives, has a header of its own (rationals.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "zwang/expressions/corners.hpp"
#include "zwang/expressions/graph.hpp"
#include "zwang/model/formulas.hpp"
#include "zwang/model/model.hpp"
#include "zwang/model/tolerances.hpp"

namespace zwang::model {

/// What a name of the model means.
enum class NameKind : std::uint8_t { parameter, body };
struct NameMeaning {
  NameKind kind = NameKind::parameter;
  std::uint32_t index = 0;
  Place place;
};

struct Vocabulary {
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, NameMeaning, Hash, std::equal_to<>> names;
  std::vector<Parameter> parameters;
  std::vector<Body> bodies;
  std::vector<Rigid> rigids;  ///< per body
};

/// Words that no parameter, point or coordinate may be called, and what they mean; "" if the word is free.
[[nodiscard]] std::string_view reserved_meaning(std::string_view word);

/// What may occur in an expression, and how the place is called in errors ("a mass").
struct Context {
  std::string_view where;
  bool positions = false;
  bool velocities = false;
  bool time = false;
  bool finite = false;  ///< the value at the initial state must be finite
  bool corners = true;  ///< functions with corners may be applied to the state
};

/// An index that stands for a number: the member's own, or that of a sum.
struct Binding {
  std::string_view name;
  double value = 0;
};

/// Of what a scalar is made, in rising order: numbers and parameters, indices too, the state or the time too.
enum class Made : std::uint8_t { plain, indexed, state };

/// The positions, velocities and constants that one member's expression meets, numbered by first appearance, and a key
/// that is equal for two members just when their expressions are.
class Slots {
 public:
  explicit Slots(std::uint32_t variables) : position_mark_(variables), velocity_mark_(variables) {}

  void begin() {
    ++turn_;
    positions.clear();
    velocities.clear();
    constants.clear();
    key.clear();
  }
  std::uint32_t position(std::uint32_t variable) { return enter(position_mark_, positions, variable, 0); }
  std::uint32_t velocity(std::uint32_t variable) { return enter(velocity_mark_, velocities, variable, 1); }

  /// Slot of a number that depends on indices; equal numbers share one. -1 for zero, which has none.
  int constant(double value) {
    if (value == 0) {
      key.push_back(~std::uint32_t{0});
      return -1;
    }
    std::size_t slot = 0;
    const std::size_t compared = std::min(constants.size(), sharing);
    while (slot < compared && constants[slot] != value) ++slot;
    if (slot == compared) {
      slot = constants.size();
      constants.push_back(value);
    }
    key.push_back(static_cast<std::uint32_t>(slot) * 4 + 2);
    return static_cast<int>(slot);
  }
  /// A number that shapes the expression itself: an exponent, the length of a sum.
  void shape(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    key.push_back(3);
    key.push_back(static_cast<std::uint32_t>(bits));
    key.push_back(static_cast<std::uint32_t>(bits >> 32U));
  }

  std::vector<std::uint32_t> positions;   ///< variable of each slot
  std::vector<std::uint32_t> velocities;  ///< variable of each slot
  std::vector<double> constants;          ///< value of each slot
  std::vector<std::uint32_t> key;
  std::size_t sharing = few_constants;  ///< so many of the constants are compared with others

  static constexpr std::size_t few_constants = 16;

 private:
  struct Mark {
    std::uint32_t turn = 0;
    std::uint32_t slot = 0;
  };
  std::uint32_t enter(std::vector<Mark>& marks, std::vector<std::uint32_t>& list, std::uint32_t variable,
                      std::uint32_t kind) {
    Mark& mark = marks[variable];
    if (mark.turn != turn_) {
      mark = {turn_, static_cast<std::uint32_t>(list.size())};
      list.push_back(variable);
    }
    key.push_back(mark.slot * 4 + kind);
    return mark.slot;
  }

  std::vector<Mark> position_mark_;
  std::vector<Mark> velocity_mark_;
  std::uint32_t turn_ = 0;
};

/// A number, or a vector of 2 or 3 components.
template <class Scalar>
struct Quantity {
  std::uint8_t size = 0;  ///< components; 0 for a number
  bool empty = false;     ///< the value of an empty sum: the zero of any dimension
  std::array<Scalar, 3> part{};
  [[nodiscard]] std::size_t parts() const { return size == 0 ? 1 : size; }
};

/// A term of a sum or factor of a product; `inverse`: subtracted, dividing.
template <class Scalar>
struct Operand {
  Scalar value{};
  bool inverse = false;
  const Syntax* source = nullptr;
};

inline constexpr double number_pi = 3.14159265358979323846;

/// Scalars that are numbers: values at the initial state, with a trace of the slots.
class Tracer {
 public:
  struct Scalar {
    double value = 0;
    Made made = Made::plain;
    double error = 0;    ///< running error: how far rounding may have put the value off
    bool leaps = false;  ///< a function jumps within it: the value is meant as it is, and its error says nothing

    /// Zero where it is nothing but rounding, as sin(pi).
    [[nodiscard]] double but_rounding() const { return !leaps && (value < 0 ? -value : value) <= error ? 0.0 : value; }
  };

  Tracer(const Formulas& formulas, Slots& slots) : formulas_(formulas), slots_(slots) {}
  void set_state(double time, const std::vector<double>* position, const std::vector<double>* velocity) {
    time_ = time;
    position_ = position;
    velocity_ = velocity;
  }
  /// Must values at the initial state be finite? Returns what was asked for before.
  bool require_finite(bool finite) { return std::exchange(finite_, finite); }
  /// May they be infinite, as in a comparison of which the sign alone counts? Returns what was permitted before.
  bool permit_poles(bool poles) { return std::exchange(poles_, poles); }

  [[nodiscard]] static Scalar number(double value, Made made = Made::plain) {
    return {value, made, number_rounding * std::abs(value)};
  }
  /// Numbers that stand in expressions are put down here, as they are met.
  void set_numbers(std::vector<double>* numbers) { numbers_ = numbers; }
  [[nodiscard]] Scalar literal(const Syntax& s) { return met(s.number); }
  [[nodiscard]] static Scalar pi(const Syntax& /*s*/) { return number(number_pi); }
  [[nodiscard]] Scalar parameter(std::uint32_t /*index*/, std::size_t /*component*/, double value) {
    return met(value);
  }
  [[nodiscard]] static double value(const Scalar& a) { return a.value; }
  [[nodiscard]] Scalar time() const { return number(time_, Made::state); }
  Scalar position(std::uint32_t variable) {
    slots_.position(variable);
    return number((*position_)[variable], Made::state);
  }
  Scalar velocity(std::uint32_t variable) {
    slots_.velocity(variable);
    return number((*velocity_)[variable], Made::state);
  }
  void shape(double value) { slots_.shape(value); }
  Scalar sum(std::span<const Operand<Scalar>> terms, const Syntax& whole);
  Scalar product(std::span<const Operand<Scalar>> factors, const Syntax& whole);
  Scalar power(const Scalar& base, const Scalar& exponent, const Syntax& whole);
  Scalar apply(expressions::Function function, std::span<const Scalar> arguments, const Syntax& whole);

 private:
  Scalar met(double value) {
    if (numbers_ != nullptr) numbers_->push_back(value);
    return number(value);
  }
  [[nodiscard]] Scalar checked(Scalar a, const Syntax& whole, std::string_view reason) const;
  [[nodiscard]] std::string_view when(Made made) const;

  const Formulas& formulas_;
  Slots& slots_;
  double time_ = 0;
  const std::vector<double>* position_ = nullptr;
  const std::vector<double>* velocity_ = nullptr;
  std::vector<double>* numbers_ = nullptr;
  bool finite_ = true;
  bool poles_ = false;
};

/// Scalars that are expressions in the slots.
class Builder {
 public:
  struct Scalar {
    double value = 0;
    Made made = Made::plain;
    expressions::Expr expr;
  };

  Builder(expressions::Graph& graph, Slots& slots) : graph_(graph), slots_(slots) {}

  [[nodiscard]] static Scalar number(double value, Made made = Made::plain) { return {value, made, {}}; }
  [[nodiscard]] static Scalar literal(const Syntax& s) { return number(s.number); }
  [[nodiscard]] static Scalar pi(const Syntax& /*s*/) { return number(number_pi); }
  [[nodiscard]] static Scalar parameter(std::uint32_t /*index*/, std::size_t /*component*/, double value) {
    return number(value);
  }
  [[nodiscard]] static double value(const Scalar& a) { return a.value; }
  Scalar time() { return state(graph_.symbol({expressions::SymbolKind::time, 0})); }
  Scalar position(std::uint32_t variable) {
    return state(graph_.symbol({expressions::SymbolKind::position, slots_.position(variable)}));
  }
  Scalar velocity(std::uint32_t variable) {
    return state(graph_.symbol({expressions::SymbolKind::velocity, slots_.velocity(variable)}));
  }
  void shape(double value) { slots_.shape(value); }
  static bool require_finite(bool /*finite*/) { return false; }
  static bool permit_poles(bool /*poles*/) { return false; }
  Scalar sum(std::span<const Operand<Scalar>> terms, const Syntax& whole);
  Scalar product(std::span<const Operand<Scalar>> factors, const Syntax& whole);
  Scalar power(const Scalar& base, const Scalar& exponent, const Syntax& whole);
  Scalar apply(expressions::Function function, std::span<const Scalar> arguments, const Syntax& whole);
  /// A call that is a triangle wave, by functions with corners.
  void bend(Scalar& call) { call.expr = expressions::triangle_wave(graph_, call.expr); }

  /// The expression of any scalar.
  expressions::Expr expr(const Scalar& a);

 private:
  static Scalar state(expressions::Expr e) { return {0, Made::state, e}; }

  expressions::Graph& graph_;
  Slots& slots_;
};

/// Turns of `sum` one expression may take, all together: where it gives numbers, and where every turn becomes a term of a formula of the state.
inline constexpr std::size_t most_turns = 2'000'000;
inline constexpr std::size_t most_terms = 200'000;

template <class Algebra>
class Interpreter {
 public:
  using Scalar = typename Algebra::Scalar;
  using Result = Quantity<Scalar>;

  Interpreter(const Formulas& formulas, const Vocabulary& vocabulary, Algebra& algebra)
      : formulas_(formulas), vocabulary_(vocabulary), algebra_(algebra) {}

  /// The value of an expression; `bindings` are the indices in scope.
  Result interpret(const Syntax& syntax, const Context& context, std::vector<Binding>& bindings);
  /// The value of comparisons joined by `and`, `or`: 1 or 0.
  Scalar interpret_truth(const Syntax& syntax, const Context& context, std::vector<Binding>& bindings);

  /// The member a reference names: body and number of the member.
  struct Member {
    std::uint32_t body = 0;
    std::uint32_t member = 0;
  };
  Member member(const Syntax& syntax, std::vector<Binding>& bindings);

 private:
  Result walk(const Syntax& s);
  Result walk_name(const Syntax& s);
  Result walk_component(const Syntax& s);
  Result walk_velocity(const Syntax& s);
  Result walk_vector(const Syntax& s);
  Result walk_call(const Syntax& s);
  Result walk_sum_over(const Syntax& s);
  Result walk_sum(const Syntax& s);
  Result walk_product(const Syntax& s);
  Result walk_power(const Syntax& s);
  Result walk_elementary(const Syntax& s, const expressions::FunctionInfo& info);
  Result walk_choice(const Syntax& s);
  Result walk_points(const Syntax& s, expressions::Function function);
  Scalar walk_truth(const Syntax& s);

  [[nodiscard]] const Binding* bound(std::string_view name) const;
  [[nodiscard]] const NameMeaning* meaning(const Syntax& s) const;
  /// The syntax names a body or a member of one.
  bool is_body(const Syntax& s) const;
  Member find_member(const Syntax& s);
  Result state_of(const Syntax& s, Member m, bool velocity);
  /// `box.spin`, `box.angle`, `box.corner` and their velocities; s is the member syntax.
  Result part_of_rigid(const Syntax& s, Member m, bool velocity);
  Result walk_axis(const Syntax& s);
  Scalar component_of(const Syntax& s, Member m, std::size_t component, bool velocity);
  std::size_t component(const Syntax& s, std::size_t size) const;

  Scalar scalar(const Syntax& s, std::string_view what);
  double whole(const Syntax& s, std::string_view what);
  Result sum(std::span<const Operand<Result>> terms, const Syntax& s);
  Scalar dot(const Result& u, const Result& v, const Syntax& s);
  Result vector_argument(const Syntax& call, std::size_t k);
  void require_arguments(const Syntax& s, std::size_t count) const;

  [[noreturn]] void fail(const Syntax& s, const std::string& message) const { throw formulas_.error(s, message); }
  [[noreturn]] void fail_unknown(const Syntax& s, bool call) const;
  [[nodiscard]] std::string quote(const Syntax& s) const;
  [[nodiscard]] std::string size_words(const Result& v) const;

  const Formulas& formulas_;
  const Vocabulary& vocabulary_;
  Algebra& algebra_;
  Context context_;
  std::vector<Binding>* bindings_ = nullptr;
  std::size_t turns_ = 0;
  bool naming_ = false;  ///< a reference by itself: the member is asked for, not its state
};

extern template class Interpreter<Tracer>;
extern template class Interpreter<Builder>;

}  // namespace zwang::model
