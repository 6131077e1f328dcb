/// The power series of a constrained motion, order by order, members of families side by side.
#include "zwang/motion/series.hpp"

#include <cmath>

#include "zwang/model/bodies.hpp"
#include "zwang/motion/series_impl.hpp"

namespace zwang::motion {

void put_implied_first(const model::Model& model, std::vector<HeldRow>& held) {
  if (model.conditions.empty() || !model.conditions.back().implied) return;
  std::stable_partition(held.begin(), held.end(),
                        [&](const HeldRow& one) { return model.conditions[model.row_condition[one.row]].implied; });
}

Series::Series(const model::Model& model, unsigned order, bool sharp)
    : impl_(std::make_unique<Impl>(model, order, sharp)) {}
Series::~Series() = default;
Series::Series(Series&&) noexcept = default;
Series& Series::operator=(Series&&) noexcept = default;

void Series::be_content_with(double tolerance) { impl_->content = tolerance; }
unsigned Series::order() const { return impl_->N; }
void Series::choose(std::span<const HeldRow> held, std::span<const std::uint32_t> watched) {
  impl_->choose(held, watched);
}
Series::Projection Series::project(model::State& state, std::vector<double>& carry_position,
                                   std::vector<double>& carry_velocity, std::span<const double> gain_position,
                                   std::span<const double> gain_velocity) {
  return impl_->project(state, carry_position, carry_velocity, gain_position, gain_velocity);
}
bool Series::take_roots_as_zero(double soon) { return impl_->take_roots_as_zero(soon / impl_->unit); }
void Series::take_roots_as_they_are() { impl_->take_roots_as_they_are(); }
bool Series::extend(const model::State& state) { return impl_->extend(state); }
double Series::reach(double tolerance) const {
  const WantedProof& asked = impl_->ahead.asked;
  if (impl_->proved_ahead && asked.reach_part == tolerance) return asked.reach;
  return impl_->reach(tolerance);
}
double Series::reach_of_motion(double tolerance) const { return impl_->reach_of_motion(tolerance); }
Series::Proof Series::prove(double wanted, double most, double part, double tolerance) {
  return impl_->prove(wanted, most, part, tolerance);
}
double Series::multiplier_error(std::size_t j) const { return impl_->multiplier_error[j] / impl_->unit_squared; }
double Series::watched_rest(std::size_t w) const { return impl_->watched_rest[w]; }
std::string Series::obstacle() const {
  if (impl_->worst_row != Impl::none) {
    const std::vector<expressions::Instruction>& all =
        impl_->model.groups[impl_->model.row_group[impl_->worst_row]].tape.instructions;
    const bool root = std::any_of(all.begin(), all.end(), [](const expressions::Instruction& i) {
      return i.op == expressions::Op::sqrt || (i.op == expressions::Op::power && i.c > 0 && i.c < 1);
    });
    return "the condition " + model::row_name(impl_->model, impl_->worst_row) +
           (root ? ", which has a root: where that comes to zero its slope has no bound, and sqrt(abs(x) + 1e-6) comes "
                   "near "
                   "to sqrt(abs(x))"
                 : "");
  }
  std::string out = "the acceleration of " + model::variable_words(impl_->model, impl_->worst_variable);
  // A root that would come to zero within a trifle of the motion, as norm(v) does where a body comes to rest.
  constexpr double trifle = 1e-6;
  const double duration = (impl_->model.simulation.until - impl_->model.simulation.start) / impl_->unit;
  for (const Block& block : impl_->terms) {
    for (const std::uint32_t reg : impl_->term_roots[block.group]) {
      const double* y = impl_->registers(block) + std::size_t{reg} * impl_->orders * block.width;
      for (std::uint32_t l = 0; l < block.count; ++l) {
        if (y[l] > trifle * duration * std::abs(y[block.width + l])) continue;  // what has no value is none of these
        const expressions::Tape& tape = impl_->term_tapes[block.group];
        const model::TermGroup& group = impl_->model.terms[block.group];
        const std::size_t velocities = std::size_t{1} + group.positions;
        const std::size_t before = tape.inputs.size() + tape.constants.size();
        const expressions::Instruction& root = tape.instructions[reg - before];
        const bool broken = root.op == expressions::Op::sqrt || root.c != std::floor(root.c);
        if (broken && impl_->registers(block)[std::size_t{root.a} * impl_->orders * block.width + l] < 0) {
          return out +
                 ", whose force has a root or a broken power of something that becomes negative here, where it has no "
                 "value: with abs(u) or max(0, u) below it, it has one";
        }
        if (reg >= before &&
            expressions::depending(tape, velocities, velocities + group.velocities)[reg - before] == 0) {
          return out +
                 ", whose force has a root of something that comes to zero here, as the distance of points that "
                 "attract "
                 "each other does where they meet: the force has no bound there, or they rest there and it has no "
                 "direction; a softened one, with sqrt(dot(r, r) + 1e-6) in the place of the distance, has both";
        }
        return out +
               ", whose force has a root of something that comes to zero here, as norm(v) does at rest: friction along "
               "a line is -mu*sign(x'), and in a plane -mu*v/norm(v) with one and the same v, a sum of squares below "
               "its root";
      }
    }
  }
  return out + impl_->beyond_numbers();
}
std::vector<Series::RestingRoot> Series::resting_roots() const { return impl_->resting_roots(); }
bool Series::leaves_out_roots_of_speeds() const { return impl_->leaves_out_roots_of_speeds(); }
std::vector<Series::RootOfPlaces> Series::roots_of_places() const { return impl_->roots_of_places(); }
double Series::branch(double h) const { return impl_->branch(h); }
double Series::rest_of_root(double h) const { return impl_->rest_of_root(h); }
double Series::meeting(double h) const { return impl_->meeting(h); }
double Series::weightless(double h, std::uint32_t& variable) const { return impl_->weightless(h, variable); }
double Series::vanishing(double h, std::uint32_t& row) const { return impl_->vanishing(h, row); }
std::span<const double> Series::velocity() const {
  const double* from = impl_->unit == 1 ? impl_->v.data() : impl_->plain_velocity.data();
  return {from, impl_->N * impl_->n};
}
double Series::unit() const { return impl_->unit; }
void Series::measure_time_in(double unit) { impl_->measure_time_in(unit); }
std::span<const double> Series::acceleration_terms() const { return impl_->acceleration_terms; }
std::span<const double> Series::rest() const { return impl_->rest; }
double Series::approach(double s) const { return impl_->approach(s); }
bool Series::nearly_singular() { return impl_->nearly_singular(); }
std::span<const double> Series::position() const { return impl_->q; }
std::span<const double> Series::multiplier() const {
  const std::vector<double>& from = impl_->unit == 1 ? impl_->lambda : impl_->plain_multiplier;
  return {from.data(), (impl_->N - 1) * impl_->held_rows.size()};
}
Series::Slope Series::slope_of(std::uint32_t row) const {
  const std::uint32_t g = impl_->model.row_group[row];
  const model::RowGroup& group = impl_->model.groups[g];
  const RowShape& shape = impl_->shapes[g];
  if (!group.holonomic || shape.moving || !shape.steady || group.modes > 0) return Slope::varies;
  return std::all_of(shape.directions.begin(), shape.directions.end(),
                     [](const Direction& one) { return one.constant; })
             ? Slope::constant
             : Slope::of_constant_length;
}

double Series::body_size(std::uint32_t variable, std::span<const double> x) const {
  const auto& bodies = impl_->own_body;
  auto found = std::upper_bound(bodies.begin(), bodies.end(), variable,
                                [](std::uint32_t i, const auto& body) { return i < body.first; });
  double most = 0;
  if (found == bodies.begin()) return most;
  --found;
  for (std::uint32_t i = found->first; i < found->first + found->second; ++i) most = std::max(most, std::abs(x[i]));
  return most;
}
double Series::root_mass(std::size_t i) const { return impl_->root_mass[i]; }
std::size_t Series::held() const { return impl_->held_rows.size(); }
bool Series::skipped(std::size_t j) const { return impl_->factor.skipped(j); }
double Series::multiplier_scale(std::size_t j) const { return impl_->lambda_scale[j] / impl_->unit_squared; }
double Series::multiplier_scale_by_others(std::size_t j) const {
  return impl_->scale_by_others(j) / impl_->unit_squared;
}
std::span<const double> Series::watched(std::size_t w) const {
  const bool holonomic = model::is_holonomic(impl_->model.row_kind[impl_->watched_rows[w]]);
  return {impl_->watched_value.data() + w * impl_->orders, impl_->orders - (holonomic ? 0U : 1U)};
}
Series::Memory Series::memory() const {
  return {impl_->row_length,  impl_->first_gradient,  impl_->first_pivot,
          impl_->step_memory, impl_->factor.manner(), impl_->lengths_known};
}
void Series::remember(Memory memory) {
  impl_->row_length = std::move(memory.row_length);
  impl_->first_gradient = std::move(memory.first_gradient);
  impl_->first_pivot = memory.first_pivot;
  impl_->step_memory = memory.steps;
  impl_->proved_ahead = false;
  impl_->factor.go_on(memory.factored, impl_->dynamics.mass);
  impl_->lengths_known = memory.lengths_known;
}
double Series::reach_of_leaving(double h, double part) const { return impl_->reach_of_leaving(h, part); }
void Series::slide(std::span<const Slide> slides) { impl_->slide(slides); }
std::span<const double> Series::weight(std::size_t j) const { return {impl_->slides[j].sigma.data(), impl_->N - 1}; }
std::vector<double> Series::slope(std::uint32_t number, const model::State& state) const {
  return impl_->slope(number, state);
}
std::span<const std::uint32_t> Series::closed_loops() const {
  if (!impl_->loops_known) impl_->find_loops();
  return impl_->loops;
}
bool Series::plainly_apart(double h, double least) const { return impl_->plainly_apart(h, least); }
bool Series::narrow_place(double h, double& after, double& low, double& high) {
  return impl_->narrow_place(h, after, low, high);
}
bool Series::close_to_dependent(double distance) { return impl_->distance_from_dependence(0) < distance; }
void Series::make_plain() { impl_->plain = true; }
Series::Expansion Series::expand(model::State& state, std::span<const Combination> combinations,
                                 std::span<const std::uint32_t> idle) {
  return impl_->expand(state, combinations, idle);
}
Series::Proof Series::prove_arc(const WantedArc& wanted) { return impl_->prove_arc(wanted); }
void Series::look_from(double back, model::State& state) { impl_->look_from(back, state); }
double Series::prove_watched(double wanted, double tolerance) { return impl_->prove_watched(wanted, tolerance); }
double Series::pole() const { return impl_->pole; }
bool Series::has_pole(std::size_t j) const { return impl_->pole_of[j] != 0; }
double Series::least_pivot() const { return impl_->factor.least_pivot(); }

double Series::work(double s, double* terms) const {
  if (terms != nullptr) *terms = 0;
  bool moving = impl_->works;
  for (const Block& block : impl_->held_blocks) moving = moving || impl_->shapes[block.group].moving;
  for (const Block& block : impl_->bend_blocks) moving = moving || impl_->model.groups[block.group].bend_works;
  if (!moving) return 0;
  if (!impl_->power_known) impl_->find_power();
  double sum = 0;
  double gross = 0;
  for (unsigned k = 2 * impl_->N; k-- > 0;) {
    sum = sum * s + impl_->power[k] / (k + 1.0);
    gross = gross * s + std::abs(impl_->power[k]) / (k + 1.0);
  }
  if (terms != nullptr) *terms = gross * s / impl_->unit_squared;
  return sum * s / impl_->unit_squared;
}

}  // namespace zwang::motion
