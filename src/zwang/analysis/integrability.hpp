/// How many combinations of the conditions integrate, and to what: Voss's question about Pfaffian conditions.
///
///   r forms in n columns (the time among them where it occurs);  derived flag r = r_0 > r_1 > ... > r_k = r_{k+1} = h
///   h combinations are d phi_1 .. d phi_h up to factors;  complete: h = r;   h = n - dim (Lie closure of ker P)
///
/// Both routes are taken, forms downwards and brackets upwards, at several random points near the state (on the
/// holonomic equations, which count as conditions and as integrable), and must agree. Then the same on the leaf through
/// the state, phi = phi(state): where the coefficients take special values there, more may integrate; and at the state
/// itself, by points that can be reached from it. Reference: Voss 1884, section 1; docs/mathematics, section 17.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "zwang/analysis.hpp"
#include "zwang/analysis/flag.hpp"
#include "zwang/analysis/integrals.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"

namespace zwang::analysis {

/// The state's velocity does not matter. A model without equations gives `conditions` = 0 and nothing else.
[[nodiscard]] Integrability integrability(const model::Draft& draft, const model::Model& model,
                                          const model::State& state, const IntegrabilityOptions& options = {});

/// The integrals of a system as numbers, for any point near its state: follows the leaf through the point to where the
/// free columns have the values of the state, and gives the values of the others there. They are constant along every
/// motion.
class LeafNumbers {
 public:
  LeafNumbers(const model::Draft& draft, const model::Model& model, const model::State& state);
  ~LeafNumbers();
  LeafNumbers(LeafNumbers&&) noexcept;
  LeafNumbers& operator=(LeafNumbers&&) noexcept;

  /// Names of the columns whose values at the plane are the integrals: as many as combinations integrate.
  [[nodiscard]] const std::vector<std::string>& names() const;
  /// Empty where the leaf does not reach the plane.
  [[nodiscard]] std::vector<double> at(const model::State& state) const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace zwang::analysis
