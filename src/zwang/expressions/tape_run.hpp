/// One instruction of a tape on coefficients of series: what all ways to run a tape are made of.
#pragma once

#include <cstddef>
#include <type_traits>

#include "zwang/expressions/functions/arithmetic.hpp"
#include "zwang/expressions/functions/select.hpp"
#include "zwang/expressions/functions/table.hpp"
#include "zwang/expressions/tape.hpp"

namespace zwang::expressions {

template <unsigned K>
using Fixed = std::integral_constant<unsigned, K>;

/// Coefficients k... of one instruction that writes y. Registers are `stride` doubles apart; a factor is a number, or a list of one for each lane.
template <unsigned W, class Factor, class... K>
[[gnu::always_inline]] inline void run_one(const Instruction& i, Factor factor, double* registers, double* y,
                                           std::size_t stride, K... k) {
  const double* a = registers + i.a * stride;
  const double* b = registers + i.b * stride;
  switch (i.op) {
    case Op::add: (Add::coefficient<W>(y, a, b, k), ...); break;
    case Op::subtract: (Subtract::coefficient<W>(y, a, b, k), ...); break;
    case Op::multiply: (Multiply::coefficient<W>(y, a, b, k), ...); break;
    case Op::divide: (Divide::coefficient<W>(y, a, b, k), ...); break;
    case Op::negate: (Negate::coefficient<W>(y, a, k), ...); break;
    case Op::scale: (Scale::coefficient<W>(y, a, factor, k), ...); break;
    case Op::square: (Square::coefficient<W>(y, a, k), ...); break;
    case Op::reciprocal: (Reciprocal::coefficient<W>(y, a, k), ...); break;
    case Op::sqrt: (Sqrt::coefficient<W>(y, a, i.zero_below, k), ...); break;
    case Op::power: (Power::coefficient<W>(y, a, i.c, i.zero_below, k), ...); break;
    case Op::exp: (Exp::coefficient<W>(y, a, k), ...); break;
    case Op::log: (Log::coefficient<W>(y, a, k), ...); break;
    case Op::sin: (Sin::coefficients<W>(y, y + stride, a, k), ...); break;
    case Op::sinh: (Sinh::coefficients<W>(y, y + stride, a, k), ...); break;
    case Op::tan: (Tan::coefficients<W>(y, y + stride, a, k), ...); break;
    case Op::tanh: (Tanh::coefficients<W>(y, y + stride, a, k), ...); break;
    case Op::cos:
    case Op::cosh: break;  // written along with sin and sinh
    case Op::asin: (Asin::coefficient<W>(y, a, b, k), ...); break;
    case Op::acos: (Acos::coefficient<W>(y, a, b, k), ...); break;
    case Op::atan: (Atan::coefficient<W>(y, a, b, k), ...); break;
    case Op::atan2: (Atan2::coefficient<W>(y, a, b, y - stride, k), ...); break;
    case Op::select: (Select::coefficient<W>(y, y - stride, a, b, k), ...); break;
  }
}

}  // namespace zwang::expressions
