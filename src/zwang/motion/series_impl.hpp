/// The inside of a series: what its parts share, each field with the part that computes it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "zwang/base/aligned.hpp"
#include "zwang/base/side.hpp"
#include "zwang/expressions/discs.hpp"
#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/remainders.hpp"
#include "zwang/linear/gram_factor.hpp"
#include "zwang/motion/links.hpp"
#include "zwang/motion/links_find.hpp"
#include "zwang/motion/row_shape.hpp"
#include "zwang/motion/series.hpp"
#include "zwang/motion/slender.hpp"
#include "zwang/motion/strands.hpp"
#include "zwang/motion/sweeps.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

using expressions::Lanes;
using model::RowGroup;
using model::TermGroup;
using model::TermKind;

/// Larger circles from which sharp radii come (series_bound.cpp), and how much larger each is.
inline constexpr std::size_t outer_circles = 2;
inline constexpr double outer_ratio = 1.5;
inline double outer_circle(std::size_t level) {
  static_assert(outer_circles == 2);
  constexpr std::array<double, outer_circles + 1> power = {1.0, outer_ratio, outer_ratio * outer_ratio};
  return power[level];
}

/// A block of lanes of one shape, with the registers of its tape.
struct Block {
  std::uint32_t group = 0;
  std::uint32_t width = 1;
  std::uint32_t count = 0;                 ///< lanes in use; the others repeat the last
  std::size_t registers = 0;               ///< place of its registers
  std::size_t speeds = 0;                  ///< held: place of the speeds along its directions, [direction][k][lane]
  std::size_t carried = 0;                 ///< held: place of its multipliers, [k][lane]
  std::vector<std::uint32_t> position_of;  ///< [slot * width + lane]
  std::vector<std::uint32_t> velocity_of;
  std::vector<std::uint32_t> target_of;  ///< terms: [output * width + lane]
  std::vector<std::uint32_t> row;        ///< [lane]: number among the held or watched rows
  std::vector<std::uint32_t> entry_at;   ///< held: place in J of the gradient, [slot * width + lane]
  bool strands = false;                  ///< held: strands do the orders above zero
  bool linked = false;                   ///< held: links do
  std::size_t first_mode = 0;            ///< the register of its first mode
  std::vector<std::uint32_t> mode_of;    ///< number of the model's mode: [slot * width + lane]
  bool slid = false;   ///< a mode of it is a weight: coefficients change after they were first computed
  unsigned swept = 0;  ///< watched: beyond this order all registers are zero
};

/// A switch slid on (series_slide.cpp).
struct SlidSwitch {
  std::uint32_t number = 0;
  const model::Slotted* group = nullptr;
  std::uint32_t corner = 0;
  std::uint32_t lane = 0;
  bool by_velocity = true;
  std::vector<double> registers;   ///< of its switching function
  std::vector<double> p;           ///< dg/dv, or dg/dq
  std::vector<double> y;           ///< Phi^-1 J W p
  std::vector<double> d, wd, jwd;  ///< what the forces change from one side to the other, D; W D; J W D
  std::vector<double> sigma;
  struct Mode {
    std::size_t block;
    std::size_t mode;  ///< register of the mode
    std::uint32_t lane;
    double below, above;  ///< the mode on either side
  };
  std::vector<Mode> places;  ///< among the blocks of terms
};

/// A speed that leaves its rest: w = s^m rho c with |c| = 1, its weights are its direction c (series_leave.cpp).
struct LeavingSpeed {
  std::vector<std::size_t> slides;          ///< of its parts
  std::vector<double> direction;            ///< c at the start
  std::vector<std::vector<double>> across;  ///< orthogonal to it
  std::vector<std::vector<double>> c, w;    ///< coefficients, by order
  std::vector<double> rho;
  unsigned m = 0;        ///< 0: not known yet
  bool at_once = false;  ///< pushed at the start
};

/// One row of the system about a singular position: a row held as it is, or a combination divided by s (series_arc.cpp).
struct PassageRow {
  std::vector<std::uint32_t> columns;
  std::vector<double> jets;                             ///< [l * columns + i]
  double unit = 1;                                      ///< its length in the metric of the masses
  std::vector<std::pair<std::uint32_t, double>> parts;  ///< rows held and their weights
  bool singular = false;
  bool symmetric = true;     ///< no velocity condition takes part: b = p_1
  std::vector<double> bend;  ///< b, by column
};

