/// One connected part of a problem examined: which of its rows are redundant, and what singular combinations of the others
/// say about the accelerations (docs/mathematics, sections 4.2 and 6).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "zwang/instant/dependence.hpp"
#include "zwang/instant/expansion.hpp"

namespace zwang::instant {

/// How the examination of one part ended.
enum class Verdict : std::uint8_t { ordinary, jammed, undecided };

/// A contradiction or a question left open, with what is to be said about it.
struct Finding {
  Verdict verdict = Verdict::ordinary;
  unsigned derivative = 2;
  std::vector<double> y;  ///< per row of the part
  std::string words;
};

/// A quadric that is left in a part.
struct Curved {
  Form form;
  Affine affine;
  bool equation = true;
  std::string words;
};

/// What is known of a part.
struct Known {
  Part part;
  bool small = false;                    ///< within the sizes that are examined
  bool unexamined = false;               ///< one-sided combinations were too many to look at
  std::vector<std::size_t> tight;        ///< inequalities with f'' = 0 in the solution found
  std::vector<std::uint8_t> left_out;    ///< per row of the part
  std::vector<std::uint8_t> pinned;      ///< per row of the part: an inequality that another one makes an equation
  std::vector<std::size_t> opposite;     ///< per row of the part, where pinned: the other half
  std::vector<std::size_t> equations;    ///< kept ones
  Basis basis;                           ///< of these
  bool orthogonal = false;               ///< they are handed on made orthogonal
  std::vector<Row> higher;               ///< equations of third and fourth order
  std::vector<Row> higher_inequalities;  ///< of third order, one-sided
  std::vector<Curved> curved;            ///< at most one
  std::shared_ptr<const Expansion> expansion;  ///< of the rows, once asked for
};

/// What y (per row of the part) says about y^T J a + y.h = 0 or <= 0.
enum class Proof : std::uint8_t {
  zero,      ///< y.h vanishes within the uncertainty of the rows
  positive,  ///< y.h is positive beyond it, and y^T J vanishes: no acceleration satisfies the rows
  negative,  ///< y.h is negative beyond it
  unclear    ///< y.h is not zero, but neither is y^T J: large accelerations might do
};
[[nodiscard]] Proof proof_of(const Part& part, const std::vector<double>& y, double at_hand, double angle);

/// Equations of the part that depend on others: redundant, or rows of higher order. `angle` > 0: rows nearer than this
/// count as dependent.
[[nodiscard]] Finding examine_equations(const model::Model& model, const model::State& state, Workspace::Impl& impl,
                                        Level level, double angle, Known& known);

/// One-sided combinations of the inequalities at `tight` (f'' = 0 with the accelerations `a` found). `changed`: rows were added.
[[nodiscard]] Finding examine_inequalities(const model::Model& model, const model::State& state, Workspace::Impl& impl,
                                           Level level, double angle, Known& known,
                                           const std::vector<std::size_t>& tight, const std::vector<double>& a,
                                           bool& changed);

}  // namespace zwang::instant
