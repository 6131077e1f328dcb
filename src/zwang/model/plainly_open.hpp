/// Alternatives of conditions that are open beyond any doubt, told from their values alone.
///
/// Two boxes have thousands of alternatives of which few are near: of the others neither gradients nor the errors of all their terms are needed to see that
/// they do not count. With |f| the size of the terms of f and u what the state is uncertain by, plainly open is
///
///   f < -2^-7 |f|    and    f < -2^10 |df/dq| u        (as in evaluate.cpp).
#pragma once

#include <cstdint>
#include <vector>

#include "zwang/expressions/tape.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::model {

class PlainlyOpen {
 public:
  explicit PlainlyOpen(const Model& model);

  /// Part of its terms by which a row is plainly open: no tolerance may be near it.
  static constexpr double part = 0x1p-7;

  /// Marks rows of alternatives of position conditions with 1 that are plainly open, all others with 0.
  void find(const Model& model, const State& state, std::vector<std::uint8_t>& open);

 private:
  struct Values {
    std::uint32_t group = 0;
    expressions::Tape tape;  ///< of f alone
  };
  template <unsigned W>
  void look(const Model& model, const State& state, const Values& values, std::vector<std::uint8_t>& open);

  std::vector<Values> groups_;
  std::vector<double> registers_, errors_;
};

}  // namespace zwang::model
