/// The rows that may stand in a state of self-stress, in parts that hang together.
#pragma once

#include <cstdint>
#include <vector>

#include "zwang/model/evaluate.hpp"
#include "zwang/model/model.hpp"

namespace zwang::model {

/// Conditions on positions, of one kind, that hold from the start to the end.
[[nodiscard]] std::vector<std::uint32_t> lasting(const Model& model, RowKind kind);

/// Conditions on positions, of one kind, moving ones too, that hold from the start until another one than these releases lets them go.
[[nodiscard]] std::vector<std::uint32_t> standing_without(const Model& model, RowKind kind,
                                                          const std::vector<std::size_t>& gone);

/// Of inequalities that touch in opposite pairs, f <= 0 and -f <= 0, one each: together they are an equation.
[[nodiscard]] std::vector<std::uint32_t> opposite_halves(const Model& model, const Rows& rows);

/// Rows that cannot stand in any state of self-stress go: at a body with no more rows than components, and these in independent
/// directions, all of them carry nothing. Chains, trees and most nets vanish like that.
[[nodiscard]] std::vector<std::uint32_t> core_of(const Model& model, const Rows& rows,
                                                 std::vector<std::uint32_t> among);

/// Rows that share variables belong together.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> parts_of(const Model& model,
                                                               const std::vector<std::uint32_t>& rows);

}  // namespace zwang::model
