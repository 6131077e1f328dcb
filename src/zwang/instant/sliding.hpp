/// Surfaces of forces that are met and undecided: on which of them the motion stays, with which weights, and to which side it leaves the others.
///
/// With weights sigma the pushes are w = base + change sigma, w the first derivative of g in which accelerations occur (corners.hpp). On each surface
/// w = 0 with 0 <= sigma <= 1, or sigma = 0 and w <= 0, or sigma = 1 and w >= 0. sliding.cpp chooses; sliding_surfaces.cpp tells which functions have one
/// surface and which depend on one another; sliding_contacts.cpp and sliding_dependent.cpp treat what is not linear or not unique.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "zwang/instant/corner_tolerances.hpp"
#include "zwang/instant/corners_impl.hpp"

namespace zwang::instant {

/// What vectors span, by orthogonal ones.
class Span {
 public:
  /// Is it spanned already?
  [[nodiscard]] bool holds(std::vector<double> x) const {
    const double before = length(x);
    reduce(x);
    return !(length(x) > on_threshold * before);
  }
  /// False: nothing new.
  bool add(std::vector<double> x) {
    if (holds(x)) return false;
    reduce(x);
    const double size = std::sqrt(length(x));
    for (double& value : x) value /= size;
    basis_.push_back(std::move(x));
    return true;
  }

 private:
  static double length(const std::vector<double>& x) {
    double sum = 0;
    for (const double value : x) sum += value * value;
    return sum;
  }
  void reduce(std::vector<double>& x) const {
    for (const std::vector<double>& one : basis_) {
      double part = 0;
      for (std::size_t k = 0; k < x.size(); ++k) part += one[k] * x[k];
      for (std::size_t k = 0; k < x.size(); ++k) x[k] -= part * one[k];
    }
  }
  std::vector<std::vector<double>> basis_;
};

/// Is the multiplier of an inequality more than what weights found by calculation, and no exact ones, leave of the forces? `load`: per variable, the terms
/// of these, with the friction that there may be.
[[nodiscard]] bool presses(const model::Model& model, const Evaluation& found, const Instant& instant,
                           const std::vector<double>& load, std::uint32_t row);

/// The switches of forces that are on a threshold and undecided, and what their weights do.
class Sliding {
 public:
  Sliding(const model::Model& model, const model::State& state, const Options& options, Workspace& workspace,
          Corners& corners, std::vector<std::uint32_t> switches, std::vector<expressions::Side> on,
          std::vector<expressions::Side> towards, std::vector<std::pair<std::uint32_t, expressions::Side>> touched,
          const Pins& pins);

  /// What the conditions are about to move off its threshold is pushed there by a little (sliding_imposed.cpp).
  void impose(std::span<const Imposed> imposed);
  /// Sides, weights and modes into the corners given, or why they are not determined.
  void run();

 private:
  enum class Where : std::uint8_t { below, on, above };
  /// A switch with the surface of a first one: it is on `on` there, and its function rises where that of the first falls, if `turned`.
  struct Member {
    std::uint32_t number = 0;
    expressions::Side on = 0;
    bool turned = false;
  };
  class Dependent;

  // ---- sliding.cpp

