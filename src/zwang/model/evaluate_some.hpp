/// Rows evaluated but for some that are known not to matter now.
#pragma once

#include <cstdint>
#include <span>

#include "zwang/model/evaluate.hpp"

namespace zwang::model {

/// As `evaluate_rows`; rows marked with 1 may keep what they have from before. None is marked if `left_out` is empty.
void evaluate_rows_but(const Model& model, const State& state, std::span<const std::uint8_t> left_out, Scratch& scratch,
                       Rows& rows);
/// The same without the scales and errors, which stay those of before.
void evaluate_values_but(const Model& model, const State& state, std::span<const std::uint8_t> left_out,
                         Scratch& scratch, Rows& rows);

/// One row alone; and without the scales and errors.
void evaluate_row(const Model& model, const State& state, std::uint32_t row, Scratch& scratch, Rows& rows);
void evaluate_row_values(const Model& model, const State& state, std::uint32_t row, Scratch& scratch, Rows& rows);

}  // namespace zwang::model
