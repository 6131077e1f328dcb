/// What the tests of this room share: names, the way from text to the graph, plain evaluation, random expressions.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "zwang/expressions/graph.hpp"
#include "zwang/expressions/syntax.hpp"
#include "zwang/expressions/tape.hpp"

namespace workshop {

using namespace zwang::expressions;

/// The symbols of the tests: t, positions x y z w, velocities x' y', constants a b.
inline const std::array<Symbol, 9> all_symbols = {{{SymbolKind::time, 0},
                                                   {SymbolKind::position, 0},
                                                   {SymbolKind::position, 1},
                                                   {SymbolKind::position, 2},
                                                   {SymbolKind::position, 3},
                                                   {SymbolKind::velocity, 0},
                                                   {SymbolKind::velocity, 1},
                                                   {SymbolKind::constant, 0},
                                                   {SymbolKind::constant, 1}}};
inline const std::array<std::string, 9> all_names = {"t", "x", "y", "z", "w", "x'", "y'", "a", "b"};

inline std::size_t index_of(std::string_view name) {
  const auto found = std::find(all_names.begin(), all_names.end(), name);
  if (found == all_names.end()) throw std::runtime_error("unknown name " + std::string(name));
  return static_cast<std::size_t>(found - all_names.begin());
}

inline std::string name_of(Symbol symbol) {
  const auto found = std::find(all_symbols.begin(), all_symbols.end(), symbol);
  return all_names[static_cast<std::size_t>(found - all_symbols.begin())];
}

inline std::string name_of(const Syntax& s) { return s.kind == SyntaxKind::prime ? s.children[0].name + "'" : s.name; }

/// Syntax to graph; sums and products as whole lists, or pair by pair from the left.
inline Expr lower(Graph& graph, const Syntax& s, bool pairwise) {
  std::vector<Expr> parts;
  if (s.kind != SyntaxKind::prime) {
    for (const Syntax& child : s.children) parts.push_back(lower(graph, child, pairwise));
  }
  switch (s.kind) {
    case SyntaxKind::number: return graph.number(s.number);
    case SyntaxKind::name:
    case SyntaxKind::prime: return graph.symbol(all_symbols[index_of(name_of(s))]);
    case SyntaxKind::negate: return graph.negate(parts[0]);
    case SyntaxKind::power: return graph.power(parts[0], parts[1]);
    case SyntaxKind::call: return graph.apply(find_function(s.name)->function, parts);
    case SyntaxKind::sum:
      if (pairwise) {
        Expr sum = parts[0];
        for (std::size_t k = 1; k < parts.size(); ++k) {
          sum = s.inverse[k] ? graph.subtract(sum, parts[k]) : graph.add(sum, parts[k]);
        }
        return sum;
      }
      for (std::size_t k = 1; k < parts.size(); ++k) {
        if (s.inverse[k]) parts[k] = graph.negate(parts[k]);
      }
      return graph.add(parts);
    case SyntaxKind::product:
      if (pairwise) {
        Expr product = parts[0];
        for (std::size_t k = 1; k < parts.size(); ++k) {
          product = s.inverse[k] ? graph.divide(product, parts[k]) : graph.multiply(product, parts[k]);
        }
        return product;
      }
      for (std::size_t k = 1; k < parts.size(); ++k) {
        if (s.inverse[k]) parts[k] = graph.power(parts[k], graph.number(-1));
      }
      return graph.multiply(parts);
    default: break;
  }
  throw std::runtime_error("vectors and sums over indices belong to the model");
}

inline Expr build(Graph& graph, std::string_view text, bool pairwise = false) {
  return lower(graph, parse_expression(text), pairwise);
}

inline std::string text_of(const Graph& graph, Expr e) {
  return print(graph, e, [](Symbol symbol) { return name_of(symbol); });
}

/// The text as it stands, in long double, without any graph; `largest` is the largest number met on the way.
inline long double plain_value(const Syntax& s, std::span<const double> values, long double& largest) {
  std::vector<long double> parts;
  if (s.kind != SyntaxKind::prime) {
    for (const Syntax& child : s.children) parts.push_back(plain_value(child, values, largest));
  }
  long double value = 0;
  switch (s.kind) {
    case SyntaxKind::number: value = s.number; break;
    case SyntaxKind::name:
    case SyntaxKind::prime: value = values[index_of(name_of(s))]; break;
    case SyntaxKind::negate: value = -parts[0]; break;
    case SyntaxKind::power: value = std::pow(parts[0], parts[1]); break;
    case SyntaxKind::call:
      if (s.name == "sin") value = std::sin(parts[0]);
      if (s.name == "cos") value = std::cos(parts[0]);
      if (s.name == "tan") value = std::tan(parts[0]);
      if (s.name == "asin") value = std::asin(parts[0]);
      if (s.name == "acos") value = std::acos(parts[0]);
      if (s.name == "atan") value = std::atan(parts[0]);
      if (s.name == "atan2") value = std::atan2(parts[0], parts[1]);
      if (s.name == "sinh") value = std::sinh(parts[0]);
      if (s.name == "cosh") value = std::cosh(parts[0]);
      if (s.name == "tanh") value = std::tanh(parts[0]);
      if (s.name == "exp") value = std::exp(parts[0]);
      if (s.name == "log") value = std::log(parts[0]);
      if (s.name == "sqrt") value = std::sqrt(parts[0]);
      break;
    case SyntaxKind::sum:
      for (std::size_t k = 0; k < parts.size(); ++k) value += s.inverse[k] ? -parts[k] : parts[k];
      break;
    case SyntaxKind::product:
      value = 1;
      for (std::size_t k = 0; k < parts.size(); ++k) value = s.inverse[k] ? value / parts[k] : value * parts[k];
      break;
    default: throw std::runtime_error("vectors and sums over indices belong to the model");
  }
  value += 0.0L;  // there is one zero
  largest = std::max(largest, std::abs(value));
  if (value != 0) largest = std::max(largest, 1 / std::abs(value));
  if (!std::isfinite(value)) largest = INFINITY;
  return value;
}

/// A random generator without the library's distributions, which differ between systems.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t count) { return engine_() % count; }
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11U) * 0x1p-53;
  }
  std::uint64_t bits() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

