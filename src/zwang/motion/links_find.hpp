/// Which bodies of a model, and which of the rows held, are linked (links.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/motion/links.hpp"
#include "zwang/motion/series.hpp"

namespace zwang::motion {

/// A rigid body in space on whose quaternion nothing acts but its inertia.
struct Turner {
  Links::Body body;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> terms;  ///< of its energy: group and lane
};

/// All of them, in the order of their variables. That the energy is the one of section 23.2 is seen from its values.
[[nodiscard]] std::vector<Turner> find_turners(const model::Model& model);

/// A ball joint or hinge between such bodies, points and fixed places. Its ends are numbers among the turners, its rows are those of the model.
[[nodiscard]] std::vector<Links::Joint> find_joints(const model::Model& model, const std::vector<Turner>& turners);

struct FoundLinks {
  std::vector<std::uint32_t> turners;  ///< numbers of the bodies that are linked
  std::vector<Links::Body> bodies;     ///< these
  std::vector<Links::Joint> joints;
};

/// Those of them all of whose rows are held; none of a body that another row held acts upon.
[[nodiscard]] FoundLinks find_links(const model::Model& model, const std::vector<Turner>& turners,
                                    const std::vector<Links::Joint>& joints, std::span<const HeldRow> held);

}  // namespace zwang::motion
