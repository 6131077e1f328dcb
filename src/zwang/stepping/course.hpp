/// One way through time in steps of one length: Moreau's scheme.
///
/// A step leads from (t, q, v) to (t + h, q+, v+). With the middle q_m = q + h v / 2 and everything marked m taken there,
///
///   1. smooth:    v- = nearest to v + h W_m X_m  under  J_m (v + v-) / 2 + f_t = 0 or <= 0 of what touches at q,
///   2. positions: q+ = q_m + h v- / 2, brought onto the conditions by the least way in the metric of the masses,
///   3. shock:     v+ = nearest to v- (with the blows due) under J+ v+ + f_t = 0 or <= 0 of what touches at q+, with restitution.
///
/// What is reached within the step is entered by less than h times its speed, is brought back to its surface by 2 and struck with its whole speed in
/// 3. Without shocks the scheme is symmetric in time and of second order: on a curved surface v and v- are reflections of each other at the
/// surface's direction in the middle, so that nothing is lost by its curvature; 3 is then a correction of the order h^3. With shocks it is of
/// first order, since their times are known to a step. Nonholonomic conditions take part in 1 and 3 like the others.
///
/// An end is a status with a sentence, never an exception. Reference: docs/mathematics, section 26; Moreau, Unilateral contact and dry
/// friction in finite freedom dynamics (Springer 1988).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zwang/model/evaluate_some.hpp"
#include "zwang/stepping/nearest.hpp"
#include "zwang/stepping/solids.hpp"
#include "zwang/stepping/tolerances.hpp"
#include "zwang/trajectory.hpp"

namespace zwang::stepping {

class Course {
 public:
  /// At the model's start; the model must outlive it.
  Course(const model::Model& model, double until, double step);

  /// The start brought onto its conditions, with what is due there.
  void begin();
  /// One step; false when the course has ended.
  bool go() { return locates ? go_located() : now.status == motion::Status::going && go_to(next_time()); }
  /// Where another course of the same model is.
  void join(const Course& other);
  /// Is every condition kept at the present state? Else the course has given up.
  void verify_end();
  /// Does the account of the energy close, from what it was at the start? Else a course that has come to its end has given up.
  void verify_account(double initial);

  // The present; everything here is kept in checkpoints.
  struct Present {
    motion::Status status = motion::Status::going;
    std::string why;
    std::vector<std::uint32_t> culprits;
    model::State state;
    std::uint64_t steps = 0;
    std::vector<std::uint8_t> held;      ///< per row: held in the last smooth part
    std::vector<double> impulse;         ///< per row: of the last step, smooth part and shock
    std::vector<std::uint8_t> touches;   ///< per row: takes part in the next smooth part
    std::vector<std::uint8_t> released;  ///< per release of the model
    std::vector<std::uint8_t> absent;    ///< per row: let go, or not begun yet
    std::vector<std::uint8_t> far;       ///< per row: cannot be touched before `look_again`
    std::vector<double> rate;            ///< per open row: f' now; infinite: not known
    std::vector<double> value;           ///< per row: f now; infinite: not known
    double travelled = 0;                ///< the ways of the bodies that moved most, added up
    double look_again = 0;               ///< when that has come so far, all conditions are looked at
    double pace = 0;                     ///< of the last step
    double last_step = 0;
    double work = 0, lost = 0, gross_work = 0;
    double largest_kinetic = 0;
    std::vector<double> late;  ///< per variable: by how much shocks that came late have moved it
    double penetration = 0;
    double position_drift = 0, velocity_drift = 0;
    double position_correction = 0, velocity_correction = 0;
  };
  Present now;