/// The series about a singular position.
struct SingularArc {
  double time = 0;
  std::vector<double> q;         ///< [k * n + i]
  std::vector<double> reaction;  ///< -J^T lambda, [k * n + i]
  std::vector<double> residue;   ///< per row held
  std::vector<double> regular;   ///< [k * held + j]
  std::vector<PassageRow> rows;
  std::vector<double> mu;  ///< [k * rows + t]
};

/// Has registers of a series in lanes of its own, beside those of others, until they are asked for (together_free.cpp).
class Lender {
 public:
  Lender() = default;
  Lender(const Lender&) = delete;
  Lender& operator=(const Lender&) = delete;
  virtual ~Lender() = default;
  virtual void give_back(const Series::Impl& series) = 0;
  virtual void forget(const Series::Impl& series) = 0;
};

struct Series::Impl {
  Impl(const model::Model& of, unsigned order, bool with_care);
  ~Impl() { return_nothing(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // ---- blocks of lanes, and the rows chosen (series_choose.cpp)

  double* registers(const Block& block) {
    if (lender != nullptr) lender->give_back(*this);
    return arena.data() + block.registers;
  }
  const double* registers(const Block& block) const {
    if (lender != nullptr) lender->give_back(*this);
    return arena.data() + block.registers;
  }
  /// What lies in the lanes of others is not asked for any more.
  void return_nothing() {
    if (lender != nullptr) lender->forget(*this);
  }
  mutable Lender* lender = nullptr;  ///< who has the registers of the terms; null: they are here
  [[nodiscard]] linear::SparseRows rows() const { return {start, column, entry}; }
  template <class Group>
  Block make_block(const Group& group, std::uint32_t number, const expressions::Tape& tape,
                   std::span<const std::uint32_t> lanes);
  std::size_t take(std::size_t room);
  /// What tapes and lists of the terms there are, and those of their lanes that no link does without.
  void make_term_tapes();
  void make_term_blocks();
  /// Which bodies and rows are linked now.
  void find_linked();
  void find_slender_terms();
  /// Forces as they are; of a potential its gradient (and itself if it depends on time); of T all but the inertia.
  static expressions::Tape term_tape(const TermGroup& group);
  /// Rows that are wholly made of strands, and those that are not: with a constant direction besides, or another shape.
  [[nodiscard]] bool all_strands(std::uint32_t group) const;
  void add_strands(const Block& block);
  void choose(std::span<const HeldRow> held, std::span<const std::uint32_t> watch);
  void make_row_blocks();
  void lay_out_rows();
  /// Variables that the rows held connect, directly or by others; components of one body belong together.
  void find_parts();

  // ---- inputs

  /// Coefficient k of all inputs of a block.
  void fill(Block& block, const model::State& state, std::uint32_t positions, std::uint32_t velocities, unsigned k) {
    const std::uint32_t w = block.width;
    double* r = registers(block) + std::size_t{k} * w;
    const double t = k == 0 ? state.time : (k == 1 ? unit : 0.0);
    for (std::uint32_t l = 0; l < w; ++l) r[l] = t;
    r += std::size_t{orders} * w;
    const double* from = q.data() + k * n;
    const std::uint32_t* variable = block.position_of.data();
    for (std::uint32_t slot = 0; slot < positions; ++slot, r += std::size_t{orders} * w, variable += w) {
      for (std::uint32_t l = 0; l < w; ++l) r[l] = from[variable[l]];
    }
    from = v.data() + k * n;
    variable = block.velocity_of.data();
    for (std::uint32_t slot = 0; slot < velocities; ++slot, r += std::size_t{orders} * w, variable += w) {
      for (std::uint32_t l = 0; l < w; ++l) r[l] = per_unit * from[variable[l]];
    }
  }
  void fill_row(Block& block, const model::State& state, unsigned k) {
    const RowGroup& group = model.groups[block.group];
    fill(block, state, group.positions, group.velocities, k);
  }
  void fill_term(Block& block, const model::State& state, unsigned k) {
    const TermGroup& group = model.terms[block.group];
    fill(block, state, group.positions, group.velocities, k);
  }

  /// x = J^T y
  void spread(std::span<const double> y, std::span<double> x) const {
    for (std::size_t j = 0; j < held_rows.size(); ++j) {
      for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) x[column[e]] += entry[e] * y[j];
    }
  }
  void find_entry_runs();
  /// x -= J^T y; neighbours among the variables, as those of a quaternion, side by side.
  void take_off(const double* y, double* x) const;
  double times(std::size_t j, const double* x) const {
    const std::uint32_t* at = column.data();
    const double* factor_of = entry.data();
    double sum = 0;
    for (std::uint32_t e = start[j], end = start[j + 1]; e < end; ++e) sum += factor_of[e] * x[at[e]];
    return sum;
  }

  // ---- order zero: the state brought onto the rows held (series_project.cpp)

  void order_zero(const model::State& state);
  /// Entries of J from the tapes.
  void load_rows();
  /// Calls visit(j, holonomic, f, f_t) for every row held, from order zero of the tapes.
  template <class Visit>
  void for_rows(Visit visit);
  /// The least correction -W J^T y with Phi y = right, added to x and its carry.
  void correct(std::vector<double>& x, std::vector<double>& carry);
  /// The sum of the absolute values of the terms that f of a row held is evaluated from at order zero, or the rate that time alone gives it.
  double terms_evaluated(std::uint32_t j, bool rate);
  Projection project(model::State& state, std::vector<double>& carry_position, std::vector<double>& carry_velocity,
                     std::span<const double> gain_position, std::span<const double> gain_velocity);
  /// sqrt(M_ii).
  void find_root_masses() {
    root_mass.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) root_mass[i] = std::sqrt(masses_in_use().diagonal()[i]);
  }
  /// sum |g_i| / sqrt(M_ii) of a row held.
  double gradient_in_masses(std::uint32_t j) const {
    double sum = 0;
    for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) sum += std::abs(entry[e]) / root_mass[column[e]];
    return sum;
  }

  // ---- higher orders (series_extend.cpp)

  /// Speeds along the directions of a block, coefficient k, from its inputs: v_k = (k + 1) q_{k+1}, or the plain velocities.
  template <unsigned W>
  void fill_speeds(Block& block, unsigned k);
  /// c_k of the rows of a block, and the reactions of lower multipliers taken off the force.
  template <unsigned W>
  void known_terms(Block& block, unsigned k);
  template <class F>
  static void by_width(unsigned width, F f) {
    switch (width) {
      case 1: f(std::integral_constant<unsigned, 1>{}); break;
      case 2: f(std::integral_constant<unsigned, 2>{}); break;
      case 4: f(std::integral_constant<unsigned, 4>{}); break;
      default: f(std::integral_constant<unsigned, 8>{}); break;
    }
  }
  /// Coefficient k of all forces known before a_k: the tapes run, and what they say added up.
  void add_forces(const model::State& state, unsigned k);
  void run_forces(const model::State& state, unsigned k);
  /// `output(number, reg, order, lane)`: a coefficient of a register of a block of terms, wherever its tape was run.
  template <class Output>
  void gather_forces(unsigned k, const Output& output) {
    if (k == 0) {
      std::copy(constant_force.begin(), constant_force.end(), force.begin());
    } else {
      std::fill(force.begin(), force.end(), 0.0);
    }
    for (std::size_t number = 0; number < terms.size(); ++number) {
      const Block& block = terms[number];
      const TermGroup& group = model.terms[block.group];
      const std::vector<std::uint32_t>& outputs = term_tapes[block.group].outputs;
      const std::uint32_t w = block.width;
      if (group.kind == TermKind::kinetic) {
        for (std::uint32_t slot = 0; slot < group.velocities; ++slot) {
          const std::uint32_t reg = outputs[1 + group.positions + slot];
          const std::uint32_t* variable = block.velocity_of.data() + std::size_t{slot} * w;
          for (std::uint32_t l = 0; l < block.count; ++l)
            force[variable[l]] -= ((k + 1.0) * unit) * output(number, reg, k + 1, l);
        }
      }
      if (group.kind == TermKind::force) {
        for (std::size_t o = 0; o < outputs.size(); ++o) {
          const std::uint32_t* variable = block.target_of.data() + o * w;
          for (std::uint32_t l = 0; l < block.count; ++l)
            force[variable[l]] += unit_squared * output(number, outputs[o], k, l);
        }
        continue;
      }
      const double sign = group.kind == TermKind::potential ? -unit_squared : unit_squared;
      for (std::uint32_t slot = 0; slot < group.positions; ++slot) {
        const std::uint32_t* variable = block.position_of.data() + std::size_t{slot} * w;
        for (std::uint32_t l = 0; l < block.count; ++l)
          force[variable[l]] += sign * output(number, outputs[1 + slot], k, l);
      }
    }
  }
  /// -rho (dp/dt - df/dq) of the rows under the variational law, coefficient k: d/dt of p needs q_{k+1}, df/dq needs v_k,
  /// and rho_k comes from the multiplier rho' of the order before.
  void add_bends(const model::State& state, unsigned k);
  /// x = W force, and the same by reference to the inverse masses where they are single numbers.
  void accelerate_free(unsigned k);
  /// a = M^-1 force of order zero, by links where they hold all that is no single mass.
  void weigh_forces(unsigned k);
  /// What is still and exactly balanced is frozen: a sum of forces and reactions below a few roundings of its terms is zero, so that
  /// rest of any length is rest. What moves keeps every digit it has.
  void measure_balance(const double* forces, const double* multipliers);
  /// What would have moved at order zero if nothing were held: per variable, the terms of its acceleration.
  void keep_terms();
  double inverse_of_diagonal(std::uint32_t i) const;
  bool weigh_balance(std::span<const double> moved);
  void freeze();
  void freeze_forces();
  /// The reactions of this order's multipliers, in `right`, taken off the accelerations.
  void hinder(unsigned k);
  /// The multipliers of an order once more, from what they have left of the conditions: where rows are nearly dependent in the metric of the
  /// masses (light bodies between heavy ones, gears of large ratios) the first have lost as many digits as the least pivot has zeros.
  void hinder_again(unsigned k);
  // Variables much lighter than what rows tie them to (series_light.cpp).
  void find_light();
  void drop_light();
  void factor_light();
  void solve_light(std::span<const double> known);
  void hinder_with_light(unsigned k);
  void add_light_defects(std::span<const double> load_of, std::span<double> out);
  [[nodiscard]] const linear::Mass& masses_in_use() const { return light.empty() ? dynamics.mass : raised; }
  std::vector<std::uint32_t> light;        ///< variables, ascending
  std::vector<std::uint32_t> light_place;  ///< by variable: in `light`, or none
  std::vector<double> light_softness;      ///< 1 / C
  linear::Mass raised;                     ///< with the light masses raised
  std::vector<double> light_solved, light_small, light_row, light_motion, light_rest, light_step;

  /// Order zero of the strands, from the tapes.
  void begin_strands();
  /// v_{k+1} and q_{k+2} from the accelerations of order k.
  void take_order(unsigned k);
  /// All orders of a motion under constant forces that only strands hinder.
  void extend_strands();
  /// Do constant forces act on constant masses, and nothing else? Then nothing changes beyond the second order.
  [[nodiscard]] bool falls_freely() const;
  /// All orders of such a motion.
  void fall(const model::State& state);
  /// Sizes of the terms behind the multipliers at order zero: of the forces and curvatures, then of the reactions.
  void first_sizes();
  void last_sizes();
  /// Terms of other multipliers in the second derivative of row j, as they could be, in units of its own.
  [[nodiscard]] double scale_by_others(std::size_t j) const;
  /// One order: forces, multipliers, accelerations; and what follows when the forces are there.
  void extend_order(const model::State& state, unsigned k);
  void extend_under_forces(const model::State& state, unsigned k);
  void solve_order(const model::State& state, unsigned k);
  bool extend(const model::State& state);
  /// What comes before the first order and after the last one.
  void begin_orders(const model::State& state);
  bool finish_orders(const model::State& state);
  [[nodiscard]] bool by_strands_alone() const;
  /// The orders from the present state on are there already, side by side with those of others (together.cpp), and so is what `extend` says of them.
  bool extended_ahead = false;
  bool finite_ahead = false;
  /// And a proof that will be asked for has been found side by side with those of others (together_proof.cpp).
  struct ProofAhead {
    WantedProof asked;
    double length = 0;
    StepMemory memory;  ///< of the search that found it
  };
  bool proved_ahead = false;
  /// Numbers that no two have in common: of this series, and of the structure of its forces where it has been compared with others; 0: not yet, or not as it is now.
  [[nodiscard]] static std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
  }
  std::uint64_t serial = next_number();
  std::uint64_t structure = 0;
  ProofAhead ahead;
  /// What overflowed in one unit of time must not be found in the next: lanes that idle read what stands beside theirs, and multiply it
  /// by zero.
  void forget_overflow();
  /// In a unit that suits a short step high orders may go to where numbers have fewer digits; how many depends on the units of length and
  /// mass. Far above that they are nothing already.
  void drop_what_vanishes();
  /// Orders of velocity conditions were made before the velocities of that order were known, with whatever stood there: for the bound of
  /// the step they are made again.
  void finish_velocity_rows(const model::State& state);
  /// f of the open rows.
  void watch(const model::State& state);
  /// No root but that of zero itself begins at zero.
  void take_roots_as_they_are();
  /// Roots and powers in forces that come to zero within `soon` begin at zero from now on. False if that is nothing new.
  [[nodiscard]] bool take_roots_as_zero(double soon);
  /// From now on s = t / unit, a power of two: velocities are dq/ds, accelerations, forces and multipliers those times unit^2.
  void measure_time_in(double given);
  /// What others read, per plain unit of time.
  void in_plain_units();

  // ---- how far (series_limits.cpp)

  [[nodiscard]] double reach(double tolerance) const;
  [[nodiscard]] double reach_of_motion(double tolerance) const;
  [[nodiscard]] double branch(double h) const;
  [[nodiscard]] double rest_of_root(double h) const;
  [[nodiscard]] double meeting(double h) const;
  /// Where before `first` the root of a register of a block passes zero: that becomes the first.
  void look_for_branch(const Block& block, std::uint32_t reg, unsigned count, double& first) const;
  [[nodiscard]] double vanishing(double h, std::uint32_t& culprit) const;
  [[nodiscard]] double weightless(double h, std::uint32_t& variable);
  /// A place ahead, and the masses there.
  struct StateAhead {
    model::Dynamics dynamics;
    model::State state;
  };
  std::unique_ptr<StateAhead> ahead_mass;
  [[nodiscard]] double approach(double s) const;
  [[nodiscard]] bool root_vanishes(const Block& block);
  [[nodiscard]] bool nearly_singular();
  [[nodiscard]] std::vector<Series::RestingRoot> resting_roots() const;
  [[nodiscard]] bool leaves_out_roots_of_speeds() const;
  [[nodiscard]] std::vector<RootOfPlaces> roots_of_places() const;
  /// In words: what in a force is beyond numbers here; empty if nothing is.
  [[nodiscard]] std::string beyond_numbers() const;
  std::vector<double> root_value,
      root_error;  ///< for a moment: registers of the rows held, and how far they may be off

  // ---- the bound over the whole step (series_bound.cpp)

  void make_bound_lists();
  const double* spread_block(const Block& block, const expressions::Tape& tape, std::uint32_t positions,
                             std::uint32_t velocities, std::uint32_t constants, double r, double part, unsigned known);
  const expressions::Remainders& bound_block(const Block& block, const expressions::Tape& tape,
                                             const std::vector<std::uint32_t>& sized, std::uint32_t positions,
                                             std::uint32_t velocities, std::uint32_t constants,
                                             const expressions::Stretch& stretch, unsigned known);
  void find_radii(double r);
  /// Is something bounded on circles of the complex plane?
  [[nodiscard]] bool on_circles() const { return momenta_vary || !bend_blocks.empty(); }
  void measure(double h, double r);
  /// Sums of Cauchy's estimate beyond the orders known: of a function, of a derivative, of a product with a derivative.
  struct BeyondCircle {
    double value = 0, momentum = 0, bent = 0;
  };
  [[nodiscard]] BeyondCircle beyond_circle(double h, double r) const;
  /// The order of the motion itself: in free flight it is low, and polynomials of it end before the series does.
  void find_motion_order();
  [[nodiscard]] bool reaches(unsigned degree, unsigned known) const { return degree * motion_order > known; }
  void find_force_terms();
  void weigh_force_terms();
  void find_watched_terms();
  [[nodiscard]] double watched_terms_on_step(std::size_t number, double h);
  /// Accelerations and forces at the end of the step, from their series.
  void sum_up_step(double h);
  /// What the bodies' accelerations on the step are measured by.
  void find_scales(double h);
  /// The judgement, when `measure` and `sum_up_step` have been made.
  [[nodiscard]] double weigh(double h, double part, double tolerance);
  [[nodiscard]] double judge(double h, double r, double part, double tolerance);
  [[nodiscard]] double judge_watched(double h, double tolerance, double worst);
  [[nodiscard]] Proof prove(double wanted, double most, double part, double tolerance);

  // ---- about a singular position (series_arc.cpp)

  void run_rows(const model::State& state, unsigned first, unsigned last);
  void run_all(const model::State& state);
  void read_rates(unsigned k, std::vector<double>& rates) const;
  void read_gradients(unsigned k, std::vector<double>& entries) const;
  void add_position_slope(const model::State& state, std::uint32_t j, double weight, std::vector<double>& out);
  [[nodiscard]] Series::Expansion expand(model::State& state, std::span<const Series::Combination> combinations,
                                         std::span<const std::uint32_t> idle);
  [[nodiscard]] double judge_arc(double h, double r, double part, double tolerance, double touch);
  [[nodiscard]] Proof prove_arc(const Series::WantedArc& wanted);
  void look_from(double back, model::State& state);
  [[nodiscard]] double prove_watched(double wanted, double tolerance);

  // ---- singular positions ahead (series_loops.cpp)

  void find_loops();
  void gradients_at(double s, std::vector<double>& entries) const;
  [[nodiscard]] double turning(std::span<const std::uint32_t> numbers) const;
  [[nodiscard]] bool plainly_apart(double h, double least) const;
  [[nodiscard]] double distance_from_dependence(double s);
  [[nodiscard]] bool narrow_place(double h, double& after, double& low, double& high);
  /// The rows in loops by themselves, with their factor.
  struct Probe {
    std::vector<std::uint32_t> start, column, from;
    std::vector<double> entry, all;
    linear::GramFactor factor;
  };
  std::unique_ptr<Probe> probe;
  std::vector<std::uint32_t> loops;  ///< numbers of the rows held that might become dependent, when known
  bool loops_known = false;
  bool plain = false;  ///< no strands
  std::unique_ptr<SingularArc> arc;
  double pole =
      std::numeric_limits<double>::quiet_NaN();  ///< seconds after the beginning of the step; none: not a number
  std::vector<std::uint8_t> pole_of;             ///< per row held
  std::vector<double> reaction_here, first_left;

  // ---- modes, and surfaces slid on (series_slide.cpp)

  void load_modes(const model::State& state);
  /// The equations of order k for the weights of speeds that leave their rest, in place of those of surfaces that are held; `x`, `matrix` as there.
  void turn_to_directions(unsigned k, std::vector<double>& matrix, std::vector<double>& x);
  /// What the weights of order k make of these speeds; `known`, `effect`: what the rates of w have without and by the weights.
  void take_directions(unsigned k, const std::vector<double>& known, const std::vector<double>& effect);
  [[nodiscard]] double reach_of_leaving(double h, double part) const;
  void take_weights(const model::State& state, unsigned k);
  void finish_weights();
  void slide(std::span<const Series::Slide> list);
  [[nodiscard]] std::vector<double> slope(std::uint32_t number, const model::State& state) const;
  std::vector<SlidSwitch> slides;
  std::vector<LeavingSpeed> leaving;
  /// Combinations of weights that change no rate while speeds leave their rest, and what the rates say of them instead (series_leave.cpp).
  struct OpenWeights {
    std::vector<std::vector<double>> rows;     ///< y: of the rows of the small system, each its own
    std::vector<std::vector<double>> weights;  ///< z: of the weights
    std::vector<std::vector<double>> parts;    ///< by order: y.w of the pass before this one, divided by s^m
    std::vector<std::vector<double>> found;    ///< of this pass
  };
  OpenWeights open_weights;
  /// x of the small system; where it leaves combinations open, the least one.
  void solve_weights(unsigned k, const std::vector<double>& effect, std::vector<double> matrix, std::vector<double>& x);
  /// What is open of order k, by the directions that the speeds have; `known` and `effect` as in take_directions.
  void close_weights(unsigned k, const std::vector<double>& known, const std::vector<double>& effect,
                     std::vector<double>& x);
  /// Another pass is wanted: what the rates say of the open combinations has changed.
  [[nodiscard]] bool passes_again();
  void begin_leaving(std::span<const Series::Slide> list);
  std::vector<double> modes;  ///< of the model, as loaded

  // ---- work (series_work.cpp)

  void find_power();

  const model::Model& model;
  unsigned N;
  unsigned orders;
  std::size_t n;
  std::vector<RowShape> shapes;
  std::vector<expressions::Tape> term_tapes;
  std::vector<std::vector<std::uint32_t>> term_roots;
  std::vector<std::vector<std::uint8_t>> term_moving;  ///< instructions that velocities are in
  model::Dynamics dynamics;
  model::Scratch scratch;
  bool sharp = false;
  bool varying_mass = false;
  bool momenta_vary = false;  ///< by more than the velocities: some block of terms is a kinetic energy
  bool has_blocks = false;
  bool works = false;  ///< some force has no potential, or some energy depends on time

  mutable std::vector<double> arena;  ///< of terms whatever was asked for; the rest may lie with the lender
  std::size_t term_arena = 0;
  std::vector<Block> terms, held_blocks, watched_blocks;
  std::vector<Block> bend_blocks;   ///< of the rows under the variational law; their `row` is a place in `bent`
  std::vector<std::uint32_t> bent;  ///< numbers of those rows among the rows held
  Strands strands;
  Links links;
  SlenderBodies slender;                                               ///< none where everything is on tapes
  std::vector<std::pair<std::uint32_t, std::uint32_t>> slender_terms;  ///< group and lane of their energies
  std::vector<Turner> turners;                                         ///< bodies that may be linked
  std::vector<Links::Joint> linkable;                                  ///< joints that may be
  std::vector<std::uint32_t> linked_turners;                           ///< those that are
  std::vector<std::uint8_t> linked_row;                                ///< per row held
  std::vector<std::vector<std::uint8_t>>
      linked_terms;                     ///< per group of terms and lane; a group of none may have no list
  bool linked_masses = false;           ///< no mass is a block but those of linked bodies
  mutable bool gradients_swept = true;  ///< the tapes of linked rows have been run up to the last order
  void sweep_linked() const;
  std::vector<std::uint32_t> plain_rows;  ///< numbers of the rows held that are not made of strands
  std::vector<HeldRow> held_rows;
  std::vector<std::uint32_t> watched_rows;

  // series
  double unit = 1;  ///< of time, and its square
  double unit_squared = 1;
  double per_unit = 1;  ///< plain velocities from those at hand: 1 / unit, 1 in a projection
  bool begun = false;   ///< first_velocity is that of the last projection
  std::vector<double> first_velocity, constant_force;
  std::vector<double> plain_velocity, plain_multiplier;  ///< where the unit is not 1
  double time = 0;
  AlignedNumbers q_room, v;
  std::span<double> q;                 ///< [k * n + i]; v the same
  std::vector<double> lambda;          ///< [k * m + j]
  std::vector<double> rho;             ///< of the rows under the variational law: [b * orders + k]
  std::vector<double> watched_value;   ///< [w * orders + k]
  std::vector<double> watched_length;  ///< [w]: L of a distance that is watched by its square, else 0
  std::vector<double> power;
  bool power_known = false;
  bool inequalities = false;  ///< some row held is one: the sizes of multipliers are asked for

  // the linear system
  std::vector<std::uint32_t> start, column;
  /// Entries of one row one after the other: single ones, up to `single`, then four of neighbouring variables, or none.
  struct EntryRun {
    static constexpr std::uint32_t neighbours = 4;
    std::uint32_t row = 0, single = 0, end = 0;
  };
  std::vector<EntryRun> entry_runs;
  std::vector<double> entry;
  std::vector<double> own_inverse;   ///< as `inverse_mass`, whatever is raised
  std::vector<double> inverse_mass;  ///< per variable, when all masses are single numbers that never change
  std::vector<double> weighted;      ///< J W, then
  linear::GramFactor factor;
  std::vector<double> force_room, acceleration_room;
  std::span<double> force, acceleration;
  std::vector<double> right, size;
  /// Of the terms of a sum of forces and reactions: below it there is nothing left. The sum has a dozen terms or so, and its
  /// multipliers come from a factor.
  static constexpr double frozen = 32 * 0x1p-53;
  /// Least pivots below these: multipliers are solved for twice, at order zero, where digits that are lost would not let anything rest, and at
  /// all orders, where more than four digits are.
  static constexpr double settled_twice = 0.1;
  static constexpr double solved_twice = 1e-4;
  static constexpr unsigned most_solutions = 6;
  /// In the upper half of the orders of linked bodies, whose terms have fallen to the root of the tolerance, from here on.
  static constexpr double solved_twice_late = 1e-8;
  /// Of the tolerance: what multipliers may have lost without being solved for again, above order zero.
  static constexpr double digits_kept = 1e-3;
  double content = sharpest;        ///< the tolerance of the motion
  std::vector<double> right_known;  ///< right-hand sides of an order without the free accelerations
  std::vector<double> balance;      ///< those terms, per variable
  bool balance_known = false;       ///< of this order; else it is made of the next two, if anybody asks
  std::vector<double> balance_force, balance_right;
  std::vector<std::uint8_t> still;  ///< per variable, 1: its velocity and all accelerations so far are zero
  std::vector<double>
      acceleration_terms;    ///< of order zero: what forces and reactions each would make of an acceleration
  std::vector<double> rest;  ///< of the accelerations of order zero: what rounding took from them
  std::vector<double> gradient_sum, rate_scale, lambda_scale;
  std::vector<double>
      first_gradient;  ///< gradient_sum when the rows were chosen: where it vanishes drift has no other scale
  std::vector<double>
      row_length;  ///< sqrt(Phi_jj) when the rows were chosen: the weights in the norm of the multipliers

  // variables that the rows held connect
  std::vector<std::uint32_t> part_of;
  std::size_t parts_count = 0;
  std::vector<double> part_size;
  std::vector<double> root_mass;  ///< sqrt(M_ii)

  // the bound
  static constexpr std::uint32_t none = 0xffffffff;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> own_body;  ///< first variable and number of components
  std::vector<std::vector<unsigned>> term_degrees, held_degrees, watched_degrees;
  std::vector<unsigned> watched_degree;    ///< per group: the largest of any register
  std::vector<double> radii;               ///< of the registers of one block
  std::vector<double> radius_q, radius_v;  ///< sums of |c_k| r^k, k >= 1, circle by circle
  std::vector<double> pressing;            ///< |lambda_k| h^k of the rows of one block
  std::vector<std::vector<std::uint32_t>> term_sized, held_sized, watched_sized;
  expressions::Remainders rests;                               ///< of the registers of one block
  std::vector<double> load, absolute, force_size;              ///< bounds of d and of |W d|; forces at the end
  std::vector<double> free_first, free_last, halfway, at_end;  ///< accelerations: free at 0 and h, true at h/2 and h
  std::vector<double> step_terms;                              ///< sum |a_k| h^k
  std::vector<double> own_scale;                               ///< what d is measured by
  std::vector<double> partner_scale;  ///< the largest energy among the partners of a variable, of accelerations
  std::vector<double> scale_weight, scale_energy;  ///< per variable, its mass and its own energy
  std::vector<double> row_rest, watched_rest,
      multiplier_error;             ///< bounds on the step: of what the polynomials leave out
  std::vector<double> force_terms;  ///< sizes of the terms of the free accelerations at 0
  bool force_terms_known = false;
  std::vector<double> watched_terms;  ///< sizes of the terms of the watched conditions at 0
  bool watched_terms_known = false;
  double defect = 0;
  StepMemory step_memory;
  bool radii_known = false;   ///< of the circle at hand
  unsigned motion_order = 0;  ///< of the polynomials of the step
  std::uint32_t worst_variable = 0, worst_row = none;
  double first_pivot = 1;  ///< the least pivot then
  bool lengths_known = false;
};

}  // namespace zwang::motion