/// Numbers that are easy to get wrong among ordinary ones.
inline std::string random_number(Dice& dice, bool tame) {
  static const std::array<const char*, 12> ordinary = {"0",   "1", "2",    "3", "0.5", "0.1",
                                                       "1.5", "4", "0.25", "7", "2.5", "10"};
  static const std::array<const char*, 10> wild = {
      "1e-300", "1e300", "0.30000000000000004", "1.7976931348623157e308", "4.9406564584124654e-324", "1e-310",
      "1e16",   "0.0",   "9007199254740993",    "123456789.12345679"};
  if (!tame && dice.below(4) == 0) return wild[dice.below(wild.size())];
  return ordinary[dice.below(ordinary.size())];
}

/// A random text of the grammar. `tame` leaves out numbers and functions that overflow at once.
inline std::string random_text(Dice& dice, int depth, bool tame, std::size_t symbols = all_names.size()) {
  const auto part = [&] { return random_text(dice, depth - 1, tame, symbols); };
  if (depth <= 0) return dice.below(3) == 0 ? random_number(dice, tame) : all_names[dice.below(symbols)];
  switch (dice.below(12)) {
    case 0: return "(" + part() + ") + " + part();
    case 1: return part() + " + " + part() + " + " + part();
    case 2: return part() + " - (" + part() + ")";
    case 3: return "(" + part() + ")*(" + part() + ")";
    case 4: return part() + "*" + part() + "*" + part();
    case 5: return "(" + part() + ")/(" + part() + ")";
    case 6: return part() + "/" + part();
    case 7: return "-(" + part() + ")";
    case 8: return "(" + part() + ")^" + random_number(dice, tame);
    case 9: return "(" + part() + ")^(-" + random_number(dice, tame) + ")";
    case 10: return dice.below(2) == 0 ? "(" + part() + ")^(" + part() + ")" : "sqrt(" + part() + ")";
    default: {
      const std::size_t f = dice.below(13);
      const std::string name(function_names()[f]);
      return name + "(" + part() + (name == "atan2" ? ", " + part() : "") + ")";
    }
  }
}

/// All registers of a tape after running it on series; inputs[i][k] is coefficient k of input i.
inline std::vector<double> run(const Tape& tape, const std::vector<std::vector<double>>& inputs, unsigned orders) {
  std::vector<double> registers(tape.registers() * orders, 0);
  load_constants(tape, registers.data(), orders, 1);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (unsigned k = 0; k < orders; ++k) registers[i * orders + k] = k < inputs[i].size() ? inputs[i][k] : 0;
  }
  extend(tape, registers.data(), orders, 0, orders - 1, 1);
  return registers;
}

/// The Taylor coefficients of e when the symbols run through the given series.
inline std::vector<double> series_of(const Graph& graph, Expr e, const std::vector<std::vector<double>>& inputs,
                                     unsigned orders) {
  const Tape tape = flatten(graph, std::span(&e, 1), std::span(all_symbols).first(inputs.size()));
  const std::vector<double> registers = run(tape, inputs, orders);
  const auto first = registers.begin() + static_cast<std::ptrdiff_t>(tape.outputs[0] * orders);
  return {first, first + orders};
}

inline double value_of(const Graph& graph, Expr e, std::span<const double> values) {
  std::vector<std::vector<double>> inputs;
  for (const double value : values) inputs.push_back({value});
  return series_of(graph, e, inputs, 1)[0];
}

}  // namespace workshop
