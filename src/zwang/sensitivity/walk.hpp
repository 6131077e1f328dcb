/// One parameter along a run: its pieces and instants one after the other, with the derivatives by it.
///
/// Several go along together, so that what belongs to the motion is found once and their equations are solved side by side. Reference: docs/mathematics, section 24.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "zwang/motion/let_go.hpp"
#include "zwang/sensitivity/approach.hpp"
#include "zwang/sensitivity/in_turn.hpp"
#include "zwang/sensitivity/sensitivity.hpp"
#include "zwang/sensitivity/sequences.hpp"
#include "zwang/sensitivity/surfaces.hpp"
#include "zwang/sensitivity/tolerances.hpp"
#include "zwang/sensitivity/triggers.hpp"
#include "zwang/sensitivity/variation.hpp"

namespace zwang::sensitivity {

class Walk {
 public:
  using Event = motion::Event;
  using EventKind = motion::EventKind;
  using Piece = motion::Piece;

  Walk(const model::Model& model, const motion::RunView& run, Variation variation, std::vector<Surface> surfaces,
       const std::vector<double>& times, const std::vector<Event>& events, PointsOfPiece& points)
      : model_(model),
        run_(run),
        variation_(std::move(variation)),
        surfaces_(std::move(surfaces)),
        events_(events),
        points_(&points) {
    out_.name = variation_.parameter().name;
    for (std::size_t k = 0; k < times.size(); ++k) order_.push_back(k);
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
    times_ = &times;
    found_.resize(times.size());
  }

  void prepare();
  /// Through the instant at which a piece begins; then along it, stretch by stretch, as long as it is on its way: what it asks for is followed before it moves on. The piece must stay
  /// where it is for so long.
  void enter(const Piece& piece);
  [[nodiscard]] bool on_its_way() const { return on_its_way_; }
  void ask(std::vector<Following>& all);
  void move_on();
  /// Did it come to a place with two derivatives, of which it followed the one above?
  [[nodiscard]] bool forked() const { return forked_; }
  void prefer_below() { prefers_below_ = true; }
  ParameterSensitivity take();

 private:
  // ---------------------------------------------------------------------------------------------- what is known

  /// From here on there is no derivative on this side.
  void lose(bool before, bool after, const std::string& why) {
    before_ = before_ && !before;
    after_ = after_ && !after;
    if (why_.empty()) why_ = why;
  }
  void lose(const std::string& why) { lose(true, true, why); }
  [[nodiscard]] bool lost() const { return !before_ && !after_; }

  void refuse_beforehand();

  [[nodiscard]] Slope slope_of(StateSlope state) const;
  void note_time(std::size_t event, double slope);

  // ---------------------------------------------------------------------------------------------- pieces

  /// Behind what happens at a given time a piece on which no time passes leads to what else happens then: both are of one instant.
  [[nodiscard]] bool between_events(const Piece& piece) const;

  [[nodiscard]] std::vector<double> modes_on(const Piece& piece, std::vector<expressions::Side>& sides) const;

  /// Which switches were slid on and still are: what leaves its surface is among those of an event of slipping, whose bodies are named.
  [[nodiscard]] std::vector<std::uint8_t> held_still(double start) const;

  void enter_piece(const Piece& original);
  void lose_what_stirs(const Piece& piece);

  /// A stretch was followed to its end.
  void take_stretch();
  void lose_what_touches(const Piece& piece);

  /// The samples and the events inside of a stretch.
  void go_over(double until, bool at_end);

  void leave_piece();

  /// Friction that holds with nothing to spare, all along the piece: where the parameter moves one way it slips, as of a load that is as large as it.
  void lose_what_just_holds(const Piece& original, const MotionPoint& middle, const Slid& slid,
                            const std::vector<expressions::Side>& sides, const std::vector<double>& modes);

  /// What leads to a rest is kept for a while, if there are speeds whose directions are asked.
  bool looks_back();

  /// The first stretch of a piece on which speeds leave their rest. False: none does.
  bool leaves(const Piece& piece, const std::vector<double>& modes, const std::vector<expressions::Side>& sides,
              Stretch& stretch);

  /// Derivatives at a time on the stretch just found.
  [[nodiscard]] Slope sample(const Piece& piece, const Stretch& stretch, const std::vector<double>& modes, double time);

  void fill(const MotionPoint& at, const Piece& piece, const Stretch& stretch, const std::vector<double>& multiplier,
            StateSlope& out) const;

  /// What slips starts with g = g' = 0 on the side it slips to: its time moves by -dg' / g''.
  void note_slips(const Piece& piece, const Stretch& stretch, const std::vector<double>& modes);

  // ---------------------------------------------------------------------------------------------- instants

  /// The start: what is written, brought onto the conditions as `run` does it.
  void begin(const Piece& piece, const MotionPoint& here, const std::vector<expressions::Side>& sides);

  /// Inequalities that touch at the start: if the parameter opens them on one side, the motion there is another one than on the other,
  /// where the start is broken and is brought back.
  void touching_start(const MotionPoint& at, const Piece& piece);
  static bool pressed(const Piece& piece, std::uint32_t row);
  [[nodiscard]] bool zero(double value, double scale) const {
    return std::abs(value) <= model_.simulation.touch * scale;
  }

  /// Events up to this instant that were not looked at: their numbers.
  std::vector<std::size_t> events_until(double time);

  /// Those and the ones that waited. What sticks comes to rest by steps as short as times can be told apart: it waits for the one at which it does.
  std::vector<std::size_t> at_this_instant(double time, bool no_side_changes);

  void cross(const MotionPoint& before, const Piece& old, const std::vector<expressions::Side>& old_sides,
             const MotionPoint& after, const Piece& piece, const std::vector<expressions::Side>& sides);

