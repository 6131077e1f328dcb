/// Partial derivatives of a tape, forward, with every derivative kept as a factor times a register.
#include "zwang/expressions/partials.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <map>
#include <tuple>

namespace zwang::expressions {

namespace {

class Partition {
 public:
  Partition(const Tape& tape, std::span<const std::uint32_t> outputs, const Moving& moving, std::uint32_t may_differ)
      : old_(tape),
        inputs_(static_cast<std::uint32_t>(tape.inputs.size())),
        before_(static_cast<std::uint32_t>(tape.inputs.size() + tape.constants.size())),
        instructions_(tape.instructions) {
    for (std::uint32_t k = 0; k < instructions_.size(); ++k) known_.emplace(key(instructions_[k]), before_ + k);
    need(outputs);
    own_.assign(tape.instructions.size(), no_register);
    slope_.resize(tape.registers());
    seed(moving, may_differ);
    const auto count = static_cast<std::uint32_t>(tape.instructions.size());
    for (std::uint32_t k = 0; k < count; ++k) {
      if (needed_[before_ + k] && slope_[before_ + k].empty()) differentiate(k);
    }
    finish(outputs);
  }
  Partials take() { return std::move(out_); }

 private:
  /// factor * register, or the factor alone.
  struct Value {
    double factor = 0;
    std::uint32_t at = no_register;
    [[nodiscard]] bool number() const { return at == no_register; }
  };
  struct Slope {
    std::uint32_t thing = 0;
    Value value;
  };
  using Slopes = std::vector<Slope>;  ///< things ascending
  using Key = std::tuple<Op, std::uint32_t, std::uint32_t, std::uint64_t>;

  /// New constants are numbered from here until all are known.
  static constexpr std::uint32_t new_constants = 1U << 30;

  static Key key(const Instruction& i) {
    const bool turns = i.op == Op::add || i.op == Op::multiply;
    const bool constant = i.op == Op::scale || i.op == Op::power;
    return {i.op, turns ? std::min(i.a, i.b) : i.a, turns ? std::max(i.a, i.b) : i.b,
            constant ? std::bit_cast<std::uint64_t>(i.c) : 0};
  }

  // ---------------------------------------------------------------------------------------------- what is needed

  [[nodiscard]] bool reads_before(std::uint32_t k) const {
    const Op op = old_.instructions[k].op;
    const bool partner = k > 0 && (old_.instructions[k - 1].op == Op::tan || old_.instructions[k - 1].op == Op::tanh);
    return op == Op::cos || op == Op::cosh || op == Op::atan2 || op == Op::select || partner;
  }
  void need(std::span<const std::uint32_t> outputs) {
    needed_.assign(old_.registers(), false);
    for (const std::uint32_t output : outputs) needed_[old_.outputs[output]] = true;
    for (auto k = static_cast<std::uint32_t>(old_.instructions.size()); k-- > 0;) {
      if (!needed_[before_ + k]) continue;
      needed_[old_.instructions[k].a] = true;
      needed_[old_.instructions[k].b] = true;
      if (reads_before(k)) needed_[before_ + k - 1] = true;
    }
  }

  // ---------------------------------------------------------------------------------------------- seeds

