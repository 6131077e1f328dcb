/// Which pairs of a model are near at a state: all that an instant can need of families with more pairs than can be written out.
#pragma once

#include <vector>

#include "zwang/model/model.hpp"

namespace zwang::crowds {

/// The pairs nearer than `near_at_instant` times the distance they must keep, in the order of their rows. The pairs of the model are left as they are.
[[nodiscard]] std::vector<model::Pair> near_pairs(const model::Model& model, const std::vector<double>& position);

/// The model for questions about one state: with the near pairs as rows, behind all others.
[[nodiscard]] model::Model model_at(model::Model left, const std::vector<double>& position);

/// So many pairs together are written out; beyond it near ones alone.
[[nodiscard]] bool has_too_many_pairs(const model::Model& left);

}  // namespace zwang::crowds