  /// Where every switch is, and its weight, if w = base + change sigma: by Murty's rule, the first that is not right changes its state. `ways`: the
  /// accelerations of either side, of one switch. False: refused.
  bool choose(const std::vector<double>& base, const std::vector<double>& change, double zero,
              const std::vector<std::vector<double>>& ways, std::vector<Where>& where, std::vector<double>& sigma);
  /// One switch that pushes away from its surface on one side and not at all on the other: to that side as well, if what is pushed there later leads into
  /// it, and then there are two ways. False: refused.
  bool leave_edge(bool from_below, double zero, const std::vector<std::vector<double>>& ways, std::vector<Where>& where,
                  std::vector<double>& sigma);
  /// Where one switch is pushed to a little later, if nothing pushes it now with this weight: -1, 1, or 0 if nothing does.
  int leads_later(double weight, double zero);
  /// w of every switch for these weights; false if there are no accelerations, which is then the answer.
  bool push(const std::vector<double>& sigma, std::vector<double>& w);
  /// One switch, and conditions open or close as its weight changes: w falls in pieces of straight lines.
  bool refine(std::vector<double>& sigma, double zero);
  /// The sides, and what is slid on, if the weights may be taken for it.
  void take(const std::vector<Where>& where, const std::vector<double>& sigma, const std::vector<std::uint8_t>& slides,
            const std::vector<std::uint8_t>& implied);
  /// Are forces (rates) between those of both sides of a surface as the weight says?
  [[nodiscard]] bool linear_in(std::size_t i, std::vector<double> sigma);
  void mix(std::size_t i, double sigma, std::vector<double>& modes) const;
  /// Is some corner nested about both?
  [[nodiscard]] bool shares(std::size_t i, std::size_t j) const;
  /// Where nothing moves a switch off its threshold: where the series was going, else as its value says, which is none for `sign` alone. On a wall: in the
  /// place of the side that it forbids.
  [[nodiscard]] Where resting(std::size_t i) const;
  void refuse(const std::string& why,
              const char* advice = "give one of them a smooth transition, such as tanh(u/0.01)");
  /// Functions of a flow whose rates no weight changes, and are zero, are moved through their second derivatives, as functions of positions are by
  /// forces: x where x' = y and y' switches. If the others keep them on their thresholds, that is the answer. False: nothing is decided.
  bool look_at_second(std::vector<double> base, std::vector<double> change, double zero);
  /// The rate of a switching function of a flow beside the state, along its rates for a time, or with one variable moved.
  [[nodiscard]] double rate_beside(std::uint32_t number, double time, std::size_t variable, double by) const;
  /// Of the largest coordinate, now or at the start: so far beside the state.
  [[nodiscard]] double little() const;
  [[nodiscard]] bool by_second(std::uint32_t number) const;

  // ---- sliding_surfaces.cpp

  /// Switches with one and the same surface have one weight, whatever forces they belong to: those that are multiples of one another.
  void join_equal();
  [[nodiscard]] bool dependent() const;
  /// What the equations keep, of all directions in which accelerations move: the surfaces beside it are what there is. Of the last pushes.
  [[nodiscard]] Span kept_by_equations() const;
  [[nodiscard]] bool has_equations() const;
  /// Switches that the equations keep on their thresholds are on them for good, whatever pushes: they are no longer among those to decide on.
  bool leave_to_equations(const std::vector<double>& base);
  /// One of them out of all lists.
  void take_out(std::size_t i);
  /// Switches that roundings have put on a side already, although the others keep them on their threshold, are met with them.
  void take_in_dependent();
  /// The distance of g from the threshold on which the switch is.
  [[nodiscard]] double off(std::uint32_t number, expressions::Side on, const model::State& state) const;
  /// The factor by which the second is a multiple of the first, seen at three states beside this one; 0: it is none.
  [[nodiscard]] double multiple(std::uint32_t one, expressions::Side on_one, std::uint32_t other,
                                expressions::Side on_other) const;
  /// Slopes by what the forces move: velocities where they occur, else positions; of a flow positions.
  [[nodiscard]] std::vector<double> slopes(std::uint32_t number) const;
  /// Slopes by what accelerations (the rates of a flow) change of w: a function of positions whose rate vanishes is moved through its second
  /// derivative as one of velocities is through its first.
  [[nodiscard]] std::vector<double> pulls(std::uint32_t number) const;
  [[nodiscard]] bool is_flat(std::uint32_t number) const;
  [[nodiscard]] bool parallel(std::uint32_t one, std::uint32_t other) const;

  // ---- sliding_contacts.cpp

