/// Functions with corners taken apart: every corner is a site where a switching function g passes a threshold, and between
/// switches every expression is one analytic function.
///
///   abs(u) = s u                  g = u,      s = -1, 1            sign(u) = s
///   max(u, v) = m ? u : v         g = u - v,  m = 0, 1             step(u) = m, and the truth of every comparison
///   floor(u) = k                  g = u,      k whole              mod(u, w) = u - w floor(u / w)
///   table, spline                 g = u,      the piece's X, a, b, c, e (functions/pieces.hpp)
///   atan2(y, x) = x >= 0 ? atan2(y, x) : s pi + atan2(-y, -x)      s the sign of y: across the cut the angle jumps by 2 pi
///               = j pi + (j even ? atan2(y, x) : atan2(-y, -x))    continued: j counts half turns from the start
///   |w| = c.w at the apex of a cone           g = c_i,    c_i chosen by the motion (cones.hpp)
///   w_i / |w| = m w_i / sqrt(|w|^2 + k) + c_i                      m = 1, k = c_i = 0 where w moves; where it rests m = 0, k = 1, |c| <= 1
///   w_i |w|^-p = m ? w_i |w|^-p : 0,  0 < p < 1                    m = sign(|w|^2), quiet: what it is at the instant
///
/// s, m, k and the numbers of a piece are modes: symbols of the graph that stay constant while no g passes a threshold. Corners may be
/// nested: the g of sign(mod(t, 1) - 0.5) contains the mode of mod, and jumps where that turns.
/// A condition's expression can also be split (`split`): abs, min, max and clip make it a least or greatest of several smooth
/// expressions. Reference: docs/mathematics, section 21.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "zwang/expressions/functions/pieces.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

enum class CornerKind : std::uint8_t {
  sign,    ///< threshold 0; the mode is -1, 0 (on it), 1
  truth,   ///< threshold 0; the mode is 0 below, 1 from there on
  whole,   ///< thresholds are the whole numbers; the mode is floor(g)
  pieces,  ///< thresholds are the knots; the modes are the numbers of the piece
  turns,   ///< threshold 0 of x; the modes are the truth of x >= 0 and the half turns j; the interval is j
  moves,   ///< |w| comes to 0 from above; the modes m, k are 1, 0 where w moves (side 2), 0, 1 where it rests (side 1)
  part,    ///< w_i of the corner `moves` before it; the mode c_i is 0 where w moves, else a weight between -1 and 1
  spoke  ///< a component of the direction of a plane that touches a cone in its apex, or the rest of it; nothing turns it but the motion
};

/// Sides of a `part`: w moves; w rests; w leaves its rest in the direction c, with a push that grows from nothing, or with one of its own at once.
inline constexpr std::int32_t part_moves = 4;
inline constexpr std::int32_t part_rests = 1;
inline constexpr std::int32_t part_leaves = 3;
inline constexpr std::int32_t part_leaves_at_once = 5;

/// A component of a spoke is a whole number of these, and its rest one of as small parts of them. Its side is twice that number.
inline constexpr double unit_of_spoke = 0x1p-29;
[[nodiscard]] double rest_of_spoke(double component);

/// On which side of its thresholds g is: 2 k in interval k, 2 k - 1 on the threshold below interval k. Interval 0 lies below
/// the only threshold of `sign` and `truth`, before the first knot of `pieces`, and from 0 to 1 of `whole`.
using Side = std::int32_t;

struct Corner {
  CornerKind kind = CornerKind::sign;
  std::uint32_t first_mode = 0;  ///< of its mode symbols
  std::uint32_t modes = 1;
  bool quiet = false;                ///< both sides are the same analytic function: no event, and never slid on
  std::vector<std::uint32_t> inner;  ///< corners whose modes occur in g: where one of them turns, g may jump
  bool follows = false;              ///< nothing but modes occurs in g, as in floor(t) >= 2: it turns with them alone
  bool stirs = false;                ///< |w|^2 of a speed below a product that vanishes with it
  bool inside = false;               ///< its modes occur in switching functions only, not in the expressions themselves
  std::uint32_t parts = 0;           ///< of `moves`: the corners of w_1, w_2, ... are so many right behind it
  std::uint32_t whole = 0;           ///< of `part`: its `moves` is so many before it; of the rest of a `spoke`: 1
  /// Of the direction of a speed?
  [[nodiscard]] bool directs() const { return kind == CornerKind::moves || kind == CornerKind::part; }
  /// Of a spring that can be let go: a truth about a number that never changes, turned off by the release alone.
  [[nodiscard]] bool kept() const { return follows && inner.empty(); }
  Pieces pieces;
  std::string text;  ///< the call it comes from, in words of the model

  /// The side of a value of g (`beside`: of the other argument of `turns`). On a threshold: on it for `sign`, above it for
  /// the others.
  [[nodiscard]] Side side(double g, double beside = 0) const;
  /// The interval behind the threshold above or below.
  [[nodiscard]] Side next(Side interval, bool above, double beside = 0) const;
  /// The threshold between an interval and the next one below or above.
  [[nodiscard]] double threshold(Side interval, bool above) const;
  [[nodiscard]] bool has_threshold(Side interval, bool above) const;
  /// The modes on a side; on a threshold those of the middle (sign), or of the interval above.
  void numbers(Side side, std::span<double> out) const;
};

/// A corner of an expression.
struct Site {
  Corner corner;
  Expr g;       ///< may contain the modes of sites before it
  Expr beside;  ///< the other argument of `turns`, else 0
  Expr source;  ///< the call it comes from
};

struct Lowered {
  std::vector<Expr> outputs;
  std::vector<Site> sites;
  std::uint32_t modes = 0;
};
/// The expressions without functions with corners. Equal switching functions share a site. `continued`: the angle of atan2 is
/// followed across its cut instead of jumping there. `directed`: directions w / |w| of speeds are corners, too.
[[nodiscard]] Lowered lower(Graph& graph, std::span<const Expr> outputs, bool continued = false, bool directed = false);

/// Jumps that stand inside of what is not linear, as in clip(3*sign(u), -1, 1) or exp(sign(u)), drawn out of it where both sides are free of
/// further corners: u >= 0 ? 1 : -1. Then the mean of both sides of a jump is that of the whole.
[[nodiscard]] Expr draw_out_jumps(Graph& graph, Expr e);

/// asin or acos of a sine or a cosine, which is a triangle wave, by `abs` and `mod`: where its slope changes a root comes to zero that no series passes.
/// The call itself, if it is none.
[[nodiscard]] Expr triangle_wave(Graph& graph, Expr call);

/// Does a function with corners, or atan2, occur?
[[nodiscard]] bool has_corners(const Graph& graph, Expr e);
/// Is e made of functions alone that are continuous wherever they have a value, and have one beside every place where they have? A quotient is
/// not: abs(x)/x jumps.
[[nodiscard]] bool has_no_jump(const Graph& graph, Expr e);
/// Does a function with corners occur, atan2 not counted?
[[nodiscard]] bool has_kinks(const Graph& graph, Expr e);

/// f <= 0 as alternatives, of which one must hold, each of conditions, which must hold all: f is the least of the greatest of
/// them. Splits sums, multiples, abs, min, max, clip; other corners stay inside. Empty: more than `most` conditions.
using Alternatives = std::vector<std::vector<Expr>>;
[[nodiscard]] Alternatives split(Graph& graph, Expr f, std::size_t most = 64);

}  // namespace zwang::expressions
