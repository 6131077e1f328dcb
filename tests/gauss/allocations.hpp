/// Counts every allocation of the test program.
#pragma once

#include <cstddef>

namespace zwang::gauss::testing {

/// How often memory was asked for so far.
std::size_t allocations();

}  // namespace zwang::gauss::testing
