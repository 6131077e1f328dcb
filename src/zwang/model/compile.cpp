/// From a Draft to the Model: names, parameters, bodies, forces, energies, conditions, in this order.
#include "zwang/model/compile/steps.hpp"
#include "zwang/model/implied.hpp"
#include "zwang/model/part.hpp"
#include "zwang/model/watch.hpp"

namespace zwang::model {

namespace {

/// `seen`: with what concerns pictures alone.
void compile_all(Compilation& work, bool seen) {
  Model& model = work.model;
  model.file = work.source.file();
  model.text = work.source.text();
  if (const Value* title = work.find("title")) model.title = title->text;

  // What there is, and where it starts.
  check_flow(work);
  give_names(work);
  compute_parameters(work);
  read_times(work);
  read_method(work);
  place_bodies(work);

  // What acts on it, what it must keep to, what is looked at.
  work.know_state();
  add_gravity(work);
  if (model.flow) {
    add_flow(work);
  } else {
    add_forces(work);
    add_energies(work);
  }
  add_conditions(work);
  add_thin_rods(work);
  add_joints(work);
  add_springs(work);
  add_contacts(work);
  add_free_functions(work);
  add_seizures(work);
  add_releases(work);
  add_blows(work);
  add_outputs(work);
  if (seen) add_view(work);

  // The patterns of the whole, and what its equations imply together.
  model.bodies = work.vocabulary.bodies;
  model.rigids = work.vocabulary.rigids;
  model.parameters = work.vocabulary.parameters;
  model.terms = work.shapes.take_terms();
  model.groups = work.shapes.take_rows();
  number_switches(work);
  if (!lay_out_gradients(model)) throw work.source.error({1, 1}, "the conditions have too many terms");
  number_pairs(model);
  couple_masses(work);
  if (model.flow) begin_flow(work);
  add_implied(model);
  check_method(work);
}

}  // namespace

Model compile(const Draft& draft, const Overrides& overrides, Pairs pairs) {
  Compilation work(draft.content(), overrides);
  work.pairs = pairs;
  compile_all(work, true);
  return std::move(work.model);
}

Watching compile(const Draft& draft, const Overrides& overrides, std::span<const Watch> states,
                 std::span<const Watch> numbers) {
  Compilation work(draft.content(), overrides);
  compile_all(work, false);
  Watching out;
  for (const Watch& watch : numbers) {
    out.numbers.push_back(work.compute_number(work.formulas.outside(watch.label, watch.text), "a time"));
  }
  for (const Watch& watch : states) add_watched(work, watch, out.states);
  out.model = std::move(work.model);
  return out;
}

}  // namespace zwang::model
