/// Formulas evaluated over a finite field: two that agree at random points are one function, but for a chance of 2^-50.
///
/// Sums, products and quotients are exact there, a double is a whole number times a power of two, and every other function is some number of its
/// arguments. Reference: docs/mathematics, section 10.5.
#pragma once

#include <cstdint>
#include <vector>

#include "zwang/expressions/tape.hpp"
#include "zwang/model/model.hpp"

namespace zwang::instant {

/// Numbers modulo 2^61 - 1.
using Residue = std::uint64_t;

[[nodiscard]] Residue minus(Residue a, Residue b);
[[nodiscard]] Residue times(Residue a, Residue b);
[[nodiscard]] Residue inverse(Residue a);

/// An output of a tape at one of some points of the field; `registers` is room to work in.
[[nodiscard]] Residue value_at(const model::Slotted& group, std::uint32_t lane, const expressions::Tape& tape,
                               std::size_t output, Residue point, std::vector<Residue>& registers);

}  // namespace zwang::instant
