/// Parts that several answers share: vectors over the variables keyed by body, values keyed by condition.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/model/bodies.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/model.hpp"
#include "zwang/report/writer.hpp"

namespace zwang::report {

/// How a vector over the variables is to be shown: what it consists of, and where the bodies are (model/bodies.hpp). Without a place
/// the variables are shown as they are.
struct Seen {
  model::Sort sort = model::Sort::velocity;
  std::span<const double> position = {};
};

/// One body's part of a vector over the variables: a number for a coordinate, components for a point or body.
void put_member(Writer& json, const model::Body& body, std::uint32_t member, std::span<const double> values,
                const Seen& seen = {});
/// A vector over the variables, keyed by body.
void put_bodies(Writer& json, std::string_view key, const model::Model& model, std::span<const double> values,
                const Seen& seen = {});
/// Positions.
void put_places(Writer& json, std::string_view key, const model::Model& model, std::span<const double> position);
/// What a joint does to its second partner, under its name: {"force": [..], "torque": [..]}, in the plane the torque is a number.
void put_wrench(Writer& json, const model::Model& model, const model::Joint& joint, const model::Rows& rows,
                std::span<const double> multiplier, std::span<const double> position);
/// The same for all joints from the multipliers of some rows at a state, into an open object.
void put_wrenches(Writer& json, const model::Model& model, const model::State& state,
                  const std::vector<std::pair<std::uint32_t, double>>& multipliers);
/// Values of some rows by name, into an open object.
void put_row_values(Writer& json, const model::Model& model,
                    const std::vector<std::pair<std::uint32_t, double>>& values);
/// Values of some rows, keyed by the rows' names.
void put_rows(Writer& json, std::string_view key, const model::Model& model,
              const std::vector<std::pair<std::uint32_t, double>>& values);

}  // namespace zwang::report
