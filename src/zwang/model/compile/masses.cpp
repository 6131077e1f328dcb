/// Which variables the kinetic energy couples, and that it gives inertia to every one.
#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "zwang/base/groups.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/model/compile/steps.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::model {

/// Which variables the kinetic energy couples, and that every coordinate has inertia.
void couple_masses(Compilation& work) {
  Model& model = work.model;
  Groups groups(model.variables);
  std::vector<bool> coupled(model.variables, false);
  std::vector<bool> inert(model.variables, false);
  for (const TermGroup& group : model.terms) {
    if (group.kind != TermKind::kinetic) continue;
    const std::size_t fixed = group.tape.inputs.size();
    const auto vanishes = [&](std::uint32_t r) {
      return r >= fixed && r < fixed + group.tape.constants.size() && group.tape.constants[r - fixed] == 0;
    };
    std::size_t output = 1 + group.positions + group.velocities;
    for (std::size_t i = 0; i < group.velocities; ++i) {
      for (std::size_t j = i; j < group.velocities; ++j, ++output) {
        if (vanishes(group.tape.outputs[output])) continue;
        for (std::size_t lane = 0; lane < group.lanes; ++lane) {
          const std::uint32_t a = group.velocity_of[i * group.lanes + lane];
          const std::uint32_t b = group.velocity_of[j * group.lanes + lane];
          inert[a] = inert[a] || a == b;
          if (a == b) continue;
          groups.join(a, b);
          coupled[a] = coupled[b] = true;
        }
      }
    }
  }

  // The blocks, in the order of their first variables.
  constexpr std::uint32_t none = ~std::uint32_t{0};
  std::vector<std::uint32_t> block_of(model.variables, none);
  for (std::uint32_t k = 0; k < model.variables; ++k) {
    if (coupled[k]) {
      std::uint32_t& block = block_of[groups.of(k)];
      if (block == none) {
        block = static_cast<std::uint32_t>(model.mass_blocks.size());
        model.mass_blocks.emplace_back();
      }
      model.mass_blocks[block].push_back(k);
    }
    if (model.point_mass[k] == 0 && !inert[k]) {
      throw work.formulas.error(*work.kinetic,
                                fmt::format("the kinetic energy gives `{}` no inertia: {}'^2 does not occur in it",
                                            variable_name(model, k), variable_name(model, k)));
    }
  }

  // The matrix at the start must be positive definite.
  if (!work.kinetic) return;
  Scratch scratch = make_scratch(model);
  Dynamics dynamics = make_dynamics(model);
  evaluate_dynamics(model, initial_state(model), scratch, dynamics);
  if (dynamics.mass_positive) return;
  throw work.formulas.error(*work.kinetic,
                            fmt::format("the kinetic energy is not positive for every velocity at the initial state: "
                                        "its matrix is not positive definite, see `{}`",
                                        variable_words(model, dynamics.mass.weakest())));
}

}  // namespace zwang::model