  /// Which rows go when an expression becomes true. Of several releases at one instant it is not known which lets go which.
  void tell_what_is_let_go(std::vector<Trigger>& triggers, const std::vector<std::size_t>& events) const;
  /// Does the event tell of this trigger?
  static bool is_of(const Event& event, const Trigger& trigger);

  /// What happens at one instant and acts on one another: in the order that they have on either side of the parameter's value. Is a derivative left?
  bool one_after_the_other(const std::vector<Trigger>& triggers, const MotionPoint& before, const MotionPoint& after,
                           const AroundInstant& around, const std::string& together);

  static double largest(std::span<const double> x) {
    double most = 0;
    for (const double one : x) most = std::max(most, std::abs(one));
    return most;
  }
  /// Largest values so far, by which a jump is told from rounding.
  void remember(const MotionPoint& at);
  void remember_slopes();
  static bool jumps_at(std::size_t i, const std::vector<double>& before, const std::vector<double>& after,
                       const std::vector<double>& sizes, double part = rate_zero) {
    const double jump = std::abs(after[i] - before[i]);
    return jump > part * sizes[i] && jump > others_rounding * largest(sizes);
  }
  static bool jumps(const std::vector<double>& before, const std::vector<double>& after,
                    const std::vector<double>& sizes, double part = rate_zero);
  [[nodiscard]] bool has_impulses(const std::vector<std::size_t>& events) const {
    return std::any_of(events.begin(), events.end(),
                       [&](std::size_t event) { return !events_[event].impulses.empty(); });
  }

  /// Something is touched without effect: on one side of the parameter's value it is not reached, on the other it is struck.
  bool grazed(const std::vector<std::size_t>& events, const MotionPoint& at);

  /// Nothing jumps: releases, marginal contacts. Of a release the time follows from the multiplier.
  void smooth(const std::vector<std::size_t>& events, const MotionPoint& before, const Piece& old);

  static double multiplier_rate(const Piece& piece, std::size_t j, double time);

  /// How the time of the instant moves, per variable: one slope for all triggers, or one for each of several that do not act on one another.
  /// Else why not.
  std::string times_of(const std::vector<Trigger>& triggers, const MotionPoint& before, const MotionPoint& after,
                       std::vector<double>& slopes) const;

  /// Through the instant, by the rule that the velocities show.
  void jump(MotionPoint before, const MotionPoint& after, const std::vector<std::uint32_t>& rows,
            const std::vector<std::size_t>& events, const std::vector<double>& slopes);

  /// An event in the middle of a piece: a graze, the limit of a sequence of shocks.
  void inside(std::size_t number, const Piece& piece, const Stretch& stretch, const std::vector<double>& modes);

  /// The limit of a sequence of shocks, and those behind the last one that tells.
  void limit(std::size_t number) {
    out_.events[number].why = why_;
    if (lost()) return;
    if (const std::optional<double> slope = limit_of_shocks(events_, number, out_.events)) note_time(number, *slope);
  }

  // ---------------------------------------------------------------------------------------------- the end

  void finish();

  /// Blows, seizures and releases at the very end whose times do not move: there is a motion through them.
  bool given_at_end();

  /// What happens at the very end happens before or behind it when the parameter moves.
  void happens_at_end();

  /// Outputs at an end that moves: their derivative at a fixed time and their rate along the motion.
  void add_time_of_outputs(const ParameterSlope& parameter, double moves, StateSlope& state);

  std::optional<double> end_slope();

  const model::Model& model_;
  const motion::RunView& run_;
  Variation variation_;
  std::vector<Surface> surfaces_;
  std::vector<Surface> slipping_;     ///< left at the last instant,
  std::vector<std::size_t> slips_;    ///< at these events
  std::vector<std::size_t> waiting_;  ///< that stick
  std::optional<bool> looks_back_;    ///< at
  Approach approach_;
  const std::vector<Event>& events_;  ///< of the whole run
  PointsOfPiece* points_;
  ParameterSensitivity out_;

  const std::vector<double>* times_ = nullptr;
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;
  std::vector<std::optional<Slope>> found_;
  std::vector<motion::SpringGone> gone_;  ///< springs that were let go
  std::size_t next_event_ = 0;

  bool before_ = true;
  bool after_ = true;
  bool forked_ = false;
  bool prefers_below_ = false;
  std::string why_;

  std::vector<double> places_, speeds_, forces_;           ///< per variable, the largest so far
  std::vector<double> position_slopes_, velocity_slopes_;  ///< likewise

  // The piece it is on, with rows for what is slid on, and where it is.
  const Piece* piece_ = nullptr;
  Piece wider_;
  std::vector<expressions::Side> sides_;
  std::vector<double> modes_;
  const MotionPoint* there_ = nullptr;  ///< the end of the piece
  Stretch stretch_;
  double now_ = 0;
  bool on_its_way_ = false;
  bool asks_ = false;                                      ///< for a stretch from here on
  bool fresh_ = false;                                     ///< the stretch was not gone over yet
  std::vector<double> position_before_, velocity_before_;  ///< at its start

  bool begun_ = false;
  std::uint64_t pieces_ = 0;
  Piece last_;
  std::vector<expressions::Side> last_sides_;
  std::vector<std::uint8_t> touches_;  ///< of the rows of a piece: without a force
  std::vector<double> fastest_;        ///< per switch: the largest |w|^2 of a speed that stands below a product
  std::vector<double> last_modes_;
  MotionPoint last_point_;
  Stretch final_stretch_;
};

/// All along a piece, side by side as far as they ask for the same. `asked`: room for what they ask.
void go_along(std::vector<Walk>& walks, const motion::Piece& piece, std::vector<Following>& asked);

}  // namespace zwang::sensitivity
