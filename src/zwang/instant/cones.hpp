/// The apex of a cone: f = A + B |w| <= 0 where w and w' vanish.
///
/// There f has no gradient, and A'' + B |w''| <= 0 is asked of accelerations, A' + B |w'| <= 0 of velocities: a cone of second order, the half-spaces
///
///   A'' + B c.w'' <= 0      for every direction c, |c| = 1.
///
/// Three of them, the spokes c_0, c_1, c_2, stand for it as rows. What they allow is more than the cone, so the nearest point under them is that of the cone if it
/// lies in the cone. If not, one of them that carries nothing is turned to w'', the half-space that cuts it off. With all three held, A'' = 0 and w'' = 0, and
///
///   lambda = sum l_k,   p = sum l_k c_k / lambda
///
/// is the load and the place where it presses, |p| <= 1: they hold as long as p lies in their triangle, and are turned when it leaves that, as long as it lies in the
/// circle. With one held, w'' points along it, and so the motion leaves. Reference: docs/mathematics, section 29.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "zwang/expressions/cones.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/impact.hpp"
#include "zwang/instant/instant.hpp"

namespace zwang::instant {

using Direction = std::array<double, 2>;

/// A and B w, or their derivatives.
struct InCone {
  double along = 0;
  Direction across{};
  [[nodiscard]] double lean() const;  ///< B |w|
};

/// The direction of a spoke.
[[nodiscard]] Direction spoke_direction(const model::Model& model, const model::Cone& cone, std::size_t which,
                                        std::span<const double> modes);
/// What values, rates or second derivatives of the spokes, per row, say of A and B w.
[[nodiscard]] InCone seen_by_spokes(const model::Model& model, const model::Cone& cone, std::span<const double> modes,
                                    std::span<const double> per_row);
/// The other way: turns a spoke, or all three, the first of them into that direction. Without sides: modes alone.
void turn_spoke(const model::Model& model, const model::Cone& cone, std::size_t which, const Direction& to,
                std::span<expressions::Side> sides, std::vector<double>& modes);
void turn_spokes(const model::Model& model, const model::Cone& cone, const Direction& to,
                 std::span<expressions::Side> sides, std::vector<double>& modes);
/// Do w and w' vanish at this state, within what counts as zero? Evaluates the spokes; `touch`: as a part of their terms.
[[nodiscard]] bool is_at_apex(const model::Model& model, const model::State& state, const model::Cone& cone,
                              double touch, Evaluation& evaluation);

/// Is it so, and does f touch there?
[[nodiscard]] bool touches_in_apex(const model::Model& model, const model::State& state, const model::Cone& cone,
                                   Workspace& workspace);
/// Those of the cones about which w stands still. Of the others the first spoke is turned to where w goes: A' + B |w'| is its rate, and with that zero its second
/// derivative is that of f.
[[nodiscard]] std::vector<model::Cone> standing_still(const model::Model& model, std::span<const model::Cone> cones,
                                                      model::State& state, Evaluation& evaluation,
                                                      std::span<expressions::Side> sides);
/// Of the spokes, per row, the terms of f'' (with those of f itself: `curved`) or f', `size` being those of the accelerations or velocities.
[[nodiscard]] std::vector<double> terms_of_spokes(const model::Model& model, const model::Rows& rows,
                                                  std::span<const double> size, bool curved);
/// The sentence for a cone in which no nearest point was found.
[[nodiscard]] std::string lost_in_cone(const model::Model& model, std::uint32_t row);
/// `accelerate` and `impact` about a state with modes in the apex of some cones, whose spokes are turned as is needed.
void accelerate_on_cones(const model::Model& model, Resolved& found, const Options& options, Workspace& workspace,
                         Instant& instant);
void regulate_on_cones(const model::Model& model, std::span<const model::Cone> cones, model::State& state,
                       const Options& options, Workspace& workspace, std::span<expressions::Side> sides, Shock& shock);

/// Looks for the nearest point of cones, from answer to answer of the nearest point under their spokes.
class ConeSearch {
 public:
  ConeSearch(const model::Model& model, const std::vector<model::Cone>& cones) : model_(model) {
    for (const model::Cone& cone : cones) searched_.push_back({cone});
  }
  [[nodiscard]] bool any() const { return !searched_.empty(); }
  /// After an answer with these second derivatives (rates) and multipliers (impulses) per row, the terms of the former per row: whether spokes were turned, so
  /// that it must be asked again.
  [[nodiscard]] bool turn(std::span<const double> y, std::span<const double> multipliers, std::span<const double> terms,
                          std::span<expressions::Side> sides, std::vector<double>& modes);
  /// A cone for which no end was found; none: the number of rows of the model.
  [[nodiscard]] std::uint32_t lost() const;

 private:
  struct Searched {
    model::Cone cone;
    int rounds = 0;
    bool centred = false;   ///< the triangle has been turned to where they press
    bool single = false;    ///< one spoke is turned until it points where it leads
    bool last = false;      ///< there is one before
    Direction before{};     ///< that spoke
    double off_before = 0;  ///< the sine of the angle from there to where it led
    bool lost = false;
  };
  bool turn_one(Searched& one, std::span<const double> y, std::span<const double> multipliers,
                std::span<const double> terms, std::span<expressions::Side> sides, std::vector<double>& modes);
  const model::Model& model_;
  std::vector<Searched> searched_;
};

}  // namespace zwang::instant
