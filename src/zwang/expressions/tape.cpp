/// Running a tape: one switch per instruction, tight loops over lanes inside.
///
/// Values alone (orders = 1), values with one derivative (2) and with two (3) have unrolled kernels that finish an
/// instruction before the next; in general order by order. All give the same bits, since they share their source.
#include "zwang/expressions/tape.hpp"

#include <cassert>

#include "zwang/expressions/tape_run.hpp"

namespace zwang::expressions {
namespace {

/// Coefficients k... of every instruction.
template <unsigned W, class... K>
void run(const Tape& tape, double* registers, std::size_t stride, K... k) {
  double* y = registers + (tape.inputs.size() + tape.constants.size()) * stride;
  for (const Instruction& i : tape.instructions) {
    run_one<W>(i, i.c, registers, y, stride, k...);
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

/// All coefficients of an instruction before the next one.
template <unsigned W>
void sweep_width(const Tape& tape, double* registers, unsigned orders, unsigned last) {
  const std::size_t stride = std::size_t{orders} * W;
  double* y = registers + (tape.inputs.size() + tape.constants.size()) * stride;
  for (const Instruction& i : tape.instructions) {
    run_one<W>(i, i.c, registers, y, stride, Fixed<0>{});
    for (unsigned k = 1; k <= last; ++k) run_one<W>(i, i.c, registers, y, stride, k);
    y += stride;
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
  assert(last < orders);
  switch (width) {
    case 1: extend_width<1>(tape, registers, orders, first, last); break;
    case 2: extend_width<2>(tape, registers, orders, first, last); break;
    case 4: extend_width<4>(tape, registers, orders, first, last); break;
    case wide: extend_width<wide>(tape, registers, orders, first, last); break;
    default: assert(false && "widths are 1, 2, 4 and wide");
  }
}

std::vector<std::uint8_t> depending(const Tape& tape, std::size_t first, std::size_t end) {
  const std::size_t before = tape.inputs.size() + tape.constants.size();
  std::vector<std::uint8_t> all(tape.registers(), 0);
  std::fill(all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(end), 1);
  for (std::size_t at = before; at < all.size(); ++at) {
    const Instruction& i = tape.instructions[at - before];
    // Some functions write, or read, the register beside their own.
    const Op earlier = at > before ? tape.instructions[at - before - 1].op : Op::add;
    const bool pair = i.op == Op::cos || i.op == Op::cosh || i.op == Op::atan2 || i.op == Op::select ||
                      earlier == Op::tan || earlier == Op::tanh;
    all[at] = all[i.a] != 0 || all[i.b] != 0 || (pair && all[at - 1] != 0) ? 1 : 0;
  }
  return {all.begin() + static_cast<std::ptrdiff_t>(before), all.end()};
}

namespace {

template <unsigned W>
void extend_some_width(const Tape& tape, const std::vector<std::uint8_t>& some, double* registers, std::size_t stride,
                       unsigned k) {
  double* y = registers + (tape.inputs.size() + tape.constants.size()) * stride;
  for (std::size_t number = 0; number < some.size(); ++number, y += stride) {
    if (some[number] != 0) run_one<W>(tape.instructions[number], tape.instructions[number].c, registers, y, stride, k);
  }
}

}  // namespace

void extend_some(const Tape& tape, const std::vector<std::uint8_t>& some, double* registers, unsigned orders,
                 unsigned k, unsigned width) {
  assert(k > 0 && k < orders);
  const std::size_t stride = std::size_t{orders} * width;
  switch (width) {
    case 1: extend_some_width<1>(tape, some, registers, stride, k); break;
    case 2: extend_some_width<2>(tape, some, registers, stride, k); break;
    case 4: extend_some_width<4>(tape, some, registers, stride, k); break;
    case wide: extend_some_width<wide>(tape, some, registers, stride, k); break;
    default: assert(false && "widths are 1, 2, 4 and wide");
  }
}

void sweep(const Tape& tape, double* registers, unsigned orders, unsigned last, unsigned width) {
  assert(last < orders);
  switch (width) {
    case 1: sweep_width<1>(tape, registers, orders, last); break;
    case 2: sweep_width<2>(tape, registers, orders, last); break;
    case 4: sweep_width<4>(tape, registers, orders, last); break;
    case wide: sweep_width<wide>(tape, registers, orders, last); break;
    default: assert(false && "widths are 1, 2, 4 and wide");
  }
}

Tape part(const Tape& tape, std::span<const std::uint32_t> outputs) {
  const std::size_t before = tape.inputs.size() + tape.constants.size();
  const std::size_t count = tape.instructions.size();

  // What the outputs need, from the end: arguments, and the register that a function writes or reads beside its own.
  std::vector<bool> needed(before + count, false);
  for (const std::uint32_t k : outputs) needed[tape.outputs[k]] = true;
  for (std::size_t i = count; i-- > 0;) {
    const Instruction& instruction = tape.instructions[i];
    const Op op = instruction.op;
    const bool written_before =
        op == Op::cos || op == Op::cosh ||
        (i > 0 && (tape.instructions[i - 1].op == Op::tan || tape.instructions[i - 1].op == Op::tanh));
    const std::size_t here = before + i;
    if (!needed[here]) continue;
    if (written_before) needed[here - 1] = true;
    if (op == Op::atan2 || op == Op::select) needed[here - 1] = true;
    needed[instruction.a] = true;
    needed[instruction.b] = true;
  }
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const Op op = tape.instructions[i].op;
    const bool two = op == Op::sin || op == Op::sinh || op == Op::tan || op == Op::tanh;
    if (two && needed[before + i]) needed[before + i + 1] = true;
  }

  // Renumber.
  Tape result;
  result.inputs = tape.inputs;
  result.constants = tape.constants;
  std::vector<std::uint32_t> number(before + count, 0);
  for (std::size_t r = 0; r < before; ++r) number[r] = static_cast<std::uint32_t>(r);
  for (std::size_t i = 0; i < count; ++i) {
    if (!needed[before + i]) continue;
    number[before + i] = static_cast<std::uint32_t>(result.registers());
    Instruction instruction = tape.instructions[i];
    // A register behind or before its own keeps its place beside it.
    instruction.a = number[instruction.a];
    instruction.b = number[instruction.b];
    result.instructions.push_back(instruction);
  }
  for (const std::uint32_t k : outputs) result.outputs.push_back(number[tape.outputs[k]]);
  return result;
}

}  // namespace zwang::expressions
