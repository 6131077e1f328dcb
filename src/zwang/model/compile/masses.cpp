/// Which variables the kinetic energy couples, and that it gives inertia to every one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "zwang/base/groups.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/model/compile/steps.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/tolerances.hpp"

namespace zwang::model {

namespace {

/// How many kinetic energies each variable occurs in.
std::vector<std::uint32_t> energies_of_variables(const Model& model) {
  std::vector<std::uint32_t> out(model.variables, 0);
  for (const TermGroup& group : model.terms) {
    if (group.kind != TermKind::kinetic) continue;
    for (std::size_t lane = 0; lane < group.lanes; ++lane) {
      std::vector<std::uint32_t> about;
      for (const std::vector<std::uint32_t>* list : {&group.position_of, &group.velocity_of}) {
        for (std::size_t at = lane; at < list->size(); at += group.lanes) about.push_back((*list)[at]);
      }
      std::sort(about.begin(), about.end());
      about.erase(std::unique(about.begin(), about.end()), about.end());
      for (const std::uint32_t i : about) ++out[i];
    }
  }
  return out;
}

/// Bodies whose own energy is all that moves them, with one moment far below the others.
void find_slender(Model& model) {
  if (model.flow) return;
  std::vector<std::uint32_t> energies;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    if (!body.turns()) continue;
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      const double* own = model.rigids[b].inertia.data() + 9 * std::size_t{member};
      bool straight = true;
      for (std::size_t k = 0; k < 9; ++k) straight = straight && (k % 4 == 0 || own[k] == 0);
      Slender one;
      for (std::size_t k = 0; k < 3; ++k) one.moments.at(k) = own[4 * k];
      const auto least = std::min_element(one.moments.begin(), one.moments.end());
      const double largest = *std::max_element(one.moments.begin(), one.moments.end());
      if (!straight || !(*least > 0) || *least >= slender_part * largest) continue;
      one.first = body.first + member * body.dimension;
      one.mass = model.point_mass[one.first];
      if (energies.empty()) energies = energies_of_variables(model);
      bool alone = true;
      for (std::uint32_t i = 0; i < 7; ++i) alone = alone && energies[one.first + i] == (i < 3 ? 0U : 1U);
      if (!alone) continue;
      one.axis = static_cast<std::uint32_t>(least - one.moments.begin());
      one.stretching = 4.0 / 3 * (own[0] + own[4] + own[8]);
      one.reach = std::sqrt(largest / one.mass);
      for (const Mark& mark : model.rigids[b].marks) {
        double square = 0;
        for (std::size_t c = 0; c < 3; ++c)
          square += mark.at[3 * std::size_t{member} + c] * mark.at[3 * std::size_t{member} + c];
        one.reach = std::max(one.reach, std::sqrt(square));
      }
      model.slender.push_back(one);
    }
  }
}

}  // namespace

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

  // A slender body's places and turning are one block, whose axes are known.
  find_slender(model);
  for (const Slender& one : model.slender) {
    for (std::uint32_t i = one.first; i < one.first + 7; ++i) {
      groups.join(one.first, i);
      coupled[i] = true;
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

  for (Slender& one : model.slender) one.block = block_of[groups.of(one.first)];

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
