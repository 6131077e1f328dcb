/// Running a tape: one switch per instruction, tight loops over lanes inside.
///
/// Values alone (orders = 1), values with one derivative (2) and with two (3) have unrolled kernels that finish an
/// instruction before the next; in general order by order. All give the same bits, since they share their source.
#include "zwang/expressions/tape.hpp"

#include <cassert>
#include <type_traits>

#include "zwang/expressions/functions/arithmetic.hpp"
#include "zwang/expressions/functions/table.hpp"

namespace zwang::expressions {
namespace {

template <unsigned K>
using Fixed = std::integral_constant<unsigned, K>;

/// Coefficients k... of every instruction. Registers are `stride` doubles apart.
template <unsigned W, class... K>
void run(const Tape& tape, double* registers, std::size_t stride, K... k) {
  double* y = registers + (tape.inputs.size() + tape.constants.size()) * stride;
  for (const Instruction& i : tape.instructions) {
    const double* a = registers + i.a * stride;
    const double* b = registers + i.b * stride;
    switch (i.op) {
      case Op::add: (Add::coefficient<W>(y, a, b, k), ...); break;
      case Op::subtract: (Subtract::coefficient<W>(y, a, b, k), ...); break;
      case Op::multiply: (Multiply::coefficient<W>(y, a, b, k), ...); break;
      case Op::divide: (Divide::coefficient<W>(y, a, b, k), ...); break;
      case Op::negate: (Negate::coefficient<W>(y, a, k), ...); break;
      case Op::scale: (Scale::coefficient<W>(y, a, i.c, k), ...); break;
      case Op::square: (Square::coefficient<W>(y, a, k), ...); break;
      case Op::reciprocal: (Reciprocal::coefficient<W>(y, a, k), ...); break;
      case Op::sqrt: (Sqrt::coefficient<W>(y, a, k), ...); break;
      case Op::power: (Power::coefficient<W>(y, a, i.c, k), ...); break;
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
    }
    y += stride;
  }
}

template <unsigned W>
void extend_width(const Tape& tape, double* registers, unsigned orders, unsigned first, unsigned last) {
  // The three cases that occur at every instant.
  if (first == 0 && last + 1 == orders && orders <= 3) {
    if (orders == 1) run<W>(tape, registers, W, Fixed<0>{});
    if (orders == 2) run<W>(tape, registers, std::size_t{2} * W, Fixed<0>{}, Fixed<1>{});
    if (orders == 3) run<W>(tape, registers, std::size_t{3} * W, Fixed<0>{}, Fixed<1>{}, Fixed<2>{});
    return;
  }

  // Order by order.
  const std::size_t stride = std::size_t{orders} * W;
  for (unsigned k = first; k <= last; ++k) {
    if (k == 0) {
      run<W>(tape, registers, stride, Fixed<0>{});
    } else {
      run<W>(tape, registers, stride, k);
    }
  }
}

}  // namespace

void load_constants(const Tape& tape, double* registers, unsigned orders, unsigned width) {
  const std::size_t stride = std::size_t{orders} * width;
  double* r = registers + tape.inputs.size() * stride;
  for (const double value : tape.constants) {
    for (std::size_t k = 0; k < stride; ++k) r[k] = k < width ? value : 0;
    r += stride;
  }
}

void extend(const Tape& tape, double* registers, unsigned orders, unsigned first, unsigned last, unsigned width) {
  assert(last < orders && (width == 1 || width == wide));
  if (width == 1) {
    extend_width<1>(tape, registers, orders, first, last);
  } else {
    extend_width<wide>(tape, registers, orders, first, last);
  }
}

}  // namespace zwang::expressions