  /// w of every switch as base + change sigma, with these rows as equations and all others open: what the accelerations are if nothing opens or closes.
  /// `relief`: by how much the multipliers of the inequalities among them grow with every weight. False: the rows contradict each other.
  bool with_rows(const std::vector<std::uint32_t>& rows, std::vector<double>& base, std::vector<double>& change,
                 std::vector<double>& relief);
  /// The inequalities that touch, and the rows that carry force now, but for walls that the series was leaving.
  [[nodiscard]] bool touches() const;
  [[nodiscard]] std::vector<std::uint32_t> carrying() const;
  /// Where inequalities touch they open and close with the weights. For a set of them that holds the picture is linear; its weights tell who
  /// carries force, which is the next set. What a condition holds on its surface all by itself needs no weight: friction then resists
  /// opening as far as it can, so that the condition lets go when it must. False: nothing found, and nothing refused yet.
  bool run_with_contacts();

  // ---- sliding_discs.cpp

  /// Weights that lie in one disc (ball, interval) |c| <= 1, c = 2 sigma - 1, and what became of them.
  struct Disc {
    std::vector<std::size_t> of;  ///< places among the switches
    bool part = false;            ///< of the direction of a speed, not of one surface
    bool told = false;            ///< the motion has found that it leaves its rest
    bool waits = false;           ///< neither friction nor load is there at this instant
    bool idle = false;            ///< nor for a while
    bool imposed = false;         ///< the conditions move it, by a derivative that comes later than the first
    double push = 0;              ///< w = push c: 0 where it rests
  };
  /// Directions of speeds that are at rest: the weights of each lie in a disc. Stick and slip by the nearest point.
  void run_discs();
  [[nodiscard]] bool has_parts() const;
  /// The discs, or none and the refusal is written.
  [[nodiscard]] std::vector<Disc> discs();
  /// c in all discs with w = base - effect c along the outward normal of each, by going over the discs until nothing changes. False: refused.
  bool solve_discs(const std::vector<double>& base, const std::vector<double>& effect, double zero,
                   std::vector<Disc>& discs, std::vector<double>& c);
  /// c in these discs that hold all of them at rest, the others as they are: what is open goes where all have most room (disc_room.hpp). Where no room is left
  /// anywhere and one is told to leave, those are told that leave with it. False: none.
  bool rest_in_discs(const std::vector<double>& base, const std::vector<double>& effect, double zero,
                     std::vector<Disc>& discs, const std::vector<std::size_t>& among, std::vector<double>& c) const;
  /// Groups of discs that have nothing to do with each other.
  [[nodiscard]] std::vector<std::vector<std::size_t>> coupled(const std::vector<double>& effect,
                                                              const std::vector<Disc>& discs,
                                                              const std::vector<std::size_t>& among) const;
  /// All discs at once by Newton's rule, from weights that tell already who leaves. False: that is no answer.
  bool solve_discs_at_once(const std::vector<double>& base, const std::vector<double>& effect, double zero,
                           std::vector<Disc>& discs, std::vector<double>& c) const;
  /// base - effect c.
  [[nodiscard]] std::vector<double> pushes_of(const std::vector<double>& base, const std::vector<double>& effect,
                                              const std::vector<double>& c) const;
  /// The same of one disc, with the others as they are.
  void solve_disc(const std::vector<double>& base, const std::vector<double>& effect, Disc& disc,
                  std::vector<double>& c) const;
  /// Is w as the discs say?
  [[nodiscard]] bool fits(const std::vector<Disc>& discs, const std::vector<double>& c, const std::vector<double>& w,
                          double doubt) const;
  void take_discs(const std::vector<Disc>& discs, const std::vector<double>& c, const std::vector<double>& effect,
                  double zero);

  // ---- sliding_later.cpp

  /// A condition that the places pass without a jump of any force, as that of max(x, 0), keeps nothing where it is: it is on a side.
  void drop_kinks();
  void drop(std::size_t i);
  /// Bends on the surface of something that jumps: a table with a node where a relay switches.
  void drop_bends_of_surfaces();
  /// The sides of these, by where everything goes with these weights.
  void take_dropped(const std::vector<double>& sigma);
  /// Do forces jump across it?
  [[nodiscard]] bool changes_force(const std::vector<MixedMode>& across, model::State state) const;
  /// A switch of velocities (of a flow: of positions) across which no force jumps, here and elsewhere on its surface, as that of abs(x')*x' or max(x', 0): it keeps nothing where it is.
  [[nodiscard]] bool is_bend(std::uint32_t number, expressions::Side on, const std::vector<MixedMode>& across) const;
  /// Friction and load that both vanish here: what they are a little later decides. False: refused.
  bool decide_later(std::vector<Disc>& discs, std::vector<double>& c, double zero);
  /// The state so much later, with the present accelerations.
  void go_on(double time);
  /// Are there jumps along lines that neither push nor hold at this instant, but will?
  [[nodiscard]] bool waits_for_size(const std::vector<double>& base, const std::vector<double>& change, double zero);