  /// The instruction that takes the difference of this input and another one, if both are used nowhere else.
  [[nodiscard]] std::uint32_t difference_of(std::uint32_t input, const Moving& moving, std::uint32_t may_differ) const {
    if (input >= may_differ) return no_register;
    std::uint32_t found = no_register;
    for (std::uint32_t k = 0; k < old_.instructions.size(); ++k) {
      const Instruction& i = old_.instructions[k];
      if (!needed_[before_ + k] || (i.a != input && (i.b != input || unary(i.op)))) continue;
      if (i.op != Op::subtract || i.a == i.b || found != no_register) return no_register;
      found = k;
    }
    if (found == no_register) return found;
    const std::uint32_t other =
        old_.instructions[found].a == input ? old_.instructions[found].b : old_.instructions[found].a;
    const bool moves = std::find(moving.inputs.begin(), moving.inputs.end(), other) != moving.inputs.end();
    return moves && other < may_differ ? found : no_register;
  }
  /// Operations that do not look at b, or at a partner there.
  static bool unary(Op op) {
    return op == Op::negate || op == Op::scale || op == Op::square || op == Op::reciprocal || op == Op::sqrt ||
           op == Op::power || op == Op::exp || op == Op::log || op == Op::sin || op == Op::cos || op == Op::tan ||
           op == Op::sinh || op == Op::cosh || op == Op::tanh;
  }
  void seed(const Moving& moving, std::uint32_t may_differ) {
    std::vector<bool> output(old_.registers(), false);
    for (const std::uint32_t one : old_.outputs) output[one] = true;
    using Kind = Partials::Thing::Kind;
    for (const std::uint32_t input : moving.inputs) {
      const std::uint32_t k = output[input] ? no_register : difference_of(input, moving, may_differ);
      if (k != no_register) {
        const Instruction& i = old_.instructions[k];
        const std::uint32_t other = i.a == input ? i.b : i.a;
        if (!output[other] && difference_of(other, moving, may_differ) == k) {
          if (!slope_[before_ + k].empty()) continue;  // it was met with the other
          slope_[before_ + k] = {{thing({Kind::difference, i.a, i.b}), {1, no_register}}};
          continue;
        }
      }
      slope_[input] = {{thing({Kind::input, input, 0}), {1, no_register}}};
    }
    for (const std::uint32_t k : moving.constants) {
      slope_[inputs_ + k] = {{thing({Kind::constant, k, 0}), {1, no_register}}};
    }
    for (const std::uint32_t k : moving.instructions) own_[k] = thing({Kind::instruction, k, 0});
  }
  std::uint32_t thing(Partials::Thing one) {
    out_.things.push_back(one);
    return static_cast<std::uint32_t>(out_.things.size()) - 1;
  }

  // ---------------------------------------------------------------------------------------------- arithmetic

  std::uint32_t emit(Op op, std::uint32_t a, std::uint32_t b = 0, double c = 0) {
    const Instruction i{op, a, b, c};
    const auto at = static_cast<std::uint32_t>(before_ + instructions_.size());
    const auto [place, fresh] = known_.emplace(key(i), at);
    if (fresh) instructions_.push_back(i);
    return place->second;
  }
  std::uint32_t constant(double value) {
    const auto at = static_cast<std::uint32_t>(new_constants + constants_.size());
    const auto [place, fresh] = constant_at_.emplace(std::bit_cast<std::uint64_t>(value), at);
    if (fresh) constants_.push_back(value);
    return place->second;
  }
  std::uint32_t whole(Value v) {
    if (v.number()) return constant(v.factor);
    if (v.factor == 1) return v.at;
    return v.factor == -1 ? emit(Op::negate, v.at) : emit(Op::scale, v.at, 0, v.factor);
  }
  static Value scaled(Value v, double factor) { return {v.factor * factor, v.at}; }
  Value times(Value v, std::uint32_t at) {
    if (v.number()) return {v.factor, at};
    return {v.factor, v.at == at ? emit(Op::square, at) : emit(Op::multiply, v.at, at)};
  }
  Value over(Value v, std::uint32_t at) {
    if (v.number()) return {v.factor, emit(Op::reciprocal, at)};
    if (v.at == at) return {v.factor, no_register};
    // Many are divided by the same: its reciprocal is found once.
    return {v.factor, emit(Op::multiply, v.at, emit(Op::reciprocal, at))};
  }
  Value plus(Value u, Value v) {
    if (u.number() && v.number()) return {u.factor + v.factor, no_register};
    if (u.at == v.at) return {u.factor + v.factor, u.at};
    if (u.number()) std::swap(u, v);
    if (v.number()) return {1, emit(Op::add, whole(u), constant(v.factor))};
    if (u.factor == v.factor) return {u.factor, emit(Op::add, u.at, v.at)};
    if (u.factor == -v.factor) return {u.factor, emit(Op::subtract, u.at, v.at)};
    return {1, emit(Op::add, whole(u), whole(v))};
  }
  [[nodiscard]] static bool nothing(Value v) { return v.factor == 0; }

