/// Does a model have forces with the direction of a speed, which has no value at rest (docs/mathematics, section 21.7)?
#pragma once

#include <algorithm>

#include "zwang/model/evaluate.hpp"

namespace zwang::report {

inline bool has_directions(const model::Model& model) {
  bool found = false;
  model::for_cornered(model, [&](const model::Slotted& group) {
    found = found || std::any_of(group.corners.begin(), group.corners.end(),
                                 [](const expressions::Corner& corner) { return corner.directs(); });
  });
  return found;
}

}  // namespace zwang::report