  double until;
  double step;
  bool locates = false;  ///< steps end where a surface is entered
  /// Rounds in which velocities were corrected, so far.
  [[nodiscard]] std::uint64_t velocity_corrections() const { return velocity_corrections_; }
  [[nodiscard]] const std::vector<double>& before() const { return before_.position; }
  [[nodiscard]] const std::vector<double>& velocity_before() const { return before_.velocity; }
  [[nodiscard]] const std::vector<double>& arriving() const { return arriving_; }  ///< v-: before the shock at the end
  [[nodiscard]] double time_before() const { return before_.time; }
  /// Rows that are not far, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& near() const { return near_; }
  /// After `now` was filled from outside.
  void take_up();
  /// T_2 - T_0 + V of the present state.
  [[nodiscard]] double energy();
  [[nodiscard]] double kinetic();
  /// The most that late shocks have moved anything by, as if nothing had carried it on.
  [[nodiscard]] double late() const;

 private:
  enum class Due : std::uint8_t { start, later };

  void end(motion::Status status, std::string why, std::vector<std::uint32_t> culprits = {});
  void end_contradictory(const Selection& selection, const Nearest& nearest, gauss::Status status, const char* what);
  [[nodiscard]] double next_time() const;
  void find_modes(model::State& state) const;
  void evaluate(model::State& state, model::Rows& rows, std::span<const std::uint8_t> left_out);
  void look();
  void look_around();
  [[nodiscard]] double reach_of(std::uint32_t row) const;
  [[nodiscard]] double way_since() const;
  void find_forces(const model::State& state);
  void look_at_alternatives(const model::Rows& rows, std::vector<std::uint8_t>& out) const;
  void choose_alternatives(bool passing);
  void note_slipped();
  void settle_first();
  [[nodiscard]] double slip_of(std::uint32_t row) const { return 2 * band_[row] + slipped_ * length_of(row); }
  [[nodiscard]] double slack_of(std::uint32_t row) const;
  [[nodiscard]] double way_back(std::uint32_t first, std::uint32_t behind, std::uint32_t alternative) const;
  [[nodiscard]] std::uint32_t entered_alternative(std::uint32_t first, std::uint32_t behind, std::uint32_t count,
                                                  double& part);
  void find_questions(const std::vector<double>& value);
  [[nodiscard]] double square_between(const std::vector<double>& a, const std::vector<double>& b);
  [[nodiscard]] bool answer(const model::Rows& rows, const std::vector<double>& x0, const std::vector<double>& offset,
                            double h);
  void ask_forces(double h);
  [[nodiscard]] bool ask_shock(double h);
  [[nodiscard]] bool is_pierced(std::uint32_t row, double from, double& in);
  void end_passed(std::uint32_t row);
  double on_the_way(std::uint32_t row, double part);
  /// The place between `low` and `high` where `above` changes from true to false.
  template <class Above>
  [[nodiscard]] static double last_of(double low, double high, const Above& above) {
    for (unsigned round = 0; round < halvings_of_the_way; ++round) {
      const double middle = (low + high) / 2;
      (above(middle) ? low : high) = middle;
    }
    return low;
  }
  [[nodiscard]] std::uint32_t passed_alternative(std::uint32_t first, std::uint32_t behind,
                                                 const std::vector<double>& later);
  [[nodiscard]] double way_beside(std::uint32_t row) const;
  [[nodiscard]] bool is_in(std::uint32_t row) const { return now.absent[row] == 0 && beside_[row] == 0; }
  [[nodiscard]] bool is_near(std::uint32_t row) const { return entered_[row] != 0 || rows_.value[row] >= -band_[row]; }
  [[nodiscard]] double length_of(std::uint32_t row) const;

