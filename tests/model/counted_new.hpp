/// Counts every allocation of this test program.
#pragma once

#include <cstddef>

[[nodiscard]] std::size_t allocations();