  Slopes sum(const Slopes& a, const Slopes& b) {
    Slopes out;
    auto i = a.begin();
    auto j = b.begin();
    while (i != a.end() || j != b.end()) {
      if (j == b.end() || (i != a.end() && i->thing < j->thing)) {
        out.push_back(*i++);
      } else if (i == a.end() || j->thing < i->thing) {
        out.push_back(*j++);
      } else {
        const Value both = plus(i->value, j->value);
        if (!nothing(both)) out.push_back({i->thing, both});
        ++i;
        ++j;
      }
    }
    return out;
  }
  template <class Rule>
  Slopes each(const Slopes& a, const Rule& rule) {
    Slopes out;
    for (const Slope& one : a) {
      const Value value = rule(one.value);
      if (!nothing(value)) out.push_back({one.thing, value});
    }
    return out;
  }
  Slopes scaled(const Slopes& a, double factor) {
    return each(a, [&](Value v) { return scaled(v, factor); });
  }
  Slopes times(const Slopes& a, std::uint32_t at) {
    return each(a, [&](Value v) { return times(v, at); });
  }
  Slopes over(const Slopes& a, std::uint32_t at) {
    return each(a, [&](Value v) { return over(v, at); });
  }

  // ---------------------------------------------------------------------------------------------- rules

  void differentiate(std::uint32_t k) {
    const Instruction i = old_.instructions[k];
    const std::uint32_t y = before_ + k;
    const Slopes da = slope_[i.a];
    const Slopes db = slope_[i.b];
    Slopes& out = slope_[y];
    switch (i.op) {
      case Op::add: out = sum(da, db); break;
      case Op::subtract: out = sum(da, scaled(db, -1)); break;
      case Op::multiply: out = sum(times(da, i.b), times(db, i.a)); break;
      case Op::divide: out = over(sum(da, scaled(times(db, y), -1)), i.b); break;
      case Op::negate: out = scaled(da, -1); break;
      case Op::scale: out = sum(scaled(da, i.c), of_constant(k, {1, i.a})); break;
      case Op::square: out = scaled(times(da, i.a), 2); break;
      case Op::reciprocal:
        if (!da.empty()) out = scaled(times(da, emit(Op::square, y)), -1);
        break;
      case Op::sqrt: out = over(scaled(da, 0.5), y); break;
      case Op::power:
        if (!da.empty()) out = scaled(times(da, emit(Op::power, i.a, 0, i.c - 1)), i.c);
        if (own_[k] != no_register) out = sum(out, of_constant(k, times({1, emit(Op::log, i.a)}, y)));
        break;
      case Op::exp: out = times(da, y); break;
      case Op::log: out = over(da, i.a); break;
      case Op::sin:
      case Op::sinh: out = times(da, y + 1); break;
      // The partner of the instruction before, with the same argument.
      case Op::cos: out = scaled(times(slope_[old_.instructions[k - 1].a], y - 1), -1); break;
      case Op::cosh: out = times(slope_[old_.instructions[k - 1].a], y - 1); break;
      case Op::tan:
        if (!da.empty()) out = times(da, emit(Op::add, constant(1), y + 1));
        break;
      case Op::tanh:
        if (!da.empty()) out = times(da, emit(Op::subtract, constant(1), y + 1));
        break;
      case Op::asin:
      case Op::atan: out = over(da, i.b); break;
      case Op::acos: out = scaled(over(da, i.b), -1); break;
      case Op::atan2: out = over(sum(times(da, i.b), scaled(times(db, i.a), -1)), y - 1); break;
      case Op::select: out = selected(da, db, y - 1); break;
    }
  }
  Slopes of_constant(std::uint32_t k, Value value) const {
    return own_[k] == no_register ? Slopes{} : Slopes{{own_[k], value}};
  }
  /// The truth is constant: a switch is an instant of its own. A select finds it in the register before.
  Slopes selected(const Slopes& a, const Slopes& b, std::uint32_t truth) {
    Slopes out;
    for (std::uint32_t thing = 0; thing < out_.things.size(); ++thing) {
      const auto of = [&](const Slopes& slopes) {
        const auto at = std::find_if(slopes.begin(), slopes.end(), [&](const Slope& s) { return s.thing == thing; });
        return at == slopes.end() ? Value{} : at->value;
      };
      const Value one = of(a);
      const Value other = of(b);
      if (nothing(one) && nothing(other)) continue;
      const std::uint32_t first = whole(one);
      const std::uint32_t second = whole(other);
      instructions_.push_back({Op::scale, truth, 0, 1});
      instructions_.push_back({Op::select, first, second, 0});
      out.push_back({thing, {1, static_cast<std::uint32_t>(before_ + instructions_.size()) - 1}});
    }
    return out;
  }

