/// From a Draft to the Model: names, parameters, bodies, forces, energies, conditions, in this order.
#include "zwang/model/compile/steps.hpp"
#include "zwang/model/implied.hpp"
#include "zwang/model/part.hpp"
#include "zwang/model/watch.hpp"

namespace zwang::model {

namespace {

/// What grew step by step gives back the room that it does not need: a model stays in memory for as long as it moves.
void give_back(Model& model) {
  const auto fit = [](auto&... lists) { (lists.shrink_to_fit(), ...); };
  fit(model.initial_position, model.initial_velocity, model.position_doubts, model.velocity_doubts, model.point_mass,
      model.constant_force);
  fit(model.row_kind, model.row_condition, model.row_alternative, model.row_twin);
  for (Condition& condition : model.conditions) condition.index_values.shrink_to_fit();
  for (RowGroup& group : model.groups) group.row.shrink_to_fit();
}

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
  work.journal.keep_groups(work.shapes);
  model.terms = work.shapes.take_terms();
  model.groups = work.shapes.take_rows();
  number_switches(work);
  if (!lay_out_gradients(model)) throw work.source.error({1, 1}, "the conditions have too many terms");
  number_pairs(model);
  couple_masses(work);
  if (model.flow) begin_flow(work);
  add_implied(model);
  check_method(work);
  give_back(model);
}

}  // namespace

Model compile(const Draft& draft, const Overrides& overrides, Pairs pairs) {
  Compilation work(draft.content(), overrides);
  work.pairs = pairs;
  compile_all(work, true);
  return std::move(work.model);
}

namespace {

Watching watch(Compilation& work, std::span<const Watch> states, std::span<const Watch> numbers) {
  compile_all(work, false);
  Watching out;
  for (const Watch& watch : numbers) {
    out.numbers.push_back(work.compute_number(work.formulas.outside(watch.label, watch.text), "a time"));
  }
  for (const Watch& watch : states) add_watched(work, watch, out.states);
  work.journal.close(work.shapes);
  out.model = std::move(work.model);
  return out;
}

}  // namespace

Watching compile(const Draft& draft, const Overrides& overrides, std::span<const Watch> states,
                 std::span<const Watch> numbers) {
  Compilation work(draft.content(), overrides);
  return watch(work, states, numbers);
}

struct Pattern::Content {
  Journal::Pages pages;
};

Pattern::Pattern() : content_(std::make_unique<Content>()) {}
Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
bool Pattern::fit() const { return content_->pages.fit; }

Watching compile(const Draft& draft, const Overrides& overrides, std::span<const Watch> states,
                 std::span<const Watch> numbers, Pattern& pattern) {
  pattern = Pattern();
  Compilation work(draft.content(), overrides);
  work.journal = Journal(pattern.content().pages);
  return watch(work, states, numbers);
}

bool compile_again(const Draft& draft, const Overrides& overrides, std::span<const Watch> states,
                   std::span<const Watch> numbers, const Pattern& pattern, Watching& out) {
  if (!pattern.fit()) return false;
  Compilation work(draft.content(), overrides);
  const Journal::Pages& pages = pattern.content().pages;
  work.journal = Journal(pages);
  try {
    out = watch(work, states, numbers);
  } catch (const Departs&) {
    return false;
  } catch (const Error&) {
    // `compile` says it, with its own words.
    return false;
  }
  return true;
}

}  // namespace zwang::model