  // ---- sliding_imposed.cpp

  /// What forces do to the functions where no condition holds: pushes are measured by that.
  [[nodiscard]] double free_push();
  /// What is imposed, added to pushes.
  void add_imposed(std::vector<double>& w) const;
  /// The directions in which discs leave that are moved by what is imposed: the limit of a push that is ever less. `base`: with that push.
  void leave_as_imposed(std::vector<double> base, const std::vector<double>& effect, double zero,
                        std::vector<Disc>& discs, std::vector<double>& c);
  bool limit_of_imposed(const std::vector<double>& base, const std::vector<double>& effect, double zero,
                        const std::vector<Disc>& discs, std::vector<double>& c) const;

  // ---- sliding_dependent.cpp

  /// Frictions on surfaces that depend on one another, as two blocks at rest on the ground and against each other: the accelerations are
  /// unique, the weights are not. With eps of the largest B_ii more of its own effect everywhere, they are, and as far from their bounds
  /// as may be; then as many surfaces as are independent are slid on with weights that follow from the motion, and the rest keep theirs.
  void run_dependent(const std::vector<double>& base, const std::vector<double>& change, double zero);
  /// States, weights and who keeps whom in that picture; "", or why there is no answer.
  std::string share_dependent(const std::vector<double>& base, const std::vector<double>& change, double zero,
                              std::vector<Where>& where, std::vector<double>& sigma, std::vector<std::uint8_t>& slides,
                              std::vector<std::uint8_t>& implied);
  /// Do surfaces depend on one another, each of which friction acts against?
  [[nodiscard]] bool rub_dependently(const std::vector<double>& change, double zero) const;

  const model::Model& model_;
  model::State state_;
  Options options_;
  Workspace& workspace_;
  Corners& corners_;
  const Pins& pins_;
  std::vector<std::uint32_t> switches_;
  std::vector<expressions::Side> on_;
  std::vector<expressions::Side>
      towards_;  ///< of each: where the series was going, where nothing else tells; on it: nowhere
  std::vector<std::pair<std::uint32_t, expressions::Side>>
      touched_;                                ///< known to be on a side, and on a threshold nevertheless
  std::vector<std::vector<Member>> members_;   ///< of each: the switches with its surface
  std::vector<std::vector<MixedMode>> mixed_;  ///< of each: what changes across it
  /// Of each: the side that a condition forbids, in whose place the wall stands; on: none (pins.hpp).
  std::vector<Where> walls_;
  struct Dropped {
    std::uint32_t number = 0;
    std::vector<Member> members;
    expressions::Side on = 0;
    std::vector<MixedMode> mixed;
  };
  std::vector<Dropped> dropped_;  ///< kinks that keep nothing
  struct Held {
    Where where = Where::on;
    std::vector<Member> members;
    std::vector<MixedMode> mixed;
  };
  std::vector<Held> held_;              ///< kept on their thresholds by equations
  std::vector<std::uint32_t> carried_;  ///< inequalities that count as equations
  std::vector<std::uint8_t>
      second_;                   ///< of each, 1: of a flow, and moved through its second derivative; empty: none is
  std::vector<double> imposed_;  ///< of each: what the conditions push it by, the largest 1; empty: none
  double imposed_size_ = 0;      ///< what that counts for among the pushes
  Instant instant_;
  std::vector<double>
      load_;  ///< per variable: the most that the terms of its force were, with the weights asked so far
};

}  // namespace zwang::instant
