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

#include <cstdint>
#include <string>
#include <vector>

#include "zwang/analysis/flag.hpp"
#include "zwang/analysis/integrals.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"

namespace zwang::analysis {

struct IntegrabilityOptions {
  unsigned points = 5;             ///< random points that are looked at
  bool explicit_integrals = true;  ///< search for them
  bool at_state = true;            ///< ask what is special about the state
};

/// An integral without an expression: the value of `column` where the leaf through a point meets the plane on which the
/// columns `where` have the values of the state.
struct ImplicitIntegral {
  std::string column;
  double value = 0;  ///< at the state
};

/// What is known of the leaf through the state.
struct LeafVerdict {
  bool decided = true;
  std::size_t integrable = 0;          ///< on phi = phi(state), holonomic equations and phi among them
  std::vector<std::string> integrals;  ///< further ones, where found
  bool dependent = false;  ///< the conditions are dependent at the state itself: no leaf passes through it regularly
  std::size_t rank_at_state = 0;    ///< of the conditions, at the state
  bool special = false;             ///< the state differs from the points near it
  std::size_t reachable = 0;        ///< dimension of what paths obeying the conditions reach from the state
  std::vector<std::size_t> growth;  ///< at the state, bracket by bracket; may repeat a value
};

struct Integrability {
  static constexpr std::size_t most_columns = 60;
  std::vector<std::string> columns;
  std::size_t conditions = 0;  ///< scalar equations
  std::size_t holonomic = 0;   ///< those of them that are written as such
  std::size_t integrable = 0;  ///< h
  bool complete = false;       ///< h is the number of independent conditions
  bool decided = true;
  std::string doubt;  ///< why it is not decided, or what to beware of; a sentence or empty

  std::vector<std::size_t> derived;
  std::vector<std::size_t> growth;
  std::vector<Gap> derived_gaps;  ///< one per entry of `derived`; the worst of all points
  std::vector<Gap> growth_gaps;   ///< one per entry of `growth`, and one for the step that adds nothing
  std::size_t points = 0;         ///< looked at
  std::size_t agreeing = 0;       ///< of them, with these ranks

  std::vector<Integral> integrals;          ///< explicit ones, those of holonomic equations first
  std::vector<ImplicitIntegral> implicit;   ///< h - integrals.size() of them
  std::vector<std::string> implicit_where;  ///< the columns that span the plane of the implicit ones, "x = 2"
  LeafVerdict leaf;
  bool laws_agree = false;
};

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
