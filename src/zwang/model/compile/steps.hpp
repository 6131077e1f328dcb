/// The steps of compiling, in the order in which `compile` takes them: one file each, beside this one.
#pragma once

#include "zwang/model/compile/compilation.hpp"
#include "zwang/model/watch.hpp"

namespace zwang::model {

// Before expressions may speak of the state.

/// A flow has variables and their rates, and nothing that belongs to masses.
void check_flow(Compilation& work);
void give_names(Compilation& work);
void compute_parameters(Compilation& work);
void read_times(Compilation& work);
/// `method` and `step`, after the times.
void read_method(Compilation& work);
/// Is this name of `--set` the length of a step, and no parameter?
[[nodiscard]] bool is_step(const Compilation& work, const std::string& name);
/// What is not offered in steps.
void check_method(Compilation& work);
void place_bodies(Compilation& work);

// Everything that is made of expressions of the state.

void add_gravity(Compilation& work);
void add_flow(Compilation& work);
void add_forces(Compilation& work);
void add_energies(Compilation& work);
void add_conditions(Compilation& work);
void add_free_functions(Compilation& work);
void add_seizures(Compilation& work);
void add_releases(Compilation& work);
void add_blows(Compilation& work);
void add_outputs(Compilation& work);
void add_view(Compilation& work);

// The patterns of the whole.

/// Every corner of every lane is a switch with modes of its own; those of the initial state stand among the constants.
void number_switches(Compilation& work);
/// Families of pairs are numbered behind the rows.
void number_pairs(Model& model);
/// Which variables the kinetic energy couples, and that every coordinate has inertia.
void couple_masses(Compilation& work);
/// The rates at the start; the free functions must be as many as the equations leave over, and independent.
void begin_flow(Compilation& work);

// Rigid bodies (rigid.cpp).

/// A body of [bodies]: its dimension, its start, mass, inertia and marks.
void place_rigid(Compilation& work, Body& body, Rigid& rigid, const Field& field);
void add_rigid_energies(Compilation& work);
void add_torque(Compilation& work, const Body& body, const Syntax& syntax);
void add_thin_rods(Compilation& work);
/// A force on one body or point, at its centre, or a torque.
void add_member_force(Compilation& work, const Body& body, std::uint32_t member, const Syntax& syntax, bool torque);
void add_springs(Compilation& work);
void add_contacts(Compilation& work);

// What several steps do.

/// A condition between any two members that can be left as it is: then it is among the model's, and this is true.
bool leave_as_pairs(Compilation& work, const Condition& condition, const ConditionSyntax& syntax,
                    std::span<const RangeSyntax> ranges);
/// The shape of one member's condition whose slots have been traced, none if it is more than one plain row.
[[nodiscard]] std::optional<RowShape> plain_shape(Compilation& work, const ConditionSyntax& syntax,
                                                  const Condition& condition);

/// A condition that stands in no table, from its formula. `condition` says how it is called and shown, and its place what it follows from.
/// `builds`: texts of its alternatives in which names and numbers are left open; those of one text with the same pattern of slots have one shape.
void add_generated(Compilation& work, Condition condition, Generated generated,
                   const std::vector<std::string>& builds = {});

/// Conditions of one formula, with numbers of their own each: the formula is read once, and its shapes are made once, whatever the numbers are.
/// In the formula each of the numbers stands by itself beside things that move, and what other names are bound are indices of bodies. `conditions` as above,
/// one for each list of numbers.
void add_alike(Compilation& work, std::vector<Condition> conditions, const std::string& formula,
               std::vector<std::vector<std::pair<std::string, double>>> numbers,
               const std::vector<std::string>& builds);

void add_energy(Compilation& work, const Syntax& whole, TermKind kind);
/// A force, or in a flow the free rate, of every member.
void add_force(Compilation& work, const Body& body, const Syntax& syntax, std::string_view where);
/// An expression of the state from outside of the file, one number.
void add_watched(Compilation& work, const Watch& watch, std::vector<Observable>& out);
/// f = left - right, or right - left for >=.
[[nodiscard]] Syntax difference(const ConditionSyntax& syntax);
/// Comparisons to be watched; their number among the model's truths.
std::uint32_t add_truth(Compilation& work, const std::string& name, const Value& value, std::string_view where);

}  // namespace zwang::model
