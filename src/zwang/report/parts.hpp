/// Parts that several answers share: vectors over the variables keyed by body, values keyed by condition.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/report/writer.hpp"

namespace zwang::report {

/// One body's part of a vector over the variables: a number for a coordinate, components for a point.
void put_member(Writer& json, const model::Body& body, std::uint32_t member, std::span<const double> values);
/// A vector over the variables, keyed by body.
void put_bodies(Writer& json, std::string_view key, const model::Model& model, std::span<const double> values);
/// Values of some rows, keyed by the rows' names.
void put_rows(Writer& json, std::string_view key, const model::Model& model,
              const std::vector<std::pair<std::uint32_t, double>>& values);

}  // namespace zwang::report
