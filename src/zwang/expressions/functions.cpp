/// The functions by name and on plain numbers.
#include <cassert>

#include "zwang/expressions/functions/table.hpp"

namespace zwang::expressions {

std::string_view name(Function function) { return function_name_table[static_cast<std::size_t>(function)]; }

const FunctionInfo* find_function(std::string_view name) {
  for (std::size_t k = 0; k < function_table.size(); ++k) {
    if (function_name_table[k] == name) return &function_table[k];
  }
  return nullptr;
}

std::span<const std::string_view> function_names() { return std::span(function_name_table).first(callable_functions); }

double evaluate(Function function, std::span<const double> arguments) {
  assert(!arguments.empty());
  const double u = arguments[0];
  switch (function) {
    case Function::sin: return Sin::value(u);
    case Function::cos: return Cos::value(u);
    case Function::tan: return Tan::value(u);
    case Function::asin: return Asin::value(u);
    case Function::acos: return Acos::value(u);
    case Function::atan: return Atan::value(u);
    case Function::atan2: return Atan2::value(u, arguments[1]);
    case Function::sinh: return Sinh::value(u);
    case Function::cosh: return Cosh::value(u);
    case Function::tanh: return Tanh::value(u);
    case Function::exp: return Exp::value(u);
    case Function::log: return Log::value(u);
    case Function::sqrt: return Sqrt::value(u);
    case Function::abs: return Abs::value(u);
    case Function::sign: return Sign::value(u);
    case Function::min: return Min::value(arguments);
    case Function::max: return Max::value(arguments);
    case Function::clip: return Clip::value(u, arguments[1], arguments[2]);
    case Function::step:
    case Function::at_least: return Step::value(u);
    case Function::below: return 1 - Step::value(u);
    case Function::floor: return Floor::value(u);
    case Function::mod: return Mod::value(u, arguments[1]);
    case Function::select: return u != 0 ? arguments[1] : arguments[2];
    case Function::table:
    case Function::spline: {
      const std::size_t n = arguments.size() / 2;
      const auto x = arguments.subspan(1, n);
      const auto y = arguments.subspan(1 + n, n);
      return (function == Function::table ? table_pieces(x, y) : spline_pieces(x, y)).value(u);
    }
    case Function::both: return u != 0 && arguments[1] != 0 ? 1.0 : 0.0;
    case Function::either: return u != 0 || arguments[1] != 0 ? 1.0 : 0.0;
  }
  assert(false);
  return 0;
}

}  // namespace zwang::expressions
