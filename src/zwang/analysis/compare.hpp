/// One model under two laws: the straightest motion and the variational one, and how far they part.
///
///   d(t) = sqrt( (q_s - q_v)^T M (q_s - q_v) ),     M the matrix of T_2 at (t, q_s)
///
/// Symbols: q_s, q_v positions of the straightest and of the variational motion at the same time. For points d^2 is the sum
/// of m |x_s - x_v|^2. Where M depends on the position d is the length of the chord in the metric at q_s: exact to the first order
/// in the difference, and coordinates are compared as numbers (an angle that went round once more is 2 pi away).
/// Reference: Maurer 1905, sections 5 to 8; docs/mathematics, section 15.
#pragma once

#include <memory>
#include <vector>

#include "zwang/analysis/equivalence.hpp"
#include "zwang/model/model.hpp"
#include "zwang/motion/advance.hpp"
#include "zwang/motion/track.hpp"

namespace zwang::analysis {

/// The distance of two states at one time in the metric of T; NaN where T is not positive definite.
class Ruler {
 public:
  explicit Ruler(const model::Model& model);
  [[nodiscard]] double distance(const model::State& straightest, const model::State& variational);

 private:
  const model::Model& model_;
  model::Scratch scratch_;
  model::Dynamics dynamics_;
  std::vector<double> difference_, image_;
};

/// Some places of a run, evenly over its samples, for `equivalence`.
[[nodiscard]] std::vector<model::State> places_of(const motion::RunView& run);

/// The distance at the samples that both runs have, in their order, and at `more` instants, ascending in time.
[[nodiscard]] std::vector<Apart> distances(const model::Model& straightest, const motion::RunView& straightest_run,
                                           const model::Model& variational, const motion::RunView& variational_run,
                                           const std::vector<double>& more = {});

/// Both motions at once, without a file.
struct Comparison {
  Equivalence equivalence;
  std::vector<Apart> distance;  ///< at the instants asked for, as far as both motions came
  std::unique_ptr<model::Model> straightest_model, variational_model;
  motion::Motion straightest, variational;  ///< at their ends; they refer to the models
};
/// `instants` ascending.
[[nodiscard]] Comparison compare(const model::Model& model, const motion::Options& options,
                                 const std::vector<double>& instants);

/// The largest distance; {0, 0} of none.
[[nodiscard]] Apart farthest(const std::vector<Apart>& distance);

}  // namespace zwang::analysis