  bool go_to(double end_time);
  bool go_located();
  [[nodiscard]] double first_entry();
  void note_late(const std::vector<double>& inelastic);
  bool smooth(double h);
  void select_smooth(double h);
  [[nodiscard]] bool is_wedged();
  [[nodiscard]] double gap_rate(std::uint32_t row, double value, double h) const;
  void restore_quaternions();
  bool correct_positions(bool starting);
  bool look_back();
  bool has_jumped();
  bool look_at_solids();
  [[nodiscard]] bool is_entered_unseen();
  bool bring_back();
  void begin_seizures(double h);
  [[nodiscard]] double off_by(std::uint32_t row) const;
  bool correct_fully(bool& loose, double deepest);
  bool regulate(Due due);
  void select_shock(double h);
  [[nodiscard]] double most_pull(std::uint32_t row) const;
  [[nodiscard]] double part_at_surface(std::uint32_t row) const;
  bool strike(bool& rebounds);
  void correct_velocities();
  void note_touching();
  void note_kinetic();
  void let_go();
  void look_at_stop();
  [[nodiscard]] bool is_true(std::uint32_t truth) const;
  void add_work(double h);
  [[nodiscard]] double force_power(const model::State& state, const std::vector<double>& velocity);

  const model::Model& model_;
  bool steady_forces_;  ///< masses and forces are constant
  bool forces_by_velocity_;
  bool has_alternatives_;
  std::vector<std::uint32_t> force_terms_;
  std::vector<std::uint32_t> quaternions_;  ///< first of the four variables of each
  bool has_time_;

  model::Scratch scratch_;
  model::Dynamics dynamics_;
  model::Rows rows_, rows_mid_;
  std::vector<double> tolerance_;      ///< per row: what |f| may be
  std::vector<double> band_;           ///< per row: as near it touches
  std::vector<std::uint8_t> beside_;   ///< per row: of an alternative that does not count now
  std::vector<std::uint8_t> entered_;  ///< per row: had to be kept out in this step
  std::vector<std::uint32_t>
      settled_;  ///< per first row of a member with alternatives: the one that counts in this step, plus 1
  std::vector<std::uint8_t>
      bounded_;  ///< per row: a gradient of constant length, so that a way tells how far f can have come
  std::vector<std::uint8_t> left_out_;    ///< per row: not evaluated in the middle of a step
  std::vector<std::uint32_t> near_;       ///< rows that are not far, ascending
  std::vector<double> looked_from_;       ///< positions up to which the way is accounted for
  std::vector<std::uint8_t> seized_now_;  ///< per row: begins in this step
  model::State before_, mid_, passing_;
  double travelled_before_ = 0;
  bool wedged_ =
      false;  ///< in this step surfaces give way within their tolerance, and what is within it stays where it is
  bool locating_ = false;  ///< a step that enters something is given up, with the place in entry_part_
  double entry_part_ = 1;
  unsigned located_ = 0;  ///< entries within one step of the grid so far
  std::uint64_t velocity_corrections_ = 0;
  std::vector<double> free_, pull_, change_, arriving_, alpha_, right_, depth_, uncorrected_;
  Selection smooth_rows_, position_rows_, shock_rows_;
  Nearest smooth_, position_, shock_;
  std::vector<double> registers_;

  // Alternatives.
  struct Entry {
    std::uint32_t first, behind, chosen;
    double part;  ///< of the way, where it was entered
  };
  struct Question {
    std::uint32_t first, behind;
    std::vector<std::uint32_t> touched;
    std::uint32_t chosen;  ///< beyond all: none yet
    std::uint32_t before;  ///< counted before; beyond all: none
  };
  std::vector<SolidPair> solids_;
  std::vector<double> tip_;     ///< per row: of polygons and boxes, how long the tips of their corners are at most
  bool strict_ = false;         ///< where one alternative takes over from another the way is taken as it is
  bool excused_ = false;        ///< one has taken over in this step
  std::vector<Entry> entries_;  ///< all of whose alternatives are broken, in this round
  std::vector<Question> questions_;
  double slipped_ = 0;               ///< what carries is off its surface by, twice
  std::vector<double> slack_;        ///< per row, of the member looked at
  std::vector<double> first_entry_;  ///< per variable: part of the way to the first entry
  std::vector<double> offset_;
  std::vector<std::uint8_t> touched_, is_touched_;
  Selection decided_, trial_rows_;
  Nearest trial_;
  std::uint32_t tied_ = 0;
};

}  // namespace zwang::stepping
