/// Forward differentiation of a tape, instruction by instruction.
#include "zwang/expressions/tangent.hpp"

#include <cassert>
#include <optional>

namespace zwang::expressions {

namespace {

class Differentiation {
 public:
  Differentiation(const Tape& tape, const Moving& moving)
      : old_(tape), moving_(moving), inputs_(static_cast<std::uint32_t>(tape.inputs.size())) {
    Tape& made = out_.tape;
    out_.inputs = inputs_;
    out_.outputs = static_cast<std::uint32_t>(tape.outputs.size());

    // The tape itself, behind more inputs and with two constants more.
    made.inputs = tape.inputs;
    made.inputs.resize(inputs_ + moving.size(), Symbol{SymbolKind::constant, 0});
    made.constants = tape.constants;
    made.constants.push_back(0);
    made.constants.push_back(1);
    shift_ = static_cast<std::uint32_t>(made.inputs.size()) - inputs_;
    first_ = static_cast<std::uint32_t>(made.inputs.size() + made.constants.size());
    for (Instruction i : tape.instructions) {
      i.a = moved(i.a);
      i.b = moved(i.b);
      made.instructions.push_back(i);
    }
    for (const std::uint32_t output : tape.outputs) made.outputs.push_back(moved(output));
    follow();
  }

  TangentTape take() { return std::move(out_); }

 private:
  using Slope = std::optional<std::uint32_t>;  ///< a register, or nothing where the derivative is zero

  /// The register of the new tape that holds what this one of the old tape does.
  [[nodiscard]] std::uint32_t moved(std::uint32_t old) const {
    if (old < inputs_) return old;
    const auto constants = static_cast<std::uint32_t>(old_.constants.size());
    return old + shift_ + (old < inputs_ + constants ? 0 : 2);
  }
  [[nodiscard]] std::uint32_t zero() const { return first_ - 2; }
  [[nodiscard]] std::uint32_t one() const { return first_ - 1; }

  std::uint32_t emit(Op op, std::uint32_t a, std::uint32_t b = 0, double c = 0) {
    out_.tape.instructions.push_back({op, a, b, c});
    return first_ + static_cast<std::uint32_t>(out_.tape.instructions.size()) - 1;
  }
  Slope times(Slope slope, std::uint32_t factor) {
    return slope ? Slope(emit(Op::multiply, *slope, factor)) : std::nullopt;
  }
  Slope over(Slope slope, std::uint32_t divisor) {
    return slope ? Slope(emit(Op::divide, *slope, divisor)) : std::nullopt;
  }
  Slope scaled(Slope slope, double factor) { return slope ? Slope(emit(Op::scale, *slope, 0, factor)) : std::nullopt; }
  Slope minus(Slope slope) { return slope ? Slope(emit(Op::negate, *slope)) : std::nullopt; }
  Slope plus(Slope a, Slope b) {
    if (!a) return b;
    return b ? Slope(emit(Op::add, *a, *b)) : a;
  }
  Slope less(Slope a, Slope b) {
    if (!b) return a;
    return a ? Slope(emit(Op::subtract, *a, *b)) : minus(b);
  }

  void follow() {
    slope_.assign(old_.registers(), std::nullopt);
    std::vector<Slope> own(old_.instructions.size());  // of the constants c
    std::uint32_t seed = inputs_;
    for (const std::uint32_t input : moving_.inputs) slope_[input] = seed++;
    for (const std::uint32_t constant : moving_.constants) slope_[inputs_ + constant] = seed++;
    for (const std::uint32_t instruction : moving_.instructions) own[instruction] = seed++;
    const std::size_t before = old_.inputs.size() + old_.constants.size();
    for (std::size_t k = 0; k < old_.instructions.size(); ++k) {
      slope_[before + k] = slope_of(k, static_cast<std::uint32_t>(before + k), own[k]);
    }
    for (const std::uint32_t output : old_.outputs) {
      out_.tape.outputs.push_back(slope_[output] ? *slope_[output] : zero());
    }
  }

  Slope slope_of(std::size_t number, std::uint32_t at, Slope own) {
    const Instruction& i = old_.instructions[number];
    const Slope da = slope_[i.a];
    const Slope db = slope_[i.b];
    const std::uint32_t a = moved(i.a);
    const std::uint32_t b = moved(i.b);
    const std::uint32_t y = moved(at);
    switch (i.op) {
      case Op::add: return plus(da, db);
      case Op::subtract: return less(da, db);
      case Op::multiply: return plus(times(da, b), times(db, a));
      case Op::divide: return over(less(da, times(db, y)), b);
      case Op::negate: return minus(da);
      case Op::scale: return plus(scaled(da, i.c), times(own, a));
      case Op::square: return scaled(times(da, a), 2);
      case Op::reciprocal: return minus(times(times(da, y), y));
      case Op::sqrt: return over(scaled(da, 0.5), y);
      case Op::power: {
        Slope slope;
        if (da) {
          slope = scaled(times(da, emit(Op::power, a, 0, i.c - 1)), i.c);
        }
        if (own) slope = plus(slope, times(times(own, emit(Op::log, a)), y));
        return slope;
      }
      case Op::exp: return times(da, y);
      case Op::log: return over(da, a);
      case Op::sin: return times(da, y + 1);
      case Op::sinh: return times(da, y + 1);
      // The partner of the instruction before, with the same argument.
      case Op::cos: return minus(times(slope_[old_.instructions[number - 1].a], y - 1));
      case Op::cosh: return times(slope_[old_.instructions[number - 1].a], y - 1);
      case Op::tan: return da ? times(da, emit(Op::add, one(), y + 1)) : da;
      case Op::tanh: return da ? times(da, emit(Op::subtract, one(), y + 1)) : da;
      case Op::asin: return over(da, b);
      case Op::acos: return minus(over(da, b));
      case Op::atan: return over(da, b);
      case Op::atan2: return over(less(times(da, b), times(db, a)), y - 1);
      case Op::select: {
        // The truth is constant: a switch is an instant of its own.
        if (!da && !db) return std::nullopt;
        emit(Op::scale, y - 1, 0, 1);
        return emit(Op::select, da.value_or(zero()), db.value_or(zero()));
      }
    }
    assert(false && "an instruction without a rule");
    return std::nullopt;
  }

  const Tape& old_;
  const Moving& moving_;
  std::uint32_t inputs_;
  std::uint32_t shift_ = 0;
  std::uint32_t first_ = 0;  ///< register of the first instruction
  std::vector<Slope> slope_;
  TangentTape out_;
};

}  // namespace

TangentTape tangent(const Tape& tape, const Moving& moving) { return Differentiation(tape, moving).take(); }

}  // namespace zwang::expressions