  // ---------------------------------------------------------------------------------------------- the result

  void finish(std::span<const std::uint32_t> outputs) {
    Tape all;
    all.inputs = old_.inputs;
    all.constants = old_.constants;
    all.constants.insert(all.constants.end(), constants_.begin(), constants_.end());
    const auto more = static_cast<std::uint32_t>(constants_.size());
    const auto moved = [&](std::uint32_t at) {
      if (at >= new_constants) return before_ + (at - new_constants);
      return at < before_ ? at : at + more;
    };
    for (Instruction i : instructions_) {
      i.a = moved(i.a);
      i.b = moved(i.b);
      all.instructions.push_back(i);
    }
    std::map<std::uint32_t, std::uint32_t> root_of;
    std::vector<std::uint32_t> roots;
    for (const std::uint32_t output : outputs) {
      const Partials::Output one = root(old_.outputs[output]);
      const auto [place, fresh] = root_of.emplace(one.root, static_cast<std::uint32_t>(roots.size()));
      if (fresh) roots.push_back(one.root);
      out_.outputs.push_back({place->second, one.factor});
    }
    for (const std::uint32_t at : roots) {
      all.outputs.push_back(moved(at));
      const auto first = static_cast<std::uint32_t>(out_.entries.size());
      for (const Slope& one : slope_[at]) out_.entries.push_back({one.thing, one.value.factor, one.value.at});
      out_.roots.push_back({0, first, static_cast<std::uint32_t>(out_.entries.size())});
    }
    for (const Partials::Entry& entry : out_.entries) {
      if (entry.at != no_register) all.outputs.push_back(moved(entry.at));
    }
    std::vector<std::uint32_t> asked(all.outputs.size());
    for (std::uint32_t k = 0; k < asked.size(); ++k) asked[k] = k;
    out_.tape = part(all, asked);
    std::size_t next = 0;
    for (Partials::Root& one : out_.roots) one.value = out_.tape.outputs[next++];
    for (Partials::Entry& entry : out_.entries) {
      if (entry.at != no_register) entry.at = out_.tape.outputs[next++];
    }
  }
  /// What an output is a fixed multiple of.
  [[nodiscard]] Partials::Output root(std::uint32_t at) const {
    Partials::Output out{at, 1};
    while (out.root >= before_) {
      const std::uint32_t k = out.root - before_;
      const Instruction& i = old_.instructions[k];
      if (i.op == Op::negate) {
        out.factor = -out.factor;
      } else if (i.op == Op::scale && own_[k] == no_register) {
        out.factor *= i.c;
      } else {
        break;
      }
      out.root = i.a;
    }
    return out;
  }

  const Tape& old_;
  std::uint32_t inputs_;
  std::uint32_t before_;
  std::vector<Instruction> instructions_;  ///< those of the tape, then new ones
  std::vector<double> constants_;          ///< new ones
  std::map<Key, std::uint32_t> known_;
  std::map<std::uint64_t, std::uint32_t> constant_at_;
  std::vector<bool> needed_;
  std::vector<std::uint32_t> own_;  ///< per instruction: the thing that its constant is, if it moves
  std::vector<Slopes> slope_;       ///< per register of the tape
  Partials out_;
};

}  // namespace

Partials partials(const Tape& tape, std::span<const std::uint32_t> outputs, const Moving& moving,
                  std::uint32_t may_differ) {
  return Partition(tape, outputs, moving, may_differ).take();
}

}  // namespace zwang::expressions
