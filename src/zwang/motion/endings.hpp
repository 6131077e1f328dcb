/// What a user needs to know of a motion that did not finish: the conditions, by how much, the bodies, and what to try next.
///
/// Whoever ends a motion says the cause; all the rest is added here, once, so that every ending has the same shape:
///
///   cause: condition by amount (bodies), ...; what to try
///
/// Numbers that have grown beyond what can be squared are named as an overflow, whatever stumbled over them; a state that is not finite is
/// given back as the last one that was.
#pragma once

#include "zwang/motion/advance.hpp"

namespace zwang::motion {

/// To be called once, when a motion has ended.
void tell_ending(Motion& motion);

/// In words, once, when it can be foreseen that a motion will take very many steps without any event; empty otherwise.
[[nodiscard]] std::string foretell(const Motion& motion);

}  // namespace zwang::motion
